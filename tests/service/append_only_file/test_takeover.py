"""Data that another engine has written is taken over, and a copy of it is kept as it was."""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
import redis

from service.operation.append_only_file import takeover
from service.operation.append_only_file.parts import (
    AppendOnlyFileError,
    ManifestError,
    find_parts,
    snapshot_version,
)
from service.operation.append_only_file.takeover import stored_engine, take_over
from service.operation.embedded_redis import REDIS_SETTINGS, EmbeddedRedis
from service.operation.engine import Engine
from tests.conftest import ENGINE
from tests.support.append_only_files import write_data
from tests.support.chance import make_reproducible
from tests.support.faults import raises
from tests.support.processes import wait_until

SINGLE_FILE = b"*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n"
"""What a Redis 6.2 has written."""
OTHER = Engine("other", "Valkey", (99, 9, 1))


later_than_6 = pytest.mark.skipif(ENGINE.version < (7, 0, 0), reason="it is the former engine")


def contents_of(folder: Path) -> dict[str, bytes]:
    """Return the files of an append-only file, by their names in the folder of a server."""
    files = [*folder.glob("appendonly.aof"), *folder.glob("appendonlydir/*")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def copies_in(data: Path) -> list[Path]:
    return sorted((data / "redis").glob("former-*"))


@later_than_6
def test_a_single_file_is_taken_over_and_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_data(tmp_path, SINGLE_FILE)
    for _ in range(2):
        with EmbeddedRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
            assert client.get("a") == b"1"
            client.set("b", "2")
    (copy,) = copies_in(tmp_path)
    assert contents_of(copy) == {"appendonly.aof": SINGLE_FILE}
    assert stored_engine(tmp_path / "redis") == ENGINE.title
    (line,) = [text for text in caplog.messages if "takes over" in text]
    assert line == (
        f"{ENGINE.title} takes over the data that Redis 6.2 has written; a copy of it as it was"
        f" is in {copy}"
    )


def test_new_data_and_a_new_version_of_the_same_series_need_no_copy(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path):
        pass
    folder = tmp_path / "redis"
    patch = Engine("patch", ENGINE.name, (*ENGINE.version[:2], ENGINE.version[2] + 1))
    assert take_over(folder, patch) is None
    assert stored_engine(folder) == patch.title
    assert copies_in(tmp_path) == []


@later_than_6
def test_the_copy_stays_as_it_was_while_the_data_changes(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
        client.set("a", "1")
    folder = tmp_path / "redis"
    before = contents_of(folder)
    copy = take_over(folder, OTHER)
    assert copy is not None
    assert (copy / "engine").read_text() == f"{ENGINE.title}\n"
    with EmbeddedRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
        client.set("b", "2")
        client.bgrewriteaof()
        wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
    assert contents_of(copy) == before
    # The folder of the copy is one that a server can use.
    shutil.copytree(copy, tmp_path / "former" / "redis")
    with EmbeddedRedis(tmp_path / "former") as server, redis.Redis.from_url(server.url) as client:
        assert client.keys() == [b"a"]


@later_than_6
@pytest.mark.parametrize("has_links", [False, True])
def test_a_takeover_that_was_interrupted_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool
) -> None:
    path = write_data(tmp_path, SINGLE_FILE)
    folder = tmp_path / "redis"

    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    if not has_links:
        monkeypatch.setattr(os, "link", no_links)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(takeover, "sync_folder", full)
        with raises(AppendOnlyFileError, match="cannot be taken over by .*: no space left"):
            take_over(folder, ENGINE)
    assert stored_engine(folder) == ""
    assert path.read_bytes() == SINGLE_FILE
    copy = take_over(folder, ENGINE)
    assert copy is not None
    assert contents_of(copy) == {"appendonly.aof": SINGLE_FILE}
    assert copies_in(tmp_path) == [copy]
    assert not (folder / "former.unfinished").exists()


FILE_OPERATIONS = {"open", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir"}


def take_over_until(folder: Path, number: int) -> bool:
    """Take a folder over in a process that is killed before this file operation; return whether it was."""
    pid = os.fork()
    if not pid:
        # It draws other names of files than this process.
        make_reproducible(f"takeover {number}")
        operations = 0

        def kill_at(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal operations
            if event in FILE_OPERATIONS and str(folder) in str(arguments[0]):
                operations += 1
                if operations == number:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(kill_at)
        try:
            take_over(folder, ENGINE)
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status)


@later_than_6
def test_a_takeover_that_was_killed_leaves_one_complete_copy(tmp_path: Path) -> None:
    for number in count(1):
        data = tmp_path / str(number)
        write_data(data, SINGLE_FILE)
        folder = data / "redis"
        if not take_over_until(folder, number):
            break
        take_over(folder, ENGINE)
        (copy,) = copies_in(data)
        assert contents_of(copy) == {"appendonly.aof": SINGLE_FILE}, number
        # A file that was about to replace another may be left.
        left = {path.name for path in folder.iterdir() if not path.name.startswith("engine.")}
        assert left == {"appendonly.aof", "engine", copy.name}
    assert number > 10


@later_than_6
def test_an_incomplete_write_that_is_cut_off_stays_in_the_copy(tmp_path: Path) -> None:
    content = SINGLE_FILE + b"*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$100\r\nabc"
    write_data(tmp_path, content)
    with EmbeddedRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
        assert client.keys() == [b"a"]
    (copy,) = copies_in(tmp_path)
    assert contents_of(copy) == {"appendonly.aof": content}


def has_no_snapshot(folder: Path) -> bool:
    """Whether a server that works has replaced its snapshot; its files may change while they are read."""
    try:
        return snapshot_version(folder) is None
    except ManifestError:
        return False


def test_a_snapshot_is_replaced_by_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every engine reads commands; the snapshots of an engine are read by later ones only."""
    with monkeypatch.context() as patch:
        patch.setitem(REDIS_SETTINGS, "aof-use-rdb-preamble", "yes")
        with EmbeddedRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
            client.set("a", "1")
            wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
            client.bgrewriteaof()
            wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
    assert snapshot_version(tmp_path / "redis") is not None
    with EmbeddedRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
        assert client.get("a") == b"1"
        wait_until(lambda: has_no_snapshot(tmp_path / "redis"))
        assert client.get("a") == b"1"
    assert all(b"REDIS0" not in part.path.read_bytes() for part in find_parts(tmp_path / "redis"))


def test_data_in_a_folder_is_not_ignored_by_redis_6(
    tmp_path: Path, script: Callable[..., str]
) -> None:
    executable = script("Redis server v=6.2.14 sha=00000000:0")
    (tmp_path / "redis" / "appendonlydir").mkdir(parents=True)
    server = EmbeddedRedis(tmp_path, executable=executable)
    with raises(AppendOnlyFileError, match="was written by Redis 7 or later, or by Valkey"):
        server.start()

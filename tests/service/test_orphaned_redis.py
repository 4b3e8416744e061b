"""A start ends the Redis that has outlived its service and its watch, and loses nothing of what it wrote."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
import redis

from service.operation.data_folder import DataFolderInUse, embedded_redis_socket, embedded_redis_url
from service.operation.embedded_redis import EmbeddedRedis
from tests.service.test_embedded_redis import ROOT, START, connect
from tests.support.faults import raises
from tests.support.processes import descendants, idle_at_most, is_running, run_program, wait_until

SLOW_LOAD = """
import pathlib, sys
from service.operation import embedded_redis

# A pause after each key, in microseconds: the load of 2,000 keys takes a quarter of an hour.
embedded_redis.REDIS_SETTINGS["key-load-delay"] = "500000"
embedded_redis.EmbeddedRedis(pathlib.Path(sys.argv[1])).start()
"""


def responds(data: Path) -> bool:
    """Whether the server of a folder responds, even if only to say that it loads its data."""
    with redis.Redis.from_url(embedded_redis_url(data), socket_timeout=0.5) as client:
        try:
            return bool(client.ping())
        except redis.BusyLoadingError:
            return True
        except (redis.TimeoutError, redis.ConnectionError):
            return False


@pytest.fixture
def orphan() -> Iterator[Callable[[Path], int]]:
    """A function that starts a server on a folder, kills its watch and its parent, and returns its id."""
    pids: list[int] = []

    def start(data: Path) -> int:
        command = [sys.executable, "-c", START, str(data)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
            assert parent.stdout is not None
            pid = int(parent.stdout.readline())
            pids.append(pid)
            (watch,) = descendants(pid)
            os.kill(watch, signal.SIGKILL)
            wait_until(lambda: not is_running(watch))
            parent.kill()
        assert is_running(pid)
        return pid

    yield start
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("is_stopped", [False, True])
@pytest.mark.parametrize("has_socket_in_tmp", [False, True])
def test_an_orphaned_server_is_ended_immediately(
    orphan: Callable[[Path], int],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    *,
    is_stopped: bool,
    has_socket_in_tmp: bool,
) -> None:
    data = tmp_path / ("long" * 30) if has_socket_in_tmp else tmp_path
    pid = orphan(data)
    with connect(EmbeddedRedis(data)) as client:
        client.set("a", "1")
    if is_stopped:
        os.kill(pid, signal.SIGSTOP)
    with idle_at_most(5), EmbeddedRedis(data) as server, connect(server) as client:
        assert client.get("a") == "1"
        assert not is_running(pid)
    signals = [text for text in caplog.messages if text.startswith("SIG")]
    assert signals == [f"SIGTERM to the Redis of a service that has died (process {pid})"]
    if has_socket_in_tmp:
        embedded_redis_socket(data).parent.rmdir()


def test_an_orphaned_server_that_is_loading_is_ended(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, connect(server) as client:
        client.mset({f"key {number}": "x" for number in range(2000)})
        client.bgrewriteaof()
        wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
    log_file = tmp_path / "redis" / "redis.log"
    before = len(log_file.read_bytes())
    with subprocess.Popen([sys.executable, "-c", SLOW_LOAD, str(tmp_path)], cwd=ROOT) as parent:
        # It listens before it loads, and writes this between the two.
        wait_until(lambda: b"Server initialized" in log_file.read_bytes()[before:], needs=[parent])
        pid = int((tmp_path / "redis" / "redis.pid").read_text())
        (watch,) = descendants(pid)
        os.kill(watch, signal.SIGKILL)
        parent.kill()
    with idle_at_most(5), EmbeddedRedis(tmp_path) as server, connect(server) as client:
        assert not is_running(pid)
        assert client.dbsize() == 2000


def test_an_orphaned_server_that_cannot_end_is_killed_and_loses_no_write(
    orphan: Callable[[Path], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = orphan(tmp_path)
    with connect(EmbeddedRedis(tmp_path)) as client, ThreadPoolExecutor(1) as pool:
        client.set("a", "1")
        # While a script runs, Redis does not react to SIGTERM.
        endless = pool.submit(client.eval, "while true do end", 0)
        wait_until(lambda: not responds(tmp_path) or endless.done())
        monkeypatch.setattr("service.operation.data_folder.SIGNAL_SECONDS", 0.05)
        kills = [signal.SIGKILL] * 10_000
        monkeypatch.setattr(
            "service.operation.data_folder.ORPHAN_SIGNALS", [signal.SIGTERM, *kills]
        )
        with EmbeddedRedis(tmp_path) as server, connect(server) as other:
            assert not is_running(pid)
            assert other.get("a") == "1"
        assert isinstance(endless.exception(), redis.ConnectionError)


def test_only_one_of_two_starts_takes_the_folder_of_an_orphaned_server(
    orphan: Callable[[Path], int], tmp_path: Path
) -> None:
    pid = orphan(tmp_path)
    servers = [EmbeddedRedis(tmp_path), EmbeddedRedis(tmp_path)]
    with ThreadPoolExecutor(2) as pool:
        starts = [pool.submit(server.start) for server in servers]
        errors = [start.exception() for start in starts]
    try:
        assert sorted(type(error).__name__ for error in errors) == ["DataFolderInUse", "NoneType"]
        assert [server.is_running for server in servers] == [error is None for error in errors]
        assert not is_running(pid)
    finally:
        for server in servers:
            server.stop()


LOCK = """
import os, pathlib, subprocess, sys
from service.operation.data_folder import DataFolderLock

lock = DataFolderLock(pathlib.Path(sys.argv[1]))
lock.acquire()
child = subprocess.Popen(["sleep", "600"], pass_fds=[lock.fileno()], stdout=-3, stderr=-3)
print(child.pid, flush=True)
os._exit(0)
"""


def test_a_folder_that_another_program_keeps_locked_stays_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = int(run_program([sys.executable, "-c", LOCK, str(tmp_path)], cwd=ROOT, check=True).stdout)
    try:
        monkeypatch.setattr("service.operation.data_folder.SIGNAL_SECONDS", 0.01)
        with raises(DataFolderInUse, match="Stop its redis-server, which still runs"):
            EmbeddedRedis(tmp_path).start()
        assert is_running(pid)
    finally:
        os.kill(pid, signal.SIGKILL)

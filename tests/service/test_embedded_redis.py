"""The embedded Redis keeps what it acknowledged, locks its folder, and reports what prevents its start.

Every server here is a real one, on a folder of its test.
"""

import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import redis

from service.operation import embedded_redis as embedded
from service.operation.data_folder import (
    DataFolderInUse,
    default_data_folder,
    embedded_redis_socket,
    embedded_redis_url,
)
from service.operation.embedded_redis import EmbeddedRedis, EmbeddedRedisError
from service.operation.engine import EngineError
from tests.support.faults import raises
from tests.support.processes import is_running, wait_until

ROOT = Path(__file__).parents[2]


def connect(server: EmbeddedRedis) -> "redis.Redis":
    return redis.Redis.from_url(server.url, decode_responses=True)


def test_written_data_survives_a_kill(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path)
    server.start()
    pid = server.pid
    assert pid is not None
    with connect(server) as client:
        for seq in range(1, 101):
            client.xadd("log", {"event": f"e{seq}"}, id=f"{seq}-0")
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: server.pid is None)
    assert embedded_redis_socket(
        tmp_path
    ).exists()  # a stale socket, which the next server replaces

    server.start()
    try:
        assert server.pid not in {None, pid}
        with connect(server) as client:
            entries = client.xrange("log")
        assert [fields["event"] for _, fields in entries] == [f"e{seq}" for seq in range(1, 101)]
    finally:
        server.stop()


def test_written_data_survives_a_stop(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, connect(server) as client:
        client.set("a", "1")
    assert server.pid is None
    assert not embedded_redis_socket(tmp_path).exists()
    with EmbeddedRedis(tmp_path) as server, connect(server) as client:
        assert client.get("a") == "1"


@pytest.mark.nightly
def test_start_waits_for_a_long_load_and_reports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = EmbeddedRedis(tmp_path)
    server.start()
    with connect(server) as client:
        client.mset({f"key {number}": os.urandom(1000) for number in range(20_000)})
        # After a rewrite, the file has a format that a setting of Redis makes slow to load.
        client.bgrewriteaof()
        wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
    server.kill()
    monkeypatch.setitem(embedded.REDIS_SETTINGS, "key-load-delay", "100")  # microseconds a key
    caplog.set_level("INFO")
    with server, connect(server) as client:
        assert client.dbsize() == 20_000
    assert any(message.startswith("loading the data: ") for message in caplog.messages)


def test_every_write_is_synced_and_nothing_is_evicted(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, connect(server) as client:
        settings = client.config_get("*")
    assert settings["appendonly"] == "yes"
    assert settings["appendfsync"] == "always"
    assert settings["no-appendfsync-on-rewrite"] == "no"
    assert settings["save"] == ""
    assert settings["maxmemory-policy"] == "noeviction"
    assert settings["port"] == "0"


def test_other_users_cannot_read_the_files_of_the_server(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, connect(server) as client:
        client.set("a", "1")
        folder = tmp_path / "redis"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        modes = {path.name: stat.S_IMODE(path.lstat().st_mode) for path in folder.iterdir()}
    assert {"lock", "redis.log", "redis.sock"} < modes.keys()
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}


def test_a_second_start_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as first:
        with raises(DataFolderInUse, match=f"Stop process {os.getpid()} "):
            EmbeddedRedis(tmp_path).start()
        with raises(EmbeddedRedisError, match="running already"):
            first.start()
        with connect(first) as client:
            assert client.ping()
    with EmbeddedRedis(tmp_path):  # the folder is free again
        pass


START = """
import pathlib, sys, time
from service.operation.embedded_redis import EmbeddedRedis

server = EmbeddedRedis(pathlib.Path(sys.argv[1]))
server.start()
print(server.pid, flush=True)
time.sleep(600)
"""


def test_the_server_does_not_outlive_the_process_that_started_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", START, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
    # A start that follows at once waits for the orphan, which is about to end.
    with EmbeddedRedis(tmp_path) as server:
        assert not is_running(pid)
        assert server.pid is not None


def test_a_thread_that_ends_leaves_the_server_running(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(server.start).result()
    with connect(server) as client:
        assert client.ping()
    server.stop()


def test_a_data_folder_with_a_path_too_long_for_a_socket_has_its_socket_in_tmp(
    tmp_path: Path,
) -> None:
    data = tmp_path / ("long" * 30)
    socket = embedded_redis_socket(data)
    assert socket.parent.parent == Path("/tmp")  # noqa: S108 # the server keeps such sockets there
    try:
        with EmbeddedRedis(data) as server, connect(server) as client:
            client.set("a", "1")
            assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
            assert server.url == embedded_redis_url(data)
    finally:
        socket.unlink(missing_ok=True)
        socket.parent.rmdir()


def test_a_folder_name_may_contain_spaces_and_quotes(tmp_path: Path) -> None:
    data = tmp_path / "my games, 100% \"quoted\" 'été'"
    with EmbeddedRedis(data) as server, connect(server) as client:
        assert client.ping()
        assert client.config_get("dir")["dir"] == str(data / "redis")


def test_a_program_that_is_too_old_is_an_error(tmp_path: Path, script: Callable[..., str]) -> None:
    old = script("Redis server v=6.0.16 sha=00000000:0 malloc=libc bits=64 build=0")
    with raises(EngineError, match=r"is Redis 6\.0\.16, older than 6\.2\.0"):
        EmbeddedRedis(tmp_path, executable=old).start()


def test_a_program_that_is_not_redis_is_an_error(
    tmp_path: Path, script: Callable[..., str]
) -> None:
    with raises(EngineError, match="is not a redis-server: it prints 'hello'"):
        EmbeddedRedis(tmp_path, executable=script("hello")).start()
    with raises(EngineError, match="does not run"):
        EmbeddedRedis(tmp_path, executable=str(tmp_path / "nothing")).start()


def test_a_server_that_ends_immediately_is_an_error_with_its_output(
    tmp_path: Path, script: Callable[..., str]
) -> None:
    broken = script("Redis server v=7.2.4 and that is all it does")
    server = EmbeddedRedis(tmp_path, executable=broken)
    with raises(EmbeddedRedisError, match=r"ended with status 0: .*that is all it does"):
        server.start()
    assert server.pid is None
    with EmbeddedRedis(tmp_path):  # nothing prevents the next start
        pass


@pytest.mark.parametrize(
    ("data_home", "folder"),
    [
        ("/d", Path("/d/cartulary")),
        (None, Path.home() / ".local/share/cartulary"),
        # The XDG specification says that a relative path is to be ignored.
        ("relative", Path.home() / ".local/share/cartulary"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep user data elsewhere")
def test_the_default_data_folder_follows_the_xdg_specification(
    monkeypatch: pytest.MonkeyPatch, data_home: str | None, folder: Path
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    if data_home is not None:
        monkeypatch.setenv("XDG_DATA_HOME", data_home)
    assert default_data_folder() == folder


def test_a_rewrite_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path)
    chance = random.Random(1)
    values = {f"key {number}": "x" * 1000 for number in range(2000)}
    for seq in range(1, 11):
        server.start()
        with connect(server) as client:
            client.mset(values)
            client.xadd("log", {"event": f"e{seq}"}, id=f"{seq}-0")
            client.bgrewriteaof()
            time.sleep(chance.random() / 20)
        server.kill()
    with server, connect(server) as client:
        assert client.mget([*values]) == [*values.values()]
        assert [id for id, _ in client.xrange("log")] == [f"{seq}-0" for seq in range(1, 11)]

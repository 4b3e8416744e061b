"""`cartulary serve`: all of it up with one command, kept up, and down with Ctrl-C or however it ends."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support import processes
from tests.support.processes import family, is_running, wait_until

PARTS = ("web", "worker", "scheduler", "redis-server")


class Served:
    """A `cartulary serve` with its output, on a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.out, self.err = folder / "out", folder / "err"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.out.write_bytes(b"")
        words = ["serve", "--port", "0", "--data", str(self.data)]
        self.process = processes.begin(*words, out=self.out, err=self.err)
        wait_until(lambda: "Ctrl-C" in self.out.read_text() or self.has_ended())
        assert not self.has_ended(), self.err.read_text()

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def url(self) -> str:
        found = re.search(r"http://\S+", self.out.read_text())
        assert found is not None
        return found[0]

    def has_ended(self) -> bool:
        assert self.process is not None
        return self.process.poll() is not None

    def part(self, name: str) -> int | None:
        """The process id of a part."""
        is_redis = name == "redis-server"
        pattern = "^.*(redis|valkey)-server " if is_redis else rf"-m cartulary {name}\b"
        found = [
            pid for pid, words in family(self.pid).items() if re.search(pattern, words) is not None
        ]
        return found[0] if found else None

    def register(self, handle: str) -> int:
        """Register a player; the answer's status, 0 for none."""
        body = {"handle": handle, "password": "correct horse"}
        try:
            return httpx.post(f"{self.url}/api/v1/players", json=body).status_code
        except httpx.TransportError:
            return 0


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path)
    served.start()
    yield served
    if not served.has_ended():
        served.process.terminate()  # type: ignore[union-attr]
        served.process.wait(30)  # type: ignore[union-attr]


def test_it_serves_says_where_and_ends_with_ctrl_c(served: Served) -> None:
    shown = served.out.read_text()
    assert f"Cartulary is at   {served.url}\n" in shown
    assert str(served.data) in shown
    assert served.register("ana") == 201
    assert all(served.part(name) for name in PARTS)

    everybody = [served.pid, *family(served.pid)]
    began = time.monotonic()
    os.killpg(served.pid, signal.SIGINT)
    assert served.process is not None
    assert served.process.wait(20) == 0
    assert time.monotonic() - began < 10
    assert not any(is_running(pid) for pid in everybody)
    assert "Traceback" not in served.err.read_text()

    # What was acknowledged is there the next time.
    served.start()
    assert served.register("ana") == 409
    assert served.register("ben") == 201


def test_what_dies_is_started_again_and_it_is_said(served: Served) -> None:
    before = {name: served.part(name) for name in PARTS}
    for pid in before.values():
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
    wait_until(
        lambda: all(served.part(name) not in {None, before[name]} for name in PARTS), seconds=30
    )
    wait_until(lambda: served.register("ana") == 201)
    said = served.err.read_text()
    for name in PARTS[:3]:
        assert f"{name} was ended by SIGKILL; it is started again in 0.2 s\n" in said
        assert f"{name} is started again\n" in said
    assert "redis had ended and is started again\n" in said


def test_nobody_outlives_it_when_it_is_killed(served: Served) -> None:
    everybody = family(served.pid)
    assert len(everybody) >= len(PARTS)
    os.kill(served.pid, signal.SIGKILL)
    wait_until(lambda: not any(is_running(pid) for pid in everybody))
    # And nothing is in the way of starting it again at once.
    assert served.process is not None
    served.process.wait()
    served.start()
    assert served.register("ana") == 201


def test_a_second_one_on_the_same_folder_says_what_to_do(served: Served, tmp_path: Path) -> None:
    result = processes.cartulary("serve", "--port", "0", "--data", str(served.data))
    assert result.returncode == 1
    assert f"started by process {served.pid}" in result.stderr
    assert "choose another data folder" in result.stderr
    assert "Traceback" not in result.stderr
    assert served.register("ana") == 201


def test_with_a_redis_by_url_it_starts_none(tmp_path: Path, redis_url: str) -> None:
    out, err = tmp_path / "out", tmp_path / "err"
    words = ["serve", "--port", "0", "--data", str(tmp_path / "data")]
    settings = {"CARTULARY_REDIS_URL": redis_url}
    with processes.begin(*words, out=out, err=err, settings=settings) as process:
        try:
            wait_until(lambda: "Ctrl-C" in out.read_text())
            assert "CARTULARY_REDIS_URL" in out.read_text()
            commands = family(process.pid).values()
            assert not any(re.search("(redis|valkey)-server", command) for command in commands)
        finally:
            process.terminate()
            assert process.wait(20) == 0
    assert not (tmp_path / "data" / "redis").exists()

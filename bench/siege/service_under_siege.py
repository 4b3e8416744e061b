"""The service that is attacked: all its processes, as `cartulary serve` runs them, on a data folder."""

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from bench.siege.traffic import HOST
from cartulary.audit_runs import usable_cores
from service.operation.child_process import ChildProcess
from service.operation.retry import wait_until

SECONDS_TO_START: Final = 60.0
SECONDS_TO_STOP: Final = 30.0


TRUSTED_KEYS: Final = "trusted-keys.jsonl"
"""The file in the data folder that keeps the key of the service away from those that the user trusts."""


class ServiceFailedError(Exception):
    """The service has not started, or has no process of a kind that it should have."""


class ServiceUnderSiege:
    """A service with the default settings and the given ones, running between `start` and `stop`.

    It has one web process per core.
    """

    def __init__(self, data: Path, port: int, settings: Mapping[str, str]) -> None:
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith("CARTULARY_")
        }
        self.log = data / "serve.log"
        self._url = f"http://{HOST}:{port}"
        command = [sys.executable, "-m", "cartulary", "serve", "--port", str(port)]
        self._process = ChildProcess(
            "serve",
            [*command, "--data", str(data), "--processes", str(usable_cores())],
            {**inherited, "CARTULARY_TRUSTED_KEYS": str(data / TRUSTED_KEYS), **settings},
            output=self.log,
        )

    def start(self) -> None:
        """Start all processes and wait until the service is ready. Raises ServiceFailedError."""
        self._process.start()
        wait_until(lambda: self._is_ready() or not self._process.is_running, SECONDS_TO_START, 0.2)
        if not self._is_ready():
            self.stop()
            raise ServiceFailedError(f"the service is not ready: {self.log.read_text()[-2000:]}")

    def stop(self) -> None:
        """Stop all processes."""
        self._process.terminate()
        wait_until(lambda: not self._process.is_running, SECONDS_TO_STOP)
        self._process.reap()

    def web_pids(self) -> list[int]:
        """Return the ids of the web processes that are running."""
        return [pid for pid, command in self._processes().items() if "cartulary web" in command]

    def web_memory(self) -> int:
        """Return the bytes of memory of all web processes together."""
        return sum(_resident_bytes(pid) for pid in self.web_pids())

    @contextmanager
    def stopped_redis(self) -> Iterator[None]:
        """Stop Redis (SIGSTOP) until the end of the block."""
        pids = [
            pid
            for pid, command in self._processes().items()
            if Path(command.split(" ")[0]).name in ("redis-server", "valkey-server")
        ]
        if not pids:
            raise ServiceFailedError("the service has no Redis that can be stopped")
        try:
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self._url}/readyz", timeout=5, trust_env=False).is_success
        except httpx.TransportError:
            return False

    def _processes(self) -> dict[int, str]:
        """Return the command lines of all processes of the service, by process id."""
        if self._process.pid is None:
            raise ServiceFailedError(f"the service has ended: {self.log.read_text()[-2000:]}")
        children: dict[int, list[int]] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and (parent := _parent(entry)) is not None:
                children.setdefault(parent, []).append(int(entry.name))
        commands: dict[int, str] = {}
        pids = [self._process.pid]
        while pids:
            for child in children.get(pids.pop(), ()):
                pids.append(child)
                commands[child] = _command(child)
        return commands


def _parent(entry: Path) -> int | None:
    """Return the parent of a process by its folder in /proc; None if it has ended."""
    try:
        return int((entry / "stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


def _command(pid: int) -> str:
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return b" ".join(arguments).decode(errors="replace")


def _resident_bytes(pid: int) -> int:
    """Return the memory of a process that is in RAM; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS")), 0)

"""A whole service as `cartulary serve` starts it, on a folder of its own."""

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import httpx

from service.operation.data_folder import embedded_redis_pid_file, embedded_redis_socket
from tests.support import processes
from tests.support.processes import (
    descendants,
    is_running,
    read_command_line,
    wait_for_exit,
    wait_until,
)

PATIENT_BOUNDS = {
    f"CARTULARY_{name}_SECONDS": str(processes.HANG_SECONDS)
    for name in ("MAX_WAIT", "REQUEST", "PICTURE", "AUDIT")
}
"""Time limits of requests that no working service reaches on a slow machine."""
_TOGETHER = {
    "web": r"^cartulary web$",
    "worker": r"^cartulary worker --scheduler$",
    "redis": r"^\S*(redis|valkey)-server ",
}
"""A pattern for the command line of each process of a small service."""
_SEPARATE = {
    "web": r"^cartulary web$",
    "worker": r"^cartulary worker --queue games$",
    "bot worker": r"^cartulary worker --queue bots$",
    "thinking worker": r"^cartulary worker --queue thinking --queue analyses$",
    "notification worker": r"^cartulary worker --queue notices$",
    "scheduler": r"^cartulary scheduler$",
    "redis": r"^\S*(redis|valkey)-server ",
}
"""The same if each worker has a process of its own."""


class RunningService:
    """A `cartulary serve` with its data and its output in a folder, PATIENT_BOUNDS, and these settings."""

    def __init__(
        self,
        folder: Path,
        *,
        processes: int | None = None,
        workers: str = "together",
        **settings: str,
    ) -> None:
        """`processes` is the number of web processes, None: the default; `workers` the option of `serve`."""
        self.data = folder / "data"
        self.out, self.err = folder / "out", folder / "err"
        self.commands = _SEPARATE if workers == "separate" else _TOGETHER
        self.options = ["--workers", workers]
        if processes is not None:
            self.options += ["--processes", str(processes)]
        self.settings = PATIENT_BOUNDS | settings
        self.hashes_quickly = False
        """Whether it hashes passwords with less work than a service does, from the next start on."""
        self.process: subprocess.Popen[bytes] | None = None
        self.seconds_to_start: float | None = None
        """How long the last start has taken."""

    def start(self, port: int = 0) -> None:
        """Start it on this port, or on a free one, and wait until it accepts requests."""
        self.out.write_bytes(b"")
        began_at = time.monotonic()
        self.process = processes.begin(
            *("serve", "--port", str(port), "--data", str(self.data), *self.options),
            out=self.out,
            err=self.err,
            settings=self.settings,
            hashes_quickly=self.hashes_quickly,
        )
        try:
            wait_until(lambda: "Ctrl-C" in self.out.read_text() or self.has_ended())
            assert not self.has_ended(), self.err.read_text()
            self.seconds_to_start = time.monotonic() - began_at
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """Stop it as an operator does, unless it has ended."""
        if not self.has_ended():
            assert self.process is not None
            self.process.terminate()
            wait_for_exit(self.process)
        self._kill_orphan()

    def kill(self) -> None:
        """Kill all its processes at once, as a power failure does."""
        assert self.process is not None
        pids = [self.pid, *descendants(self.pid)]
        for pid in pids:
            # Those whose parent is killed first may have ended.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        wait_until(lambda: not any(is_running(pid) for pid in pids))
        self._kill_orphan()

    @property
    def pid(self) -> int:
        """The process id of `cartulary serve` itself."""
        assert self.process is not None
        return self.process.pid

    @property
    def url(self) -> str:
        """Its address, as it has printed it."""
        match = re.search(r"http://\S+", self.out.read_text())
        assert match is not None
        return match[0]

    @property
    def port(self) -> int:
        """The port of its address."""
        return int(self.url.rsplit(":", 1)[1])

    def has_ended(self) -> bool:
        """Whether `cartulary serve` has ended."""
        assert self.process is not None
        return self.process.poll() is not None

    def pid_of(self, name: str) -> int | None:
        """The id of the process of this name (a key of `commands`), if it runs."""
        for pid, command_line in descendants(self.pid).items():
            if re.search(self.commands[name], command_line):
                return pid
        return None

    def register(self, handle: str) -> int:
        """Register a player; returns the status of the response, 0 if there was none."""
        body = {"handle": handle, "password": "correct horse"}
        try:
            return httpx.post(f"{self.url}/api/v1/players", json=body).status_code
        except httpx.TransportError:
            return 0

    def _kill_orphan(self) -> None:
        """Kill the Redis on the data folder that has outlived its service, if there is one."""
        with suppress(FileNotFoundError, ProcessLookupError):
            pid = int(embedded_redis_pid_file(self.data).read_text())
            # The file stays when a Redis is killed, and another process may have got the id.
            if str(embedded_redis_socket(self.data)) in read_command_line(pid):
                os.kill(pid, signal.SIGKILL)
                wait_until(lambda: not is_running(pid))

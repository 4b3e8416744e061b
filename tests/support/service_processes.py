"""A service of real processes that a test kills one by one, among them Redis and its watcher."""

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from typing_extensions import override

from service.operation.child_process import ChildProcess, Running
from service.operation.embedded_redis import EmbeddedRedis
from service.operation.parent_watch import PARENT_PIPE
from tests.support import fork_server
from tests.support.processes import HANG_SECONDS, environment, free_port, wait_until

WATCHER = " watcher"
SETTINGS = {
    "CARTULARY_RATE_ACCOUNTS": "",
    "CARTULARY_RATE_DISPUTES": "",
    "CARTULARY_RATE_GAMES": "",
    "CARTULARY_RATE_MESSAGES": "",
    "CARTULARY_SWEEP_SECONDS": "0.5",
    "CARTULARY_WEBHOOK_NETWORKS": "127.0.0.0/8",
}
"""No limits for bots, webhooks on this machine, and frequent sweeps."""


@dataclass
class ServiceProcesses:
    """The processes of a service on a folder."""

    folder: Path
    copies: int = 1
    """How many workers and schedulers there are. There is one web server and one Redis."""
    redis_urls: Mapping[str, str] = field(default_factory=dict)
    """By the name of a process, the URL at which it finds Redis; by default the socket in the data folder."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Further settings of every process."""
    kills: Counter[str] = field(default_factory=Counter)
    """How often a process of each kind was killed."""

    def __post_init__(self) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.data = self.folder / "data"
        self.redis = EmbeddedRedis(self.data)
        self._processes: dict[str, EmbeddedRedis | ChildProcess] = {"redis": self.redis}
        self._add("web", "web", "--port", str(port), "--processes", "1")
        for number in range(self.copies):
            self._add(f"worker {number}", "worker", "--queue", "games", "--queue", "bots")
            self._add(f"sender {number}", "worker", "--queue", "notices")
            self._add(f"scheduler {number}", "scheduler")
        if "CARTULARY_REPLY_ADDRESS" in self.settings:
            self._add("replies", "replies")

    @property
    def names(self) -> list[str]:
        """The names of the processes."""
        return [*self._processes, f"redis{WATCHER}"]

    def start(self) -> None:
        """Start every process, and wait until the service is ready."""
        for process in self._processes.values():
            process.start()
        wait_until(self.is_ready)

    def start_one(self, name: str) -> None:
        """Start a process that is not running."""
        self._processes[name.removesuffix(WATCHER)].start()

    def kill(self, name: str) -> None:
        """Kill a process as a crash would. The watcher of Redis is killed alone; Redis is left behind."""
        if name.endswith(WATCHER):
            assert self.redis.pid is not None
            os.kill(self.redis.pid, signal.SIGKILL)
            wait_until(lambda: not self.redis.is_running)
            name = WATCHER.strip()
        else:
            self._processes[name].reap()
        kind = name.split(" ", maxsplit=1)[0]
        self.kills[kind] += 1

    def stop(self) -> None:
        """Stop every process that runs, Redis last."""
        others = [process for process in self._processes.values() if process is not self.redis]
        for process in others:
            process.terminate()
        try:
            wait_until(lambda: not any(process.is_running for process in others))
        finally:
            for process in others:
                process.reap()
            self.redis.stop()

    def is_ready(self) -> bool:
        """Whether the web server is ready."""
        try:
            return httpx.get(f"{self.url}/readyz", timeout=HANG_SECONDS).status_code == 200
        except httpx.TransportError:
            return False

    def _add(self, name: str, *arguments: str) -> None:
        url = self.redis_urls.get(name)
        redis = {} if url is None else {"CARTULARY_REDIS_URL": url, "CARTULARY_QUEUE_URL": url}
        self._processes[name] = _ForkedProgram(
            name,
            ["-m", "cartulary", *arguments],
            environment(CARTULARY_DATA=str(self.data), **SETTINGS, **self.settings, **redis),
            output=self.folder / "log",
        )


class _ForkedProgram(ChildProcess):
    """A child process whose command line is that of an interpreter, forked from the fork server."""

    @override
    def _launch(self, parent_pipe: int) -> Running:
        assert self._output is not None
        with self._output.open("ab") as output:
            return fork_server.start(
                self._command,
                env={**(self._environment or {}), PARENT_PIPE: str(parent_pipe)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=[parent_pipe],
                start_new_session=True,
            )

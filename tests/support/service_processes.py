"""A service of real processes that can be killed one by one: Redis, web servers, workers, schedulers."""

import os
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from cartulary.parent_watch import ParentWatch
from service.embedded_redis import EmbeddedRedis
from tests.support.processes import begin, wait_until


@dataclass
class Estate:
    """The processes of a service on a folder. Only the main thread may start and kill."""

    folder: Path
    copies: int = 1
    """How many workers and schedulers there are; web server and Redis are one each."""
    kills: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.data = self.folder / "data"
        self.journal = self.folder / "journal"
        self.redis = EmbeddedRedis(self.data)
        self._tether = ParentWatch()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._words = {"web": ["web", "--port", str(self.port)]}
        for number in range(self.copies):
            self._words[f"worker {number}"] = ["worker"]
            self._words[f"scheduler {number}"] = ["scheduler"]

    @property
    def names(self) -> list[str]:
        """What can be killed."""
        return ["redis", *self._words]

    def start(self) -> None:
        """Start everything, and wait until it serves."""
        for name in self.names:
            self.start_one(name)
        wait_until(self.serves)

    def start_one(self, name: str) -> None:
        """Start a part that does not run."""
        if name == "redis":
            self.redis.start()
            return
        settings = {
            "CARTULARY_DATA": str(self.data),
            "CARTULARY_RATE_ACCOUNTS": "",
            "CARTULARY_SWEEP_SECONDS": "0.5",
        }
        self._running[name] = begin(
            *self._words[name],
            out=self.journal,
            err=self.journal,
            settings=settings,
            tether=self._tether,
        )

    def kill(self, name: str) -> None:
        """End a part as a crash would."""
        if name == "redis":
            self.redis.kill()
        else:
            process = self._running.pop(name)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        kind = name.split(" ", maxsplit=1)[0]
        self.kills[kind] = self.kills.get(kind, 0) + 1

    def end(self) -> None:
        """End everything that runs."""
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            process.wait(20)
        self.redis.stop()
        self._tether.let_go()

    def serves(self) -> bool:
        """Whether the web server is ready."""
        try:
            return httpx.get(f"{self.url}/readyz", timeout=2).status_code == 200
        except httpx.TransportError:
            return False

"""A real web server: a process of its own on a free port, on a real Redis."""

import os
import secrets
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from service.bounds import Bounds
from service.settings import Settings
from tests.support import fork_server
from tests.support.processes import IdleTimer, wait_for_exit

ROOT = Path(__file__).parent.parent.parent

PROGRAM = """
import os, resource, sys
from cartulary.imports import quick_imports
with quick_imports():
    from service.settings import load_settings
    from service.server.processes import run_web
    from tests.support.chance import make_reproducible
    from tests.support.password_hashes import hash_quickly

make_reproducible(sys.argv[4])
if int(sys.argv[5]):
    hash_quickly()
if files := int(sys.argv[3]):
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
run_web(
    load_settings(os.environ),
    os.environ,
    port=int(sys.argv[1]),
    processes=int(sys.argv[2]),
    on_listening=lambda url: print(url, flush=True),
)
"""


def bounds_environ(bounds: Bounds) -> dict[str, str]:
    """Return the environment variables of those bounds that differ from the defaults."""
    defaults = asdict(Bounds())
    return {
        f"CARTULARY_{name.upper()}": str(value)
        for name, value in asdict(bounds).items()
        if value != defaults[name]
    }


class WebServer:
    """A web server with these settings, running between `start` and `stop` (or inside a `with`)."""

    def __init__(
        self,
        settings: Settings,
        *,
        processes: int = 1,
        max_files: int = 0,
        environ: Mapping[str, str] | None = None,
        setup_code: str = "",
        is_setup_before_imports: bool = False,
        hashes_quickly: bool = True,
    ) -> None:
        """`max_files`: how many files it may open, if fewer than usual.

        `setup_code`: Python code that its process runs first, if need be before anything else is imported,
        which takes a second.

        `hashes_quickly`: whether it hashes passwords with less work than a service does.
        """
        self.max_files = max_files
        self._program = f"{setup_code}\n{PROGRAM}"
        self._is_setup_before_imports = is_setup_before_imports
        self.settings = settings
        self.processes = processes
        self._hashes_quickly = hashes_quickly
        self.url = ""
        self.log = settings.data / "web.log"
        self._environ = dict(environ or {})
        self._port = 0
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process is not None
        return self._process.pid

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self.stop()

    def start(self) -> None:
        """Start it, on the same port as the last time if it was started before."""
        environ = {
            "CARTULARY_REDIS_URL": self.settings.redis_url,
            "CARTULARY_QUEUE_URL": self.settings.queue_url,
            "CARTULARY_DATA": str(self.settings.data),
            "CARTULARY_SIGNING_KEY": str(self.settings.signing_key),
            "CARTULARY_CACHE_GAMES": str(self.settings.cache_games),
            "CARTULARY_RATE_ACCOUNTS": self.settings.rate_accounts,
            "CARTULARY_RATE_GAMES": self.settings.rate_games,
            "CARTULARY_RATE_DISPUTES": self.settings.rate_disputes,
            "CARTULARY_RATE_MESSAGES": self.settings.rate_messages,
            "CARTULARY_RATE_REQUESTS": self.settings.rate_requests,
            "CARTULARY_WITNESSES": ",".join(self.settings.witnesses),
            **bounds_environ(self.settings.bounds),
            **self._environ,
        }
        with self.log.open("ab") as log:
            start = (
                fork_server.start_interpreter
                if self._is_setup_before_imports
                else fork_server.start
            )
            self._process = start(
                [
                    "-c",
                    self._program,
                    str(self._port),
                    str(self.processes),
                    str(self.max_files),
                    secrets.token_hex(),
                    str(int(self._hashes_quickly)),
                ],
                env={**os.environ, **environ},
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            self.stop(signal.SIGKILL)
        assert self.url, f"the server has not started: {self.lines()}"
        self._port = int(self.url.rsplit(":", 1)[1])

    def stop(self, number: int = signal.SIGTERM) -> float:
        """Stop it with a signal, and return for how many seconds it was idle before it ended."""
        assert self._process is not None
        timer = IdleTimer([self._process.pid])
        self._process.send_signal(number)
        try:
            wait_for_exit(self._process)
        finally:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
        idle, _ = timer.read()
        return idle

    @property
    def status(self) -> int | None:
        """The exit status; None while it runs."""
        assert self._process is not None
        return self._process.poll()

    def lines(self) -> list[str]:
        """The lines of its log so far."""
        return self.log.read_text(encoding="utf-8").splitlines()

    def complete_lines(self) -> list[str]:
        """The lines of its log, with those about all responses so far. For a server of one process."""
        # It writes the access log, which otherwise happens every 0.1 s, before it returns the metrics.
        httpx.get(f"{self.url}/metrics").raise_for_status()
        return self.lines()

"""A program in a pseudo-terminal, which a test reads and types into."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Final, Self

from tests.support.processes import HANG_SECONDS, IdleTimer, wait_for_exit
from tests.support.server import ROOT

_PAUSE_SECONDS: Final = 0.05
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78])")


class Terminal:
    """`cartulary` with these arguments, in a terminal of 100 columns."""

    def __init__(self, *arguments: str, environ: Mapping[str, str]) -> None:
        self._arguments = arguments
        self._environ = {**os.environ, "TERM": "xterm-256color", **environ}
        # No answers to requests for the position of the cursor, for which prompt_toolkit would wait.
        self._environ["PROMPT_TOOLKIT_NO_CPR"] = "1"
        self._screen = ""

    def __enter__(self) -> Self:
        self._fd, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 100, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cartulary", *self._arguments],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=self._environ,
            cwd=ROOT,
            start_new_session=True,
        )
        os.close(terminal)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._fd)

    def type(self, text: str) -> None:
        """Type text; a carriage return is the Enter key."""
        os.write(self._fd, text.encode())

    def wait_for(self, pattern: str, seconds: float = HANG_SECONDS) -> re.Match[str]:
        """Wait for text that matches a pattern, and return the match; later calls look behind it."""
        deadline = time.monotonic() + seconds
        while (match := re.search(pattern, self._screen)) is None:
            remaining = deadline - time.monotonic()
            assert remaining > 0, f"{pattern!r} is not in {self._screen!r}"
            if select.select([self._fd], [], [], remaining)[0]:
                self._read()
        self._screen = self._screen[match.end() :]
        return match

    def wait_until_idle(self, seconds: float) -> None:
        """Wait until the program has had nothing to do for this time in all."""
        timer = IdleTimer([self._process.pid])
        while timer.read()[0] < seconds:
            time.sleep(_PAUSE_SECONDS)

    def exit_status(self) -> int:
        """Wait for the end of the program and return its exit status."""
        while self._process.poll() is None:
            if select.select([self._fd], [], [], _PAUSE_SECONDS)[0]:
                try:
                    self._read()
                except OSError:
                    break
        return wait_for_exit(self._process)

    def _read(self) -> None:
        part = os.read(self._fd, 65536)
        self._screen += _ESCAPES.sub("", part.decode(errors="replace"))

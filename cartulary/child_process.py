"""A child process of the supervisor: started, watched, started again when it dies, ended.

How long to wait before it is started again is decided here; who the children are and when all end is in
serve.py.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

from cartulary.parent_watch import ParentWatch

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0
"""Seconds before a child that died is started again: twice as long each time."""
STEADY = 30.0
"""Seconds after which a child counts as well, so that its next death is its first."""


class Child:
    """One process, `name` to people, in a process group of its own.

    The group, since Ctrl-C in a terminal goes to a whole group and the children are to hear of it from us,
    and since what a child has started must not outlive it.
    """

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], tether: ParentWatch
    ) -> None:
        self.name = name
        self._command = list(command)
        self._environment = dict(environment) | tether.environment
        self._tether = tether
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._again = 0.0
        self._pause = FIRST_PAUSE

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start it."""
        self._process = subprocess.Popen(
            self._command,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            pass_fds=[self._tether.fd],
            start_new_session=True,
        )
        self._started = time.monotonic()

    def tend(self) -> str | None:
        """Look after it; a sentence for people where there is something to say.

        A child that has died is started again, at once or in one of the next calls.
        """
        if self._process is None:
            if time.monotonic() < self._again:
                return None
            self.start()
            return f"{self.name} is started again"
        if not self._has_ended():
            return None
        if time.monotonic() - self._started > STEADY:
            self._pause = FIRST_PAUSE
        status = self._bury()
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE)
        self._again = time.monotonic() + pause
        return f"{self.name} {_how(status)}; it is started again in {pause:g} s"

    def tell_to_end(self) -> None:
        """Ask it to end (SIGTERM)."""
        if self._process is not None and not self._has_ended():
            self._process.terminate()

    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._process is None or self._has_ended()

    def bury(self) -> None:
        """See to it that nothing of it is left: what still runs is killed."""
        if self._process is not None:
            self._bury()

    def _has_ended(self) -> bool:
        assert self._process is not None
        return self._process.poll() is not None

    def _bury(self) -> int:
        assert self._process is not None
        # Its number is not given to another group as long as anything of this one is left. That nothing is
        # left is said in two ways, by the system.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        status = self._process.wait()
        self._process = None
        return status


def _how(status: int) -> str:
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"

"""SIGTERM and SIGINT as a condition that a loop can test and wait for."""

import contextlib
import os
import select
import signal


class StopSignals:
    """Whether, and how often, this process was asked to stop.

    A signal handler may call `set`. It could not call that of a `threading.Event`, which deadlocks if
    the handler interrupts its own thread inside `wait`.
    """

    def __init__(self) -> None:
        self.count = 0
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def listen(self) -> None:
        """Handle SIGTERM and SIGINT from now on. Only the main thread can do this."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.set())

    def set(self) -> None:
        """Count one more request to stop, and wake the threads that wait."""
        self.count += 1
        # A full pipe wakes the waiting threads just as well.
        with contextlib.suppress(BlockingIOError):
            os.write(self._writer, b"\0")

    def is_set(self) -> bool:
        """Whether this process was asked to stop."""
        return self.count > 0

    def wait(self, seconds: float) -> bool:
        """Wait until this process is asked to stop, at most `seconds`; returns whether it was."""
        select.select([self._reader], [], [], seconds)
        return self.is_set()

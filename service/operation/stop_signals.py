"""Handles SIGTERM and SIGINT: a loop can check whether a signal has arrived, and wait for one."""

import contextlib
import os
import select
import signal
import weakref


class StopSignals:
    """Whether, and how often, this process was asked to stop.

    Unlike `threading.Event.set`, which deadlocks if a signal handler interrupts its own thread inside
    `wait`, `set` is safe to call in a signal handler.
    """

    def __init__(self) -> None:
        self.count = 0
        self._parent_pipe: int | None = None
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        weakref.finalize(self, _close, os.getpid(), self._reader, self._writer)

    def listen(self, parent_pipe: int | None = None) -> None:
        """Handle SIGTERM and SIGINT from now on. Only the main thread can do this.

        If the pipe of parent_watch.py is given, the death of the parent counts as a request as well. This is
        for processes that must not have a thread for watching the parent.
        """
        self._parent_pipe = parent_pipe
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.set())

    def set(self) -> None:
        """Count one more request to stop, and wake the threads that wait."""
        self.count += 1
        # A full pipe wakes the waiting threads just as well.
        with contextlib.suppress(BlockingIOError):
            os.write(self._writer, b"\0")

    def is_set(self) -> bool:
        """Return whether this process was asked to stop."""
        return self.count > 0

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` until this process is asked to stop; return whether it was."""
        # Not `select`, which fails for descriptors from 1024 on.
        poll = select.poll()
        for pipe in (self._reader, self._parent_pipe):
            if pipe is not None:
                poll.register(pipe, select.POLLIN)
        ready = [pipe for pipe, _ in poll.poll(1000 * seconds)]
        if self._parent_pipe is not None and self._parent_pipe in ready:
            self._parent_pipe = None
            self.set()
        return self.is_set()


def _close(process: int, *descriptors: int) -> None:
    # In a forked process, the same descriptors may belong to something else.
    if os.getpid() != process:
        return
    for descriptor in descriptors:
        os.close(descriptor)

"""A child process that runs a function of this program, forked from the process that has imported it.

The child need not import anything, so that it works a moment after its start. It inherits the imported
modules and little else: no open files except the standard streams, no signal handlers, and, because this
process must not have any, no threads and no event loop. Python seeds the random generator again.
"""

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, NoReturn

from typing_extensions import override

from domain.errors import CartularyError
from service.errors import log_text
from service.operation.child_process import Running, WatchedProcess
from service.operation.parent_watch import PARENT_PIPE, end_with_parent

_HANDLED_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class ForkedProcess(WatchedProcess):
    """A function that runs in a child of this process, with `title` as its command line."""

    def __init__(
        self,
        name: str,
        title: str,
        run: Callable[[], None],
        environment: Mapping[str, str],
        on_exit: Callable[[int], None] | None = None,
    ) -> None:
        """`environment` is added to the environment of this process.

        The exit status is 0 if `run` returns, that of a SystemExit, or 1 if it raises another error.
        """
        super().__init__(name, on_exit)
        self._title = title
        self._run = run
        self._environment = environment

    @override
    def _launch(self, parent_pipe: int) -> Running:
        # A fork copies only the thread that calls it, and the locks that other threads hold stay locked.
        assert threading.active_count() == 1, "a process with threads must not be forked"
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        # Otherwise, a signal that arrives before the child has its own handlers would stop the parent.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED_SIGNALS)
        try:
            pid = os.fork()
            if pid == 0:
                self._run_child(parent_pipe, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return _Fork(pid)

    def _run_child(self, parent_pipe: int, mask: set[int | signal.Signals]) -> NoReturn:
        """Run the function in the child. The frames of the parent on the stack never continue."""
        status = 1
        try:
            os.setsid()
            for number in _HANDLED_SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            _close_files_but(parent_pipe)
            sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
            _set_command_line(self._title)
            os.environ.update(self._environment)
            # The pipe of the parent, if it has one, is closed here.
            os.environ.pop(PARENT_PIPE, None)
            end_with_parent(parent_pipe)
            status = _exit_status(self._run)
            # The interpreter, which would write what waits in memory, does not end in an orderly way.
            if sys.stdout is not None:
                with suppress(OSError, ValueError):
                    sys.stdout.flush()
        finally:
            # Neither handlers of `atexit` nor `finally` blocks of the parent may run here.
            os._exit(status)


class _Fork:
    """A forked process that was started."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, which is -N if signal N ended the process; None while it runs."""
        return self._wait(os.WNOHANG)

    def wait(self) -> int:
        """Wait until the process has ended, and return its exit status."""
        status = self._wait(0)
        assert status is not None
        return status

    def send_signal(self, sig: int) -> None:
        """Send a signal to the process, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, sig)

    def _wait(self, options: int) -> int | None:
        if self._status is None:
            pid, status = os.waitpid(self.pid, options)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status


def _set_command_line(title: str) -> None:
    """Set the title that ps shows, cut to the length of the command line that it replaces."""
    # Otherwise, the title takes the place of the environment, which is then missing in /proc/PID/environ.
    os.environ["SPT_NOENV"] = "1"
    from setproctitle import setproctitle

    setproctitle(title)


def _exit_status(run: Callable[[], None]) -> int:
    """Run a function, print its error, and return the exit status of the process."""
    try:
        run()
    except CartularyError as error:
        print(f"Error: {log_text(error)}", file=sys.stderr, flush=True)  # noqa: T201 # as the command line does
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr, flush=True)  # noqa: T201 # as the interpreter does
    except BaseException:  # noqa: BLE001 # the process ends after it
        traceback.print_exc()
    else:
        return 0
    return 1


def _close_files_but(descriptor: int) -> None:
    """Close all files except the standard streams and this one; standard input becomes empty.

    Other children notice that their parent has died only if nobody else holds its end of their pipes.
    """
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)

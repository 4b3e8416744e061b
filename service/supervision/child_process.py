"""A child process: starting it, asking it to end, and killing what is left of it.

supervisor.py decides when a child that has died is started again.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from service.supervision.parent_watch import PARENT_PIPE


class ChildProcess:
    """A program that runs as a child of this process and ends with it (parent_watch.py).

    It leads a process group of its own, for two reasons: Ctrl-C in a terminal sends a signal to the whole
    foreground group, but children are to be stopped in order; and the processes that the child has started
    must not outlive it.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        output: Path | None = None,
        pass_fds: Sequence[int] = (),
        umask: int = -1,
        on_exit: Callable[[int], None] | None = None,
    ) -> None:
        """`environment`: the whole environment, by default that of this process.

        `output`: a file to append standard output and error to, by default those of this process.
        `pass_fds`: file descriptors to inherit. `umask`: -1 inherits that of this process. `on_exit`:
        called with the process id after each exit.
        """
        self.name = name
        self._command = list(command)
        self._environment = environment
        self._output = output
        self._pass_fds = tuple(pass_fds)
        self._umask = umask
        self._on_exit = on_exit
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe = -1

    @property
    def pid(self) -> int | None:
        """The process id while the child runs, else None."""
        if self._process is None or self._process.poll() is not None:
            return None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the child runs."""
        return self.pid is not None

    def start(self) -> None:
        """Start the child, which must not be running. Raises OSError if that is not possible now."""
        self.reap()
        environment = os.environ if self._environment is None else self._environment
        with contextlib.ExitStack() as stack, contextlib.ExitStack() as on_error:
            reader, writer = os.pipe()
            stack.callback(os.close, reader)
            on_error.callback(os.close, writer)
            output = None
            if self._output is not None:
                output = stack.enter_context(open(self._output, "ab", opener=_open_private))
            self._process = subprocess.Popen(
                self._command,
                env={**environment, PARENT_PIPE: str(reader)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=[reader, *self._pass_fds],
                start_new_session=True,
                umask=self._umask,
            )
            on_error.pop_all()
        self._pipe = writer

    def terminate(self) -> None:
        """Ask the child to end (SIGTERM)."""
        if self._process is not None and self.is_running:
            self._process.terminate()

    def reap(self) -> int | None:
        """Kill what is left of the child and of its process group.

        Returns the exit status, which is -N if signal N ended the child, or None if it was not started.
        """
        if self._process is None:
            return None
        # The id of a process group is not reused while a process of the group exists. If none does, Linux and
        # macOS report it in different ways.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        process, self._process = self._process, None
        status = process.wait()
        os.close(self._pipe)
        if self._on_exit is not None:
            self._on_exit(process.pid)
        return status


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)

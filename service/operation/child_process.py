"""A child process: starts it, asks it to end, and kills its remaining processes.

`ChildProcess` runs another program; the child in forked_process.py runs a function of this program.
supervisor.py decides when a child that has died is started again.
"""

import contextlib
import os
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from typing_extensions import override

from ledger.files.durable_files import open_private
from service.operation.parent_watch import PARENT_PIPE


class Running(Protocol):
    """A process that was started, as `subprocess.Popen` represents it."""

    pid: int

    def poll(self) -> int | None:
        """Return the exit status, which is -N if signal N ended the process; None while it runs."""

    def wait(self) -> int:
        """Wait until the process has ended, and return its exit status."""

    def send_signal(self, sig: int) -> None:
        """Send a signal to the process, unless it has ended."""


class WatchedProcess(ABC):
    """A child of this process that ends with it (parent_watch.py). It implements `Program`.

    The child leads a new process group, for two reasons: Ctrl-C in a terminal sends a signal to the whole
    foreground group, but children are to be stopped in order; and processes that the child has started must
    not outlive it.
    """

    def __init__(self, name: str, on_exit: Callable[[int], None] | None = None) -> None:
        """`on_exit` is called with the process id after each exit."""
        self.name = name
        self._on_exit = on_exit
        self._process: Running | None = None
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
        reader, writer = os.pipe()
        try:
            self._process = self._launch(reader)
        except BaseException:
            os.close(writer)
            raise
        finally:
            os.close(reader)
        self._pipe = writer

    def terminate(self) -> None:
        """Ask the child to end (SIGTERM)."""
        if self._process is not None and self.is_running:
            self._process.send_signal(signal.SIGTERM)

    def reap(self) -> int | None:
        """Kill the child and all processes of its process group.

        Returns the exit status, which is -N if signal N ended the child, or None if it was not started.
        """
        if self._process is None:
            return None
        # A forked process that has not run yet has no separate group.
        self._process.send_signal(signal.SIGKILL)
        # The id of a process group is not reused while a process of the group exists. If none does, Linux and
        # macOS report that in different ways.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        process, self._process = self._process, None
        status = process.wait()
        os.close(self._pipe)
        if self._on_exit is not None:
            self._on_exit(process.pid)
        return status

    @abstractmethod
    def _launch(self, parent_pipe: int) -> Running:
        """Start the process, which inherits the reading end of the pipe of its parent watch."""


class ChildProcess(WatchedProcess):
    """A program that runs as a child of this process and ends with it."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        output: Path | None = None,
        pass_fds: Sequence[int] = (),
        umask: int = -1,
    ) -> None:
        """`environment` is the whole environment, by default that of this process.

        `output` is a file to append standard output and error to, by default those of this process.
        `pass_fds` are file descriptors to inherit. A `umask` of -1 is that of this process.
        """
        super().__init__(name)
        self._command = list(command)
        self._environment = environment
        self._output = output
        self._pass_fds = tuple(pass_fds)
        self._umask = umask

    @override
    def _launch(self, parent_pipe: int) -> Running:
        environment = os.environ if self._environment is None else self._environment
        with contextlib.ExitStack() as stack:
            output = None
            if self._output is not None:
                output = stack.enter_context(open(self._output, "ab", opener=open_private))
            return subprocess.Popen(
                self._command,
                env={**environment, PARENT_PIPE: str(parent_pipe)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=[parent_pipe, *self._pass_fds],
                start_new_session=True,
                umask=self._umask,
            )

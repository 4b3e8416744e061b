"""The parent watch, which ends a child process when the process that started it has died.

The parent keeps the writing end of a pipe and never writes to it. The child inherits the reading
end, whose number is in the environment variable CARTULARY_PARENT_PIPE. When the parent dies, even by
SIGKILL, the kernel closes the writing end, and the child reads the end of the file. This works on
every Unix and needs no polling.

A Python process of the service calls `watch_parent`, or `end_with_parent` if it was forked. A process that
must not have threads, because it forks, watches the pipe itself (stop_signals.py). Any other program is
started with the command that `watched_command` returns, which runs this file as a script. The script runs
without site-packages, so this file imports the standard library only.
"""

import contextlib
import ctypes
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Final, NoReturn

PARENT_PIPE: Final = "CARTULARY_PARENT_PIPE"
"""Environment variable with the file descriptor of the pipe's reading end."""

_BY_KERNEL: Final = "--by-kernel"
_SET_PARENT_DEATH_SIGNAL: Final = 1
"""PR_SET_PDEATHSIG of Linux (prctl(2))."""

SECONDS_TO_END: Final = 5.0
"""The seconds that a process has to end after SIGTERM before it is killed."""


def watch_parent(environ: Mapping[str, str]) -> None:
    """End this process when its parent has died, if the parent has passed a pipe for that.

    The process gets SIGTERM first. If it has not ended after SECONDS_TO_END, it is killed together with its
    process group.
    """
    pipe = parent_pipe(environ)
    if pipe is not None:
        end_with_parent(pipe)


def parent_pipe(environ: Mapping[str, str]) -> int | None:
    """Return the pipe from the parent, which reaches its end when the parent has died; None without one."""
    descriptor = environ.get(PARENT_PIPE, "")
    if not descriptor.isdigit():
        return None
    pipe = int(descriptor)
    # Children of this process get another pipe.
    os.set_inheritable(pipe, False)  # noqa: FBT003 # the function takes no keyword
    return pipe


def end_with_parent(pipe: int) -> None:
    """End this process as `watch_parent` does, with the pipe of its parent. Starts a thread."""
    threading.Thread(
        target=_end_with_parent, args=(pipe,), name="parent watch", daemon=True
    ).start()


def watched_command(command: Sequence[str], *, by_kernel: bool = False) -> list[str]:
    """Return the command that runs `command` (with the path of its program) under a parent watch.

    The program has the process id of the returned command. A small second process watches the parent, and
    kills the program if it does not end. With `by_kernel`, that process is not needed where the kernel can
    send the SIGTERM (Linux), which it does when the thread that started the program ends.
    """
    options = [_BY_KERNEL] if by_kernel and sys.platform == "linux" else []
    return [sys.executable, "-I", "-S", __file__, *options, *command]


def kill_with_group(pid: int) -> None:
    """Kill a process (SIGKILL), and the whole process group if it leads one."""
    if os.getpgid(pid) == pid:
        os.killpg(pid, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)


def _end_with_parent(pipe: int) -> None:
    while os.read(pipe, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SECONDS_TO_END)
    kill_with_group(os.getpid())


def _exec_watched(command: list[str]) -> NoReturn:
    """Start watching the parent, then replace this process by the program."""
    parent_pipe = int(os.environ.pop(PARENT_PIPE))
    if command[0] == _BY_KERNEL:
        command = command[1:]
        if _is_ended_by_kernel(parent_pipe):
            os.close(parent_pipe)
            os.execv(command[0], command)  # noqa: S606 # no shell is needed
    program_reader, program_writer = os.pipe()
    program = os.getpid()
    if os.fork() == 0:
        try:
            _watch(program, parent_pipe, program_reader)
        finally:
            os._exit(0)
    os.close(parent_pipe)
    # Only the program has this end, so that the watching process notices when the program ends.
    os.set_inheritable(program_writer, True)  # noqa: FBT003 # the function takes no keyword
    os.execv(command[0], command)  # noqa: S606 # no shell is needed


def _is_ended_by_kernel(parent_pipe: int) -> bool:
    """Have the kernel end this process with its parent; return False if it refuses."""
    if ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM) != 0:
        return False
    closed, _, _ = select.select([parent_pipe], [], [], 0)
    if closed:
        # The parent had died before.
        sys.exit(1)
    return True


def _watch(program: int, parent_pipe: int, program_pipe: int) -> None:
    """End `program` when the parent has died; return when `program` has ended."""
    # The program may have inherited other files, such as its folder's lock, which must close when it ends.
    first, second = sorted((parent_pipe, program_pipe))
    for low, high in ((3, first), (first + 1, second), (second + 1, os.sysconf("SC_OPEN_MAX"))):
        os.closerange(low, high)
    closed, _, _ = select.select([parent_pipe, program_pipe], [], [])
    if program_pipe in closed:
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(program, signal.SIGTERM)
        closed, _, _ = select.select([program_pipe], [], [], SECONDS_TO_END)
        if not closed:
            kill_with_group(program)


if __name__ == "__main__":
    _exec_watched(sys.argv[1:])

"""A plugin of pytest that ends the processes which a run leaves behind, however the run ends.

Every process that a run starts inherits an environment variable with the id of the run. At the end of a run,
a process that has not ended with its fixture is an error. If the run itself is killed, a small process
outlives it, which then kills every process with the variable; that process runs this file as a script.
"""

import contextlib
import os
import signal
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

RUN: Final = "PYTEST_RUN_ID"
"""The environment variable with the id of a run, which the processes of pytest-xdist share."""
XDIST_WORKER: Final = "PYTEST_XDIST_WORKER"
"""The environment variable that names a process of pytest-xdist."""
SECONDS_TO_END: Final = 3.0
"""How long after the run its processes may end by themselves."""


def pytest_configure() -> None:
    """Give the run an id, and start the process that outlives it."""
    if XDIST_WORKER in os.environ:
        return
    inherited = {name: value for name, value in os.environ.items() if name != RUN}
    os.environ[RUN] = uuid.uuid4().hex
    # Only this process has the writing end of the pipe, which the kernel closes when it ends.
    reader, _ = os.pipe()
    os.posix_spawn(
        sys.executable,
        [sys.executable, __file__, os.environ[RUN]],
        inherited,
        file_actions=[(os.POSIX_SPAWN_DUP2, reader, 0)],
        setsid=True,
    )
    os.close(reader)


@pytest.fixture(scope="session", autouse=True)
def no_leftovers() -> Iterator[None]:
    """Nothing: this first fixture of all ends last, and fails if a process has not ended with its fixture."""
    yield
    variables = {name: os.environ[name] for name in (RUN, XDIST_WORKER) if name in os.environ}
    deadline = time.monotonic() + SECONDS_TO_END
    # A process that was killed is listed until the kernel has ended it.
    while (leftovers := _find_leftovers(variables)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not leftovers, f"processes that outlive their tests: {leftovers}"


def _find_leftovers(variables: Mapping[str, str]) -> dict[int, str]:
    """Return the processes with these variables, except one that Python starts for `multiprocessing`."""
    return {
        pid: command
        for pid, command in find_processes(variables).items()
        # It ends after this process.
        if "multiprocessing.resource_tracker" not in command
    }


def find_processes(variables: Mapping[str, str]) -> dict[int, str]:
    """Return the other processes with these environment variables: their command lines by process id."""
    wanted = {f"{name}={value}".encode() for name, value in variables.items()}
    processes: dict[int, str] = {}
    for path in Path("/proc").glob("[0-9]*"):
        # A process that has just ended, or that belongs to another user, cannot be read.
        with contextlib.suppress(OSError):
            if wanted.issubset((path / "environ").read_bytes().split(b"\0")):
                command = (path / "cmdline").read_bytes().replace(b"\0", b" ")
                processes[int(path.name)] = command.decode(errors="replace")
    processes.pop(os.getpid(), None)
    return processes


def kill_leftovers(run: str) -> None:
    """Wait until this run has ended, then kill what is left of it, until nothing is left."""
    sys.stdin.read()
    # What ends with its parent does so now: also the process that ends Redis, whose environment is lost.
    time.sleep(SECONDS_TO_END)
    while processes := find_processes({RUN: run}):
        for pid in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    kill_leftovers(sys.argv[1])

"""A child process can be reaped with everything it has started, and ends when its parent is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.operation.child_process import ChildProcess
from service.operation.parent_watch import PARENT_PIPE, watched_command
from tests.support.processes import ROOT, descendants, is_running, read_command_line, wait_until

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Callable[..., ChildProcess]]:
    children: list[ChildProcess] = []

    def start(command: list[str]) -> ChildProcess:
        child = ChildProcess("child", command, output=tmp_path / "out")
        children.append(child)
        child.start()
        return child

    yield start
    for child in children:
        child.reap()


def test_a_child_is_reaped_together_with_its_descendants(
    child: Callable[..., ChildProcess],
) -> None:
    spawn = f"import subprocess, time; subprocess.Popen({SLEEP!r}); time.sleep(600)"
    parent = child([sys.executable, "-c", spawn])
    assert parent.pid is not None
    pid = parent.pid
    wait_until(lambda: descendants(pid))
    pids = [pid, *descendants(pid)]
    assert parent.reap() == -signal.SIGKILL
    wait_until(lambda: not any(is_running(pid) for pid in pids))
    assert not parent.is_running
    assert parent.reap() is None


def test_reaping_a_child_that_has_ended_returns_its_status(
    child: Callable[..., ChildProcess],
) -> None:
    ending = child([sys.executable, "-c", "raise SystemExit(7)"])
    wait_until(lambda: not ending.is_running)
    assert ending.reap() == 7


def test_a_start_that_fails_leaves_no_file_open(tmp_path: Path) -> None:
    child = ChildProcess("child", [str(tmp_path / "no such program")])
    before = set(Path("/proc/self/fd").iterdir())
    for _ in range(3):
        with pytest.raises(FileNotFoundError):
            child.start()
    assert set(Path("/proc/self/fd").iterdir()) == before


PARENT = """
import sys, time
from pathlib import Path
from service.operation.child_process import ChildProcess

child = ChildProcess("child", sys.argv[1:], output=Path("/dev/null"))
child.start()
print(child.pid, flush=True)
time.sleep(600)
"""


def start_parent(*command: str) -> tuple["subprocess.Popen[str]", int]:
    """Start a process that starts `command` as its child; return the process and the child's id."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *command], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert parent.stdout is not None
    return parent, int(parent.stdout.readline())


WATCHING = """
import os, time
from service.operation.parent_watch import watch_parent

watch_parent(os.environ)
time.sleep(600)
"""


@pytest.mark.parametrize(
    "command",
    [
        [sys.executable, "-c", WATCHING],
        watched_command(["/bin/sleep", "600"]),
        watched_command(["/bin/sleep", "600"], by_kernel=True),
    ],
    ids=["a process of the service", "another program", "another program, by the kernel"],
)
def test_a_child_ends_when_its_parent_is_killed(command: list[str]) -> None:
    parent, child = start_parent(*command)
    time.sleep(0.3)
    assert is_running(child)
    pids = [child, *descendants(child)]
    parent.kill()
    parent.communicate()
    wait_until(lambda: not any(is_running(pid) for pid in pids))


SURVIVING = """
import pathlib, signal, sys, time

ready, received = map(pathlib.Path, sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: received.touch())
ready.touch()
time.sleep(600)
"""


def test_a_program_that_survives_sigterm_is_killed_after_its_parent(tmp_path: Path) -> None:
    ready, received = tmp_path / "ready", tmp_path / "received"
    program = [sys.executable, "-c", SURVIVING, str(ready), str(received)]
    parent, child = start_parent(*watched_command(program))
    wait_until(ready.exists)
    parent.kill()
    parent.communicate()
    wait_until(received.exists)
    wait_until(lambda: not is_running(child))


def test_a_program_that_the_kernel_ends_needs_no_second_process(
    child: Callable[..., ChildProcess],
) -> None:
    program = child(watched_command(["/bin/sleep", "600"], by_kernel=True))
    wait_until(lambda: read_command_line(program.pid or 0).startswith("/bin/sleep"))
    assert program.pid is not None
    assert not descendants(program.pid)
    # The three standard streams are open.
    assert len(list(Path(f"/proc/{program.pid}/fd").iterdir())) == 3


def test_a_program_whose_parent_has_died_before_the_kernel_watches_it_does_not_start() -> None:
    reader, writer = os.pipe()
    os.close(writer)
    command = watched_command(["/bin/sleep", "600"], by_kernel=True)
    environ = {**os.environ, PARENT_PIPE: str(reader)}
    assert subprocess.run(command, env=environ, pass_fds=[reader], check=False).returncode == 1
    os.close(reader)


def test_the_watching_process_ends_with_its_program_and_holds_no_other_file(
    child: Callable[..., ChildProcess],
) -> None:
    program = child(watched_command(["/bin/sleep", "600"]))
    assert program.pid is not None
    pid = program.pid
    wait_until(lambda: descendants(pid))
    (watcher,) = descendants(pid)
    # The three standard streams and two pipes are open.
    wait_until(lambda: len(list(Path(f"/proc/{watcher}/fd").iterdir())) == 5)
    program.terminate()
    wait_until(lambda: not is_running(watcher))
    assert program.reap() == -signal.SIGTERM

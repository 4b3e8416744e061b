"""Supervision: programs are started, restarted with growing pauses and stopped in order; children end with
their parent.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Self

import pytest

from domain.errors import CartularyError
from service.supervision import retry
from service.supervision.child_process import ChildProcess
from service.supervision.parent_watch import watched_command
from service.supervision.retry import Backoff, retry_until_stopped, wait_until
from service.supervision.stop_signals import StopSignals
from service.supervision.supervisor import Supervisor
from tests.support.processes import ROOT, descendants, is_running
from tests.support.processes import wait_until as assert_soon

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


class FakeProgram:
    """A program that starts and stops instantly. It fails to start `failures` times first."""

    def __init__(self, name: str, log: list[str], failures: int = 0) -> None:
        self.name = name
        self.log = log
        self.failures = failures
        self.is_running = False

    def start(self) -> None:
        if self.failures:
            self.failures -= 1
            raise CartularyError("the disk is full")
        self.is_running = True
        self.log.append(f"start {self.name}")

    def terminate(self) -> None:
        self.is_running = False
        self.log.append(f"terminate {self.name}")

    def reap(self) -> int | None:
        return 3


class Run:
    """A supervisor that runs in a thread. `log` has what its programs did, `reports` what it reported."""

    def __init__(self, *stages: list[FakeProgram]) -> None:
        self.reports: list[str] = []
        self.stop = StopSignals()
        self.is_ready = threading.Event()
        supervisor = Supervisor(stages, self.reports.append, seconds_to_stop=5)
        self.thread = threading.Thread(
            target=supervisor.run, args=(self.stop, lambda: True, self.is_ready.set)
        )

    def __enter__(self) -> Self:
        self.thread.start()
        assert self.is_ready.wait(5)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join(10)
        assert not self.thread.is_alive()


def test_stages_start_in_order_and_stop_in_reverse() -> None:
    log: list[str] = []
    store, web, worker = (FakeProgram(name, log) for name in ("store", "web", "worker"))
    with Run([store], [web, worker]):
        assert log == ["start store", "start web", "start worker"]
    assert log[3:] == ["terminate web", "terminate worker", "terminate store"]


def test_a_program_that_dies_is_restarted_after_a_pause() -> None:
    program = FakeProgram("web", [])
    with Run([program]) as run:
        program.is_running = False
        assert_soon(lambda: program.is_running)
        assert_soon(lambda: len(run.reports) == 2)
    expected = ["web ended with status 3; it will be restarted in 0.2 s", "web was restarted"]
    assert run.reports == [*expected, "stopping"]


def test_a_restart_that_fails_is_repeated_after_a_longer_pause() -> None:
    program = FakeProgram("web", [])
    with Run([program]) as run:
        program.failures = 1
        program.is_running = False
        assert_soon(lambda: program.is_running)
        assert_soon(lambda: len(run.reports) == 3)
    assert run.reports[1] == "web does not start: the disk is full; it will be restarted in 0.4 s"


def test_a_first_start_that_fails_stops_everything_and_is_raised() -> None:
    log: list[str] = []
    programs = [FakeProgram("store", log), FakeProgram("web", log, failures=1)]
    supervisor = Supervisor([programs], log.append, seconds_to_stop=5)
    with pytest.raises(CartularyError, match="the disk is full"):
        supervisor.run(StopSignals(), lambda: True, lambda: None)
    assert log == ["start store", "terminate store", "terminate web"]


def test_a_program_that_ignores_sigterm_is_killed_in_time(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    ignore_sigterm = f"trap '' TERM; touch {ready}; exec sleep 600"
    child = ChildProcess("deaf", ["/bin/sh", "-c", ignore_sigterm])
    stop = StopSignals()
    reports: list[str] = []
    supervisor = Supervisor([[child]], reports.append, seconds_to_stop=0.3)
    pids: list[int | None] = []

    def on_ready() -> None:
        pids.append(child.pid)
        stop.set()

    supervisor.run(stop, ready.exists, on_ready)
    (pid,) = pids
    assert pid is not None
    assert not is_running(pid)


def test_pauses_double_up_to_a_limit_and_start_again_after_a_long_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(retry, "time", SimpleNamespace(monotonic=lambda: now))
    backoff = Backoff(first=1, longest=5, steady=30)
    pauses = []
    for _ in range(4):
        pauses.append(backoff.pause())
        now += pauses[-1] + 1  # each attempt fails after a second
    assert pauses == [1, 2, 4, 5]
    now += 31
    assert backoff.pause() == 1


def test_waiting_ends_with_the_condition_or_the_time() -> None:
    calls = iter([False, False, True])
    assert wait_until(lambda: next(calls), seconds=5)
    assert not wait_until(lambda: False, seconds=0.05)


def test_retrying_ends_with_success_with_another_error_or_with_a_stop() -> None:
    stop = StopSignals()
    pauses: list[float] = []

    def run(*results: Exception | None) -> None:
        queue = list(results)

        def attempt() -> None:
            result = queue.pop(0)
            if result is not None:
                raise result

        backoff = Backoff(first=0.01, longest=0.02, steady=30)
        retry_until_stopped(
            attempt,
            stop,
            errors=(OSError,),
            backoff=backoff,
            on_error=lambda _, pause: pauses.append(pause),
        )

    run(OSError(), OSError(), None)
    assert pauses == [0.01, 0.02]
    with pytest.raises(ValueError, match="other"):
        run(OSError(), ValueError("other"))
    stop.set()
    run(OSError())  # and no second attempt, which would raise IndexError


def test_a_stop_ends_a_pause_at_once() -> None:
    stop = StopSignals()
    threading.Timer(0.1, stop.set).start()
    began = time.monotonic()
    assert stop.wait(30)
    assert time.monotonic() - began < 5


def test_signals_are_counted(tmp_path: Path) -> None:
    program = """
import os, signal
from service.supervision.stop_signals import StopSignals

stop = StopSignals()
stop.listen()
assert not stop.wait(0)
os.kill(os.getpid(), signal.SIGTERM)
os.kill(os.getpid(), signal.SIGINT)
assert stop.wait(0)
assert stop.count == 2
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


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


def test_a_child_is_reaped_together_with_what_it_has_started(
    child: Callable[..., ChildProcess],
) -> None:
    spawn = f"import subprocess, time; subprocess.Popen({SLEEP!r}); time.sleep(600)"
    parent = child([sys.executable, "-c", spawn])
    assert parent.pid is not None
    pid = parent.pid
    assert_soon(lambda: descendants(pid))
    pids = [pid, *descendants(pid)]
    assert parent.reap() == -signal.SIGKILL
    assert_soon(lambda: not any(is_running(pid) for pid in pids))
    assert not parent.is_running
    assert parent.reap() is None


def test_a_child_that_ends_by_itself_has_its_status(child: Callable[..., ChildProcess]) -> None:
    ending = child([sys.executable, "-c", "raise SystemExit(7)"])
    assert_soon(lambda: not ending.is_running)
    assert ending.reap() == 7


PARENT = """
import sys, time
from pathlib import Path
from service.supervision.child_process import ChildProcess

child = ChildProcess("child", sys.argv[1:], output=Path("/dev/null"))
child.start()
print(child.pid, flush=True)
time.sleep(600)
"""


def start_parent(*command: str) -> tuple["subprocess.Popen[str]", int]:
    """Start a process that starts `command` as its child; the process, and the child's id."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *command], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert parent.stdout is not None
    return parent, int(parent.stdout.readline())


WATCHING = """
import os, time
from service.supervision.parent_watch import watch_parent

watch_parent(os.environ)
time.sleep(600)
"""


@pytest.mark.parametrize(
    "command",
    [
        [sys.executable, "-c", WATCHING],
        watched_command(["/bin/sleep", "600"]),
    ],
    ids=["a process of the service", "another program"],
)
def test_a_child_ends_when_its_parent_is_killed(command: list[str]) -> None:
    parent, child = start_parent(*command)
    time.sleep(0.3)
    assert is_running(child)
    pids = [child, *descendants(child)]
    parent.kill()
    parent.communicate()
    assert_soon(lambda: not any(is_running(pid) for pid in pids), seconds=5)


def test_a_program_that_ignores_sigterm_is_killed_after_its_parent(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    ignore_sigterm = f"trap '' TERM; touch {ready}; exec sleep 600"
    parent, child = start_parent(*watched_command(["/bin/sh", "-c", ignore_sigterm]))
    assert_soon(ready.exists)
    parent.kill()
    parent.communicate()
    time.sleep(1)
    assert is_running(child)
    assert_soon(lambda: not is_running(child), seconds=10)


def test_the_watching_process_ends_with_its_program_and_holds_no_other_file(
    child: Callable[..., ChildProcess],
) -> None:
    program = child(watched_command(["/bin/sleep", "600"]))
    assert program.pid is not None
    pid = program.pid
    assert_soon(lambda: descendants(pid))
    (watcher,) = descendants(pid)
    # The three standard streams and two pipes are open.
    assert_soon(lambda: len(list(Path(f"/proc/{watcher}/fd").iterdir())) == 5)
    program.terminate()
    assert_soon(lambda: not is_running(watcher))
    assert program.reap() == -signal.SIGTERM

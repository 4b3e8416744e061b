"""The supervisor starts, restarts and stops programs; waiting and retrying end when they should."""

import gc
import resource
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Self

import pytest

from domain.errors import CartularyError
from domain.messages import Message, message
from replay.language.renderer import english
from service.operation import retry
from service.operation.child_process import ChildProcess
from service.operation.retry import Backoff, retry_until_stopped, wait_until
from service.operation.stop_signals import StopSignals
from service.operation.supervisor import Supervisor
from tests.support.faults import raises
from tests.support.processes import HANG_SECONDS, ROOT, idle_at_most, is_running
from tests.support.processes import wait_until as assert_soon


class FakeProgram:
    """A program that starts and stops instantly. It fails to start with each of `failures` first."""

    def __init__(self, name: str, log: list[str], failures: Sequence[Exception] = ()) -> None:
        self.name = name
        self.log = log
        self.failures = list(failures)
        self.is_running = False

    def start(self) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.is_running = True
        self.log.append(f"start {self.name}")

    def terminate(self) -> None:
        self.is_running = False
        self.log.append(f"terminate {self.name}")

    def reap(self) -> int | None:
        return 3


class Run:
    """A supervisor that runs in a thread. `reports` has the messages that it reported."""

    def __init__(self, *stages: list[FakeProgram]) -> None:
        self.reports: list[str] = []
        self.stop = StopSignals()
        self.is_ready = threading.Event()
        supervisor = Supervisor(stages, self._add_report, seconds_to_stop=5)
        self.thread = threading.Thread(
            target=supervisor.run, args=(self.stop, lambda: None, self.is_ready.set)
        )

    def __enter__(self) -> Self:
        self.thread.start()
        assert self.is_ready.wait(HANG_SECONDS)
        return self

    def _add_report(self, report: Message) -> None:
        self.reports.append(english(report))

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join(HANG_SECONDS)
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


@pytest.mark.parametrize(
    "error", [CartularyError(message("the disk is full")), OSError("the disk is full")]
)
def test_a_restart_that_fails_is_repeated_after_a_longer_pause(error: Exception) -> None:
    program = FakeProgram("web", [])
    with Run([program]) as run:
        program.failures = [error]
        program.is_running = False
        assert_soon(lambda: program.is_running)
        assert_soon(lambda: len(run.reports) == 3)
    assert run.reports[1] == "web does not start: the disk is full; it will be restarted in 0.4 s"


def test_a_first_start_that_fails_stops_everything_and_is_raised() -> None:
    log: list[str] = []
    programs = [
        FakeProgram("store", log),
        FakeProgram("web", log, [CartularyError(message("the disk is full"))]),
    ]
    supervisor = Supervisor([programs], lambda _: None, seconds_to_stop=5)
    with raises(CartularyError, match="the disk is full"):
        supervisor.run(StopSignals(), lambda: None, lambda: None)
    assert log == ["start store", "terminate store", "terminate web"]


def test_a_program_that_ignores_sigterm_is_killed_in_time(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    ignore_sigterm = f"trap '' TERM; touch {ready}; exec sleep 600"
    child = ChildProcess("deaf", ["/bin/sh", "-c", ignore_sigterm])
    stop = StopSignals()
    reports: list[Message] = []
    supervisor = Supervisor([[child]], reports.append, seconds_to_stop=0.3)
    pids: list[int | None] = []

    def on_ready() -> None:
        pids.append(child.pid)
        stop.set()

    supervisor.run(stop, lambda: None if ready.exists() else message("starting"), on_ready)
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
        pauses.append(backoff.next_pause())
        now += pauses[-1] + 1  # each attempt fails after a second
    assert pauses == [1, 2, 4, 5]
    now += 31
    assert backoff.next_pause() == 1


def test_wait_until_returns_whether_the_condition_was_met_in_time() -> None:
    calls = iter([False, False, True])
    assert wait_until(lambda: next(calls), seconds=HANG_SECONDS)
    assert not wait_until(lambda: False, seconds=0.05)


def test_retrying_ends_after_a_success_another_error_or_a_stop() -> None:
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


def test_a_stop_ends_a_pause_immediately() -> None:
    stop = StopSignals()
    threading.Timer(0.1, stop.set).start()
    with idle_at_most(5):
        assert stop.wait(HANG_SECONDS)


def test_stop_signals_counts_the_signals_that_arrive(tmp_path: Path) -> None:
    program = """
import os, signal
from service.operation.stop_signals import StopSignals

stop = StopSignals()
stop.listen()
assert not stop.wait(0)
os.kill(os.getpid(), signal.SIGTERM)
os.kill(os.getpid(), signal.SIGINT)
assert stop.wait(0)
assert stop.count == 2
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_signals_can_be_waited_for_with_many_open_files_and_leave_none_behind() -> None:
    open_files = Path("/proc/self/fd")
    gc.collect()
    before = len(list(open_files.iterdir()))
    # The first descriptors that `select` does not accept.
    limit, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limit, min(2048, most)), most))
    waiting = [StopSignals() for _ in range(600)]
    assert not waiting[-1].wait(0)
    waiting[-1].set()
    assert waiting[-1].wait(HANG_SECONDS)
    del waiting
    gc.collect()
    assert len(list(open_files.iterdir())) <= before
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))

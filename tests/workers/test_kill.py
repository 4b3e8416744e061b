"""Nothing is lost or done twice while processes are killed with SIGKILL again and again during play.

The default test is short. `make kill` kills 200 processes and 20 whole services and prints figures, which are
in docs/recovery.md.
"""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from tests.support.acknowledgements import Acknowledgements
from tests.support.bot_players import STUCK_SECONDS, BotTable
from tests.support.crash_checks import check_everything
from tests.support.processes import free_port, wait_until
from tests.support.receiver import webhook_receiver
from tests.support.running_service import RunningService
from tests.support.service_processes import SETTINGS, ServiceProcesses

KILLS = int(os.environ.get("KILLS", "200"))
"""How many processes the long test kills; `KILLS=40 make kill` takes a minute."""
CRASHES: Final = ("serve", "serve while Redis is stopped", "everything at once")


@pytest.fixture
def processes(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ServiceProcesses]:
    """A service; the parameter is the number of workers and of schedulers."""
    processes = ServiceProcesses(tmp_path, copies=request.param)
    try:
        processes.start()
        yield processes
    finally:
        processes.stop()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningService]:
    """A whole service, as `cartulary serve` starts it."""
    running = RunningService(tmp_path, processes=1, **SETTINGS)
    running.start(free_port())
    try:
        yield running
    finally:
        running.stop()


@pytest.mark.parametrize(
    ("kills", "tables"), [(3, 1), pytest.param(6, 3, marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize("processes", [1], indirect=True)
def test_a_few_kills_lose_and_duplicate_nothing(
    processes: ServiceProcesses, kills: int, tables: int
) -> None:
    acknowledgements = Acknowledgements()
    with webhook_receiver() as receiver:
        with playing(processes.url, acknowledgements, tables, 1, receiver.url) as check_bots:
            kill_at_random(processes, acknowledgements, kills, random.Random(1), check_bots)
        check_everything(processes.data, acknowledgements, receiver, must_have_ended=False)


@pytest.mark.soak
@pytest.mark.parametrize("processes", [2], indirect=True)
def test_many_kills_lose_and_duplicate_nothing(
    processes: ServiceProcesses, capsys: pytest.CaptureFixture[str]
) -> None:
    seed, start, acknowledgements = int(time.time()), time.monotonic(), Acknowledgements()
    with webhook_receiver() as receiver:
        with playing(processes.url, acknowledgements, 4, seed, receiver.url) as check_bots:
            kill_at_random(processes, acknowledgements, KILLS, random.Random(seed), check_bots)
        figures = check_everything(processes.data, acknowledgements, receiver, must_have_ended=True)
    with capsys.disabled():
        print_figures(seed, processes.kills, figures, start)


@pytest.mark.soak
def test_serve_comes_back_by_itself_whatever_of_it_is_killed(
    running: RunningService, capsys: pytest.CaptureFixture[str]
) -> None:
    seed, start, acknowledgements = int(time.time()), time.monotonic(), Acknowledgements()
    kills: Counter[str] = Counter()
    with webhook_receiver() as receiver:
        with playing(running.url, acknowledgements, 3, seed, receiver.url) as check_bots:
            chance = random.Random(seed)
            for number in range(max(len(CRASHES), KILLS // 10)):
                wait_for_play(acknowledgements, chance, check_bots)
                crash = CRASHES[number % len(CRASHES)]
                kill_serve(running, crash)
                kills[crash] += 1
                running.start(running.port)
        figures = check_everything(running.data, acknowledgements, receiver, must_have_ended=True)
    with capsys.disabled():
        print_figures(seed, kills, figures, start)


@contextmanager
def playing(
    url: str, acknowledgements: Acknowledgements, tables: int, seed: int, webhook: str
) -> Iterator[Callable[[], None]]:
    """Let bots play at some tables; the value is a function that fails if they have failed.

    At the end, they finish their games.
    """
    stop = threading.Event()
    threads = [
        BotTable(url, acknowledgements, seed * 100 + number, stop, without_password(webhook))
        for number in range(tables)
    ]

    def check_bots() -> None:
        errors = [repr(thread.error) for thread in threads if thread.error is not None]
        assert not errors, "; ".join(errors)

    for thread in threads:
        thread.start()
    try:
        yield check_bots
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    check_bots()


def without_password(url: str) -> str:
    """Return the URL of a receiver without the name and the password, which a webhook may not have."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{parts.port}{parts.path}"


def kill_at_random(
    processes: ServiceProcesses,
    acknowledgements: Acknowledgements,
    kills: int,
    chance: random.Random,
    check_bots: Callable[[], None],
) -> None:
    """Kill processes at random and start them again."""
    # The first kills cover every kind of process, so that a short run does too.
    kinds = ["redis", "web", "worker", "scheduler", "sender", "redis watcher"]
    for number in range(kills):
        if chance.random() < 0.7:
            wait_for_play(acknowledgements, chance, check_bots)
        kind = kinds[number % 6] if number < 12 else chance.choice(kinds)
        of_kind = [name for name in processes.names if name.rstrip(" 0123456789") == kind]
        name = chance.choice(of_kind)
        processes.kill(name)
        time.sleep(chance.choice((0, 0, chance.uniform(0, 0.6))))
        processes.start_one(name)


def wait_for_play(
    acknowledgements: Acknowledgements, chance: random.Random, check_bots: Callable[[], None]
) -> None:
    """Wait until the bots have gone on playing, and for a moment that depends on nothing."""
    events = acknowledgements.number_of_events + chance.randint(1, 12)

    def have_played() -> bool:
        check_bots()
        return acknowledgements.number_of_events >= events

    wait_until(have_played, idle_seconds=STUCK_SECONDS)
    time.sleep(chance.uniform(0, 0.3))


def kill_serve(running: RunningService, crash: str) -> None:
    """Kill `cartulary serve` in one of the ways of CRASHES."""
    if crash == "everything at once":
        running.kill()
        return
    if crash == "serve while Redis is stopped":
        # It does nothing before the next start ends it.
        redis = running.pid_of("redis")
        assert redis is not None
        os.kill(redis, signal.SIGSTOP)
    os.kill(running.pid, signal.SIGKILL)
    assert running.process is not None
    running.process.wait()


def print_figures(seed: int, kills: Counter[str], figures: dict[str, Any], start: float) -> None:
    """Print what the docs contain of a run."""
    rows = {
        "seed": seed,
        "kills": kills.total(),
        **{f"  {kind}": number for kind, number in sorted(kills.items())},
        **figures,
        "seconds": round(time.monotonic() - start),
    }
    print("\n\n" + "\n".join(f"  {name:<40}{value}" for name, value in rows.items()))  # noqa: T201 # these are the figures for the docs

"""A bot that searches has a queue of its own, holds nothing meanwhile, and loses nothing when it dies."""

import os
import signal
from collections.abc import Iterator
from typing import Final
from unittest.mock import patch

import pytest

from domain.game import Game
from domain.lifecycle import NewGame
from ledger.statements import RequestTakeback
from replay.bots.thinking_time import ThinkingTime
from service.bootstrap import Service
from service.operation.process_reports import EXPECTED_KINDS
from tests.support.processes import Start, descendants, is_running, wait_for_exit, wait_until
from tests.support.service_games import take_action
from tests.support.worker_harness import WorkerHarness
from workers.bot_player import BotPlayer
from workers.tasks import ANALYSES, BOTS, QUEUES, QUICK_QUEUES, THINKING

QUICK: Final = {"CARTULARY_REPORT_SECONDS": "0.2"}


def create(service: Service, *bots: str, **options: object) -> Game:
    """Create a game of a person, `ada`, in which these bots have the next seats; ada has placed a city."""
    game = service.games.commands.create(
        "ada",
        NewGame(rules="barony", seats=len(bots) + 1, options={"seating": "joined", **options}),
        bots=bots,
    )
    take_action(service, game.id)
    return service.games.queries.game(game.id)


@pytest.fixture
def quick_thinking() -> Iterator[None]:
    """Searches without playouts for the test."""

    def never(self: ThinkingTime, done: int) -> bool:
        return False

    with patch.object(ThinkingTime, "__call__", never):
        yield


def test_only_the_turns_of_a_strong_bot_are_in_the_queue_for_thinking(
    workers: WorkerHarness, quick_thinking: None
) -> None:
    service = workers.service
    game = create(service, "strong", takebacks=True)
    tasks = workers.tasks(game.id)
    assert tasks["think"].queue == THINKING
    assert "bot" not in tasks
    # The bot agrees to a takeback at once.
    service.games.statements.state(game.id, "ada", RequestTakeback())
    tasks = workers.tasks(game.id)
    assert tasks["bot"].queue == BOTS
    assert "think" not in tasks
    workers.scheduler.enqueue_tasks_of({game.id})
    workers.work()
    assert service.games.queries.game(game.id).resumptions


def test_a_worker_without_queues_leaves_searches_to_others() -> None:
    assert THINKING not in QUICK_QUEUES
    assert QUEUES[-2:] == (THINKING, ANALYSES)


def test_a_strong_bot_plays_in_turn_with_others(
    workers: WorkerHarness, quick_thinking: None
) -> None:
    service = workers.service
    game = create(service, "strong", "random")
    for _ in range(8):
        workers.scheduler.enqueue_tasks_of({game.id})
        workers.work()
    after = service.games.queries.game(game.id)
    # Ada has placed one city, and so have the strong bot and then the random one, which places three.
    assert after.to_act == 0
    assert after.seq == game.seq + 6
    assert {"bot", "think"}.isdisjoint(workers.tasks(game.id))


def test_a_bot_searches_for_the_thinking_time_of_the_settings() -> None:
    now = 100.0
    limit = ThinkingTime(2, lambda: now)
    assert limit(0)
    now = 101.9
    assert limit(1)
    now = 102.0
    assert not limit(2)
    # The next search has all of the time again, and makes one playout even if that takes longer.
    assert limit(0)
    now = 103.9
    assert limit(1)


def test_a_game_can_change_while_a_bot_thinks_which_then_drops_its_action(
    workers: WorkerHarness,
) -> None:
    service = workers.service
    game = create(service, "strong", "sensible")

    def resign_meanwhile(self: ThinkingTime, done: int) -> bool:
        if done == 1:
            service.games.commands.act(game.id, "ada", {"type": "resign"}, game.seq)
        return done < 2

    with patch.object(ThinkingTime, "__call__", resign_meanwhile):
        assert BotPlayer(service).play(game.id)
    events = service.games.queries.event_page(game.id, game.seq, 10)
    assert [event["type"] for event in events] == ["PlayerResigned"]
    # What follows from the change is another task.
    assert workers.tasks(game.id)["bot"].data == {"seq": game.seq + 1}


def test_what_a_bot_was_thinking_about_is_thought_about_again_after_a_sigkill(
    workers: WorkerHarness, start: Start, quick_thinking: None
) -> None:
    service = workers.service
    game = create(service, "strong")
    workers.scheduler.enqueue_tasks_of({game.id})
    process = start("worker", "--queue", "thinking", CARTULARY_BOT_SECONDS="60")
    started = workers.queues.queues[THINKING].started_job_registry
    wait_until(lambda: started.count == 1)
    process.kill()
    process.wait()
    assert service.games.queries.game(game.id).seq == game.seq
    workers.sweep_twice_and_work()
    events = service.games.queries.event_page(game.id, game.seq, 10)
    assert [event["by"] for event in events] == [{"seat": 1}]


def test_a_worker_with_the_scheduler_starts_one_for_searches_while_there_are_some(
    workers: WorkerHarness, start: Start
) -> None:
    service = workers.service
    process = start("worker", "--scheduler", CARTULARY_BOT_SECONDS="60", **QUICK)
    wait_until(
        lambda: {report.kind for report in service.process_reports.alive()} == {*EXPECTED_KINDS}
    )
    assert not descendants(process.pid)
    game = create(service, "strong")
    wait_until(lambda: descendants(process.pid))
    (thinking,) = descendants(process.pid)
    started = workers.queues.queues[THINKING].started_job_registry
    wait_until(lambda: started.count == 1)
    # Meanwhile, other games go on.
    other = create(service, "sensible")
    wait_until(lambda: service.games.queries.game(other.id).seq > other.seq)
    # The sweep finds the search of a worker that has died, and another one makes it.
    os.kill(thinking, signal.SIGKILL)
    wait_until(lambda: {*descendants(process.pid)} - {thinking})
    assert service.games.queries.game(game.id).seq == game.seq
    pids = [process.pid, *descendants(process.pid)]
    process.terminate()
    assert wait_for_exit(process) == 0
    assert not any(map(is_running, pids))


def test_a_worker_ends_after_its_longest_idle_time(workers: WorkerHarness, start: Start) -> None:
    service = workers.service
    game = create(service, "strong")
    workers.scheduler.enqueue_tasks_of({game.id})
    command = ("worker", "--queue", "thinking", "--max-idle", "1")
    process = start(*command, CARTULARY_BOT_SECONDS="0.05", **QUICK)
    assert wait_for_exit(process) == 0
    assert service.games.queries.game(game.id).seq > game.seq


def test_reindexing_restores_the_entry_of_a_bot_that_searches(workers: WorkerHarness) -> None:
    from service.recovery.reindex import reindex

    service = workers.service
    game = create(service, "strong")
    entry = workers.tasks(game.id)["think"]
    service.store.ack(game.id, "think", entry.payload)
    reindex(service, lambda _: None)
    assert workers.tasks(game.id)["think"] == entry

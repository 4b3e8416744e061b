"""What a sweep examines: the games with work, however many others there are, and none is ever missed."""

from typing import Any

import pytest
from freezegun import freeze_time

from domain.event import Clock
from service.bootstrap import Service
from service.connection import to_text
from service.recovery.reindex import reindex
from service.store.redis_event_store import ACTIVE_GAMES
from tests.support.redis_commands import count_commands
from tests.support.service_games import play_out, start_game, take_action
from tests.support.worker_harness import WorkerHarness
from workers import sweep as sweep_module
from workers.deadline_index import DEADLINES

CLOCK: Clock = {"per_turn": 60}


@pytest.fixture(autouse=True)
def few_other_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a sweep examine two of the active games that have not changed."""
    monkeypatch.setattr(sweep_module, "OTHER_GAMES", 2)


def examined_until_idle(service: Service, workers: WorkerHarness) -> None:
    for _ in range(3):
        workers.sweep_twice_and_work()
    assert not list(service.store.changed_games())


def games_with_deadlines(service: Service) -> set[str]:
    members: list[Any] = [
        member for key in DEADLINES.all for member in service.redis.zrange(key, 0, -1)
    ]
    return set(map(to_text, members))


@pytest.mark.needs_redis("single")
def test_a_sweep_costs_the_same_with_ten_times_as_many_games_in_progress(
    service: Service, workers: WorkerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = []
    for count in (3, 27):
        games = [start_game(service, clock=CLOCK).id for _ in range(count)]
        examined_until_idle(service, workers)
        with count_commands(service.redis) as idle:
            workers.scheduler.sweep(is_first=False)
        # The other games may or may not be the one that changes.
        monkeypatch.setattr(sweep_module, "OTHER_GAMES", 0)
        take_action(service, games[0])
        with count_commands(service.redis) as busy:
            workers.scheduler.sweep(is_first=False)
        later = WorkerHarness(service)
        with count_commands(service.redis) as first:
            later.scheduler.sweep(is_first=True)
        later.close()
        costs.append((idle, busy, first))
        examined_until_idle(service, workers)
        monkeypatch.setattr(sweep_module, "OTHER_GAMES", 2)
    assert len([*service.store.active_games()]) == 30
    for few, many in zip(*costs, strict=True):
        for name in ("getrange", "setrange", "sscan", "zadd"):
            # How many nodes of the tree an append of leaves reads and writes depends on the digits of its
            # size; the ids of active games are read 500 at a time; and in how many shards the deadlines
            # are depends on the ids of the games.
            del few[name], many[name]
        assert few.total() > 0
        assert many == few


def test_sweeps_come_to_every_active_game_in_turn(service: Service, workers: WorkerHarness) -> None:
    games = [start_game(service, clock=CLOCK).id for _ in range(7)]
    examined_until_idle(service, workers)
    service.redis.delete(*DEADLINES.all)
    for _ in range(4):
        workers.scheduler.sweep(is_first=False)
    assert games_with_deadlines(service) == set(games)


def test_work_whose_message_got_lost_is_done_among_many_games(
    service: Service, workers: WorkerHarness
) -> None:
    for _ in range(6):
        start_game(service)
    examined_until_idle(service, workers)
    game = play_out(service, start_game(service, round_limit=1).id)
    # The scheduler that got the messages has died.
    later = WorkerHarness(service)
    later.sweep_and_work(game.id)
    assert service.games.queries.game(game.id).status == "finished"
    assert game.id not in service.store.active_games()
    later.close()


def test_a_deadline_whose_job_got_lost_takes_effect(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        games = [start_game(service, clock=CLOCK) for _ in range(6)]
        examined_until_idle(service, workers)
        time.tick(61)
        workers.scheduler.check_deadlines()
        assert not service.redis.exists(*DEADLINES.all)
        for key in workers.client.keys("rq:*"):
            workers.client.delete(key)
        workers.sweep_twice_and_work()
        for game in games:
            assert service.games.queries.game(game.id).seq > game.seq


def test_a_change_during_a_sweep_is_examined_by_the_next_one(
    service: Service, workers: WorkerHarness
) -> None:
    game = start_game(service).id
    examined_until_idle(service, workers)
    take_action(service, game)
    changes = dict(service.store.changed_games())
    take_action(service, game)
    service.store.forget_changes(changes)
    assert [id for id, _ in service.store.changed_games()] == [game]


def test_work_without_a_change_is_found_in_turn_and_done(
    service: Service, workers: WorkerHarness
) -> None:
    """A failover may have lost that a game has changed."""
    games = [play_out(service, start_game(service, round_limit=1).id) for _ in range(5)]
    service.redis.delete("cartulary:changed")
    for _ in range(12):
        workers.sweep_twice_and_work()
    assert [service.games.queries.game(game.id).status for game in games] == ["finished"] * 5


def test_a_reindex_has_the_next_sweep_examine_every_game(
    service: Service, workers: WorkerHarness
) -> None:
    games = [start_game(service, clock=CLOCK).id for _ in range(7)]
    examined_until_idle(service, workers)
    service.redis.delete(*DEADLINES.all, *ACTIVE_GAMES.all)
    reindex(service)
    workers.scheduler.sweep(is_first=False)
    assert games_with_deadlines(service) == set(games)

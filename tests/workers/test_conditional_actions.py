"""The jobs of conditional actions: they come before notifications and forfeits, and survive being killed."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
from freezegun import freeze_time

from domain.game import Game
from service import wall_clock
from service.bootstrap import Service, build
from service.settings import Settings
from tests.support.conditional import act, line, marks, next_actions
from tests.support.service_games import play_set_up, start_game
from tests.support.worker_harness import RecordingChannel, WorkerHarness
from workers.jobs import TaskRunner
from workers.tasks import Task, tasks_of


@pytest.fixture
def game(service: Service) -> Game:
    """A game in which the player who waits has prepared an action for each of two turns."""
    game = play_set_up(service, start_game(service).id)
    prepare(service, game, 4)
    return game


def prepare(service: Service, game: Game, count: int) -> None:
    """Let the player who waits prepare the next so many actions of a game."""
    tree = line(*next_actions(game, count))
    service.conditional_actions.put(game.id, "bea", tree, game.seq)


def first_action(game: Game) -> Any:
    return next_actions(game, 1)[0][1]


def turns_announced(channel: RecordingChannel) -> list[tuple[str, ...]]:
    """Return the players of each notification of a turn."""
    return [
        tuple(notification.players)
        for notification in channel.sent
        if notification.subject == "your_turn"
    ]


def test_a_worker_plays_them_and_announces_only_turns_that_wait_for_a_player(
    service: Service, workers: WorkerHarness, channel: RecordingChannel, game: Game
) -> None:
    workers.sweep_and_work(game.id)
    channel.sent.clear()
    act(service, game, first_action(game))
    workers.scheduler.enqueue_tasks_of({game.id})
    assert f"conditional of game {game.id}" in workers.waiting()
    workers.work()
    workers.sweep_and_work(game.id)
    assert marks(service, game.id)[-2:] == [False, True]
    assert turns_announced(channel) == [("ada",)]


@pytest.mark.parametrize("entry", ["notify/turn", "deadline"])
def test_a_job_about_the_turn_plays_them_first(
    service: Service, workers: WorkerHarness, channel: RecordingChannel, entry: str
) -> None:
    game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
    prepare(service, game, 2)
    act(service, game, first_action(game))
    task = workers.tasks(game.id)[entry]
    with freeze_time(wall_clock.now() + timedelta(seconds=90)):
        assert workers.runner.run(task)
    assert marks(service, game.id)[-2:] == [False, True]
    assert turns_announced(channel) == []
    log = service.games.queries.event_page(game.id, game.seq, 10)
    assert [event["action"] is not None for event in log] == [True, True]


def test_a_player_whose_tree_is_void_is_notified_as_if_nothing_had_been_prepared(
    service: Service, workers: WorkerHarness, channel: RecordingChannel, game: Game
) -> None:
    workers.sweep_and_work(game.id)
    channel.sent.clear()
    rules = game.rules
    other = rules.action_to_json(rules.legal_actions(game.state, game.to_act or 0)[-1])
    act(service, game, dict(other))
    workers.sweep_and_work(game.id)
    assert turns_announced(channel) == [("bea",)]
    assert service.conditional_action_store.get(game.id, "bea") is None


class Killed(BaseException):
    """The process dies here."""


def kill_at(patch: pytest.MonkeyPatch, service: Service, command: int, *, after: bool) -> None:
    """Have the process of a service die before or after its n-th command to Redis."""
    client = type(service.redis)
    execute: Callable[..., Any] = client.execute_command
    count = 0

    def interrupted(self: redis.Redis, *args: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if count < command:
            return execute(self, *args, **options)
        if after and count == command:
            execute(self, *args, **options)
        raise Killed

    patch.setattr(client, "execute_command", interrupted)


def test_a_worker_that_dies_at_any_moment_plays_an_action_exactly_once(
    service: Service, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = play_set_up(service, start_game(service).id)
    command, is_complete = 0, False
    while not is_complete:
        command += 1
        for after in (False, True):
            game = service.games.queries.game(game.id)
            prepare(service, game, 2)
            act(service, game, first_action(game))
            dying = build(settings)
            task = tasks_of(dying.store, [game.id])[game.id].tasks[-1]
            assert task.entry == "conditional"
            with monkeypatch.context() as patch:
                kill_at(patch, dying, command, after=after)
                try:
                    is_complete = TaskRunner(dying).run(task)
                except Killed:
                    is_complete = False
            for entry in ("conditional", "conditional"):
                payload = service.store.outbox(game.id).get(entry, "")
                assert TaskRunner(service).run(Task(game.id, entry, payload))
            assert "conditional" not in service.store.outbox(game.id)
            assert marks(service, game.id)[-2:] == [False, True]
            assert service.conditional_action_store.get(game.id, game.players[1]) is None
    assert command > 5

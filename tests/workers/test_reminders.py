"""Reminders of deadlines: each is cancelled when its turn ends, however it ends, and waits for nobody."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Final

import pytest
from freezegun import freeze_time

from domain.game import Game
from ledger.statements import AgreeToPause, AnswerTakeback, RequestTakeback
from service import wall_clock
from service.bootstrap import Service
from service.http.stored_metrics import render
from service.notifications.delivery import Delivery
from tests.support.endpoints import FixedEndpoints, register_players
from tests.support.service_games import play_set_up, start_game, take_action
from tests.support.worker_harness import RecordingChannel, WorkerHarness

DAY: Final = 24 * 3600


class Table:
    """Ada and Bea, who are reminded by mail, and an operator who is notified as well."""

    def __init__(self, service: Service, time: Any) -> None:
        self.service = service
        self.time = time
        self.players = register_players(service, "ada", "bea", "cid")
        service.notifications.endpoints.add(FixedEndpoints("email", self.players))
        self.mail = RecordingChannel(name="email", is_operators=False)
        self.log = RecordingChannel(name="log")
        self.workers = WorkerHarness(service, self.mail, self.log)

    def start_several(self, count: int, per_turn: int = DAY) -> list[Game]:
        """Start games of two, play the set-up and a turn, and wait until the next reminder is created."""
        games = [
            start_game(
                self.service, 2, {"per_turn": per_turn}, players=self.players, takebacks=True
            )
            for _ in range(count)
        ]
        for game in games:
            play_set_up(self.service, game.id)
            take_action(self.service, game.id)
        self.work()
        self.time.tick(timedelta(seconds=per_turn / 2))
        self.work()
        return list(map(self.now, games))

    def start(self, per_turn: int = DAY) -> Game:
        """Start one game as `start_several` does."""
        (game,) = self.start_several(1, per_turn)
        return game

    def now(self, game: Game) -> Game:
        return self.service.games.queries.game(game.id)

    def work(self) -> None:
        for _ in range(20):
            self.workers.scheduler.check_deadlines()
            self.workers.scheduler.sweep(is_first=True)
            is_last = not self.workers.waiting()
            self.workers.work()
            if is_last:
                return
        raise AssertionError(self.workers.waiting())

    def reminders(self, game: Game) -> list[Delivery]:
        """Return the reminders of all turns of a game, those to the operator too."""
        return [
            delivery
            for seq in range(self.now(game).seq + 1)
            for delivery in self.service.notifications.deliveries.about(game.id, seq)
            if delivery.subject == "deadline_near"
        ]


@pytest.fixture
def table(service: Service) -> Iterator[Table]:
    with freeze_time("2026-11-20T09:00:00Z", tick=False) as time:
        table = Table(service, time)
        yield table
        table.workers.close()


def to_act(game: Game) -> str:
    assert game.to_act is not None
    return game.players[game.to_act]


def act(table: Table, game: Game) -> None:
    take_action(table.service, game.id)


def resign(table: Table, game: Game) -> None:
    seq = table.now(game).seq
    table.service.games.commands.act(game.id, to_act(game), {"type": "resign"}, seq)


def take_back(table: Table, game: Game) -> None:
    """The player before has slipped, and everybody agrees."""
    former = next(player for player in table.players[:2] if player != to_act(game))
    commands = table.service.games.statements
    number = commands.state(game.id, former, RequestTakeback()).events[0]["seq"]
    commands.state(game.id, to_act(game), AnswerTakeback(number, agree=True))


def abandon(table: Table, game: Game) -> None:
    table.service.administration.abandon("operator", game.id, "a test")


def remove(table: Table, game: Game) -> None:
    assert game.to_act is not None
    table.service.administration.remove_seat("operator", game.id, game.to_act, "a test")


def act_twice(table: Table, game: Game) -> None:
    """The worker sees only what comes of the second turn."""
    take_action(table.service, game.id)
    table.time.tick(timedelta(seconds=DAY / 2))
    take_action(table.service, game.id)


@pytest.mark.parametrize("end", [act, resign, take_back, abandon, remove, act_twice])
def test_a_reminder_is_cancelled_when_its_turn_ends(
    table: Table, end: Callable[[Table, Game], None]
) -> None:
    game = table.start()
    waiting = table.reminders(game)
    assert sorted((item.channel, item.status) for item in waiting) == [
        ("email", "pending"),
        ("log", "pending"),
    ]
    end(table, game)
    table.work()
    ended = [item for item in table.reminders(game) if item.id in {each.id for each in waiting}]
    assert [(item.status, item.attempts, item.tried_at) for item in ended] == [
        ("cancelled", 0, None)
    ] * 2
    assert not [name for name in table.service.store.outbox(game.id) if name.startswith("cancel/")]
    table.time.tick(timedelta(days=3))
    table.work()
    reminded = {item.id for item in (*table.mail.sent, *table.log.sent)}
    assert not reminded & {each.id for each in waiting}


def test_a_reminder_of_a_turn_that_continues_is_sent(table: Table) -> None:
    game = table.start(per_turn=4 * DAY)
    other = next(player for player in table.players[:2] if player != to_act(game))
    table.time.tick(timedelta(hours=12))
    table.service.games.statements.state(game.id, other, RequestTakeback())
    table.service.games.statements.state(game.id, other, AgreeToPause(agree=True))
    table.work()
    (to_player,) = (item for item in table.reminders(game) if item.channel == "email")
    assert to_player.status == "pending"
    table.time.tick(timedelta(days=1))
    table.work()
    assert "deadline_near" in {item.subject for item in table.mail.sent}


def test_nobody_is_reminded_of_a_deadline_while_the_clock_stands_still(table: Table) -> None:
    game = table.start(per_turn=4 * DAY)
    table.time.tick(timedelta(days=1.9))
    for player in table.players[:2]:
        table.service.games.statements.state(game.id, player, AgreeToPause(agree=True))
    table.work()
    table.time.tick(timedelta(days=29.9))
    table.work()
    assert "deadline_near" not in {item.subject for item in table.mail.sent}
    # The longest pause possible is over.
    table.time.tick(timedelta(days=0.15))
    table.work()
    assert "deadline_near" in {item.subject for item in table.mail.sent}


def test_no_reminder_of_a_quick_turn_has_to_be_cancelled(table: Table) -> None:
    game = start_game(table.service, 2, {"per_turn": 4 * DAY}, players=table.players)
    take_action(table.service, game.id)
    assert not [name for name in table.service.store.outbox(game.id) if name.startswith("cancel/")]


def test_nothing_waits_on_a_server_whose_games_continue_or_are_over(table: Table) -> None:
    games = table.start_several(8)
    for game in games[:4]:
        resign(table, game)
    table.work()
    assert table.service.notifications.deliveries.count_due(wall_clock.now()) == 0
    assert b"cartulary_deliveries_waiting 0.0" in render(table.service)
    # Those of the games that go on are still to come.
    assert {item.game_id for item in table.service.notifications.deliveries.waiting(100)} == {
        game.id for game in games[4:]
    }

"""Time that players give each other: by how much the deadline moves, and within which bounds."""

from typing import Any, cast

import pytest

from domain.clock.decisions import MAX_EXTENSIONS_PER_PLAYER, MAX_TURN_EXTENSION
from domain.clock.events import TimeGiven
from domain.contract import DomainEvent
from domain.errors import Malformed, NotNow
from domain.event import By
from ledger import commands
from ledger.clock.turn_clock import bank_left
from tests.support.faults import raises
from tests.support.local_game import LocalGame
from tests.support.records import audit_record

HOUR = 3600
DAY = 24 * HOUR


def test_time_that_a_player_gives_moves_the_deadline_of_this_turn() -> None:
    game = LocalGame(2, per_turn=DAY)
    game.wait(hours=20)
    game.give_time(1, 0, 6 * HOUR)
    assert game.seconds_left == 10 * HOUR
    game.wait(hours=9)
    assert not game.game.forfeits
    game.act()
    assert game.seconds_left == DAY
    report = audit_record(game.record())
    assert report.verdict != "broken"


def test_time_that_was_given_is_used_before_the_time_bank() -> None:
    game = LocalGame(2, clock={"per_turn": DAY, "bank": DAY})
    game.give_time(1, 0, 5 * HOUR)
    game.wait(hours=31)
    game.act()
    left = bank_left(game.game, 0)
    assert left is not None
    assert left.total_seconds() == 22 * HOUR


def test_a_turn_is_extended_by_a_week_at_most() -> None:
    game = LocalGame(3, per_turn=DAY)
    game.give_time(1, 0, MAX_TURN_EXTENSION - DAY)
    with raises(Malformed, match="seconds"):
        game.give_time(2, 0, DAY + 1)
    game.give_time(2, 0, DAY)
    with raises(NotNow, match="cannot be extended further"):
        game.give_time(1, 0, 1)
    game.act()
    game.give_time(0, game.game.to_act or 0, 1)
    extended = LocalGame(2, per_turn=DAY)
    commands.extend_deadline(extended.pending, "operator", MAX_TURN_EXTENSION)
    with raises(NotNow, match="cannot be extended further"):
        extended.give_time(1, 0, 1)


def test_a_player_cannot_give_time_for_ever() -> None:
    game = LocalGame(2, per_turn=DAY)
    for _ in range(MAX_EXTENSIONS_PER_PLAYER):
        game.give_time(1, 0, 1)
    with raises(NotNow, match="20 times"):
        game.give_time(1, 0, 1)


def test_players_give_time_only_to_others_who_are_to_act() -> None:
    game = LocalGame(3, per_turn=DAY)
    with raises(NotNow, match="to each other"):
        game.give_time(0, 0, HOUR)
    with raises(NotNow, match="turn of another player"):
        game.give_time(0, 1, HOUR)
    for seconds in (0, -1, True, 1.5, MAX_TURN_EXTENSION + 1):
        with raises(Malformed, match="seconds"):
            game.give_time(1, 0, cast("int", seconds))
    game.resign(2)
    with raises(NotNow, match="to each other"):
        game.give_time(2, 0, HOUR)
    with raises(NotNow, match="has no clock"):
        LocalGame(2).give_time(1, 0, HOUR)
    with_bot = LocalGame(3, per_turn=DAY, bots=1)
    while with_bot.game.to_act != 2:
        with_bot.act()
    with raises(NotNow, match="to each other"):
        with_bot.give_time(0, 2, HOUR)


@pytest.mark.parametrize(
    ("made_up", "by"),
    [
        ({"seat": 1, "to": 0, "seconds": MAX_TURN_EXTENSION + 1}, {"seat": 1}),
        ({"seat": 1, "to": 0, "seconds": 10**15}, {"seat": 1}),
        ({"seat": 1, "to": 0, "seconds": 0}, {"seat": 1}),
        ({"seat": 1, "to": False, "seconds": 60}, {"seat": 1}),
        ({"seat": 0, "to": 0, "seconds": 60}, {"seat": 0}),
        ({"seat": 1, "to": 0, "seconds": 60}, {"seat": 2}),
        ({"seat": 1, "to": 0, "seconds": 60}, {"system": "clock"}),
        ({"seat": 1, "to": 2, "seconds": 60}, {"seat": 1}),
    ],
)
def test_made_up_time_is_found_by_an_audit(made_up: Any, by: Any) -> None:
    game = LocalGame(3, per_turn=DAY)
    game.pending.add(DomainEvent("TimeGiven", cast("TimeGiven", made_up)), cast("By", by))
    assert audit_record(game.record()).verdict == "broken"

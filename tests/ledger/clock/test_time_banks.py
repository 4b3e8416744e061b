"""Time banks: what turns take from them, and what they grow by."""

from datetime import UTC, datetime, timedelta
from typing import Any

from domain.event import Clock
from ledger import commands
from ledger.clock.turn_clock import bank_begins_at, bank_left, deadline
from replay.audit.findings import Report
from tests.support.local_game import LocalGame
from tests.support.records import audit_record

HOUR = 3600


def game_with(clock: Clock, **options: Any) -> LocalGame:
    return LocalGame(2, clock=clock, **options)


def hours_left(game: LocalGame, seat: int) -> float:
    left = bank_left(game.game, seat)
    assert left is not None
    return left / timedelta(hours=1)


def audit(game: LocalGame) -> Report:
    return audit_record(game.record())


def test_a_turn_takes_from_the_bank_only_what_is_beyond_its_own_time() -> None:
    game = game_with({"per_turn": 10 * HOUR, "bank": 24 * HOUR})
    assert game.seconds_left == 34 * HOUR
    game.wait(hours=10)
    game.act()
    assert (hours_left(game, 0), hours_left(game, 1)) == (24, 24)
    game.wait(hours=15)
    game.act()
    assert (hours_left(game, 0), hours_left(game, 1)) == (24, 19)
    game.act()
    assert game.seconds_left == (10 + 19) * HOUR


def test_a_bank_grows_after_each_own_turn_but_not_above_its_size() -> None:
    game = game_with({"bank": 24 * HOUR, "increment": 2 * HOUR})
    game.wait(hours=1)
    game.act()
    assert hours_left(game, 0) == 24
    game.wait(hours=10)
    game.act()
    assert hours_left(game, 1) == 16
    assert game.game.to_act == 1
    assert game.seconds_left == 16 * HOUR
    game.act()
    assert (hours_left(game, 0), hours_left(game, 1)) == (24, 18)


def test_a_turn_after_its_deadline_empties_the_bank() -> None:
    game = game_with({"bank": 4 * HOUR, "increment": HOUR})
    game.wait(hours=30)
    game.act()
    assert hours_left(game, 0) == 1


def test_an_empty_bank_without_a_time_for_each_turn_leaves_no_time() -> None:
    game = game_with({"bank": 4 * HOUR})
    game.wait(hours=5)
    game.act(2)
    # Seat 1 has placed, and it is its turn again; then it is that of seat 0.
    while game.game.to_act != 0:
        game.act()
    assert deadline(game.game) == game.now


def test_the_bank_begins_when_the_time_for_the_turn_is_over() -> None:
    game = game_with({"per_turn": HOUR, "bank": HOUR, "nights": ["10:30", "20:00"]})
    # The game begins at 9:00.
    assert bank_begins_at(game.game) == datetime(2026, 11, 20, 10, tzinfo=UTC)
    assert deadline(game.game) == datetime(2026, 11, 20, 20, 30, tzinfo=UTC)
    assert bank_begins_at(game_with({"per_turn": HOUR}).game) is None
    assert bank_left(game_with({"per_turn": HOUR}).game, 0) is None


def test_a_night_takes_nothing_from_the_bank() -> None:
    game = game_with({"per_turn": HOUR, "bank": 9 * HOUR, "nights": ["10:30", "20:00"]})
    game.wait(hours=13)
    game.act()
    # 9:00 to 10:30 and 20:00 to 22:00 have counted, an hour of it for the turn.
    assert hours_left(game, 0) == 9 - 2.5


def test_a_dispute_takes_nothing_from_the_bank() -> None:
    game = game_with({"bank": 9 * HOUR}, arbiter="zoe")
    game.wait(hours=1)
    number = game.dispute(1)
    game.wait(hours=20)
    game.rule(number, {"type": "dismiss"})
    game.wait(hours=2)
    game.act()
    assert hours_left(game, 0) == 6


def test_a_takeback_gives_the_bank_back_as_it_was() -> None:
    game = game_with({"bank": 9 * HOUR, "increment": 60}, takebacks=True)
    game.wait(hours=4)
    game.act()
    assert hours_left(game, 0) < 6
    number = game.request_takeback(0)
    game.answer_takeback(number, 1, agree=True)
    assert hours_left(game, 0) == 9
    assert game.seconds_left == 9 * HOUR


def test_a_forfeit_at_the_deadline_passes_an_audit_and_an_early_one_does_not() -> None:
    for early, is_broken in ((timedelta(), False), (timedelta(milliseconds=1), True)):
        game = game_with(
            {"per_turn": HOUR, "bank": HOUR, "nights": ["10:30", "20:00"], "weekends": True}
        )
        while game.game.round == 0:
            game.act()
        moment = deadline(game.game)
        assert moment is not None
        game.now = moment - early
        game.forfeit()
        assert (audit(game).verdict == "broken") == is_broken


def test_seconds_that_an_administrator_adds_are_used_before_the_bank() -> None:
    game = game_with({"per_turn": HOUR, "bank": 9 * HOUR})
    commands.extend_deadline(game.pending, "operator", 5 * HOUR)
    assert game.seconds_left == 15 * HOUR
    game.wait(hours=7)
    game.act()
    assert hours_left(game, 0) == 8

"""The deadline of a turn, which disputes move, and the end of a game, which waits for a ruling."""

from datetime import UTC, datetime

import pytest

from domain.errors import NotNow
from ledger import commands
from ledger.clock.turn_clock import deadline, has_passed, ruling_limit, waits_for_ruling
from ledger.statements import WithdrawDispute
from tests.support.faults import raises
from tests.support.local_game import LocalGame

HOUR = 3600
DISMISS = {"type": "dismiss"}


def test_a_dispute_stops_the_clock_until_the_ruling() -> None:
    game = LocalGame(2, per_turn=24 * HOUR, arbiter="zoe")
    game.wait(hours=10)
    number = game.dispute(0)
    assert game.seconds_left == (14 + 72) * HOUR
    game.wait(hours=5)
    assert game.seconds_left == (14 + 67) * HOUR
    game.rule(number, DISMISS)
    assert game.seconds_left == 14 * HOUR


def test_a_withdrawn_dispute_starts_the_clock_again() -> None:
    game = LocalGame(2, per_turn=24 * HOUR)
    number = game.dispute(0)
    game.wait(hours=5)
    WithdrawDispute(number).add(game.pending, 0, game.secret)
    assert game.seconds_left == 24 * HOUR


def test_the_clock_stops_no_longer_than_the_limit() -> None:
    game = LocalGame(2, per_turn=24 * HOUR, arbiter="zoe")
    number = game.dispute(0)
    opened = game.pending.events[-1]["data"]
    assert opened["clock_stopped_until"] == "2026-11-23T09:00:00.000Z"
    game.wait(hours=80)
    assert game.seconds_left == (24 + 72 - 80) * HOUR
    game.rule(number, DISMISS)
    assert game.seconds_left == (24 + 72 - 80) * HOUR
    game.wait(hours=16)
    assert has_passed(game.game, game.pending.next_at)
    game.forfeit()


def test_stops_within_one_turn_add_up() -> None:
    game = LocalGame(2, per_turn=24 * HOUR, arbiter="zoe")
    for seat in (0, 1):
        number = game.dispute(seat)
        game.wait(hours=3)
        game.rule(number, DISMISS)
        game.wait(hours=1)
    assert game.seconds_left == (24 - 2) * HOUR


def test_a_turn_that_begins_while_the_clock_is_stopped_has_its_whole_time() -> None:
    game = LocalGame(2, per_turn=24 * HOUR, arbiter="zoe")
    number = game.dispute(0)
    game.wait(hours=3)
    game.act()
    game.wait(hours=2)
    game.rule(number, DISMISS)
    assert game.seconds_left == 24 * HOUR


def test_the_time_that_was_stopped_in_an_earlier_turn_does_not_count() -> None:
    game = LocalGame(2, per_turn=24 * HOUR, arbiter="zoe")
    number = game.dispute(0)
    game.wait(hours=3)
    game.rule(number, DISMISS)
    game.act()
    assert game.seconds_left == 24 * HOUR


def test_a_dispute_after_the_deadline_only_delays_the_forfeit() -> None:
    game = LocalGame(2, per_turn=HOUR, arbiter="zoe")
    game.wait(hours=2)
    number = game.dispute(0)
    assert not has_passed(game.game, game.pending.next_at)
    game.wait(hours=1)
    game.rule(number, DISMISS)
    assert has_passed(game.game, game.pending.next_at)


def test_a_resumption_of_play_begins_a_new_turn_for_the_clock() -> None:
    game = LocalGame(2, per_turn=24 * HOUR, arbiter="zoe")
    game.act(2)
    game.wait(hours=20)
    number = game.dispute(0)
    game.wait(hours=20)
    game.rule(number, {"type": "resume", "from": 5})
    assert game.seconds_left == 24 * HOUR


def test_deadlines_are_the_same_when_clocks_change() -> None:
    game = LocalGame(2, per_turn=24 * HOUR, arbiter="zoe")
    # In Europe, clocks are turned forward half an hour later.
    game.now = datetime(2027, 3, 28, 0, 30, tzinfo=UTC)
    game.act()
    game.rule(game.dispute(0), DISMISS)
    assert deadline(game.game) == datetime(2027, 3, 29, 0, 30, tzinfo=UTC)


def test_a_game_without_a_clock_has_no_deadline() -> None:
    game = LocalGame(2)
    game.dispute(0)
    assert game.pending.events[-1]["data"]["clock_stopped_until"] is None
    assert deadline(game.game) is None


@pytest.mark.parametrize("per_turn", [None, 24 * HOUR])
def test_the_end_of_a_game_waits_for_the_ruling_but_not_for_ever(per_turn: int | None) -> None:
    game = LocalGame(2, per_turn=per_turn)
    game.resign(0)
    game.wait(hours=1)
    game.dispute(0)
    assert ruling_limit(game.game) == "2026-11-23T10:00:00.000Z"
    with raises(NotNow, match="waits for the ruling"):
        commands.finish(game.pending, game.secret)
    game.wait(hours=72)
    assert not waits_for_ruling(game.game, game.pending.next_at)
    commands.finish(game.pending, game.secret)
    assert ruling_limit(game.game) is None


def test_the_end_of_a_game_follows_a_ruling() -> None:
    game = LocalGame(2, arbiter="zoe")
    game.resign(0)
    game.rule(game.dispute(0), {"type": "result_stands"})
    commands.finish(game.pending, game.secret)
    assert game.types[-1] == "GameFinished"


def test_a_ruling_before_the_end_lets_play_resume() -> None:
    game = LocalGame(2, arbiter="zoe")
    start = game.game.seq
    game.resign(0)
    game.rule(game.dispute(0), {"type": "resume", "from": start})
    assert game.game.to_act is not None

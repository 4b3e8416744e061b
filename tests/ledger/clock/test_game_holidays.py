"""Holidays of players in a game: which time they take from the clock, and which are refused."""

from typing import cast

import pytest

from domain.clock.events import HolidayAnnounced
from domain.contract import DomainEvent
from domain.errors import NotNow
from domain.event import By, Clock
from ledger.clock.turn_clock import bank_left, deadline, holiday_until
from replay.audit.findings import Report
from tests.support.faults import raises
from tests.support.local_game import LocalGame
from tests.support.records import audit_record

HOUR = 3600
DAY = 24 * HOUR
CLOCK: Clock = {"per_turn": DAY, "holidays": True}


def audit(game: LocalGame) -> Report:
    return audit_record(game.record())


def test_a_holiday_of_the_seat_to_act_does_not_count() -> None:
    game = LocalGame(2, clock=CLOCK)
    game.announce_holiday("ada", 6, 54)
    assert game.seconds_left == 3 * DAY
    assert holiday_until(game.game, game.pending.next_at) is None
    game.wait(hours=6)
    assert holiday_until(game.game, game.pending.next_at) == "2026-11-22T15:00:00.000Z"
    game.act()
    # It is the turn of seat 1, which has no holiday.
    assert game.seconds_left == DAY
    assert holiday_until(game.game, game.pending.next_at) is None
    assert audit(game).verdict != "broken"


def test_a_turn_that_begins_in_a_holiday_has_its_time_after_it() -> None:
    game = LocalGame(2, clock={"bank": DAY, "holidays": True})
    game.announce_holiday("bea", 1, 49)
    game.wait(hours=9)
    game.act()
    assert game.seconds_left == 40 * HOUR + DAY
    game.wait(hours=40)
    game.act()
    left = bank_left(game.game, 1)
    assert left is not None
    assert left.total_seconds() == DAY


def test_a_holiday_has_no_effect_on_the_time_before_it_was_announced() -> None:
    game = LocalGame(2, clock=CLOCK)
    game.wait(hours=10)
    game.announce_holiday("ada", -5, 20)
    assert game.seconds_left == 14 * HOUR + 20 * HOUR


def test_a_cancelled_holiday_counts_until_it_was_cancelled() -> None:
    game = LocalGame(2, clock=CLOCK)
    early = game.announce_holiday("ada", 6, 54)
    game.cancel_holiday("ada", early)
    assert game.seconds_left == DAY
    begun = game.announce_holiday("ada", 1, 49)
    game.wait(hours=11)
    game.cancel_holiday("ada", begun)
    assert game.seconds_left == 23 * HOUR
    # The time that was cancelled can be a holiday again.
    game.announce_holiday("ada", 1, 38)
    assert game.seconds_left == 23 * HOUR + 37 * HOUR
    assert audit(game).verdict != "broken"


def test_a_holiday_that_begins_after_the_deadline_does_not_move_it() -> None:
    game = LocalGame(2, clock=CLOCK)
    game.announce_holiday("ada", 25, 100)
    assert game.seconds_left == DAY


def test_a_deadline_with_a_holiday_passes_an_audit_and_an_earlier_one_does_not() -> None:
    for hours, is_broken in ((23, True), (72, False)):
        game = LocalGame(2, clock=CLOCK)
        game.announce_holiday("ada", 6, 54)
        game.wait(hours=hours)
        game.forfeit()
        assert (audit(game).verdict == "broken") == is_broken


def test_holidays_that_overlap_are_refused() -> None:
    game = LocalGame(2, clock=CLOCK)
    game.announce_holiday("ada", 24, 48)
    for start, end in ((24, 48), (0, 25), (47, 60), (30, 31), (0, 100)):
        with raises(NotNow, match="has a holiday in this time already"):
            game.announce_holiday("ada", start, end)
    game.announce_holiday("ada", 48, 60)
    game.announce_holiday("ada", 0, 24)
    game.announce_holiday("bea", 24, 48)


def test_holidays_that_have_no_effect_are_refused() -> None:
    game = LocalGame(2, clock=CLOCK, bots=1)
    for start, end in ((5, 5), (5, 4), (-5, 0), (-5, -4)):
        with raises(NotNow, match="is over, or ends before it begins"):
            game.announce_holiday("ada", start, end)
    with raises(NotNow, match="only the people of a game"):
        game.announce_holiday("bea", 1, 2)
    with raises(NotNow, match="only the people of a game"):
        game.announce_holiday("zoe", 1, 2)
    with raises(NotNow, match="no such holiday"):
        game.cancel_holiday("ada", "2026-11-20T09:00:00.000Z")
    with raises(NotNow, match="has no holidays"):
        LocalGame(2, per_turn=DAY).announce_holiday("ada", 1, 2)


def test_a_holiday_that_is_over_cannot_be_cancelled() -> None:
    game = LocalGame(2, clock=CLOCK)
    begins = game.announce_holiday("ada", 1, 2)
    game.wait(hours=2)
    with raises(NotNow, match="no such holiday"):
        game.cancel_holiday("ada", begins)


@pytest.mark.parametrize(
    ("data", "by"),
    [
        ({"from": "2026-11-20T10:00:00.000Z", "to": "2026-11-20T12:00:00.000Z"}, {"seat": 1}),
        ({"from": "2026-11-20T12:00:00.000Z", "to": "2026-11-20T10:00:00.000Z"}, {"seat": 0}),
        ({"from": "yesterday", "to": "2026-11-20T12:00:00.000Z"}, {"seat": 0}),
        ({"from": 5, "to": 7}, {"seat": 0}),
        ({"from": "2026-11-20T10:00:00.000Z"}, {"seat": 0}),
    ],
)
def test_a_made_up_holiday_is_found_by_an_audit(
    data: dict[str, object], by: dict[str, object]
) -> None:
    game = LocalGame(2, clock=CLOCK)
    event = DomainEvent("HolidayAnnounced", cast("HolidayAnnounced", {"player": "ada", **data}))
    try:
        game.pending.add(event, cast("By", by))
    except KeyError:
        return  # the log cannot contain it: there is no such record to audit
    assert audit(game).verdict == "broken"


def test_a_clock_that_is_set_back_moves_no_deadline() -> None:
    # The times of events never go back; the deadline follows from them alone.
    game = LocalGame(2, clock={**CLOCK, "nights": ["22:00", "08:00"], "weekends": True})
    game.announce_holiday("ada", 24, 48)
    moment = deadline(game.game)
    game.wait(hours=-5)
    assert deadline(game.game) == moment

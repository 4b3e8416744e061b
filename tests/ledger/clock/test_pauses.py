"""Pauses by agreement: when the clock stands still, and for how long at most."""

from typing import cast

from domain.clock.decisions import MAX_CHANGES_PER_PLAYER
from domain.clock.events import PauseAgreed
from domain.contract import DomainEvent
from domain.errors import NotNow
from domain.event import By
from ledger import commands
from ledger.clock.turn_clock import has_passed, is_pause_over, pause_limit
from replay.audit.findings import Report
from tests.support.faults import raises
from tests.support.local_game import LocalGame
from tests.support.records import audit_record

HOUR = 3600
DAY = 24 * HOUR


def audit(game: LocalGame) -> Report:
    return audit_record(game.record())


def test_the_clock_stands_still_while_all_players_agree() -> None:
    game = LocalGame(2, per_turn=DAY)
    game.wait(hours=10)
    game.agree_to_pause(0)
    game.wait(hours=2)
    assert game.seconds_left == 12 * HOUR
    assert pause_limit(game.game) is None
    game.agree_to_pause(1)
    assert pause_limit(game.game) == "2026-12-20T21:00:00.000Z"
    assert game.seconds_left == 12 * HOUR + 30 * DAY
    game.wait(days=20)
    game.agree_to_pause(0, agree=False)
    assert pause_limit(game.game) is None
    assert game.seconds_left == 12 * HOUR
    game.wait(hours=1)
    game.agree_to_pause(0)
    game.wait(hours=50)
    game.agree_to_pause(1, agree=False)
    assert game.seconds_left == 11 * HOUR
    assert audit(game).verdict != "broken"


def test_a_pause_ends_at_its_limit_even_if_nobody_withdraws() -> None:
    game = LocalGame(2, per_turn=DAY)
    game.agree_to_pause(0)
    game.agree_to_pause(1)
    game.wait(days=30)
    assert is_pause_over(game.game, game.pending.next_at)
    assert game.seconds_left == DAY
    game.wait(hours=24)
    assert has_passed(game.game, game.pending.next_at)
    # Withdrawing after the limit changes nothing about the time that has passed.
    game.agree_to_pause(0, agree=False)
    assert game.seconds_left == 0


def test_a_new_pause_after_the_longest_one_needs_everybody_again() -> None:
    game = LocalGame(2, per_turn=DAY)
    game.agree_to_pause(0)
    game.agree_to_pause(1)
    game.wait(days=30, hours=1)
    game.agree_to_pause(1)
    assert pause_limit(game.game) is None
    assert game.seconds_left == 23 * HOUR
    game.agree_to_pause(0)
    assert pause_limit(game.game) is not None
    game.wait(days=1)
    game.agree_to_pause(1, agree=False)
    assert game.seconds_left == 23 * HOUR
    assert audit(game).verdict != "broken"


def test_a_player_can_act_during_a_pause_and_the_next_turn_begins_with_the_pause() -> None:
    game = LocalGame(2, per_turn=DAY)
    game.agree_to_pause(0)
    game.agree_to_pause(1)
    game.wait(days=3)
    game.act()
    game.wait(days=2)
    game.agree_to_pause(1, agree=False)
    assert game.seconds_left == DAY


def test_a_pause_begins_when_the_only_player_who_disagrees_resigns() -> None:
    game = LocalGame(3, per_turn=DAY)
    game.agree_to_pause(0)
    game.agree_to_pause(1)
    assert pause_limit(game.game) is None
    game.resign(2)
    assert pause_limit(game.game) is not None
    assert audit(game).verdict != "broken"


def test_a_pause_and_a_dispute_at_the_same_time_count_once() -> None:
    game = LocalGame(2, per_turn=DAY, arbiter="zoe")
    number = game.dispute(0)
    game.wait(hours=5)
    game.agree_to_pause(0)
    game.agree_to_pause(1)
    game.wait(hours=5)
    game.rule(number, {"type": "dismiss"})
    game.wait(hours=5)
    game.agree_to_pause(0, agree=False)
    assert game.seconds_left == DAY


def test_the_end_of_a_game_ends_its_pause() -> None:
    game = LocalGame(2, per_turn=DAY)
    game.agree_to_pause(0)
    game.agree_to_pause(1)
    game.resign(0)
    commands.finish(game.pending, game.secret)
    assert game.game.pauses.current is None
    with raises(NotNow, match="the game is finished"):
        game.agree_to_pause(1, agree=False)


def test_agreements_that_change_nothing_are_refused() -> None:
    game = LocalGame(3, per_turn=DAY)
    with raises(NotNow, match="does not agree to a pause"):
        game.agree_to_pause(0, agree=False)
    game.agree_to_pause(0)
    with raises(NotNow, match="agrees to a pause already"):
        game.agree_to_pause(0)
    game.resign(2)
    with raises(NotNow, match="only people who are still in the game"):
        game.agree_to_pause(2)
    with raises(NotNow, match="has no clock"):
        LocalGame(2).agree_to_pause(0)


def test_a_player_cannot_change_this_for_ever() -> None:
    game = LocalGame(2, per_turn=DAY)
    for _ in range(MAX_CHANGES_PER_PLAYER // 2):
        game.agree_to_pause(0)
        game.agree_to_pause(0, agree=False)
    with raises(NotNow, match="40 times"):
        game.agree_to_pause(0)


def test_bots_have_no_say_in_a_pause() -> None:
    game = LocalGame(2, per_turn=DAY, bots=1)
    game.agree_to_pause(0)
    assert pause_limit(game.game) is not None
    with raises(NotNow, match="only people"):
        game.agree_to_pause(1)
    assert audit(game).verdict != "broken"


def test_a_made_up_agreement_is_found_by_an_audit() -> None:
    for made_up, by in (
        ({"seat": 0, "agree": True}, {"seat": 0}),
        ({"seat": 1, "agree": True}, {"seat": 0}),
        ({"seat": 1, "agree": False}, {"seat": 1}),
        ({"seat": 1, "agree": True}, {"system": "clock"}),
    ):
        game = LocalGame(2, per_turn=DAY)
        game.agree_to_pause(0)
        game.pending.add(DomainEvent("PauseAgreed", cast("PauseAgreed", made_up)), cast("By", by))
        assert audit(game).verdict == "broken"

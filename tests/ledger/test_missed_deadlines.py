"""Misses belong to the players who missed a deadline: what becomes of them when play resumes."""

from datetime import UTC, datetime
from typing import Any

from domain import lifecycle
from domain.event import Clock
from ledger.commands import CLOCK
from replay.audit import Report
from replay.language.renderer import english
from tests.support.local_game import LocalGame
from tests.support.records import audit_record

HOUR = 3600
BEFORE, AFTER = (datetime(2026, 11, day, 9, tzinfo=UTC) for day in (20, 24))
"""Times before and after the correction of the rule."""
PATIENT: Clock = {"per_turn": HOUR, "on_deadline": {"turn": "forfeit", "remove_after": 2}}


def game_of_two(**options: Any) -> LocalGame:
    return LocalGame(rules="baron", arbiter="zoe", clock=PATIENT, **options)


def play_turn(game: LocalGame) -> None:
    """Let the seat whose turn it is play it to its end."""
    turn = game.game.turn
    while game.game.turn == turn:
        game.act()


def resume(game: LocalGame, origin: int) -> None:
    game.rule(game.dispute(0), {"type": "resume", "from": origin})


def is_sound_so_far(game: LocalGame) -> bool:
    return not audit_record(game.record()).findings


def test_a_substitute_does_not_inherit_the_misses_of_the_former_player() -> None:
    game = game_of_two(substitutes=True)
    play_turn(game)
    assert game.miss_deadline() == "TurnForfeited"
    first_miss = game.game.seq
    play_turn(game)
    assert game.miss_deadline() == "SeatVacated"
    game.seat_substitute(1, "sue")
    resume(game, first_miss)
    play_turn(game)
    assert game.miss_deadline() == "TurnForfeited"
    play_turn(game)
    assert game.miss_deadline() == "SeatVacated"
    assert is_sound_so_far(game)


def test_a_player_who_has_acted_since_begins_with_no_misses() -> None:
    game = game_of_two()
    play_turn(game)
    game.miss_deadline()
    first_miss = game.game.seq
    play_turn(game)
    play_turn(game)
    resume(game, first_miss)
    play_turn(game)
    assert game.miss_deadline() == "TurnForfeited"
    assert is_sound_so_far(game)


def test_missed_deadlines_in_a_row_add_up() -> None:
    game = game_of_two()
    play_turn(game)
    game.miss_deadline()
    first_miss = game.game.seq
    play_turn(game)
    resume(game, first_miss)
    play_turn(game)
    assert game.miss_deadline() == "PlayerRemoved"
    assert is_sound_so_far(game)


def test_a_superseded_miss_does_not_count() -> None:
    game = game_of_two()
    play_turn(game)
    before_the_miss = game.game.play_seq
    game.miss_deadline()
    resume(game, before_the_miss)
    assert game.miss_deadline() == "TurnForfeited"
    assert is_sound_so_far(game)


def test_a_game_is_not_deserted_by_misses_that_ended_before_play_resumed() -> None:
    game = LocalGame(arbiter="zoe", per_turn=HOUR)
    while game.game.round == 0:
        game.act()
    for _ in range(2):
        game.miss_deadline()
    one_miss_each = game.game.seq
    game.act()
    resume(game, one_miss_each)
    for _ in range(2):
        assert game.miss_deadline() == "TurnForfeited"
    assert game.game.status == "playing"


def recorded_under_the_former_rule(start: datetime, *, keeps_the_miss: bool = True) -> bytes:
    """A record in which a miss counts that had ended before play resumed, as servers counted it before.

    Its last event removes seat 1, as after a second miss in a row.
    """
    game = game_of_two(start=start)
    play_turn(game)
    before_the_miss = game.game.play_seq
    game.miss_deadline()
    first_miss = game.game.seq
    play_turn(game)
    play_turn(game)
    resume(game, first_miss if keeps_the_miss else before_the_miss)
    if keeps_the_miss:
        play_turn(game)
    game.wait(seconds=HOUR)
    game.pending.add(lifecycle.remove(game.game, 1), CLOCK)
    return game.record()


def decisions(report: Report) -> list[str]:
    return [english(finding.problem) for finding in report.findings if finding.check == "decisions"]


def test_a_record_of_the_former_rule_is_not_broken() -> None:
    report = audit_record(recorded_under_the_former_rule(BEFORE))
    assert report.verdict != "broken"
    (note,) = (english(note.text) for note in report.notes if "otherwise" in english(note.text))
    assert "the count of missed deadlines after play has resumed" in note


def test_the_former_rule_after_its_correction_leaves_a_question_open() -> None:
    report = audit_record(recorded_under_the_former_rule(AFTER))
    assert report.verdict != "broken"
    assert any("still had the rules before" in english(each.problem) for each in report.unknowns)


def test_what_neither_rule_allows_is_broken() -> None:
    """Without the first miss, no rule counts two."""
    report = audit_record(recorded_under_the_former_rule(BEFORE, keeps_the_miss=False))
    assert any("the deadline leads to something else" in problem for problem in decisions(report))

"""The clock of a turn: how much time was left at a timestamp, and how late it was."""

import pytest

from ledger.clock.turn_clock import milliseconds_left, time_left_message
from replay.language.renderer import english, renderer
from tests.support.records import Table


def test_time_left_counts_down_to_the_deadline_and_below() -> None:
    game = Table("stones", 2, clock={"per_turn": 60}).start().game  # begins at 09:15:03
    assert game.turn_at == "2026-11-20T09:15:03.000Z"
    assert milliseconds_left(game, "2026-11-20T09:15:03.000Z") == 60_000
    assert milliseconds_left(game, "2026-11-20T09:16:02.999Z") == 1
    assert milliseconds_left(game, "2026-11-20T09:16:03.000Z") == 0
    assert milliseconds_left(game, "2026-11-20T09:16:06.069Z") == -3069


def test_no_time_is_left_or_exceeded_without_a_clock_or_a_turn() -> None:
    assert milliseconds_left(Table().start().game, "2027-01-01T00:00:00.000Z") is None
    unstarted = Table("stones", 2, clock={"per_turn": 60}).game
    assert milliseconds_left(unstarted, "2027-01-01T00:00:00.000Z") is None


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (-3069, "3.069 s late"),
        (0, "0.000 s late"),
        (1, "0.001 s left"),
        (60_000, "1 min 0.000 s left"),
        (-90_061_007, "1 d 1 h 1 min 1.007 s late"),
        (86_400_000, "1 d 0.000 s left"),
    ],
)
def test_time_left_in_words(milliseconds: int, text: str) -> None:
    assert english(time_left_message(milliseconds)) == text


@pytest.mark.parametrize(
    ("language", "left", "late"),
    [
        ("fr", "il reste 2 j 1,500 s", "1 h 0,007 s de retard"),
        ("es", "quedan 2 d 1,500 s", "1 h 0,007 s de retraso"),
    ],
)
def test_time_left_in_other_languages(language: str, left: str, late: str) -> None:
    render = renderer(language)
    assert render(time_left_message(172_801_500)) == left
    assert render(time_left_message(-3_600_007)) == late

"""BY-TURN: whose turn it is, passing, blocked rounds and forfeited turns."""

import pytest

from domain import barony
from domain.barony.state import State
from tests.support.barony_positions import given
from tests.support.given_when import (
    play_lines,
    progress_of,
    when,
    when_removed,
    when_scored,
    when_time_is_up,
)

FOUR = """
    play round 1 seat 0
    0: baron
    1: baron
    2: baron
    3: baron
    board
    P0ck P P1ck P P2ck P P3ck
    """


def turns(state: State, number: int) -> list[str]:
    """Round and seat to act in each of so many turns, in which the seat to act recruits."""
    history = []
    for _ in range(number):
        history.append(progress_of(state).removeprefix("play "))
        state = play_lines(state, f"{state.to_act} recruit 1 at {2 * (state.to_act or 0)},0")
    return history


@pytest.mark.allows("BY-TURN-1")
def test_seats_act_in_turn_and_a_round_is_one_turn_of_each() -> None:
    assert turns(given(FOUR), 9) == [
        *(f"round 1 seat {seat}" for seat in range(4)),
        *(f"round 2 seat {seat}" for seat in range(4)),
        "round 3 seat 0",
    ]


@pytest.mark.allows("BY-TURN-1")
@pytest.mark.parametrize(
    ("out", "history"),
    [
        (0, ["round 1 seat 1", "round 1 seat 2", "round 1 seat 3", "round 2 seat 1"]),
        (1, ["round 1 seat 0", "round 1 seat 2", "round 1 seat 3", "round 2 seat 0"]),
        (3, ["round 1 seat 0", "round 1 seat 1", "round 1 seat 2", "round 2 seat 0"]),
    ],
)
def test_seats_that_are_out_have_no_turns(out: int, history: list[str]) -> None:
    assert turns(when_removed(given(FOUR), out).after, 4) == history


@pytest.mark.allows("BY-TURN-1")
@pytest.mark.parametrize(
    ("to_act", "departing", "progress"),
    [
        (0, 0, "play round 3 seat 1"),
        (1, 1, "play round 3 seat 2"),
        (2, 2, "play round 4 seat 0"),
        (1, 2, "play round 3 seat 1"),
        (1, 0, "play round 3 seat 1"),
        (0, 2, "play round 3 seat 0"),
    ],
)
def test_a_departure_on_turn_ends_the_turn_and_may_end_the_round(
    to_act: int, departing: int, progress: str
) -> None:
    state = given(f"""
        play round 3 turn 20 seat {to_act}
        0: baron
        1: baron
        2: baron
        board
        P0ck P P1ck P P2ck P
        """)
    after = when(state, departing, "resign").leads_to(progress)
    assert after.turn == (21 if to_act == departing else 20)


@pytest.mark.allows("BY-TURN-1")
def test_once_the_last_seat_is_out_the_seat_before_it_ends_the_round() -> None:
    state = given("play round 3 seat 1\n0: baron\n1: baron\n2: baron\nboard\nP0ck P P1ck P P2ck P")
    state = when(state, 2, "resign").leads_to("play round 3 seat 1")
    when(state, 1, "recruit 1 at 2,0").leads_to("play round 4 seat 0")


@pytest.mark.refuses("BY-TURN-1")
def test_a_seat_acts_once_in_its_turn() -> None:
    state = when(given(FOUR), 0, "recruit 1 at 0,0").after
    when(state, 0, "recruit 1 at 0,0").is_refused("BY-TURN-3", "the turn of seat 1")


@pytest.mark.allows("BY-TURN-2")
@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("P0c", "baron, removed 7"),
        ("P0ck L", "baron, removed 6"),
        ("P0c F0v", "baron, removed 7, 7M"),
        ("P0v P1c P0v P0s", "duke, removed 7, 3D"),
        ("M0ck M1k", "baron, removed 6, 2D 2M"),
    ],
    ids=["no knights", "a lake", "a village in a forest", "a duke with tokens", "a mountain"],
)
def test_a_seat_without_another_legal_action_passes(row: str, words: str) -> None:
    state = given(f"play round 1 seat 0\n0: {words}\n1: baron\nboard\n{row} L P1ck")
    when(state, 0, "pass").produces("TurnPassed", seat=0)
    assert [barony.action_text(action) for action in barony.legal_actions(state, 0)] == ["pass"]


@pytest.mark.allows("BY-TURN-2")
def test_resign_and_agree_to_end_do_not_count_as_other_actions() -> None:
    state = given("play round 1 seat 0 agreement\n0: baron, removed 7\n1: baron\nboard\nP0c P P1ck")
    assert when(state, 0, "agree").event.type == "EndAgreed"
    when(state, 0, "pass").leads_to("play round 1 seat 1")


@pytest.mark.parametrize(
    ("row", "words", "only"),
    [
        ("P0c", "baron, removed 6", "recruit 1 at 0,0"),
        ("P0ck P0c", "baron, removed 6", "move 0,0>1,0"),
        ("P0k L", "baron, removed 6", "build village 0,0"),
        ("P0v", "baron, removed 7", "city 0,0"),
        ("L P", "baron, removed 5", "expedition 1,0"),
        ("P0c", "baron, removed 7, 3D", "title 3 field"),
    ],
    ids=["A", "B", "C", "D", "E", "F"],
)
def test_a_seat_with_another_legal_action_may_not_pass(row: str, words: str, only: str) -> None:
    state = given(f"play round 1 seat 0\n0: {words}\n1: baron\nboard\n{row} L P1ck")
    when(state, 0, "pass").is_refused("BY-TURN-2", only)
    listed = [barony.action_text(action) for action in barony.legal_actions(state, 0)]
    assert only in listed
    assert {text.split(maxsplit=1)[0] for text in listed} == {only.split(maxsplit=1)[0]}


@pytest.mark.allows("BY-TURN-3")
def test_resign_and_agree_to_end_are_legal_off_turn() -> None:
    state = given("play round 1 seat 0 agreement\n0: baron\n1: baron\n2: baron\nboard\nP0k P1k P2k")
    when(state, 1, "agree").leads_to("play round 1 seat 0")
    when(state, 2, "resign").leads_to("play round 1 seat 0")


@pytest.mark.parametrize("text", ["recruit 1 at 0,0", "pass", "resign", "agree", "disagree"])
def test_a_seat_that_is_out_can_do_nothing(text: str) -> None:
    state = given("""
        play round 1 seat 1 agreement
        0: baron, out
        1: baron
        2: baron
        board
        P0ck P P1ck P P2ck
        """)
    when(state, 0, text).is_refused("BY-TURN-3", "out")
    when_removed(state, 0).is_refused("BY-TURN-3", "out")


@pytest.mark.parametrize("phase", ["scoring", "finished"])
@pytest.mark.parametrize("text", ["recruit 1 at 0,0", "pass", "resign", "agree", "place 1,0"])
def test_no_action_is_accepted_when_play_is_over(phase: str, text: str) -> None:
    state = given(f"{phase} round 9 agreement\n0: baron\n1: baron\nboard\nP0ck P P1ck")
    when(state, 0, text).is_refused("BY-TURN-3", "scored" if phase == "scoring" else "over")
    when_removed(state, 0).is_refused("BY-TURN-3")
    when_time_is_up(state).is_refused("BY-TURN-3")


BLOCKED = """
    play round 3 seat 0
    0: baron, removed 7
    1: baron, removed 7
    2: baron, removed 7
    board
    P0c P P1c P P2c
    """
"""Three seats without a legal action but to pass."""

ONE_CAN = """
    play round 3 seat 0
    0: baron, removed 7
    1: baron, removed 7
    2: baron, removed 6
    board
    P0c P P1c P P2c
    """
"""Seats 0 and 1 can only pass, seat 2 has other actions."""


@pytest.mark.allows("BY-TURN-4")
def test_a_round_in_which_every_seat_passed_is_the_last() -> None:
    state = play_lines(given(BLOCKED), "0 pass", "1 pass")
    assert progress_of(state) == "play round 3 seat 2"
    assert barony.position(state, None)["passed"] == [0, 1]
    after = when(state, 2, "pass").leads_to("scoring round 3")
    assert barony.position(after, None)["passed"] == []


@pytest.mark.allows("BY-TURN-4")
def test_only_seats_in_the_game_at_the_end_of_the_round_need_to_have_passed() -> None:
    state = play_lines(given(ONE_CAN), "0 pass", "1 pass")
    when(state, 2, "resign").leads_to("scoring round 3")
    when_removed(state, 2).leads_to("scoring round 3")


@pytest.mark.allows("BY-TURN-4")
def test_a_seat_that_acted_and_left_before_the_end_of_the_round_does_not_count() -> None:
    state = given("""
        play round 3 seat 0
        0: baron, removed 6
        1: baron, removed 7
        2: baron, removed 7
        board
        P0c P P1c P P2c
        """)
    state = play_lines(state, "0 recruit 1 at 0,0", "1 pass", "0 resign")
    assert barony.position(state, None)["passed"] == [1]
    when(state, 2, "pass").leads_to("scoring round 3")


@pytest.mark.allows("BY-TURN-4")
def test_a_pass_is_recorded_while_other_seats_act() -> None:
    state = given("""
        play round 3 seat 0
        0: baron, removed 7
        1: baron, removed 6
        2: baron, removed 7
        board
        P0c P P1c P P2c
        """)
    state = play_lines(state, "0 pass", "1 recruit 1 at 2,0")
    assert barony.position(state, None)["passed"] == [0]
    when(play_lines(state, "1 resign"), 2, "pass").leads_to("scoring round 3")


@pytest.mark.refuses("BY-TURN-4")
def test_a_round_in_which_a_seat_acted_is_not_the_last() -> None:
    state = play_lines(given(ONE_CAN), "0 pass", "1 pass", "2 recruit 1 at 4,0")
    assert progress_of(state) == "play round 4 seat 0"
    assert barony.position(state, None)["passed"] == []


@pytest.mark.refuses("BY-TURN-4")
def test_passes_of_two_rounds_do_not_add_up() -> None:
    state = play_lines(given(ONE_CAN), "0 pass", "1 pass", "2 recruit 1 at 4,0", "0 pass", "1 pass")
    when(state, 2, "move 4,0>3,0").leads_to("play round 5 seat 0")


@pytest.mark.refuses("BY-TURN-4")
def test_passes_end_the_game_only_at_the_end_of_the_round() -> None:
    state = play_lines(given(ONE_CAN), "0 pass", "1 pass")
    assert progress_of(state) == "play round 3 seat 2"
    when_scored(state).is_refused("BY-END-2")


@pytest.mark.refuses("BY-TURN-4")
def test_a_seat_that_passed_and_left_is_no_longer_listed() -> None:
    state = play_lines(given(ONE_CAN), "0 pass", "0 resign")
    assert barony.position(state, None)["passed"] == []
    state = play_lines(state, "1 pass")
    when(state, 2, "recruit 1 at 4,0").leads_to("play round 4 seat 1")


@pytest.mark.allows("BY-TURN-5")
def test_a_forfeited_turn_changes_nothing_even_where_actions_are_legal() -> None:
    when_time_is_up(given(FOUR)).becomes("""
        play round 1 seat 1
        0: baron
        1: baron
        2: baron
        3: baron
        board
        P0ck P P1ck P P2ck P P3ck
        """)
    when_time_is_up(given(FOUR)).produces("TurnForfeited", seat=0)


@pytest.mark.allows("BY-TURN-5")
def test_the_last_seats_forfeited_turn_ends_the_round() -> None:
    state = play_lines(given(FOUR), "clock", "clock", "clock")
    when_time_is_up(state).leads_to("play round 2 seat 0")


@pytest.mark.refuses("BY-TURN-5")
@pytest.mark.parametrize(
    "lines",
    [("clock", "1 pass", "2 pass"), ("0 pass", "clock", "2 pass"), ("0 pass", "1 pass", "clock")],
)
def test_a_forfeited_turn_is_no_pass(lines: tuple[str, ...]) -> None:
    state = play_lines(given(BLOCKED), *lines)
    assert progress_of(state) == "play round 4 seat 0"


@pytest.mark.refuses("BY-TURN-5")
def test_a_round_of_forfeited_turns_ends_no_game() -> None:
    assert progress_of(play_lines(given(FOUR), *["clock"] * 8)) == "play round 3 seat 0"

"""BN-END-1: `turns_left` in positions, when the game ends within a turn and when seats go out."""

import pytest

from domain import baron
from domain.baron.state import State
from tests.support.baron_positions import given
from tests.support.events import data_of, event_of
from tests.support.given_when import play_lines, progress_of, when, when_removed, when_scored

LAST_TILE_TAKEN = """
    lay round 30 turn 60 seat 0
    0: 3, MM
    1: 0, MM
    board
    M
    """
"""Seat 0 has just taken the last tile of the market."""


def turns_left(state: State) -> list[int | None]:
    """By seat, as the position shows them."""
    return [player["turns_left"] for player in baron.position(state, None)["players"]]


@pytest.mark.allows("BN-END-1", "BN-OUB-3")
@pytest.mark.parametrize(("line", "left"), [("0 resign", [0, 2]), ("1 resign", [2, 0])])
def test_turns_count_when_the_game_ends_within_the_turn_that_took_the_last_tile(
    line: str, left: list[int]
) -> None:
    state = given(LAST_TILE_TAKEN)
    assert turns_left(state) == [None, None]
    state = play_lines(state, line)
    assert (progress_of(state), turns_left(state)) == ("scoring round 30", left)
    assert turns_left(when_scored(state).after) == left


@pytest.mark.allows("BN-END-1", "BN-OUB-3")
def test_turns_count_when_a_removal_ends_the_game_within_that_turn() -> None:
    after = when_removed(given(LAST_TILE_TAKEN), 1).leads_to("scoring round 30")
    assert turns_left(after) == [2, 0]


@pytest.mark.allows("BN-END-1", "BN-OUB-3")
def test_turns_count_when_a_tile_ends_the_game_within_that_turn() -> None:
    state = given("""
        lay round 30 turn 60 seat 1
        0: -4, CM
        1: 5, MM
        board -1,-1
        .  M  S
        .  M0k M
        C  S
        """)
    assert turns_left(when(state, 1, "lay meadow -1,0").leads_to("scoring round 30")) == [0, 2]


@pytest.mark.refuses("BN-END-1")
@pytest.mark.parametrize("stock", ["market V", "market MV", "market MVF\npile 1"])
def test_no_turns_count_when_the_game_ends_with_tiles_left_to_draw(stock: str) -> None:
    state = given(f"lay round 9 seat 0\n0: 3, MM\n1: 0, MM\n{stock}\nboard\nM")
    assert turns_left(when(state, 1, "resign").leads_to("scoring round 9")) == [None, None]


OUT_IN_ANOTHER_TURN = """
    lay round 31 turn 62 seat 2
    0: {honour}, CM, turns 1
    1: 5, MM, turns 1
    2: 4, CMQ, keeps 1, turns 2
    board -1,-1
    .  M  S
    .  M0k M
    C  S
    """
"""A tile on -1,0 completes a barony of -6 of seat 0, while it is seat 2's turn."""


@pytest.mark.allows("BN-END-1", "BN-OUB-1")
def test_a_seat_that_goes_out_in_the_middle_of_a_turn_has_no_turns_left_at_once() -> None:
    state = given(OUT_IN_ANOTHER_TURN.format(honour=-3))
    after = when(state, 2, "lay meadow -1,0").leads_to("keep round 31 seat 2")
    assert turns_left(after) == [0, 1, 2]
    assert turns_left(when(after, 2, "end").leads_to("lay round 32 seat 1")) == [0, 1, 1]


@pytest.mark.refuses("BN-OUB-1")
def test_a_seat_that_stays_in_the_game_keeps_its_turns() -> None:
    state = given(OUT_IN_ANOTHER_TURN.format(honour=2))
    after = when(state, 2, "lay meadow -1,0").leads_to("keep round 31 seat 2")
    assert turns_left(after) == [1, 1, 2]


@pytest.mark.allows("BN-END-4")
def test_a_seat_that_resigns_in_anothers_turn_has_no_turns_left_at_once() -> None:
    after = play_lines(given(OUT_IN_ANOTHER_TURN.format(honour=2)), "0 resign")
    assert (progress_of(after), turns_left(after)) == ("lay round 31 seat 2", [0, 1, 2])


def test_an_event_under_the_former_rule_keeps_its_position() -> None:
    """`state` in an event is the hash of the position: applying an event must not correct it."""
    state = given(LAST_TILE_TAKEN)
    data = data_of(when(state, 1, "resign").event)
    del data["then"]["turns_left"]
    after = apply(state, "PlayerResigned", data)
    assert turns_left(after) == [None, None]
    assert turns_left(when_scored(after).after) == [None, None]

    state = given(OUT_IN_ANOTHER_TURN.format(honour=-3))
    data = data_of(when(state, 2, "lay meadow -1,0").event)
    data["then"]["turns_left"] = [1, 1, 2]
    assert turns_left(apply(state, "TilePlaced", data)) == [1, 1, 2]


def apply(state: State, type: str, data: dict[str, object]) -> State:
    after = state.copy()
    baron.apply(after, type, event_of(type, data).data)
    return after

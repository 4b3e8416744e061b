"""BN-TRN: whose turn it is, its three parts, forfeited turns and rounds."""

import pytest

from domain.baron.state import State
from domain.errors import NotNow
from tests.support.baron_positions import given, legal_texts, started
from tests.support.given_when import play_lines, progress_of, when, when_removed, when_time_is_up

THREE = """
    {phase} round 4 turn 20 seat {seat}
    0: 2, MPQ, {turns}
    1: 0, MPQ, {turns}
    2: -4, MPQ, {turns}
    {market}
    board
    M M0k F
    """


def at(phase: str, seat: int) -> State:
    """Three seats in the middle of a game."""
    text = THREE.format(phase=phase, seat=seat, turns="", market="market MVF\npile WWW")
    return given(text)


def late(first: int, second: int, third: int, seat: int) -> State:
    """Three seats with so many turns left."""
    state = given(THREE.format(phase="keep", seat=seat, turns="turns 1", market=""))
    state.turns_left = (first, second, third)
    return state


def over(state: State) -> State:
    """The turn under way is over."""
    return when_time_is_up(state).after


@pytest.mark.allows("BN-TRN-1")
def test_seats_act_in_turn_and_a_round_is_one_turn_of_each() -> None:
    state, history = started(3, 1), []
    for _ in range(7):
        history.append(progress_of(state).removeprefix("draw "))
        state = over(state)
    assert history == [
        *("round 1 seat 0", "round 1 seat 1", "round 1 seat 2"),
        *("round 2 seat 0", "round 2 seat 1", "round 2 seat 2"),
        "round 3 seat 0",
    ]
    assert state.turn == 8


@pytest.mark.allows("BN-TRN-1")
@pytest.mark.parametrize(
    ("out", "history"),
    [
        (0, ["round 4 seat 2", "round 5 seat 1", "round 5 seat 2", "round 6 seat 1"]),
        (2, ["round 5 seat 0", "round 5 seat 1", "round 6 seat 0", "round 6 seat 1"]),
    ],
)
def test_seats_that_are_out_have_no_turns(out: int, history: list[str]) -> None:
    state = when_removed(at("draw", 1), out).leads_to("draw round 4 seat 1")
    for progress in history:
        state = over(state)
        assert progress_of(state) == f"draw {progress}"


@pytest.mark.allows("BN-TRN-1")
@pytest.mark.parametrize(
    ("left", "seat", "progress", "after"),
    [
        ((2, 2, 2), 0, "lay round 4 seat 1", (1, 2, 2)),
        ((1, 1, 2), 2, "lay round 5 seat 0", (1, 1, 1)),
        ((0, 1, 1), 1, "lay round 4 seat 2", (0, 0, 1)),
        ((0, 1, 1), 2, "lay round 5 seat 1", (0, 1, 0)),
        ((1, 0, 1), 0, "lay round 4 seat 2", (0, 0, 1)),
    ],
)
def test_seats_without_turns_left_are_skipped(
    left: tuple[int, int, int], seat: int, progress: str, after: tuple[int, int, int]
) -> None:
    state = when(late(*left, seat), seat, "end").leads_to(progress)
    assert state.turns_left == after


@pytest.mark.refuses("BN-TRN-1")
def test_no_seat_acts_twice_in_a_round() -> None:
    state = over(at("draw", 0))
    when(state, 0, "draw 1").is_refused("BN-TRN-2", "the turn of seat 1")


@pytest.mark.refuses("BN-TRN-1")
def test_a_round_is_not_over_before_its_last_turn() -> None:
    assert progress_of(over(at("keep", 1))) == "draw round 4 seat 2"


@pytest.mark.allows("BN-TRN-2")
def test_a_seat_may_resign_in_any_turn() -> None:
    when(at("lay", 0), 2, "resign").leads_to("lay round 4 seat 0")


@pytest.mark.parametrize("text", ["draw 1", "lay pond 3,0", "discard pond", "keep 0,0", "end"])
@pytest.mark.parametrize("phase", ["draw", "lay", "keep"])
def test_other_actions_are_refused_in_the_turn_of_another_seat(phase: str, text: str) -> None:
    when(at(phase, 0), 1, text).is_refused("BN-TRN-2", "the turn of seat 0")
    assert legal_texts(at(phase, 0), 1) == []


@pytest.mark.parametrize("text", ["draw 1", "end", "resign"])
def test_a_seat_that_is_out_cannot_act(text: str) -> None:
    state = when_removed(at("draw", 0), 0).leads_to("draw round 4 seat 1")
    when(state, 0, text).is_refused("BN-TRN-2", "out")
    when_removed(state, 0).is_refused("BN-TRN-2", "out")


@pytest.mark.parametrize("phase", ["scoring", "finished"])
@pytest.mark.parametrize("text", ["draw 1", "lay pond 3,0", "end", "resign"])
def test_no_action_is_accepted_when_play_is_over(phase: str, text: str) -> None:
    state = given(f"{phase} round 9\n0: 2\n1: 0\nboard\nM")
    when(state, 0, text).is_refused("BN-TRN-2", "scored" if phase == "scoring" else "over")
    for outcome in (when_removed(state, 0), when_time_is_up(state)):
        outcome.is_refused("BN-TRN-2")
        with pytest.raises(NotNow):
            outcome.decide()


@pytest.mark.allows("BN-TRN-3")
def test_a_turn_consists_of_a_draw_a_tile_and_a_keep() -> None:
    state = when(at("draw", 0), 0, "draw 1").leads_to("lay round 4 seat 0")
    state = when(state, 0, "lay pond 3,0").leads_to("keep round 4 seat 0")
    state = when(state, 0, "keep 0,0").leads_to("draw round 4 seat 1")
    assert state.turn == 21


@pytest.mark.parametrize(
    ("phase", "text", "words"),
    [
        ("draw", "lay pond 3,0", "drawn"),
        ("draw", "discard pond", "drawn"),
        ("draw", "keep 0,0", "drawn"),
        ("draw", "end", "drawn"),
        ("lay", "draw 1", "laid"),
        ("lay", "keep 0,0", "laid"),
        ("lay", "end", "laid"),
        ("keep", "draw 1", "the turn ended"),
        ("keep", "lay pond 3,0", "the turn ended"),
        ("keep", "discard pond", "the turn ended"),
    ],
)
def test_actions_of_another_part_of_the_turn_are_refused(phase: str, text: str, words: str) -> None:
    when(at(phase, 0), 0, text).is_refused("BN-TRN-3", words)


@pytest.mark.allows("BN-TRN-4")
@pytest.mark.parametrize("phase", ["draw", "lay", "keep"])
def test_a_forfeited_turn_ends_and_nothing_is_undone(phase: str) -> None:
    state = at(phase, 0)
    after = when_time_is_up(state).leads_to("draw round 4 seat 1")
    assert when_time_is_up(state).produces("TurnForfeited", seat=0).turn == 21
    assert (after.tiles, after.keeps, after.market) == (state.tiles, state.keeps, state.market)


@pytest.mark.allows("BN-TRN-4")
def test_a_tile_that_was_drawn_stays_in_the_reserve() -> None:
    state = play_lines(at("draw", 0), "0 draw 2", "clock")
    player = state.players[0]
    assert (player.honour, player.reserve) == (1, ("meadow", "pond", "quarry", "village"))


@pytest.mark.refuses("BN-TRN-4")
def test_a_forfeited_turn_is_not_made_up_for() -> None:
    state = play_lines(at("draw", 0), "0 draw 2", "clock", "clock", "clock")
    when(state, 0, "lay village 3,0").is_refused("BN-TRN-3", "drawn")

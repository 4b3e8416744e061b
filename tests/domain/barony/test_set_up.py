"""BY-SET: the order of placing first cities, where they may be placed, and how set-up ends.

Laying the board (BY-SET-1, 2) and the first player (BY-SET-7) are in test_board.py.
"""

import pytest

from domain import barony
from domain.barony.state import State
from tests.support.barony_positions import given
from tests.support.given_when import play_lines, progress_of, when, when_removed, when_time_is_up


def plains(seats: int, hexes: int = 24) -> State:
    """The beginning of a set-up on one row of plains; a city on every second hex fills it."""
    players = "\n".join(f"{seat}: baron" for seat in range(seats))
    return given(f"setup round 0 seat 0\n{players}\nboard\n{' '.join(['P'] * hexes)}")


def after_placement(state: State) -> State:
    """The state after the seat to act has placed a city on the first legal hex."""
    assert state.to_act is not None
    first = barony.legal_actions(state, state.to_act)[0]
    return when(state, state.to_act, barony.action_text(first)).after


def order_of_placing(state: State, departures: dict[int, int] | None = None) -> list[int]:
    """The seats in the order in which they place.

    `departures` has, by the number of placements after which it resigns, a seat that leaves the game.
    """
    order: list[int] = []
    while (seat := state.to_act) is not None and state.phase == "setup":
        departing = (departures or {}).get(len(order))
        if departing is not None and not state.is_out[departing]:
            state = when(state, departing, "resign").after
        else:
            order.append(seat)
            state = after_placement(state)
    return order


@pytest.mark.allows("BY-SET-3")
@pytest.mark.parametrize(
    ("seats", "order"),
    [
        (2, [0, 1, 1, 1, 0, 0]),
        (3, [0, 1, 2, 2, 2, 1, 1, 0, 0]),
        (4, [0, 1, 2, 3, 3, 3, 2, 2, 1, 1, 0, 0]),
    ],
)
def test_each_seat_places_one_then_the_last_three_then_the_others_two_in_reverse(
    seats: int, order: list[int]
) -> None:
    assert order_of_placing(plains(seats)) == order


@pytest.mark.allows("BY-SET-3")
def test_a_knight_is_placed_with_every_first_city() -> None:
    when(plains(2, 5), 0, "place 2,0").becomes("""
        setup round 0 seat 1
        0: baron
        1: baron
        board
        P P P0ck P P
        """)


@pytest.mark.allows("BY-SET-3", "BY-MAT-1")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_example_17_pawns_of_each_seat_after_set_up(seats: int) -> None:
    state = plains(seats)
    while state.phase == "setup":
        state = after_placement(state)
    assert progress_of(state) == "play round 1 seat 0"
    position = barony.position(state, None)
    for player in position["players"]:
        reserve = {"knights": 4, "villages": 14, "strongholds": 2, "cities": 2}
        assert (player["reserve"], player["new_cities"], player["score"]) == (reserve, 0, 0)
        own = [pawn for pawn in position["pawns"] if pawn["seat"] == player["seat"]]
        assert [(pawn["building"], pawn["knights"]) for pawn in own] == [("city", 1)] * 3


@pytest.mark.refuses("BY-SET-3")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_no_seat_places_out_of_order(seats: int) -> None:
    state = plains(seats)
    while state.phase == "setup":
        for seat in range(seats):
            if seat != state.to_act:
                at = barony.legal_actions(state, state.to_act or 0)[0]
                when(state, seat, barony.action_text(at)).is_refused("BY-TURN-3", "turn")
        state = after_placement(state)


@pytest.mark.allows("BY-SET-4")
@pytest.mark.parametrize("cell", ["M", "P", "D"])
def test_a_first_city_may_be_placed_on_mountain_plain_or_field(cell: str) -> None:
    state = given(f"setup round 0 seat 0\n0: baron\n1: baron\nboard\nL {cell} F P P")
    when(state, 0, "place 1,0").produces("CityPlaced", at=[1, 0])


@pytest.mark.allows("BY-SET-4")
def test_one_hex_between_two_first_cities_suffices() -> None:
    state = given("setup round 0 seat 1\n0: baron\n1: baron\nboard\nP0ck P P P P P P")
    when(state, 1, "place 2,0").leads_to("setup round 0 seat 1")


@pytest.mark.allows("BY-SET-5")
def test_all_further_cities_are_forgone_when_no_hex_is_left() -> None:
    state = given("setup round 0 seat 0\n0: baron\n1: baron\nboard\nP P F P L")
    after = play_lines(state, "0 place 0,0")
    after = when(after, 1, "place 3,0").becomes("""
        play round 1 seat 0
        0: baron
        1: baron
        board
        P0ck P F P1ck L
        """)
    assert (after.reserve_cities, after.reserve_knights) == ([4, 4], [6, 6])


@pytest.mark.allows("BY-SET-5")
def test_a_seat_without_any_city_forgoes_them_too() -> None:
    state = given("setup round 0 seat 0\n0: baron\n1: baron\nboard\nL P P F")
    when(state, 0, "place 1,0").becomes("""
        play round 1 seat 0
        0: baron
        1: baron
        board
        L P0ck P F
        """)


@pytest.mark.refuses("BY-SET-5")
def test_no_city_is_forgone_while_a_hex_is_left() -> None:
    state = given("setup round 0 seat 1\n0: baron\n1: baron\nboard\nP0ck P P F L D1ck")
    when(state, 1, "pass").is_refused("BY-SET-6")
    when(state, 1, "place 2,0").leads_to("play round 1 seat 0")


@pytest.mark.allows("BY-SET-6")
def test_set_up_has_round_0_and_lists_only_first_cities() -> None:
    state = plains(2, 3)
    assert state.round == 0
    listed = [barony.action_text(action) for action in barony.legal_actions(state, 0)]
    assert listed == ["place 0,0", "place 1,0", "place 2,0"]


@pytest.mark.allows("BY-SET-6")
@pytest.mark.parametrize(
    ("departures", "order"),
    [
        ({0: 0}, [1, 2, 2, 2, 1, 1]),
        ({1: 0}, [0, 1, 2, 2, 2, 1, 1]),
        ({2: 1}, [0, 1, 2, 2, 2, 0, 0]),
        ({2: 2}, [0, 1, 1, 1, 0, 0]),
        ({3: 2}, [0, 1, 2, 1, 1, 0, 0]),
        ({3: 0}, [0, 1, 2, 2, 2, 1, 1]),
        ({6: 1}, [0, 1, 2, 2, 2, 1, 0, 0]),
        ({8: 0}, [0, 1, 2, 2, 2, 1, 1, 0]),
    ],
)
def test_seats_that_are_out_are_skipped_in_the_order_of_placement(
    departures: dict[int, int], order: list[int]
) -> None:
    assert order_of_placing(plains(3), departures) == order


@pytest.mark.allows("BY-SET-6")
def test_resigning_off_turn_does_not_change_whose_turn_it_is() -> None:
    state = play_lines(plains(3), "0 place 0,0")
    after = when(state, 2, "resign").leads_to("setup round 0 seat 1")
    assert after.turn == state.turn


@pytest.mark.allows("BY-SET-6")
def test_play_starts_with_the_first_seat_still_in_the_game() -> None:
    state = when(plains(3), 0, "resign").after
    while state.phase == "setup":
        state = after_placement(state)
    assert progress_of(state) == "play round 1 seat 1"


@pytest.mark.allows("BY-SET-6")
def test_set_up_ends_when_the_last_seat_to_place_departs() -> None:
    state = given("""
        setup round 0 seat 0
        0: baron
        1: baron
        2: baron
        board
        P0ck P P1ck P P1ck P P1ck P P2ck P P2ck P P2ck P P P
        """)
    when(state, 0, "resign").leads_to("play round 1 seat 1")


@pytest.mark.refuses("BY-SET-6")
def test_a_missed_placement_removes_the_seat_instead_of_forfeiting() -> None:
    state = play_lines(plains(3, 9), "0 place 0,0")
    when_time_is_up(state).becomes("""
        setup round 0 seat 2
        0: baron
        1: baron, out
        2: baron
        board
        P0ck P P P P P P P P
        """)
    when_time_is_up(state).produces("PlayerRemoved", seat=1)


@pytest.mark.refuses("BY-SET-6")
def test_a_seat_that_is_out_places_nothing() -> None:
    state = when_removed(plains(3), 1).after
    when(state, 1, "place 5,0").is_refused("BY-TURN-3", "out")

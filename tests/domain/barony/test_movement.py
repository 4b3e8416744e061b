"""BY-MOV: action B, one or two knights each move to an adjacent hex."""

import pytest

from domain import barony
from domain.barony.state import State
from tests.support.barony_positions import given
from tests.support.given_when import when


def row(cells: str, seats: str = "0: baron\n1: baron\n2: baron") -> State:
    """A position on one row of hexes, (0,0), (1,0), (2,0) …, seat 0 to act."""
    return given(f"play round 2 seat 0\n{seats}\nboard\n{cells}")


@pytest.mark.allows("BY-MOV-1")
def test_a_knight_moves_to_an_adjacent_hex() -> None:
    when(row("P0k D P1ck"), 0, "move 0,0>1,0").becomes("""
        play round 2 seat 1
        0: baron
        1: baron
        2: baron
        board
        P D0k P1ck
        """)


@pytest.mark.allows("BY-MOV-1")
@pytest.mark.parametrize("to", ["2,1", "2,0", "1,0", "0,1", "0,2", "1,2"])
def test_a_knight_moves_to_any_of_the_six_neighbours(to: str) -> None:
    state = given("""
        play round 2 seat 0
        0: baron
        1: baron
        board
        P P P
         P F0k P
          P P P
        """)
    when(state, 0, f"move 1,1>{to}").leads_to("play round 2 seat 1")


@pytest.mark.allows("BY-MOV-1")
@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("move 0,0>1,0 3,0>4,0", "P0k D0k F P M0k P1ck"),
        ("move 0,0>1,0 0,0>1,0", "P D0kk F P0k M P1ck"),
        ("move 0,0>1,0 3,0>2,0", "P0k D0k F0k P M P1ck"),
    ],
    ids=["apart", "together", "towards each other"],
)
def test_two_knights_move_independently(text: str, cells: str) -> None:
    after = when(row("P0kk D F P0k M P1ck"), 0, text).after
    assert barony.position(after, None)["pawns"] == barony.position(row(cells), None)["pawns"]


@pytest.mark.allows("BY-MOV-1")
def test_there_is_no_limit_to_own_knights_on_a_hex() -> None:
    when(row("P0k D0kkkkkk P1ck"), 0, "move 0,0>1,0").becomes("""
        play round 2 seat 1
        0: baron
        1: baron
        2: baron
        board
        P D0kkkkkkk P1ck
        """)


@pytest.mark.allows("BY-MOV-2")
def test_a_knight_may_move_to_a_hex_that_another_knight_leaves() -> None:
    when(row("P0k D0k F P1ck"), 0, "move 0,0>1,0 1,0>2,0").becomes("""
        play round 2 seat 1
        0: baron
        1: baron
        2: baron
        board
        P D0k F0k P1ck
        """)


@pytest.mark.allows("BY-MOV-2")
def test_two_knights_may_swap_hexes() -> None:
    state = row("P0k D0k P1ck")
    when(state, 0, "move 0,0>1,0 1,0>0,0").becomes("""
        play round 2 seat 1
        0: baron
        1: baron
        2: baron
        board
        P0k D0k P1ck
        """)


@pytest.mark.allows("BY-MOV-2")
def test_two_knights_may_leave_a_hex_that_holds_two() -> None:
    when(row("P D0kk F P1ck"), 0, "move 1,0>0,0 1,0>2,0").leads_to("play round 2 seat 1")


@pytest.mark.allows("BY-MOV-3")
def test_a_knight_moves_onto_any_terrain_but_a_lake() -> None:
    state = given("play round 2 seat 0\n0: baron\n1: baron\nboard\nM F0kk P\n D L L1k")
    for to in ("0,0", "2,0", "0,1"):
        when(state, 0, f"move 1,0>{to}").leads_to("play round 2 seat 1")


@pytest.mark.allows("BY-MOV-4")
@pytest.mark.parametrize("cell", ["D0c", "D0s", "D0ck", "D0sk", "D0v", "D1v"])
def test_a_knight_may_enter_own_cities_own_strongholds_and_any_village(cell: str) -> None:
    when(row(f"P0k {cell} P1ck"), 0, "move 0,0>1,0").leads_to("play round 2 seat 1")


@pytest.mark.parametrize("cell", ["D1c", "D1s", "D1ck", "D1sk"])
@pytest.mark.parametrize("words", ["baron", "baron, out"])
def test_no_knight_enters_an_opponents_city_or_stronghold(cell: str, words: str) -> None:
    state = row(f"P0kk {cell} P2ck", f"0: baron\n1: {words}\n2: baron")
    when(state, 0, "move 0,0>1,0").is_refused("BY-MOV-4", "1,0")


@pytest.mark.allows("BY-MOV-5")
@pytest.mark.parametrize("cell", ["D1k", "D1v", "D1k2k", "D1v2k", "D1k2v", "D0k1k2v", "D0kkk"])
def test_a_knight_may_enter_a_hex_with_one_pawn_of_each_of_several_opponents(cell: str) -> None:
    when(row(f"P0k {cell} P1ck"), 0, "move 0,0>1,0").leads_to("play round 2 seat 1")


@pytest.mark.parametrize("cell", ["D1kk", "D1vk", "D1kkk", "D1vkk"])
@pytest.mark.parametrize("words", ["baron", "baron, out"])
def test_no_knight_enters_a_hex_with_two_pawns_of_one_opponent(cell: str, words: str) -> None:
    state = row(f"P0kk {cell} P2ck", f"0: baron\n1: {words}\n2: baron")
    when(state, 0, "move 0,0>1,0").is_refused("BY-MOV-5", "1,0")
    when(state, 0, "move 0,0>1,0 0,0>1,0").is_refused("BY-MOV-5", "1,0")


@pytest.mark.allows("BY-MOV-6")
@pytest.mark.parametrize("cell", ["M", "M0k", "M0v", "M0c", "M0skk"])
def test_a_knight_may_enter_a_mountain_without_opponents(cell: str) -> None:
    when(row(f"P0k {cell} P1ck"), 0, "move 0,0>1,0").leads_to("play round 2 seat 1")


@pytest.mark.parametrize("cell", ["M1k", "M1v"])
@pytest.mark.parametrize("words", ["baron", "baron, out"])
def test_no_knight_enters_a_mountain_with_an_opposing_pawn(cell: str, words: str) -> None:
    state = row(f"P0kk {cell} P2ck", f"0: baron\n1: {words}\n2: baron")
    when(state, 0, "move 0,0>1,0").is_refused("BY-MOV-6", "mountain")
    when(state, 0, "move 0,0>1,0 0,0>1,0").is_refused("BY-MOV-6", "mountain")


@pytest.mark.allows("BY-MOV-7")
def test_the_second_knight_destroys_what_the_first_left_standing() -> None:
    when(row("P0kk F1k P1ck"), 0, "move 0,0>1,0 0,0>1,0").becomes("""
        play round 2 seat 1
        0: baron
        1: baron
        2: baron
        board
        P F0kk P1ck
        """)


@pytest.mark.allows("BY-MOV-7")
def test_arriving_before_the_other_knight_leaves_destroys_opponents() -> None:
    when(row("P0k F0k1k D P1ck"), 0, "move 0,0>1,0 1,0>2,0").becomes("""
        play round 2 seat 1
        0: baron
        1: baron
        2: baron
        board
        P F0k D0k P1ck
        """)


@pytest.mark.allows("BY-MOV-7")
def test_arriving_after_the_other_knight_has_left_destroys_nothing() -> None:
    when(row("P0k F0k1k D P1ck"), 0, "move 1,0>2,0 0,0>1,0").becomes("""
        play round 2 seat 1
        0: baron
        1: baron
        2: baron
        board
        P F0k1k D0k P1ck
        """)


@pytest.mark.refuses("BY-MOV-7")
def test_takes_are_checked_on_the_board_after_the_first_move() -> None:
    state = row("P0k F0k1v D P1ck", "0: baron\n1: baron, 1P\n2: baron")
    when(state, 0, "move 0,0>1,0 1,0>2,0 take plain").leads_to("play round 2 seat 1")
    refused = when(state, 0, "move 1,0>2,0 0,0>1,0 take plain")
    refused.is_refused("BY-CON-3", "no destroyed village is left")


@pytest.mark.refuses("BY-MOV-7")
def test_pawns_that_the_first_move_left_standing_bar_the_second() -> None:
    state = row("P0k F1k D0k M1k P1ck")
    when(state, 0, "move 0,0>1,0 2,0>3,0").is_refused("BY-MOV-6")

"""BY-EXP: action E, one knight leaves the game, another comes to the edge of the board."""

import pytest

from domain import barony
from tests.support.barony_positions import given
from tests.support.given_when import play_lines, when

ROSE = """
    play round 6 seat 0
    0: baron
    1: baron
    board -1,-1
    .   F   L
      P0k P P1k
        D   M0v .
    """
"""The hex (0,0) and its six neighbours."""


@pytest.mark.allows("BY-EXP-1")
def test_one_knight_is_removed_for_good_and_the_other_is_placed() -> None:
    after = when(given(ROSE), 0, "expedition 0,-1").becomes("""
        play round 6 seat 1
        0: baron, removed 1
        1: baron
        board -1,-1
        .   F0k L
          P0k P P1k
            D   M0v .
        """)
    player = barony.position(after, None)["players"][0]
    assert (player["reserve"]["knights"], player["removed_knights"]) == (4, 1)


@pytest.mark.refuses("BY-EXP-1")
def test_the_removed_knight_never_comes_back() -> None:
    state = given("play round 6 seat 0\n0: baron\n1: baron\nboard\nP0ckkkkk P L P1ck")
    state = play_lines(state, "0 expedition 1,0", "1 recruit 1 at 3,0")
    when(state, 0, "recruit 1 at 0,0").is_refused("BY-REC-2", "holds 0 knights")
    state = play_lines(state, "0 build village 1,0", "1 recruit 1 at 3,0")
    when(state, 0, "recruit 2 at 0,0").is_refused("BY-REC-2", "holds 1")


@pytest.mark.allows("BY-EXP-2")
@pytest.mark.parametrize("where", ["0,-1", "-1,1"])
def test_a_hex_with_a_neighbour_off_the_board_is_an_edge_hex(where: str) -> None:
    when(given(ROSE), 0, f"expedition {where}").produces("ExpeditionSent")


@pytest.mark.allows("BY-EXP-2")
def test_one_missing_neighbour_makes_an_edge_hex() -> None:
    state = given("""
        play round 6 seat 0
        0: baron
        1: baron
        board -2,-2
        .  .  P  .  P
         .  P  P  P  P
          P  P  P  P  P
           P  P  P  P1k .
            P0k P  P  . .
        """)
    assert len(state.board.neighbours[state.board.index[0, -1]]) == 5
    when(state, 0, "expedition 0,-1").leads_to("play round 6 seat 1")


@pytest.mark.allows("BY-EXP-3")
@pytest.mark.parametrize("cell", ["M", "F", "P", "D"])
def test_an_expedition_may_go_to_any_terrain_but_a_lake_on_the_edge(cell: str) -> None:
    state = given(f"play round 6 seat 0\n0: baron\n1: baron\nboard\nP0k L {cell} P1ck")
    when(state, 0, "expedition 2,0").leads_to("play round 6 seat 1")


@pytest.mark.allows("BY-EXP-4")
def test_pawns_on_adjacent_hexes_do_not_prevent_an_expedition() -> None:
    state = given("play round 6 seat 0\n0: baron\n1: baron\nboard\nP1ckk D P1vk P0k")
    when(state, 0, "expedition 1,0").becomes("""
        play round 6 seat 1
        0: baron, removed 1
        1: baron
        board
        P1ckk D0k P1vk P0k
        """)


@pytest.mark.parametrize("cell", ["D0k", "D0v", "D0c", "D1k", "D1v", "D1s", "D1c", "D2k", "D2v"])
def test_no_expedition_goes_to_a_hex_with_any_pawn(cell: str) -> None:
    state = given(f"""
        play round 6 seat 0
        0: baron
        1: baron
        2: baron, out
        board
        P0k {cell} P1ck
        """)
    when(state, 0, "expedition 1,0").is_refused("BY-EXP-4", "not free")


@pytest.mark.allows("BY-EXP-5")
def test_two_knights_of_the_reserve_are_enough() -> None:
    state = given("play round 6 seat 0\n0: baron\n1: baron\nboard\nP0ckkkkk D P1ck")
    after = when(state, 0, "expedition 1,0").after
    assert (after.reserve_knights[0], after.removed_knights[0]) == (0, 1)


@pytest.mark.parametrize(
    ("words", "cell"),
    [("baron", "P0ckkkkkk"), ("baron", "P0ckkkkkkk"), ("baron, removed 3", "P0ckkk")],
    ids=["one", "none", "one, since three were removed"],
)
def test_no_expedition_with_fewer_than_two_knights_in_reserve(words: str, cell: str) -> None:
    state = given(f"play round 6 seat 0\n0: {words}\n1: baron\nboard\n{cell} D P1ck")
    when(state, 0, "expedition 1,0").is_refused("BY-EXP-5", "two knights")

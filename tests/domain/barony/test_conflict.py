"""BY-CON: what an arriving knight destroys, and the tokens that villages yield."""

import pytest

from domain import barony
from domain.barony.state import State
from tests.support.barony_positions import given
from tests.support.given_when import when

YELLOW, RED, BLUE = 0, 1, 2


def position_with(*, red: str = "", blue: str = "", cells: str) -> State:
    """Seat 0 (yellow) is to move on a row of hexes; seats 1 (red) and 2 (blue) have these tokens."""
    seats = f"0: baron\n1: baron, {red}\n2: baron, {blue}"
    return given(f"play round 5 seat 0\n{seats}\nboard\n{cells}")


def reserve_and_tokens(state: State, seat: int) -> tuple[int, int, tuple[int, ...]]:
    """The knights and villages in reserve, and the tokens of a seat."""
    return state.reserve_knights[seat], state.reserve_villages[seat], state.resources[seat]


@pytest.mark.allows("BY-CON-1", "BY-CON-2")
def test_example_4_a_second_knight_destroys_a_red_knight_and_a_blue_village() -> None:
    state = given("""
        play round 5 seat 0
        0: baron, 1F
        1: baron, 1M
        2: baron, 2P 1D
        board
        P0k F0k1k2v P1ck P2ck
        """)
    when(state, YELLOW, "move 0,0>1,0 take plain").becomes("""
        play round 5 seat 1
        0: baron, 1F 1P
        1: baron, 1M
        2: baron, 1P 1D
        board
        P F0kk P1ck P2ck
        """)


@pytest.mark.allows("BY-CON-1")
def test_destroyed_pawns_go_back_to_their_owners_reserve() -> None:
    state = position_with(cells="P0k F0k1k2v P1ck P2ck")
    assert (reserve_and_tokens(state, RED)[0], reserve_and_tokens(state, BLUE)[1]) == (5, 13)
    after = when(state, YELLOW, "move 0,0>1,0").after
    assert (reserve_and_tokens(after, RED)[0], reserve_and_tokens(after, BLUE)[1]) == (6, 14)


@pytest.mark.allows("BY-CON-1")
def test_an_own_village_counts_as_the_second_pawn() -> None:
    state = position_with(cells="P0k F0v1k2k P1ck P2ck")
    destroyed = [{"seat": 1, "pawn": "knight"}, {"seat": 2, "pawn": "knight"}]
    when(state, YELLOW, "move 0,0>1,0").produces(
        "KnightsMoved", moves=[{"from": [0, 0], "to": [1, 0], "destroyed": destroyed}]
    )


@pytest.mark.allows("BY-CON-1")
def test_pawns_of_three_opponents_are_destroyed_together() -> None:
    state = given("""
        play round 5 seat 0
        0: baron
        1: baron
        2: baron
        3: baron
        board
        P0k F0k1k2v3k P1ck
        """)
    when(state, 0, "move 0,0>1,0").becomes("""
        play round 5 seat 1
        0: baron
        1: baron
        2: baron
        3: baron
        board
        P F0kk P1ck
        """)


@pytest.mark.allows("BY-CON-1")
def test_pawns_of_a_seat_that_is_out_are_destroyed_like_any_others() -> None:
    state = given("play round 5 seat 0\n0: baron\n1: baron, out\n2: baron\nboard\nP0k F0k1k P2k")
    when(state, 0, "move 0,0>1,0").becomes("""
        play round 5 seat 2
        0: baron
        1: baron, out
        2: baron
        board
        P F0kk P2k
        """)


@pytest.mark.refuses("BY-CON-1")
@pytest.mark.parametrize("cell", ["F1k", "F1v", "F1k2k", "F1k2v", "P1v2k", "D1k2k"])
def test_a_single_knight_destroys_nothing_and_shares_the_hex(cell: str) -> None:
    after = when(position_with(cells=f"P0kk {cell} P1ck"), YELLOW, "move 0,0>1,0").after
    shared = position_with(cells=f"P0k {cell[0]}0k{cell[1:]} P1ck")
    assert barony.position(after, None)["pawns"] == barony.position(shared, None)["pawns"]


@pytest.mark.refuses("BY-CON-1")
def test_nothing_is_destroyed_on_the_hex_that_was_left_nor_on_adjacent_hexes() -> None:
    state = position_with(cells="P0k1k D0k F1k P2ck")
    when(state, YELLOW, "move 0,0>1,0").produces(
        "KnightsMoved", moves=[{"from": [0, 0], "to": [1, 0]}]
    )


@pytest.mark.refuses("BY-CON-1")
def test_pawns_that_share_a_hex_coexist_until_a_knight_arrives() -> None:
    state = position_with(cells="P0ck F0k1v P1k P2ck")
    when(state, YELLOW, "recruit 1 at 0,0").becomes("""
        play round 5 seat 1
        0: baron
        1: baron
        2: baron
        board
        P0ckk F0k1v P1k P2ck
        """)


@pytest.mark.allows("BY-CON-2")
@pytest.mark.parametrize("words", ["baron", "baron, out"])
def test_the_token_comes_from_the_owner_even_if_that_seat_is_out(words: str) -> None:
    state = given(f"""
        play round 5 seat 0
        0: baron
        1: {words}, 1M 2D
        2: baron
        board
        P0k F0k1v P2ck
        """)
    after = when(state, 0, "move 0,0>1,0 take field").after
    assert after.resources[:2] == [(0, 0, 0, 1), (1, 0, 0, 1)]
    assert after.bank == state.bank


@pytest.mark.allows("BY-CON-2")
def test_an_owner_without_tokens_gives_none() -> None:
    when(position_with(cells="P0k F0k1v P1ck"), YELLOW, "move 0,0>1,0").produces(
        "KnightsMoved",
        moves=[
            {
                "from": [0, 0],
                "to": [1, 0],
                "destroyed": [{"seat": 1, "pawn": "village", "token": None}],
            }
        ],
    )


@pytest.mark.refuses("BY-CON-2")
def test_a_destroyed_knight_gives_no_token() -> None:
    state = position_with(red="2D", cells="P0k F0k1k P1ck")
    when(state, YELLOW, "move 0,0>1,0 take field").is_refused("BY-CON-3", "no destroyed village")
    after = when(state, YELLOW, "move 0,0>1,0").after
    assert reserve_and_tokens(after, RED)[2] == (0, 0, 0, 2)


@pytest.mark.refuses("BY-CON-2")
def test_the_token_comes_only_from_the_owner_of_the_village() -> None:
    state = position_with(red="1M", blue="1D", cells="P0k F0k1k2v P1ck")
    when(state, YELLOW, "move 0,0>1,0 take mountain").is_refused("BY-CON-3", "seat 2 has no")
    when(state, YELLOW, "move 0,0>1,0 take plain").is_refused("BY-CON-3", "seat 2 has no")


TWO_RAIDS = "P0k F0k1v D F0k2v P0k"
"""A knight at each end, each beside a hex where a second one destroys a village."""


@pytest.mark.allows("BY-CON-3")
def test_the_attacker_chooses_the_kind() -> None:
    state = position_with(red="1M 1F 1P 1D", cells="P0k F0k1v P1ck")
    kinds = ("mountain", "forest", "plain", "field")
    for kind, name in enumerate(kinds):
        after = when(state, YELLOW, f"move 0,0>1,0 take {name}").after
        assert after.resources[YELLOW] == tuple(int(kind == other) for other in range(4))
        assert after.resources[RED] == tuple(int(kind != other) for other in range(4))


@pytest.mark.allows("BY-CON-3")
def test_tokens_for_two_villages_are_named_in_the_order_of_destruction() -> None:
    state = position_with(red="1M", blue="1D", cells=TWO_RAIDS)
    there = when(state, YELLOW, "move 0,0>1,0 4,0>3,0 take mountain field").after
    back = when(state, YELLOW, "move 4,0>3,0 0,0>1,0 take field mountain").after
    assert barony.position(there, None) == barony.position(back, None)
    assert reserve_and_tokens(there, YELLOW)[2] == (1, 0, 0, 1)


@pytest.mark.allows("BY-CON-3")
def test_takes_skip_a_village_whose_owner_has_no_token() -> None:
    state = position_with(blue="1D", cells=TWO_RAIDS)
    when(state, YELLOW, "move 0,0>1,0 4,0>3,0 take field").produces(
        "KnightsMoved",
        moves=[
            {
                "from": [0, 0],
                "to": [1, 0],
                "destroyed": [{"seat": 1, "pawn": "village", "token": None}],
            },
            {
                "from": [4, 0],
                "to": [3, 0],
                "destroyed": [{"seat": 2, "pawn": "village", "token": "field"}],
            },
        ],
    )


@pytest.mark.allows("BY-CON-3")
def test_the_first_village_may_cost_its_owner_the_last_token() -> None:
    state = position_with(red="1P", cells="P0k F0k1v D F0k1v P0k")
    after = when(state, YELLOW, "move 0,0>1,0 4,0>3,0 take plain").after
    assert reserve_and_tokens(after, YELLOW)[2] == (0, 0, 1, 0)
    assert reserve_and_tokens(after, RED)[1:] == (14, (0, 0, 0, 0))


@pytest.mark.allows("BY-CON-3")
def test_two_tokens_of_one_owner_may_be_of_the_same_kind() -> None:
    state = position_with(red="2P", cells="P0k F0k1v D F0k1v P0k")
    after = when(state, YELLOW, "move 0,0>1,0 4,0>3,0 take plain plain").after
    assert reserve_and_tokens(after, YELLOW)[2] == (0, 0, 2, 0)


@pytest.mark.parametrize(
    ("red", "blue", "takes"),
    [
        ("1M", "1D", ""),
        ("1M", "1D", "take mountain"),
        ("1M", "1D", "take field mountain"),
        ("1M", "1D", "take mountain field field"),
        ("1M", "1D", "take mountain mountain"),
        ("1M", "", "take mountain mountain"),
        ("", "1D", "take field field"),
        ("", "", "take field"),
    ],
    ids=[
        "none named",
        "too few",
        "in the wrong order",
        "too many",
        "a kind that the second has not",
        "one for the second who has none",
        "one for the first who has none",
        "one though nobody has any",
    ],
)
def test_the_takes_must_match_the_destroyed_villages(red: str, blue: str, takes: str) -> None:
    state = position_with(red=red, blue=blue, cells=TWO_RAIDS)
    when(state, YELLOW, f"move 0,0>1,0 4,0>3,0 {takes}").is_refused("BY-CON-3")


@pytest.mark.parametrize("cell", ["F", "F1v", "F1k", "F0v"])
def test_no_take_is_possible_where_no_village_is_destroyed(cell: str) -> None:
    state = position_with(red="1P", cells=f"P0k {cell} P1ck")
    when(state, YELLOW, "move 0,0>1,0 take plain").is_refused("BY-CON-3", "plain")

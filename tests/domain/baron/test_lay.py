"""BN-LAY: laying a tile, its bonus, and discarding a tile where none can be laid."""

import pytest

from domain.baron.state import State
from tests.support.baron_positions import given, legal_texts
from tests.support.given_when import when


def laying(reserve: str, board: str, honour: int = 0) -> State:
    """Seat 0 is to lay one of these; the board's first cell is (0, 0)."""
    return given(
        f"lay round 5 seat 0\n0: {honour}, {reserve}\n1: 0, MM\nmarket MVF\nboard\n{board}"
    )


@pytest.mark.allows("BN-LAY-1")
def test_a_tile_of_the_reserve_is_laid_beside_another() -> None:
    when(laying("MPV", "M F"), 0, "lay pond 0,1").becomes("""
        keep round 5 seat 0
        0: 0, MV
        1: 0, MM
        market MVF
        board
        M  F
          P
        """)
    when(laying("MPV", "M F"), 0, "lay pond 0,1").produces(
        "TilePlaced", tile="pond", at=[0, 1], touches=2
    )


@pytest.mark.allows("BN-LAY-1")
@pytest.mark.parametrize("at", ["1,0", "1,-1", "0,-1", "-1,0", "-1,1", "0,1"])
def test_a_tile_is_laid_on_any_of_the_six_adjacent_hexes(at: str) -> None:
    state = laying("P", "M")
    assert f"lay pond {at}" in legal_texts(state, 0)
    assert len(legal_texts(state, 0)) == 6
    when(state, 0, f"lay pond {at}").produces("TilePlaced", touches=1)


@pytest.mark.allows("BN-LAY-1")
def test_of_two_equal_tiles_one_is_laid() -> None:
    after = when(laying("PPV", "M"), 0, "lay pond 1,0").after
    assert after.players[0].reserve == ("pond", "village")


@pytest.mark.allows("BN-LAY-2")
@pytest.mark.parametrize(
    ("reserve", "board", "text"),
    [
        ("M", "M M", "lay meadow 1,-1"),
        ("P", "Q", "lay pond 1,0"),
        ("F", "W", "lay field 1,0"),
        ("P", "P M", "lay pond 2,0"),
    ],
    ids=["meadows", "equal in value", "equal in value, of 2", "not adjacent"],
)
def test_these_tiles_may_be_adjacent(reserve: str, board: str, text: str) -> None:
    assert when(laying(reserve, board), 0, text).event.type == "TilePlaced"


@pytest.mark.parametrize(
    ("letter", "tile"),
    [
        ("V", "village"),
        ("F", "field"),
        ("W", "forest"),
        ("Y", "vineyard"),
        ("Q", "quarry"),
        ("P", "pond"),
        ("S", "marsh"),
        ("C", "cursed_place"),
    ],
)
def test_two_of_a_kind_are_never_adjacent(letter: str, tile: str) -> None:
    state = laying(letter, f"{letter} M")
    when(state, 0, f"lay {tile} 0,1").is_refused("BN-LAY-2", "adjacent to another")
    when(state, 0, f"lay {tile} -1,0").is_refused("BN-LAY-2", "adjacent to another")


CROWDS = {
    3: "board -1,-1\n. M M\n. . M",
    4: "board -1,-1\n. M M\n. . M\n. M",
    5: "board -1,-1\n. M M\n. . M\nM M",
    6: "board -1,-1\n. M M\nM . M\nM M",
}


@pytest.mark.allows("BN-LAY-3")
@pytest.mark.parametrize(("touches", "bonus"), [(4, 1), (5, 3), (6, 9)])
def test_a_tile_laid_against_four_or_more_earns_honour_at_once(touches: int, bonus: int) -> None:
    state = given(f"lay round 5 seat 0\n0: -4, F\n1: 0, MM\n{CROWDS[touches]}")
    after = when(state, 0, "lay field 0,0").produces(
        "TilePlaced", touches=touches, bonus=bonus, honour=[{"seat": 0, "change": bonus}]
    )
    assert after.players[0].honour == bonus - 4


@pytest.mark.refuses("BN-LAY-3")
def test_a_tile_laid_against_three_earns_nothing() -> None:
    state = given(f"lay round 5 seat 0\n0: 1, F\n1: 0, MM\n{CROWDS[3]}")
    after = when(state, 0, "lay field 0,0").produces(
        "TilePlaced", touches=3, bonus=None, honour=None, out=None
    )
    assert after.players[0].honour == 1


def blocked(reserve: str) -> State:
    """A board on whose rim every hex is adjacent to a pond."""
    return given(f"lay round 5 seat 0\n0: 0, {reserve}\n1: 0, MM\nmarket MVF\nboard\nP")


@pytest.mark.allows("BN-LAY-4")
def test_a_tile_leaves_the_game_if_none_can_be_laid() -> None:
    state = blocked("PP")
    assert legal_texts(state, 0) == ["discard pond"]
    when(state, 0, "discard pond").becomes("""
        draw round 5 seat 1
        0: 0, P
        1: 0, MM
        market MVF
        board
        P
        """)


@pytest.mark.allows("BN-LAY-4")
def test_a_keep_may_be_put_down_after_a_discarded_tile() -> None:
    board = "board -1,-1\n. P P\nP M P\nP P"
    state = given(f"lay round 5 seat 0\n0: 0, PP\n1: 0, MM\nmarket MVF\n{board}")
    state = when(state, 0, "discard pond").leads_to("keep round 5 seat 0")
    assert legal_texts(state, 0) == ["keep 0,0", "end"]


@pytest.mark.allows("BN-LAY-4")
def test_the_seat_chooses_the_discarded_tile_and_everyone_sees_it() -> None:
    when(blocked("PPP"), 0, "discard pond").produces("TileDiscarded", seat=0, tile="pond")

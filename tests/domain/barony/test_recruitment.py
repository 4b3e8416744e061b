"""BY-REC: action A, knights from the reserve into one city."""

import pytest

from domain.barony.state import State
from tests.support.barony_positions import given
from tests.support.given_when import when

INLAND = """
    play round 1 seat 0
    0: baron
    1: baron
    board
    P0ck P D0c P1ck
    """


@pytest.mark.allows("BY-REC-1")
def test_two_knights_are_recruited_in_a_city() -> None:
    when(given(INLAND), 0, "recruit 2 at 0,0").becomes("""
        play round 1 seat 1
        0: baron
        1: baron
        board
        P0ckkk P D0c P1ck
        """)


@pytest.mark.allows("BY-REC-1")
def test_a_single_knight_can_be_recruited_in_an_empty_city() -> None:
    when(given(INLAND), 0, "recruit 1 at 2,0").produces("KnightsRecruited", at=[2, 0], knights=1)


@pytest.mark.allows("BY-REC-1")
@pytest.mark.parametrize("knights", [1, 2, 3])
def test_example_16_three_knights_are_recruited_in_a_city_beside_a_lake(knights: int) -> None:
    state = given("""
        play round 1 seat 0
        0: baron
        1: baron
        board
        P0ck L L P1ck
        """)
    when(state, 0, f"recruit {knights} at 0,0").becomes(f"""
        play round 1 seat 1
        0: baron
        1: baron
        board
        P0ck{"k" * knights} L L P1ck
        """)


def inland_but_for(lake: tuple[int, int]) -> State:
    """A city at (1,1) in the middle of nine hexes, one of which is a lake."""
    rows = [["P0c" if (q, r) == (1, 1) else "P" for q in range(3)] for r in range(3)]
    rows[lake[1]][lake[0]] = "L"
    cells = "\n".join(" ".join(row) for row in rows)
    return given(f"play round 1 seat 0\n0: baron\n1: baron\nboard\n{cells}")


@pytest.mark.allows("BY-REC-1")
@pytest.mark.parametrize("lake", [(2, 1), (2, 0), (1, 0), (0, 1), (0, 2), (1, 2)])
def test_a_lake_on_any_of_the_six_sides_counts(lake: tuple[int, int]) -> None:
    when(inland_but_for(lake), 0, "recruit 3 at 1,1").produces("KnightsRecruited", knights=3)


@pytest.mark.allows("BY-REC-2")
def test_the_last_knight_of_the_reserve_can_be_recruited() -> None:
    state = given("""
        play round 1 seat 0
        0: baron, removed 2
        1: baron
        board
        P0ckk P0kk P1ck
        """)
    when(state, 0, "recruit 1 at 0,0").becomes("""
        play round 1 seat 1
        0: baron, removed 2
        1: baron
        board
        P0ckkk P0kk P1ck
        """)

"""BN-BAR: which knights are complete, what a barony is worth, and what its owner gains."""

from dataclasses import replace

import pytest

from domain.baron.battles import complete_knights
from domain.hexes import neighbours
from tests.support.baron_outcomes import AROUND_A_FIELD, ON_THE_RIGHT, TWO, outcome, standing

ALONE = """
      F   W
    Y   M0k Q
      P   C
    """
"""Example 6."""


@pytest.mark.allows("BN-BAR-1", "BN-BAR-3")
def test_example_6_the_value_is_that_of_the_tiles_around() -> None:
    came = outcome(ALONE)
    assert came.entries == [
        {"at": [0, 1], "seat": 0, "result": "established", "value": 5, "gain": 5, "beaten": []}
    ]
    assert (came.keeps, came.honour) == (["0b"], {0: 5})


@pytest.mark.refuses("BN-BAR-1", "BN-BAR-2", "BN-BAR-3")
@pytest.mark.parametrize("missing", neighbours((0, 1)))
def test_with_five_tiles_a_barony_is_not_complete(missing: tuple[int, int]) -> None:
    board = standing(ALONE)
    tiles = {at: tile for at, tile in board.tiles.items() if at != missing}
    assert complete_knights(board) == [(0, 1)]
    assert complete_knights(replace(board, tiles=tiles)) == []


@pytest.mark.allows("BN-BAR-2")
def test_all_knights_that_are_complete_are_found_by_their_hexes() -> None:
    board = standing("""
          M   M
        M   M1k M   M
          M   M   M2k M
        M   M0k M   M   M0k
          M   M
        """)
    assert complete_knights(board) == [(-1, 3), (0, 1), (1, 2)]


@pytest.mark.refuses("BN-BAR-2")
def test_a_baron_is_not_resolved_again() -> None:
    assert complete_knights(standing(ALONE.replace("0k", "0b"))) == []


@pytest.mark.allows("BN-BAR-3")
def test_a_negative_value_costs_honour() -> None:
    came = outcome("""
          C   M
        M   M0k S
          M   M
        """)
    assert (came.keeps, came.honour, came.of(0)["value"]) == (["0b"], {0: -3}, -3)


@pytest.mark.refuses("BN-BAR-3")
def test_who_faces_a_baron_is_not_just_established() -> None:
    came = outcome(ON_THE_RIGHT.format("P"))
    assert (came.knights, came.keeps, came.honour) == (["0 lost_fight"], ["1b"], {})


@pytest.mark.allows("BN-BAR-4")
def test_example_9_tiles_that_the_owner_has_already_earn_nothing_again() -> None:
    came = outcome("""
          W   V   M   M
        M   M0k Y   M1b Q
          F   P   M   M
        M   M0b M
          M   M
        """)
    assert came.honour == {0: 6, 1: -1}
    assert came.of(0)["value"] == 9
    assert came.of(0)["counted_before"] == [[-1, 2], [0, 2]]


@pytest.mark.allows("BN-BAR-4")
def test_tiles_that_the_owner_has_already_count_in_the_fight() -> None:
    came = outcome("""
          M   M   M   W
        M   M0k Y   M1b Q
          F   V   M   M
        M   M0b M
          M   M
        """)
    assert came.of(0)["fight"]["strength"] == 5
    assert (came.keeps, came.honour) == (["0b", "0b"], {0: 1, 1: -1})


@pytest.mark.allows("BN-BAR-4")
def test_a_negative_tile_of_ones_own_costs_nothing_again() -> None:
    came = outcome("""
          M   V   M   M
        M   M0k S   M0b M
          P   C   M   M
        M   M0b M
          M   M
        """)
    assert (came.of(0)["value"], came.honour) == (1, {0: 3})


@pytest.mark.allows("BN-BAR-4")
def test_a_tile_of_two_barons_of_the_owner_is_left_out_once() -> None:
    came = outcome(AROUND_A_FIELD.format(0, 0))
    assert came.of(0)["counted_before"] == [[-2, 3], [-1, 1], [-1, 2]]
    assert (came.of(0)["value"], came.honour) == (7, {0: 3})


@pytest.mark.refuses("BN-BAR-4")
@pytest.mark.parametrize(
    "other", ["M0k", "M1k", "M"], ids=["own knight", "other's knight", "nobody"]
)
def test_only_a_standing_baron_has_earned_a_tile(other: str) -> None:
    came = outcome(f"""
          W   V
        M   M0k M
          F   P
        M   {other}
          M   M
        """)
    assert came.honour == {0: 8}
    assert "counted_before" not in came.of(0)


@pytest.mark.refuses("BN-BAR-4")
def test_tiles_of_a_beaten_baron_earn_in_full() -> None:
    came = outcome(TWO)
    assert came.of(0)["gain"] == came.of(0)["value"] == 6

"""BN-BAR: which knights are complete, what a barony is worth, and what its owner gains."""

from dataclasses import replace

import pytest

from domain.baron.battles import complete_knights
from domain.hexes import neighbours
from tests.support.baron_outcomes import (
    AROUND_A_FIELD,
    ON_THE_RIGHT,
    TWO,
    board_from_map,
    resolve_map,
)

ALONE = """
      F   W
    Y   M0k Q
      P   C
    """
"""Example 6."""


@pytest.mark.allows("BN-BAR-1", "BN-BAR-3")
def test_example_6_the_value_of_a_barony_is_the_sum_of_its_tiles() -> None:
    outcome = resolve_map(ALONE)
    assert outcome.results == [
        {"at": [0, 1], "seat": 0, "result": "established", "value": 5, "gain": 5, "beaten": []}
    ]
    assert (outcome.keeps, outcome.honour) == (["0b"], {0: 5})


@pytest.mark.refuses("BN-BAR-1", "BN-BAR-2", "BN-BAR-3")
@pytest.mark.parametrize("missing", neighbours((0, 1)))
def test_with_five_tiles_a_barony_is_not_complete(missing: tuple[int, int]) -> None:
    board = board_from_map(ALONE)
    tiles = {at: tile for at, tile in board.tiles.items() if at != missing}
    assert complete_knights(board) == [(0, 1)]
    assert complete_knights(replace(board, tiles=tiles)) == []


@pytest.mark.allows("BN-BAR-2")
def test_complete_knights_are_listed_in_the_order_of_their_hexes() -> None:
    board = board_from_map("""
          M   M
        M   M1k M   M
          M   M   M2k M
        M   M0k M   M   M0k
          M   M
        """)
    assert complete_knights(board) == [(-1, 3), (0, 1), (1, 2)]


@pytest.mark.refuses("BN-BAR-2")
def test_a_baron_is_not_resolved_again() -> None:
    assert complete_knights(board_from_map(ALONE.replace("0k", "0b"))) == []


@pytest.mark.allows("BN-BAR-3")
def test_a_negative_value_costs_honour() -> None:
    outcome = resolve_map("""
          C   M
        M   M0k S
          M   M
        """)
    assert (outcome.keeps, outcome.honour, outcome.of(0)["value"]) == (["0b"], {0: -3}, -3)


@pytest.mark.refuses("BN-BAR-3")
def test_a_knight_that_faces_a_baron_has_to_fight_first() -> None:
    outcome = resolve_map(ON_THE_RIGHT.format("P"))
    assert (outcome.knights, outcome.keeps, outcome.honour) == (["0 lost_fight"], ["1b"], {})


@pytest.mark.allows("BN-BAR-4")
def test_example_9_tiles_in_a_barony_of_the_owner_earn_nothing_again() -> None:
    outcome = resolve_map("""
          W   V   M   M
        M   M0k Y   M1b Q
          F   P   M   M
        M   M0b M
          M   M
        """)
    assert outcome.honour == {0: 6, 1: -1}
    assert outcome.of(0)["value"] == 9
    assert outcome.of(0)["counted_before"] == [[-1, 2], [0, 2]]


@pytest.mark.allows("BN-BAR-4")
def test_tiles_in_a_barony_of_the_owner_count_in_the_fight() -> None:
    outcome = resolve_map("""
          M   M   M   W
        M   M0k Y   M1b Q
          F   V   M   M
        M   M0b M
          M   M
        """)
    assert outcome.of(0)["fight"]["strength"] == 5
    assert (outcome.keeps, outcome.honour) == (["0b", "0b"], {0: 1, 1: -1})


@pytest.mark.allows("BN-BAR-4")
def test_a_negative_tile_in_a_barony_of_the_owner_costs_nothing_again() -> None:
    outcome = resolve_map("""
          M   V   M   M
        M   M0k S   M0b M
          P   C   M   M
        M   M0b M
          M   M
        """)
    assert (outcome.of(0)["value"], outcome.honour) == (1, {0: 3})


@pytest.mark.allows("BN-BAR-4")
def test_a_tile_in_two_baronies_of_the_owner_is_left_out_once() -> None:
    outcome = resolve_map(AROUND_A_FIELD.format(0, 0))
    assert outcome.of(0)["counted_before"] == [[-2, 3], [-1, 1], [-1, 2]]
    assert (outcome.of(0)["value"], outcome.honour) == (7, {0: 3})


@pytest.mark.refuses("BN-BAR-4")
@pytest.mark.parametrize(
    "other", ["M0k", "M1k", "M"], ids=["own knight", "other's knight", "nobody"]
)
def test_only_a_standing_baron_has_earned_a_tile(other: str) -> None:
    outcome = resolve_map(f"""
          W   V
        M   M0k M
          F   P
        M   {other}
          M   M
        """)
    assert outcome.honour == {0: 8}
    assert "counted_before" not in outcome.of(0)


@pytest.mark.refuses("BN-BAR-4")
def test_tiles_of_a_beaten_baron_earn_in_full() -> None:
    outcome = resolve_map(TWO)
    assert outcome.of(0)["gain"] == outcome.of(0)["value"] == 6

"""BN-SIM: several knights whose baronies are complete at once."""

import random

import pytest

from domain.baron.battles import complete_knights, resolve
from tests.support.baron_maps import random_map
from tests.support.baron_outcomes import (
    Outcome,
    board_from_map,
    board_of,
    resolve_map,
    row_of_keeps,
)

WHITE, BLUE, RED, YELLOW = range(4)

EXAMPLE_12 = """
                  F   Q
                M   M2b M
      M   P   Q   Y   W   Q   V   V
    W   M2b F   M0k P   M1k Q   M3b V
      M   M   M   Q   M   M   V   M
    """
"""White's knight faces barons on the left and above, blue's the latter and yellow's on the right."""

COLUMN = """
      V   W
    M   M0k M
      F   P
    M   M{} M
      {}   {}
    M   M{} M
      V   W
    """
"""Keeps above each other: the lower, the smaller the q of their hexes."""


def row(text: str) -> Outcome:
    """Resolve keeps in a row (tests/support/baron_outcomes.py)."""
    return resolve_map(row_of_keeps(text))


# Opponents and rivals


@pytest.mark.allows("BN-SIM-1", "BN-SIM-2")
def test_example_13_the_stronger_is_established_and_the_other_loses_no_honour() -> None:
    outcome = row("0k:VQ F 1k:W")
    assert outcome.knights == ["0 established", "1 lost_battle"]
    assert (outcome.keeps, outcome.honour) == (["0b"], {0: 6})
    assert outcome.of(1)["battle"] == {
        "battlefield": [[1, 1]],
        "strength": 2,
        "value": 4,
        "opponents": [{"at": [0, 1], "seat": 0, "strength": 4}],
        "rivals": [],
    }


@pytest.mark.allows("BN-SIM-1")
@pytest.mark.parametrize("shared", ["S", "C"])
def test_knights_that_share_a_negative_tile_are_opponents(shared: str) -> None:
    assert row(f"0k:V {shared} 1k:W").knights == ["0 established", "1 lost_battle"]


@pytest.mark.refuses("BN-SIM-1")
def test_knights_that_share_only_meadows_are_not_opponents() -> None:
    outcome = row("0k:V M 1k:W")
    assert (outcome.knights, outcome.honour) == (["0 established", "1 established"], {0: 3, 1: 2})
    assert "battle" not in outcome.of(0)


@pytest.mark.allows("BN-SIM-1", "BN-SIM-4")
def test_knights_that_face_a_common_baron_are_opponents() -> None:
    outcome = row("0k:V F 2b:M P 1k:W")
    assert outcome.knights == ["0 established", "1 lost_battle"]
    assert (outcome.keeps, outcome.honour) == (["0b"], {0: 5, 2: -2})


@pytest.mark.refuses("BN-SIM-1")
def test_a_baron_that_only_one_knight_faces_does_not_make_opponents() -> None:
    outcome = row("0k:V M 2b:M P 1k:W")
    assert outcome.knights == ["0 established", "1 established"]
    assert (outcome.keeps, outcome.honour) == (["0b", "1b"], {0: 3, 1: 3, 2: -1})


@pytest.mark.refuses("BN-SIM-1")
def test_a_baron_of_one_of_the_owners_is_not_a_common_baron() -> None:
    outcome = row("0k:V F 0b:M P 1k:V")
    assert outcome.knights == ["0 established", "1 established"]
    assert (outcome.keeps, outcome.honour) == (["0b", "1b"], {0: 2, 1: 4})


@pytest.mark.allows("BN-SIM-1", "BN-SIM-5")
def test_knights_of_one_owner_with_a_common_opponent_are_rivals() -> None:
    outcome = row("0k:V F 1k:M P 0k:W")
    assert outcome.knights == ["0 established", "1 lost_battle", "0 weaker_rival"]
    assert (outcome.keeps, outcome.honour) == (["0b"], {0: 5})
    assert outcome.results[0]["battle"]["rivals"] == [{"at": [4, 1], "strength": 2, "value": 3}]


@pytest.mark.refuses("BN-SIM-1", "BN-SIM-5")
def test_knights_of_one_owner_do_not_fight_over_shared_tiles() -> None:
    outcome = row("0k:V F 0k:W")
    assert outcome.knights == ["0 established", "0 established"]
    assert outcome.honour == {0: 7}


@pytest.mark.refuses("BN-SIM-1")
def test_knights_of_one_owner_with_different_opponents_are_not_rivals() -> None:
    outcome = row("0k:V F 1k:Q M 2k:Q P 0k:W")
    assert outcome.knights == ["0 established", "1 lost_battle", "2 lost_battle", "0 established"]
    assert outcome.honour == {0: 8}


# Battles


@pytest.mark.allows("BN-SIM-2")
def test_the_battlefield_is_shared_with_opponents_and_with_barons_that_the_knight_faces() -> None:
    outcome = row("2b:Q Y 0k:V F 1k:W P 0k:W")
    left, right = (entry for entry in outcome.results if entry["seat"] == 0)
    assert left["battle"]["battlefield"] == [[1, 1], [3, 1]]
    assert left["battle"]["strength"] == 3
    assert (right["battle"]["battlefield"], right["battle"]["strength"]) == ([[5, 1]], 2)
    assert outcome.of(1)["battle"]["battlefield"] == [[3, 1], [5, 1]]


@pytest.mark.refuses("BN-SIM-2")
def test_tiles_shared_only_with_a_rival_are_not_battlefield() -> None:
    outcome = resolve_map("""
          M   M   M   M
        M   M0k V   M0k M
          M   P   Y   M
            M   M1b M
              M   M
        """)
    assert outcome.knights == ["0 established", "0 weaker_rival"]
    assert [entry["battle"]["battlefield"] for entry in outcome.results] == [[[0, 2]], [[1, 2]]]
    assert [entry["battle"]["strength"] for entry in outcome.results] == [3, 3]


@pytest.mark.allows("BN-SIM-2")
def test_all_knights_are_compared_before_any_of_them_leaves() -> None:
    outcome = row("1k:VW F 0k:V P 2k:Q")
    assert outcome.knights == ["1 established", "0 lost_battle", "2 lost_battle"]
    assert outcome.honour == {1: 7}


@pytest.mark.refuses("BN-SIM-2")
def test_knights_that_are_neither_opponents_nor_rivals_do_not_fight() -> None:
    outcome = row("0k:V F 1k:M P 2k:W")
    assert outcome.knights == ["0 established", "1 lost_battle", "2 established"]
    assert outcome.honour == {0: 5, 2: 3}


@pytest.mark.refuses("BN-SIM-2")
def test_a_knight_must_be_stronger_than_both_of_its_opponents() -> None:
    outcome = row("1k:VW F 0k:V P 2k:M")
    assert outcome.knights == ["1 established", "0 lost_battle", "2 lost_battle"]


@pytest.mark.allows("BN-SIM-3")
def test_equally_strong_opponents_both_return() -> None:
    outcome = row("0k:V F 1k:V")
    assert outcome.knights == ["0 carnage", "1 carnage"]
    assert (outcome.keeps, outcome.honour) == ([], {})


@pytest.mark.allows("BN-SIM-3")
def test_a_weaker_third_knight_gains_nothing_from_the_carnage() -> None:
    assert row("0k:V F 1k:V P 2k:W").knights == ["0 carnage", "1 carnage", "2 lost_battle"]
    assert row("0k:V F 1k:V P 0k:V").knights == ["0 carnage", "1 carnage", "0 carnage"]


@pytest.mark.refuses("BN-SIM-3")
def test_equally_strong_knights_that_are_not_opponents_both_stay() -> None:
    outcome = row("0k:V F 1k:M P 2k:V")
    assert outcome.knights == ["0 established", "1 lost_battle", "2 established"]


@pytest.mark.refuses("BN-SIM-3")
@pytest.mark.parametrize(
    ("map_text", "knights"),
    [
        ("0k:V F 1b:S P 0k:V", ["0 established", "0 weaker_rival"]),
        ("0k:V P 1b:S F 0k:V", ["0 weaker_rival", "0 established"]),
        ("0k:V F 1b:S W 0k:V", ["0 established", "0 weaker_rival"]),
    ],
    ids=["left worth more", "right worth more", "smaller hex"],
)
def test_one_of_two_equally_strong_rivals_stays(map_text: str, knights: list[str]) -> None:
    outcome = row(map_text)
    assert outcome.knights == knights
    strengths = [entry["battle"]["strength"] for entry in outcome.results]
    assert strengths == [3, 3]


@pytest.mark.allows("BN-SIM-3")
def test_of_rivals_with_equal_strength_and_value_the_one_with_the_smaller_q_stays() -> None:
    outcome = resolve_map(COLUMN.format("1b", "P", "F", "0k"))
    assert outcome.knights == ["0 weaker_rival", "0 established"]


# On to the barons


@pytest.mark.allows("BN-SIM-1", "BN-SIM-2", "BN-SIM-4", "BN-FGT-3")
def test_example_12_the_winner_of_the_battle_loses_the_fight() -> None:
    outcome = resolve_map(EXAMPLE_12)
    white, blue = outcome.of(WHITE), outcome.of(BLUE)
    assert [white["battle"]["strength"], blue["battle"]["strength"]] == [2, 1]
    assert white["fight"] == {
        "battlefield": [[-3, 3], [-1, 2]],
        "strength": 3,
        "barons": [
            {"at": [-4, 3], "seat": RED, "strength": 3},
            {"at": [0, 1], "seat": RED, "strength": 5},
        ],
    }
    assert outcome.knights == ["0 lost_fight", "1 lost_battle"]
    assert (outcome.keeps, outcome.honour) == (["2b", "2b", "3b"], {})


@pytest.mark.refuses("BN-SIM-4")
def test_a_knight_that_loses_the_battle_fights_no_baron() -> None:
    outcome = row("0k:V F 1k:W P 2b:M")
    assert "fight" not in outcome.of(1)
    assert (outcome.knights, outcome.keeps) == (["0 established", "1 lost_battle"], ["0b", "2b"])


@pytest.mark.allows("BN-SIM-4")
def test_tiles_shared_only_with_a_knight_that_left_are_no_longer_battlefield() -> None:
    outcome = row("0k:V F 2b:Q P 1k:W")
    assert outcome.of(0)["fight"] == {
        "battlefield": [[1, 1]],
        "strength": 3,
        "barons": [{"at": [2, 1], "seat": 2, "strength": 2}],
    }


@pytest.mark.allows("BN-SIM-5")
def test_of_two_knights_of_one_owner_only_the_stronger_fights_the_baron() -> None:
    outcome = row("0k:V F 1b:M P 0k:W")
    assert outcome.knights == ["0 established", "0 weaker_rival"]
    assert (outcome.keeps, outcome.honour) == (["0b"], {0: 5, 1: -2})
    lost = row("0k:W F 1b:VW P 0k:Q")
    assert (lost.knights, lost.keeps) == (["0 lost_fight", "0 weaker_rival"], ["1b"])


@pytest.mark.refuses("BN-SIM-5")
def test_two_knights_of_one_owner_fight_a_baron_each() -> None:
    outcome = row("1b:M F 0k:V M 0k:V Q 1b:M")
    assert outcome.knights == ["0 established", "0 established"]
    assert (outcome.keeps, outcome.honour) == (["0b", "0b"], {0: 9, 1: -3})


# All together


@pytest.mark.allows("BN-SIM-6", "BN-BAR-4")
def test_tiles_shared_by_knights_of_one_owner_are_earned_by_the_knight_with_the_smaller_hex() -> (
    None
):
    outcome = resolve_map(COLUMN.format("0k", "V", "Q", "  "))
    lower, upper = outcome.results
    assert (lower["at"], lower["gain"], lower["value"]) == ([-1, 3], 7, 7)
    assert (upper["at"], upper["gain"], upper["value"]) == ([0, 1], 5, 8)
    assert upper["counted_before"] == [[-1, 2], [0, 2]]


@pytest.mark.refuses("BN-SIM-6", "BN-BAR-4")
def test_tiles_shared_with_a_knight_that_returns_are_earned_in_full() -> None:
    outcome = row("1k:VV P 0k:V F 0k:W")
    assert outcome.knights == ["1 established", "0 lost_battle", "0 established"]
    assert outcome.honour == {1: 7, 0: 4}


@pytest.mark.allows("BN-SIM-6", "BN-BAR-4")
def test_tiles_of_a_baron_beaten_at_the_same_moment_count_once() -> None:
    outcome = resolve_map("""
          V   M
        M   M0k W   M
          M   M   M0b M
        M   M1k Q   M
          V   V
        """)
    assert outcome.knights == ["0 established", "1 established"]
    assert (outcome.keeps, outcome.honour) == (["0b", "1b"], {0: 2, 1: 7})
    assert outcome.of(0)["counted_before"] == [[0, 2], [1, 1]]


@pytest.mark.refuses("BN-SIM-6")
def test_a_baron_that_one_knight_beats_still_opposes_another() -> None:
    outcome = row("1k:VV P 0b:M F 1k:V")
    assert outcome.knights == ["1 established", "1 weaker_rival"]
    assert (outcome.keeps, outcome.honour) == (["1b"], {1: 7, 0: -1})


@pytest.mark.allows("BN-SIM-6")
def test_the_order_of_the_knights_does_not_matter_and_the_board_is_not_changed() -> None:
    board = board_from_map(EXAMPLE_12)
    before = board_from_map(EXAMPLE_12)
    there = complete_knights(board)
    assert resolve(board, there[::-1], at_end=False) == resolve_map(EXAMPLE_12).results
    assert board == before


@pytest.mark.allows("BN-SIM-6")
@pytest.mark.parametrize("at_the_end", [False, True])
def test_every_baron_is_fought_by_one_knight_at_most(at_the_end: bool) -> None:
    chooser = random.Random(13)
    fought = 0
    for _ in range(300):
        tiles, keeps = random_map(chooser)
        board = board_of(tiles, keeps)
        knights = sorted(keeps) if at_the_end else complete_knights(board)
        knights = [at for at in knights if keeps[at][1] == "knight"]
        entries = resolve(board, knights, at_end=at_the_end)
        barons = [
            tuple(baron["at"])
            for entry in entries
            if "fight" in entry
            for baron in entry["fight"]["barons"]
        ]
        assert len(set(barons)) == len(barons)
        fought += len(barons)
    assert fought > 50

"""BN-SIM: several knights whose baronies are complete at once."""

import random

import pytest

from domain.baron.battles import complete_knights
from domain.baron.resolution import resolve
from tests.support.baron_maps import random_map
from tests.support.baron_outcomes import Outcome, board_of, outcome, row_of_keeps, standing

WHITE, BLUE, RED, YELLOW = range(4)

EXAMPLE_12 = """
                  F   Q
                M   M2b M
      M   P   Q   Y   W   Q   V   V
    W   M2b F   M0k P   M1k Q   M3b V
      M   M   M   Q   M   M   V   M
    """
"""White has barons on the left and above him, blue the latter too, and yellow's on the right."""

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
    """What comes of keeps in a row (tests/support/baron_outcomes.py)."""
    return outcome(row_of_keeps(text))


# Who fights whom


@pytest.mark.allows("BN-SIM-1", "BN-SIM-2")
def test_example_13_the_stronger_is_established_and_the_other_loses_no_honour() -> None:
    came = row("0k:VQ F 1k:W")
    assert came.knights == ["0 established", "1 lost_battle"]
    assert (came.keeps, came.honour) == (["0b"], {0: 6})
    assert came.of(1)["battle"] == {
        "battlefield": [[1, 1]],
        "strength": 2,
        "value": 4,
        "opponents": [{"at": [0, 1], "seat": 0, "strength": 4}],
        "rivals": [],
    }


@pytest.mark.allows("BN-SIM-1")
@pytest.mark.parametrize("shared", ["S", "C"])
def test_a_negative_tile_makes_opponents_too(shared: str) -> None:
    assert row(f"0k:V {shared} 1k:W").knights == ["0 established", "1 lost_battle"]


@pytest.mark.refuses("BN-SIM-1")
def test_knights_that_share_only_meadows_are_no_opponents() -> None:
    came = row("0k:V M 1k:W")
    assert (came.knights, came.honour) == (["0 established", "1 established"], {0: 3, 1: 2})
    assert "battle" not in came.of(0)


@pytest.mark.allows("BN-SIM-1", "BN-SIM-4")
def test_knights_that_face_a_common_baron_are_opponents() -> None:
    came = row("0k:V F 2b:M P 1k:W")
    assert came.knights == ["0 established", "1 lost_battle"]
    assert (came.keeps, came.honour) == (["0b"], {0: 5, 2: -2})


@pytest.mark.refuses("BN-SIM-1")
def test_a_baron_whom_only_one_of_them_faces_makes_no_opponents() -> None:
    came = row("0k:V M 2b:M P 1k:W")
    assert came.knights == ["0 established", "1 established"]
    assert (came.keeps, came.honour) == (["0b", "1b"], {0: 3, 1: 3, 2: -1})


@pytest.mark.refuses("BN-SIM-1")
def test_the_baron_of_one_of_them_is_no_common_baron() -> None:
    came = row("0k:V F 0b:M P 1k:V")
    assert came.knights == ["0 established", "1 established"]
    assert (came.keeps, came.honour) == (["0b", "1b"], {0: 2, 1: 4})


@pytest.mark.allows("BN-SIM-1", "BN-SIM-5")
def test_knights_of_one_owner_with_a_common_opponent_are_rivals() -> None:
    came = row("0k:V F 1k:M P 0k:W")
    assert came.knights == ["0 established", "1 lost_battle", "0 weaker_rival"]
    assert (came.keeps, came.honour) == (["0b"], {0: 5})
    assert came.entries[0]["battle"]["rivals"] == [{"at": [4, 1], "strength": 2, "value": 3}]


@pytest.mark.refuses("BN-SIM-1", "BN-SIM-5")
def test_knights_of_one_owner_do_not_fight_for_what_they_share() -> None:
    came = row("0k:V F 0k:W")
    assert came.knights == ["0 established", "0 established"]
    assert came.honour == {0: 7}


@pytest.mark.refuses("BN-SIM-1")
def test_knights_of_one_owner_with_an_opponent_each_are_no_rivals() -> None:
    came = row("0k:V F 1k:Q M 2k:Q P 0k:W")
    assert came.knights == ["0 established", "1 lost_battle", "2 lost_battle", "0 established"]
    assert came.honour == {0: 8}


# Battles


@pytest.mark.allows("BN-SIM-2")
def test_the_battlefield_is_what_opponents_or_the_barons_he_faces_have_too() -> None:
    came = row("2b:Q Y 0k:V F 1k:W P 0k:W")
    left, right = (entry for entry in came.entries if entry["seat"] == 0)
    assert left["battle"]["battlefield"] == [[1, 1], [3, 1]]
    assert left["battle"]["strength"] == 3
    assert (right["battle"]["battlefield"], right["battle"]["strength"]) == ([[5, 1]], 2)
    assert came.of(1)["battle"]["battlefield"] == [[3, 1], [5, 1]]


@pytest.mark.refuses("BN-SIM-2")
def test_tiles_that_only_a_rival_has_too_are_no_battlefield() -> None:
    came = outcome("""
          M   M   M   M
        M   M0k V   M0k M
          M   P   Y   M
            M   M1b M
              M   M
        """)
    assert came.knights == ["0 established", "0 weaker_rival"]
    assert [entry["battle"]["battlefield"] for entry in came.entries] == [[[0, 2]], [[1, 2]]]
    assert [entry["battle"]["strength"] for entry in came.entries] == [3, 3]


@pytest.mark.allows("BN-SIM-2")
def test_all_are_judged_before_anyone_leaves() -> None:
    came = row("1k:VW F 0k:V P 2k:Q")
    assert came.knights == ["1 established", "0 lost_battle", "2 lost_battle"]
    assert came.honour == {1: 7}


@pytest.mark.refuses("BN-SIM-2")
def test_who_has_nothing_to_do_with_each_other_does_not_fight() -> None:
    came = row("0k:V F 1k:M P 2k:W")
    assert came.knights == ["0 established", "1 lost_battle", "2 established"]
    assert came.honour == {0: 5, 2: 3}


@pytest.mark.refuses("BN-SIM-2")
def test_it_is_not_enough_to_be_stronger_than_one_of_two_opponents() -> None:
    came = row("1k:VW F 0k:V P 2k:M")
    assert came.knights == ["1 established", "0 lost_battle", "2 lost_battle"]


@pytest.mark.allows("BN-SIM-3")
def test_equals_annul_each_other() -> None:
    came = row("0k:V F 1k:V")
    assert came.knights == ["0 carnage", "1 carnage"]
    assert (came.keeps, came.honour) == ([], {})


@pytest.mark.allows("BN-SIM-3")
def test_a_third_who_is_weaker_gains_nothing_from_the_carnage() -> None:
    assert row("0k:V F 1k:V P 2k:W").knights == ["0 carnage", "1 carnage", "2 lost_battle"]
    assert row("0k:V F 1k:V P 0k:V").knights == ["0 carnage", "1 carnage", "0 carnage"]


@pytest.mark.refuses("BN-SIM-3")
def test_equals_that_are_no_opponents_do_not_annul_each_other() -> None:
    came = row("0k:V F 1k:M P 2k:V")
    assert came.knights == ["0 established", "1 lost_battle", "2 established"]


@pytest.mark.refuses("BN-SIM-3")
@pytest.mark.parametrize(
    ("shown", "knights"),
    [
        ("0k:V F 1b:S P 0k:V", ["0 established", "0 weaker_rival"]),
        ("0k:V P 1b:S F 0k:V", ["0 weaker_rival", "0 established"]),
        ("0k:V F 1b:S W 0k:V", ["0 established", "0 weaker_rival"]),
    ],
    ids=["left worth more", "right worth more", "smaller hex"],
)
def test_of_equal_rivals_one_goes_on(shown: str, knights: list[str]) -> None:
    came = row(shown)
    assert came.knights == knights
    strengths = [entry["battle"]["strength"] for entry in came.entries]
    assert strengths == [3, 3]


@pytest.mark.allows("BN-SIM-3")
def test_of_rivals_equal_in_all_the_hex_with_the_smaller_q_decides() -> None:
    came = outcome(COLUMN.format("1b", "P", "F", "0k"))
    assert came.knights == ["0 weaker_rival", "0 established"]


# On to the barons


@pytest.mark.allows("BN-SIM-1", "BN-SIM-2", "BN-SIM-4", "BN-FGT-3")
def test_example_12_the_winner_of_the_battle_loses_the_fight() -> None:
    came = outcome(EXAMPLE_12)
    white, blue = came.of(WHITE), came.of(BLUE)
    assert [white["battle"]["strength"], blue["battle"]["strength"]] == [2, 1]
    assert white["fight"] == {
        "battlefield": [[-3, 3], [-1, 2]],
        "strength": 3,
        "barons": [
            {"at": [-4, 3], "seat": RED, "strength": 3},
            {"at": [0, 1], "seat": RED, "strength": 5},
        ],
    }
    assert came.knights == ["0 lost_fight", "1 lost_battle"]
    assert (came.keeps, came.honour) == (["2b", "2b", "3b"], {})


@pytest.mark.refuses("BN-SIM-4")
def test_who_lost_the_battle_meets_no_baron() -> None:
    came = row("0k:V F 1k:W P 2b:M")
    assert "fight" not in came.of(1)
    assert (came.knights, came.keeps) == (["0 established", "1 lost_battle"], ["0b", "2b"])


@pytest.mark.allows("BN-SIM-4")
def test_what_only_he_who_left_had_too_is_battlefield_no_more() -> None:
    came = row("0k:V F 2b:Q P 1k:W")
    assert came.of(0)["fight"] == {
        "battlefield": [[1, 1]],
        "strength": 3,
        "barons": [{"at": [2, 1], "seat": 2, "strength": 2}],
    }


@pytest.mark.allows("BN-SIM-5")
def test_of_two_knights_of_one_owner_only_the_stronger_fights_the_baron() -> None:
    came = row("0k:V F 1b:M P 0k:W")
    assert came.knights == ["0 established", "0 weaker_rival"]
    assert (came.keeps, came.honour) == (["0b"], {0: 5, 1: -2})
    lost = row("0k:W F 1b:VW P 0k:Q")
    assert (lost.knights, lost.keeps) == (["0 lost_fight", "0 weaker_rival"], ["1b"])


@pytest.mark.refuses("BN-SIM-5")
def test_two_knights_of_one_owner_fight_a_baron_each() -> None:
    came = row("1b:M F 0k:V M 0k:V Q 1b:M")
    assert came.knights == ["0 established", "0 established"]
    assert (came.keeps, came.honour) == (["0b", "0b"], {0: 9, 1: -3})


# All together


@pytest.mark.allows("BN-SIM-6", "BN-BAR-4")
def test_what_knights_of_one_owner_share_is_earned_by_the_smaller_hex() -> None:
    came = outcome(COLUMN.format("0k", "V", "Q", "  "))
    lower, upper = came.entries
    assert (lower["at"], lower["gain"], lower["value"]) == ([-1, 3], 7, 7)
    assert (upper["at"], upper["gain"], upper["value"]) == ([0, 1], 5, 8)
    assert upper["counted_before"] == [[-1, 2], [0, 2]]


@pytest.mark.refuses("BN-SIM-6", "BN-BAR-4")
def test_what_a_knight_that_goes_back_had_is_earned_in_full() -> None:
    came = row("1k:VV P 0k:V F 0k:W")
    assert came.knights == ["1 established", "0 lost_battle", "0 established"]
    assert came.honour == {1: 7, 0: 4}


@pytest.mark.allows("BN-SIM-6", "BN-BAR-4")
def test_what_a_baron_has_who_falls_in_the_same_moment_is_not_earned_again() -> None:
    came = outcome("""
          V   M
        M   M0k W   M
          M   M   M0b M
        M   M1k Q   M
          V   V
        """)
    assert came.knights == ["0 established", "1 established"]
    assert (came.keeps, came.honour) == (["0b", "1b"], {0: 2, 1: 7})
    assert came.of(0)["counted_before"] == [[0, 2], [1, 1]]


@pytest.mark.refuses("BN-SIM-6")
def test_a_baron_falling_to_one_knight_clears_the_way_for_no_other() -> None:
    came = row("1k:VV P 0b:M F 1k:V")
    assert came.knights == ["1 established", "1 weaker_rival"]
    assert (came.keeps, came.honour) == (["1b"], {1: 7, 0: -1})


@pytest.mark.allows("BN-SIM-6")
def test_knights_may_be_named_in_any_order_and_the_board_stays_as_it_is() -> None:
    board = standing(EXAMPLE_12)
    before = standing(EXAMPLE_12)
    there = complete_knights(board)
    assert resolve(board, there[::-1], at_end=False) == outcome(EXAMPLE_12).entries
    assert board == before


@pytest.mark.allows("BN-SIM-6")
@pytest.mark.parametrize("at_the_end", [False, True])
def test_every_baron_is_met_by_one_knight_at_most(
    at_the_end: bool,
) -> None:
    chooser = random.Random(13)
    met = 0
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
        met += len(barons)
    assert met > 50

"""BN-FGT, BN-OUB-2: one knight whose barony is complete, and the barons whom he faces."""

import pytest

from domain.baron.battles import total_value
from tests.support.baron_outcomes import AROUND_A_FIELD, ON_THE_RIGHT, TWO, outcome

THREE = """
      Q   W   V   M
    F   M0k Y   M1b M
      P   F   Q   M
    Y   M2b M
      S   W
    """
"""Examples 8 and 15: seat 0 has 5, seat 1 has 4 and seat 2 has 2 where they are alone."""


@pytest.mark.allows("BN-FGT-1")
@pytest.mark.parametrize("shared", ["V", "Y", "S", "C"])
def test_any_tile_but_a_meadow_is_worth_a_fight(shared: str) -> None:
    came = outcome(ON_THE_RIGHT.format(shared))
    assert came.knights == ["0 lost_fight"]
    assert came.of(0)["fight"] == {
        "battlefield": [[1, 1]],
        "strength": 2,
        "barons": [{"at": [2, 1], "seat": 1, "strength": 3}],
    }


@pytest.mark.refuses("BN-FGT-1")
def test_sharing_only_meadows_is_no_fight() -> None:
    came = outcome(ON_THE_RIGHT.format("M"))
    assert (came.knights, came.keeps, came.honour) == (["0 established"], ["0b", "1b"], {0: 2})
    beside = outcome("""
          M   M   V
        W   M0k M1b V
          M   M   V
        """)
    assert (beside.keeps, beside.honour) == (["0b", "1b"], {0: 2})
    assert "fight" not in beside.of(0)


@pytest.mark.allows("BN-FGT-1")
def test_a_meadow_and_another_tile_in_common_is_a_fight() -> None:
    came = outcome("""
          M   M
        V   M0k Q
          M   S
        M   M1b M
          M   W
        """)
    assert came.of(0)["fight"]["battlefield"] == [[-1, 2], [0, 2]]
    assert came.honour == {0: 3, 1: 1}


@pytest.mark.refuses("BN-FGT-1")
def test_nobody_fights_his_own_baron() -> None:
    came = outcome(ON_THE_RIGHT.format("P").replace("1b", "0b"))
    assert (came.keeps, came.honour) == (["0b", "0b"], {0: 2})


@pytest.mark.refuses("BN-FGT-1")
def test_a_knight_that_is_not_complete_is_no_baron_to_fight() -> None:
    came = outcome("""
          M   M   M
        M   M0k P   M1k
          M   W   M
        """)
    assert (came.keeps, came.honour) == (["0b", "1k"], {0: 3})


@pytest.mark.allows("BN-FGT-2", "BN-FGT-3", "BN-FGT-5")
def test_example_7_a_field_and_a_marsh_are_the_battlefield() -> None:
    came = outcome(TWO)
    lost = {"at": [-1, 3], "seat": 1, "loss": 1, "tiles": [[-1, 2], [0, 2]]}
    fight = {
        "battlefield": [[-1, 2], [0, 2]],
        "strength": 5,
        "barons": [{"at": [-1, 3], "seat": 1, "strength": 2}],
    }
    assert came.entries == [
        {
            "at": [0, 1],
            "seat": 0,
            "result": "established",
            "value": 6,
            "gain": 6,
            "beaten": [lost],
            "fight": fight,
        }
    ]
    assert (came.keeps, came.honour) == (["0b"], {0: 6, 1: -1})


@pytest.mark.allows("BN-FGT-2", "BN-FGT-3", "BN-FGT-5")
def test_examples_8_and_15_one_fight_against_the_stronger_of_two_beats_both() -> None:
    came = outcome(THREE)
    assert came.of(0)["fight"] == {
        "battlefield": [[-1, 2], [0, 2], [1, 1]],
        "strength": 5,
        "barons": [
            {"at": [-1, 3], "seat": 2, "strength": 2},
            {"at": [2, 1], "seat": 1, "strength": 4},
        ],
    }
    assert (came.keeps, came.honour) == (["0b"], {0: 9, 1: -1, 2: -3})


@pytest.mark.allows("BN-FGT-2")
def test_the_meadows_of_keeps_next_to_each_other_are_battlefield_too() -> None:
    came = outcome("""
          W   Q   V
        M   M0k M1b M
          M   M   M
        """)
    assert came.of(0)["fight"] == {
        "battlefield": [[0, 1], [0, 2], [1, 0], [1, 1]],
        "strength": 2,
        "barons": [{"at": [1, 1], "seat": 1, "strength": 3}],
    }


@pytest.mark.allows("BN-FGT-2")
def test_a_tile_of_ones_own_baron_is_battlefield_where_an_opposing_one_has_it_too() -> None:
    came = outcome(AROUND_A_FIELD.format(0, 1))
    assert came.of(0)["fight"] == {
        "battlefield": [[-2, 3], [-1, 2]],
        "strength": 4,
        "barons": [{"at": [-1, 3], "seat": 1, "strength": 0}],
    }
    assert came.of(0)["counted_before"] == [[-1, 1], [-1, 2]]
    assert (came.keeps, came.honour) == (["0b", "0b"], {0: 4, 1: -3})


@pytest.mark.refuses("BN-FGT-2")
def test_what_the_barons_share_with_each_other_and_not_with_the_knight_counts_for_both() -> None:
    came = outcome("""
          M   V   M   M
        M   M0k Q   M1b M
          Y   P   V   M
        M   M   M2b M
          M   M   M
        """)
    assert came.of(0)["fight"] == {
        "battlefield": [[0, 2], [1, 1]],
        "strength": 4,
        "barons": [
            {"at": [0, 3], "seat": 2, "strength": 3},
            {"at": [2, 1], "seat": 1, "strength": 3},
        ],
    }


@pytest.mark.refuses("BN-FGT-2")
def test_a_baron_whom_the_knight_does_not_face_is_no_part_of_the_fight() -> None:
    came = outcome("""
          W   M   M   M
        M   M0k Y   M1b M
          M   M   Q   M
        V   M2b V
          M   M
        """)
    assert came.of(0)["fight"] == {
        "battlefield": [[1, 1]],
        "strength": 2,
        "barons": [{"at": [2, 1], "seat": 1, "strength": 1}],
    }
    assert (came.keeps, came.honour) == (["0b", "2b"], {0: 3, 1: -1})


@pytest.mark.refuses("BN-FGT-3")
@pytest.mark.parametrize("more", ["V", "W"], ids=["stronger", "as strong"])
def test_the_baron_wins_among_equals(more: str) -> None:
    came = outcome(ON_THE_RIGHT.format("P").replace("V", more))
    assert (came.knights, came.keeps) == (["0 lost_fight"], ["1b"])


@pytest.mark.allows("BN-FGT-3")
def test_one_point_more_is_enough() -> None:
    came = outcome(ON_THE_RIGHT.format("P").replace("V", "Q"))
    assert (came.knights, came.keeps) == (["0 established"], ["0b"])


@pytest.mark.refuses("BN-FGT-3")
def test_who_beats_one_of_two_barons_has_beaten_neither() -> None:
    came = outcome(THREE.replace("W   V   M", "W   V   Q"))
    assert [baron["strength"] for baron in came.of(0)["fight"]["barons"]] == [2, 5]
    assert (came.knights, came.keeps, came.honour) == (["0 lost_fight"], ["1b", "2b"], {})


@pytest.mark.allows("BN-FGT-3")
def test_the_strongest_is_who_has_most_beside_the_battlefield() -> None:
    came = outcome(THREE.replace("Y   M2b", "V   M2b"))
    assert total_value(came.board, [(-2, 3), (-1, 2), (0, 2), (-2, 4), (-1, 4)]) == 7
    assert [baron["strength"] for baron in came.of(0)["fight"]["barons"]] == [4, 4]
    assert came.knights == ["0 established"]


@pytest.mark.allows("BN-FGT-4")
def test_a_knight_that_loses_goes_back_and_no_honour_changes_hands() -> None:
    came = outcome(ON_THE_RIGHT.format("V"))
    (entry,) = came.entries
    assert (entry["result"], entry["why"]) == ("returned", "lost_fight")
    assert (entry["gain"], entry["beaten"], "value" in entry) == (0, [], False)
    assert (came.keeps, came.honour) == (["1b"], {})


@pytest.mark.refuses("BN-FGT-4")
def test_a_knight_that_wins_does_not_go_back() -> None:
    assert outcome(TWO).keeps == ["0b"]


@pytest.mark.allows("BN-FGT-5")
@pytest.mark.parametrize(("shared", "gain", "change"), [("S", 4, 1), ("C", 3, 2), ("V", 8, -3)])
def test_a_negative_battlefield_earns_the_beaten_barons_owner_honour(
    shared: str, gain: int, change: int
) -> None:
    came = outcome(ON_THE_RIGHT.format(shared).replace("W", "F").replace("M   M0k", "V   M0k"))
    assert came.of(0)["fight"]["strength"] == 5
    assert came.honour == {0: gain, 1: change}


@pytest.mark.allows("BN-FGT-5")
def test_a_tile_that_two_beaten_barons_of_one_owner_had_is_lost_once() -> None:
    came = outcome(AROUND_A_FIELD.format(1, 1))
    assert came.of(0)["beaten"] == [
        {"at": [-1, 3], "seat": 1, "loss": 3, "tiles": [[-2, 3], [-1, 2]]},
        {"at": [0, 1], "seat": 1, "loss": 1, "tiles": [[-1, 1]]},
    ]
    assert (came.keeps, came.honour) == (["0b"], {0: 7, 1: -4})


@pytest.mark.refuses("BN-FGT-5")
def test_a_tile_that_beaten_barons_of_two_owners_had_is_lost_by_each() -> None:
    came = outcome(AROUND_A_FIELD.format(1, 2))
    assert (came.keeps, came.honour) == (["0b"], {0: 7, 1: -3, 2: -3})


@pytest.mark.refuses("BN-FGT-5")
def test_a_baron_that_shares_only_meadows_is_not_beaten_with_the_others() -> None:
    came = outcome(THREE.replace("P   F   Q", "M   M   Q"))
    assert (came.keeps, came.honour) == (["0b", "2b"], {0: 6, 1: -1})


# Seats that are out


@pytest.mark.allows("BN-OUB-2")
@pytest.mark.parametrize(
    ("out", "honour"),
    [([], {0: 6, 1: -1}), ([0], {1: -1}), ([1], {0: 6}), ([0, 1], {})],
)
def test_out_seats_fight_on_and_their_honour_stays(out: list[int], honour: dict[int, int]) -> None:
    came = outcome(TWO, out=out)
    assert (came.keeps, came.honour) == (["0b"], honour)
    assert came.of(0)["value"] == 6


@pytest.mark.refuses("BN-OUB-2")
def test_an_out_seats_baron_is_not_beaten_by_its_being_out() -> None:
    came = outcome(ON_THE_RIGHT.format("P"), out=[1])
    assert (came.knights, came.keeps) == (["0 lost_fight"], ["1b"])

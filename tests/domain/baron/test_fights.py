"""BN-FGT, BN-OUB-2: a knight with a complete barony against the barons that it faces."""

import pytest

from domain.baron.battles import total_value
from tests.support.baron_outcomes import AROUND_A_FIELD, ON_THE_RIGHT, TWO, resolve_map

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
def test_any_tile_but_a_meadow_is_fought_over(shared: str) -> None:
    outcome = resolve_map(ON_THE_RIGHT.format(shared))
    assert outcome.knights == ["0 lost_fight"]
    assert outcome.of(0)["fight"] == {
        "battlefield": [[1, 1]],
        "strength": 2,
        "barons": [{"at": [2, 1], "seat": 1, "strength": 3}],
    }


@pytest.mark.refuses("BN-FGT-1")
def test_meadows_alone_are_not_fought_over() -> None:
    outcome = resolve_map(ON_THE_RIGHT.format("M"))
    assert (outcome.knights, outcome.keeps, outcome.honour) == (
        ["0 established"],
        ["0b", "1b"],
        {0: 2},
    )
    beside = resolve_map("""
          M   M   V
        W   M0k M1b V
          M   M   V
        """)
    assert (beside.keeps, beside.honour) == (["0b", "1b"], {0: 2})
    assert "fight" not in beside.of(0)


@pytest.mark.allows("BN-FGT-1")
def test_a_shared_meadow_and_another_shared_tile_are_fought_over() -> None:
    outcome = resolve_map("""
          M   M
        V   M0k Q
          M   S
        M   M1b M
          M   W
        """)
    assert outcome.of(0)["fight"]["battlefield"] == [[-1, 2], [0, 2]]
    assert outcome.honour == {0: 3, 1: 1}


@pytest.mark.refuses("BN-FGT-1")
def test_no_knight_fights_a_baron_of_its_owner() -> None:
    outcome = resolve_map(ON_THE_RIGHT.format("P").replace("1b", "0b"))
    assert (outcome.keeps, outcome.honour) == (["0b", "0b"], {0: 2})


@pytest.mark.refuses("BN-FGT-1")
def test_no_knight_fights_an_incomplete_knight() -> None:
    outcome = resolve_map("""
          M   M   M
        M   M0k P   M1k
          M   W   M
        """)
    assert (outcome.keeps, outcome.honour) == (["0b", "1k"], {0: 3})


@pytest.mark.allows("BN-FGT-2", "BN-FGT-3", "BN-FGT-5")
def test_example_7_a_field_and_a_marsh_are_the_battlefield() -> None:
    outcome = resolve_map(TWO)
    lost = {"at": [-1, 3], "seat": 1, "loss": 1, "tiles": [[-1, 2], [0, 2]]}
    fight = {
        "battlefield": [[-1, 2], [0, 2]],
        "strength": 5,
        "barons": [{"at": [-1, 3], "seat": 1, "strength": 2}],
    }
    assert outcome.results == [
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
    assert (outcome.keeps, outcome.honour) == (["0b"], {0: 6, 1: -1})


@pytest.mark.allows("BN-FGT-2", "BN-FGT-3", "BN-FGT-5")
def test_examples_8_and_15_one_fight_against_the_stronger_of_two_beats_both() -> None:
    outcome = resolve_map(THREE)
    assert outcome.of(0)["fight"] == {
        "battlefield": [[-1, 2], [0, 2], [1, 1]],
        "strength": 5,
        "barons": [
            {"at": [-1, 3], "seat": 2, "strength": 2},
            {"at": [2, 1], "seat": 1, "strength": 4},
        ],
    }
    assert (outcome.keeps, outcome.honour) == (["0b"], {0: 9, 1: -1, 2: -3})


@pytest.mark.allows("BN-FGT-2")
def test_the_meadows_of_adjacent_keeps_are_battlefield() -> None:
    outcome = resolve_map("""
          W   Q   V
        M   M0k M1b M
          M   M   M
        """)
    assert outcome.of(0)["fight"] == {
        "battlefield": [[0, 1], [0, 2], [1, 0], [1, 1]],
        "strength": 2,
        "barons": [{"at": [1, 1], "seat": 1, "strength": 3}],
    }


@pytest.mark.allows("BN-FGT-2")
def test_a_tile_in_ones_own_barony_is_battlefield_if_an_opposing_barony_has_it_too() -> None:
    outcome = resolve_map(AROUND_A_FIELD.format(0, 1))
    assert outcome.of(0)["fight"] == {
        "battlefield": [[-2, 3], [-1, 2]],
        "strength": 4,
        "barons": [{"at": [-1, 3], "seat": 1, "strength": 0}],
    }
    assert outcome.of(0)["counted_before"] == [[-1, 1], [-1, 2]]
    assert (outcome.keeps, outcome.honour) == (["0b", "0b"], {0: 4, 1: -3})


@pytest.mark.refuses("BN-FGT-2")
def test_tiles_that_only_the_barons_share_count_for_both_of_them() -> None:
    outcome = resolve_map("""
          M   V   M   M
        M   M0k Q   M1b M
          Y   P   V   M
        M   M   M2b M
          M   M   M
        """)
    assert outcome.of(0)["fight"] == {
        "battlefield": [[0, 2], [1, 1]],
        "strength": 4,
        "barons": [
            {"at": [0, 3], "seat": 2, "strength": 3},
            {"at": [2, 1], "seat": 1, "strength": 3},
        ],
    }


@pytest.mark.refuses("BN-FGT-2")
def test_a_baron_that_the_knight_does_not_face_takes_no_part() -> None:
    outcome = resolve_map("""
          W   M   M   M
        M   M0k Y   M1b M
          M   M   Q   M
        V   M2b V
          M   M
        """)
    assert outcome.of(0)["fight"] == {
        "battlefield": [[1, 1]],
        "strength": 2,
        "barons": [{"at": [2, 1], "seat": 1, "strength": 1}],
    }
    assert (outcome.keeps, outcome.honour) == (["0b", "2b"], {0: 3, 1: -1})


@pytest.mark.refuses("BN-FGT-3")
@pytest.mark.parametrize("more", ["V", "W"], ids=["stronger", "as strong"])
def test_the_baron_wins_if_both_are_equally_strong(more: str) -> None:
    outcome = resolve_map(ON_THE_RIGHT.format("P").replace("V", more))
    assert (outcome.knights, outcome.keeps) == (["0 lost_fight"], ["1b"])


@pytest.mark.allows("BN-FGT-3")
def test_the_knight_wins_with_one_point_more() -> None:
    outcome = resolve_map(ON_THE_RIGHT.format("P").replace("V", "Q"))
    assert (outcome.knights, outcome.keeps) == (["0 established"], ["0b"])


@pytest.mark.refuses("BN-FGT-3")
def test_a_knight_that_is_stronger_than_one_of_two_barons_beats_neither() -> None:
    outcome = resolve_map(THREE.replace("W   V   M", "W   V   Q"))
    assert [baron["strength"] for baron in outcome.of(0)["fight"]["barons"]] == [2, 5]
    assert (outcome.knights, outcome.keeps, outcome.honour) == (["0 lost_fight"], ["1b", "2b"], {})


@pytest.mark.allows("BN-FGT-3")
def test_the_strongest_baron_has_the_most_beside_the_battlefield() -> None:
    outcome = resolve_map(THREE.replace("Y   M2b", "V   M2b"))
    assert total_value(outcome.board, [(-2, 3), (-1, 2), (0, 2), (-2, 4), (-1, 4)]) == 7
    assert [baron["strength"] for baron in outcome.of(0)["fight"]["barons"]] == [4, 4]
    assert outcome.knights == ["0 established"]


@pytest.mark.allows("BN-FGT-4")
def test_the_keep_of_a_beaten_knight_returns_and_no_honour_changes() -> None:
    outcome = resolve_map(ON_THE_RIGHT.format("V"))
    (entry,) = outcome.results
    assert (entry["result"], entry["why"]) == ("returned", "lost_fight")
    assert (entry["gain"], entry["beaten"], "value" in entry) == (0, [], False)
    assert (outcome.keeps, outcome.honour) == (["1b"], {})


@pytest.mark.refuses("BN-FGT-4")
def test_the_keep_of_a_winning_knight_stays() -> None:
    assert resolve_map(TWO).keeps == ["0b"]


@pytest.mark.allows("BN-FGT-5")
@pytest.mark.parametrize(("shared", "gain", "change"), [("S", 4, 1), ("C", 3, 2), ("V", 8, -3)])
def test_a_negative_battlefield_earns_the_beaten_barons_owner_honour(
    shared: str, gain: int, change: int
) -> None:
    outcome = resolve_map(
        ON_THE_RIGHT.format(shared).replace("W", "F").replace("M   M0k", "V   M0k")
    )
    assert outcome.of(0)["fight"]["strength"] == 5
    assert outcome.honour == {0: gain, 1: change}


@pytest.mark.allows("BN-FGT-5")
def test_a_tile_of_two_beaten_barons_of_one_owner_is_lost_once() -> None:
    outcome = resolve_map(AROUND_A_FIELD.format(1, 1))
    assert outcome.of(0)["beaten"] == [
        {"at": [-1, 3], "seat": 1, "loss": 3, "tiles": [[-2, 3], [-1, 2]]},
        {"at": [0, 1], "seat": 1, "loss": 1, "tiles": [[-1, 1]]},
    ]
    assert (outcome.keeps, outcome.honour) == (["0b"], {0: 7, 1: -4})


@pytest.mark.refuses("BN-FGT-5")
def test_a_tile_of_beaten_barons_of_two_owners_is_lost_by_each() -> None:
    outcome = resolve_map(AROUND_A_FIELD.format(1, 2))
    assert (outcome.keeps, outcome.honour) == (["0b"], {0: 7, 1: -3, 2: -3})


@pytest.mark.refuses("BN-FGT-5")
def test_a_baron_that_shares_only_meadows_is_not_beaten_with_the_others() -> None:
    outcome = resolve_map(THREE.replace("P   F   Q", "M   M   Q"))
    assert (outcome.keeps, outcome.honour) == (["0b", "2b"], {0: 6, 1: -1})


# Seats that are out


@pytest.mark.allows("BN-OUB-2")
@pytest.mark.parametrize(
    ("out", "honour"), [([], {0: 6, 1: -1}), ([0], {1: -1}), ([1], {0: 6}), ([0, 1], {})]
)
def test_keeps_of_seats_that_are_out_fight_and_their_honour_stays(
    out: list[int], honour: dict[int, int]
) -> None:
    outcome = resolve_map(TWO, out=out)
    assert (outcome.keeps, outcome.honour) == (["0b"], honour)
    assert outcome.of(0)["value"] == 6


@pytest.mark.refuses("BN-OUB-2")
def test_a_baron_of_a_seat_that_is_out_can_win() -> None:
    outcome = resolve_map(ON_THE_RIGHT.format("P"), out=[1])
    assert (outcome.knights, outcome.keeps) == (["0 lost_fight"], ["1b"])

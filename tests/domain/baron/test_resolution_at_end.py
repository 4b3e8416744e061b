"""BN-END-2: the knights still on the board when play is over, with complete baronies or not."""

import pytest

from domain.baron.battles import complete_knights, knights_share
from tests.support.baron_outcomes import (
    ON_THE_RIGHT,
    TWO,
    Outcome,
    knights_of,
    resolve_map,
    resolve_map_at_end,
    row_of_keeps,
)

EXAMPLE_10 = """
      V   Q   M   M       F                   W
        M1k Y   M3b M       M0k P   M2k Q       M0k Q
          M   M   M                   Y
    """
"""A knight against a baron, two knights against each other, and a knight without any others nearby."""


def row(text: str, *, out: tuple[int, ...] = ()) -> Outcome:
    """Resolve keeps in a row (tests/support/baron_outcomes.py), each knight with a tile missing."""
    return resolve_map_at_end(row_of_keeps(text, incomplete=True), out=out)


@pytest.mark.allows("BN-END-2", "BN-SIM-3")
def test_example_10() -> None:
    outcome = resolve_map_at_end(EXAMPLE_10)
    assert complete_knights(outcome.board) == []
    assert outcome.knights == ["1 established", "0 carnage", "2 carnage", "0 established"]
    assert (outcome.keeps, outcome.honour) == (["1b", "0b"], {1: 3, 3: -1, 0: 2})
    blue = outcome.of(1)
    assert (blue["value"], blue["unhalved"], blue["gain"]) == (5, 5, 3)
    assert blue["fight"] == {
        "battlefield": [[1, 1]],
        "strength": 2,
        "unhalved": 4,
        "barons": [{"at": [2, 1], "seat": 3, "strength": 0}],
    }
    assert outcome.of(2)["battle"] == {
        "battlefield": [[6, 1]],
        "strength": 1,
        "unhalved": 2,
        "value": 3,
        "opponents": [{"at": [5, 1], "seat": 0, "strength": 1}],
        "rivals": [],
    }


@pytest.mark.refuses("BN-END-2")
def test_before_the_end_incomplete_baronies_are_not_resolved() -> None:
    assert resolve_map(EXAMPLE_10).results == []


@pytest.mark.refuses("BN-END-2")
def test_before_the_end_nothing_is_halved() -> None:
    assert resolve_map(TWO).honour == {0: 6, 1: -1}
    assert resolve_map_at_end(TWO).honour == {0: 3, 1: -1}
    assert "unhalved" not in resolve_map(TWO).of(0)
    assert "unhalved" not in resolve_map(TWO).of(0)["fight"]


@pytest.mark.allows("BN-END-2")
def test_all_knights_are_resolved_and_barons_stay() -> None:
    outcome = row("0k:V M 1b:V M 0k:C M 2k:M")
    assert outcome.board.keeps.keys() - set(knights_of(outcome.board)) == {(2, 1)}
    assert outcome.knights == ["0 established", "0 established", "2 established"]
    assert (outcome.keeps, outcome.honour) == (["0b", "1b", "0b", "2b"], {0: 1})


@pytest.mark.allows("BN-END-2")
@pytest.mark.parametrize(
    ("tiles", "value", "gain"),
    [
        ("VV", 6, 3),
        ("VW", 5, 3),
        ("V", 3, 2),
        ("W", 2, 1),
        ("Q", 1, 1),
        ("M", 0, 0),
        ("S", -1, 0),
        ("C", -2, -1),
        ("SC", -3, -1),
        ("CC", -4, -2),
    ],
)
def test_halves_are_rounded_up_and_the_value_of_a_barony_is_not_halved(
    tiles: str, value: int, gain: int
) -> None:
    outcome = row(f"0k:{tiles}")
    assert (outcome.of(0)["value"], outcome.of(0)["gain"]) == (value, gain)
    assert knights_share(value, at_end=True) == gain
    assert knights_share(value, at_end=False) == value


@pytest.mark.allows("BN-END-2")
def test_a_knight_with_hardly_any_tiles_is_established() -> None:
    outcome = resolve_map_at_end("""
        M0k V
        """)
    assert (outcome.of(0)["value"], outcome.keeps, outcome.honour) == (3, ["0b"], {0: 2})


@pytest.mark.allows("BN-END-2")
def test_barons_keep_their_full_value() -> None:
    outcome = row("0k:VQ F 1b:W")
    assert outcome.of(0)["fight"]["barons"] == [{"at": [2, 1], "seat": 1, "strength": 2}]
    assert (outcome.knights, outcome.keeps) == (["0 lost_fight"], ["1b"])


@pytest.mark.refuses("BN-END-2")
def test_a_fight_that_would_be_won_without_halving_is_lost() -> None:
    text = ON_THE_RIGHT.format("P").replace("M   M0k", "V   M0k")
    assert resolve_map(text).knights == ["0 established"]
    assert resolve_map_at_end(text).knights == ["0 lost_fight"]


@pytest.mark.allows("BN-END-2", "BN-FGT-5")
def test_the_loss_of_a_beaten_barons_owner_is_not_halved() -> None:
    outcome = row("0k:VW V 1b:W")
    assert outcome.of(0)["fight"]["strength"] == 3
    assert (outcome.keeps, outcome.honour) == (["0b"], {0: 4, 1: -3})


@pytest.mark.allows("BN-END-2")
def test_tiles_that_do_not_count_are_left_out_before_halving() -> None:
    earned = row("0b:M W 0k:V")
    assert (earned.of(0)["value"], earned.of(0)["unhalved"], earned.honour) == (5, 3, {0: 2})
    fought = row("0k:V Q 1b:Q")
    assert fought.of(0)["fight"]["strength"] == 2
    assert fought.honour == {0: 2, 1: -1}


@pytest.mark.allows("BN-END-2", "BN-SIM-6")
def test_tiles_that_the_first_knight_earned_are_left_out_before_halving_the_second() -> None:
    outcome = row("0k:V F 0k:V")
    assert [(entry["unhalved"], entry["gain"]) for entry in outcome.results] == [(5, 3), (3, 2)]


@pytest.mark.allows("BN-END-2", "BN-SIM-2", "BN-SIM-3")
def test_battles_compare_the_halved_strengths() -> None:
    assert row("0k:VQ F 1k:V").knights == ["0 carnage", "1 carnage"]
    assert row("0k:VW F 1k:VQ").knights == ["0 established", "1 lost_battle"]


@pytest.mark.allows("BN-END-2", "BN-SIM-3")
def test_of_rivals_with_equal_halved_strengths_the_higher_full_value_decides() -> None:
    outcome = row("0k:VQ Q 1b:C V 0k:V")
    left, right = (entry["battle"] for entry in outcome.results)
    assert (left["unhalved"], left["strength"], left["value"]) == (4, 2, 5)
    assert (right["unhalved"], right["strength"], right["value"]) == (3, 2, 6)
    assert outcome.knights == ["0 weaker_rival", "0 established"]


@pytest.mark.refuses("BN-END-2", "BN-SIM-1")
def test_a_shared_empty_hex_is_not_a_shared_tile() -> None:
    outcome = resolve_map_at_end("""
          V   M   M   V
        M   M0k .   M1k M
          M   M   M   M
        """)
    assert outcome.knights == ["0 established", "1 established"]


@pytest.mark.refuses("BN-END-2", "BN-FGT-1", "BN-SIM-1")
def test_meadows_are_not_fought_over_at_the_end_either() -> None:
    outcome = row("0k:V M 1b:V M 2k:V")
    assert outcome.knights == ["0 established", "2 established"]


@pytest.mark.allows("BN-OUB-2", "BN-END-2")
def test_keeps_of_seats_that_are_out_fight_at_the_end() -> None:
    assert row("0k:VW V 1b:W", out=(0,)).honour == {1: -3}
    assert row("0k:VW V 1b:W", out=(1,)).honour == {0: 4}
    assert row("0k:VW V 1b:W", out=(0, 1)).keeps == ["0b"]
    assert row("0k:VQ F 1b:W", out=(1,)).knights == ["0 lost_fight"]


@pytest.mark.refuses("BN-OUB-2")
def test_the_honour_of_seats_in_the_game_changes_at_the_end() -> None:
    assert row("0k:VW V 1b:W", out=(2,)).honour == {0: 4, 1: -3}

"""The reference rules against the worked examples of the rulebook, which were resolved by hand.

These tests have no marks of clauses, since they test the reference rules and not the game. The first cell of
a map is (0, 0).
"""

import random
from collections import Counter

import pytest

from tests.support.baron_maps import BOX, KEEPS_A_SEAT, parse_map, random_map
from tests.support.baron_reference_rules import (
    Hex,
    Moment,
    Resolution,
    departures,
    neighbours,
    places,
    resolve_by_reference,
)

WHITE, BLUE, RED, YELLOW = range(4)

EXAMPLE_7 = """
      V   Y
    P   M0k F   Q
      M   S   M2b M
            M   P
    """
EXAMPLE_8 = """
      Q   F   W   V
    M   M3b Y   M1k F   Q
      P   M   M   P   M2b W
                    M   M
    """
EXAMPLE_10 = """
    V   Q   M   P           W                       V
      M1k Y   M3b M   M   M   M0k F   M2k Q   M   M   M0k
        M   M   S                       P
    """
EXAMPLE_12 = """
      M   P   Y   Q   Y   M   M   M
    W   M2b V   M0k P   M1k Q   M3b V
      M   M   M   F   W   M   M   M
                M   M2b Q
                  M   F
    """
IN_A_ROW = """
      M   {0}   M   {2}   M   {4}
    M   M{a} {1}   M{b} {3}   M{c} M
      M   M   M   M   M   M
    """
"""Three keeps at (0, 1), (2, 1) and (4, 1), whose baronies share the tiles at 1 and at 3."""


def resolve_map(text: str, *, at_the_end: bool = False, out: tuple[int, ...] = ()) -> Resolution:
    return resolve_by_reference(*parse_map(text), set(out), at_the_end)


def in_a_row(keeps: str, tiles: str, *, at_the_end: bool = False) -> Resolution:
    a, b, c = keeps.split()
    return resolve_map(IN_A_ROW.format(*tiles, a=a, b=b, c=c), at_the_end=at_the_end)


def outcome(
    established: dict[Hex, int],
    honour: dict[int, int],
    *,
    returned: list[Hex] | None = None,
    beaten: list[Hex] | None = None,
) -> Resolution:
    return {
        "established": established,
        "returned": returned or [],
        "beaten": beaten or [],
        "honour": honour,
    }


def test_a_map_is_parsed_with_its_rows_half_a_cell_apart() -> None:
    tiles, keeps = parse_map("""
          V   Y
        .   M0k
          C   M1b
        """)
    assert tiles == {
        (0, 0): "village",
        (1, 0): "vineyard",
        (0, 1): "meadow",
        (-1, 2): "cursed_place",
        (0, 2): "meadow",
    }
    assert keeps == {(0, 1): (0, "knight"), (0, 2): (1, "baron")}
    assert tiles.keys() <= neighbours((0, 1)) | {(0, 1)}


def test_example_6_six_tiles_around_a_meadow_are_worth_5() -> None:
    ring = """
      W   Y
    Q   M2k F
      C   P
    """
    assert resolve_map(ring) == outcome({(0, 1): 5}, {RED: 5})


def test_example_7_a_knight_of_5_beats_a_baron_of_2_over_a_field_and_a_marsh() -> None:
    assert resolve_map(EXAMPLE_7) == outcome({(0, 1): 6}, {WHITE: 6, RED: -1}, beaten=[(1, 2)])


def test_examples_8_and_15_a_knight_of_5_beats_two_barons_at_once() -> None:
    assert resolve_map(EXAMPLE_8) == outcome(
        {(2, 1): 9}, {BLUE: 9, RED: -3, YELLOW: -1}, beaten=[(0, 1), (3, 2)]
    )


def test_example_9_tiles_in_a_barony_of_the_owner_earn_nothing_again() -> None:
    beside_ones_own = """
      M   M   Q   V
    P   M0b W   M3k F   Q
      M   M   M   P   M3b M
                    M   M
    """
    assert resolve_map(beside_ones_own) == outcome(
        {(2, 1): 9}, {YELLOW: 6, WHITE: -2}, beaten=[(0, 1)]
    )


def test_example_10_knights_at_the_end_are_halved() -> None:
    assert resolve_map(EXAMPLE_10, at_the_end=True) == outcome(
        {(0, 1): 5, (12, 1): 3},
        {BLUE: 3, WHITE: 2, YELLOW: -1},
        returned=[(6, 1), (8, 1)],
        beaten=[(2, 1)],
    )


def test_before_the_end_an_incomplete_barony_is_not_resolved() -> None:
    assert resolve_map(EXAMPLE_10) == outcome({}, {})


def test_at_the_end_neither_the_strength_of_barons_nor_their_loss_is_halved() -> None:
    assert resolve_map(EXAMPLE_8, at_the_end=True) == outcome({}, {}, returned=[(2, 1)])
    unarmed = EXAMPLE_8.replace("Q   F   W", "M   M   W").replace("M2b W", "M2b M")
    assert resolve_map(unarmed, at_the_end=True) == outcome(
        {(2, 1): 9}, {BLUE: 5, RED: -3, YELLOW: -1}, beaten=[(0, 1), (3, 2)]
    )


def test_example_12_the_winner_of_a_battle_of_knights_loses_to_the_strongest_baron() -> None:
    moment = Moment(*parse_map(EXAMPLE_12), frozenset(), at_the_end=False)
    white, blue, right = (2, 1), (4, 1), (2, 3)
    assert (moment.strength_in_battle(white), moment.strength_in_battle(blue)) == (2, 1)
    assert (moment.strength_in_fight(white), moment.strength_of_baron(right, white)) == (3, 5)
    assert resolve_map(EXAMPLE_12) == outcome({}, {}, returned=[white, blue])


def test_a_baron_that_only_a_knight_that_left_faced_takes_no_part() -> None:
    weaker = EXAMPLE_12.replace("M2b Q", "M2b M").replace("M   F\n", "M   M\n")
    weaker = weaker.replace("M   P   Y", "M   M   Y")
    assert resolve_map(weaker) == outcome(
        {(2, 1): 8}, {WHITE: 8, RED: -5}, returned=[(4, 1)], beaten=[(0, 1), (2, 3)]
    )


def test_example_13_of_two_knights_that_a_field_completes_the_stronger_is_established() -> None:
    assert resolve_map("""
      M   V   Q   M
    Q   M1k F   M3k W
      M   M   M   M
    """) == outcome({(0, 1): 6}, {BLUE: 6}, returned=[(2, 1)])


def test_a_marsh_as_battlefield_gives_the_beaten_barons_owner_1() -> None:
    assert resolve_map("""
      M   V   M   M
    M   M0k S   M2b F
      M   M   M   M
    """) == outcome({(0, 1): 2}, {WHITE: 2, RED: 1}, beaten=[(2, 1)])


def test_a_shared_meadow_is_not_fought_over() -> None:
    assert resolve_map("""
      Y   M   M   M
    M   M0k M   M2b V
      M   M   M   M
    """) == outcome({(0, 1): 1}, {WHITE: 1})


def test_the_baron_wins_if_both_are_equally_strong() -> None:
    assert resolve_map("""
      W   M   M   M
    M   M0k V   M2b F
      M   M   M   M
    """) == outcome({}, {}, returned=[(0, 1)])


def test_equally_strong_opponents_both_return() -> None:
    assert resolve_map("""
      W   M   M   M
    M   M0k V   M2k F
      M   M   M   M
    """) == outcome({}, {}, returned=[(0, 1), (2, 1)])


def test_a_tile_that_two_beaten_barons_of_one_owner_share_is_lost_once() -> None:
    assert resolve_map("""
      Q   V   M   M
    M   M0k F   M2b M
      M   P   M2b M
            M   M
    """) == outcome({(0, 1): 7}, {WHITE: 7, RED: -3}, beaten=[(1, 2), (2, 1)])


def test_a_chain_of_opponents_is_resolved_at_once() -> None:
    # The third shares nothing with the first; it loses to the second, which loses to the first.
    assert in_a_row("0k 1k 2k", "VYFQP") == outcome(
        {(0, 1): 4}, {WHITE: 4}, returned=[(2, 1), (4, 1)]
    )


def test_knights_that_face_a_common_baron_are_opponents() -> None:
    # The baron has 1 and, without the second knight, the quarry.
    assert in_a_row("0k 2b 1k", "VYPQF") == outcome(
        {(0, 1): 4}, {WHITE: 4, RED: -1}, returned=[(4, 1)], beaten=[(2, 1)]
    )


def test_of_several_knights_of_one_owner_that_face_a_baron_the_strongest_fights() -> None:
    assert in_a_row("0k 2b 0k", "FYPQV") == outcome(
        {(4, 1): 4}, {WHITE: 4, RED: -1}, returned=[(0, 1)], beaten=[(2, 1)]
    )


def test_knights_of_one_owner_with_a_common_opponent_are_rivals() -> None:
    assert in_a_row("0k 2k 0k", "FYPQV") == outcome(
        {(4, 1): 4}, {WHITE: 4}, returned=[(0, 1), (2, 1)]
    )


def test_of_equal_rivals_the_higher_value_and_then_the_smaller_hex_decides() -> None:
    assert in_a_row("0k 2b 0k", "VYPFV") == outcome(
        {(4, 1): 5}, {WHITE: 5, RED: -2}, returned=[(0, 1)], beaten=[(2, 1)]
    )
    assert in_a_row("0k 2b 0k", "VYPQV") == outcome(
        {(0, 1): 4}, {WHITE: 4, RED: -1}, returned=[(4, 1)], beaten=[(2, 1)]
    )


def test_at_the_end_strengths_are_compared_halved_and_the_values_of_equal_rivals_are_not() -> None:
    # 2 against 1 outside the battlefield are 1 and 1; the values 3 and 4 would be 2 and 2.
    assert in_a_row("0k 2b 0k", "FYSVY", at_the_end=True) == outcome(
        {(4, 1): 4}, {WHITE: 2, RED: -3}, returned=[(0, 1)], beaten=[(2, 1)]
    )


def test_knights_of_one_owner_established_together_count_a_tile_once() -> None:
    assert in_a_row("0k 0k 0k", "FYPMM") == outcome({(0, 1): 3, (2, 1): 2, (4, 1): 0}, {WHITE: 4})
    # Halved, 3 gives 2 and the remaining 1 gives 1; the other way round it would be 1 and 1.
    assert in_a_row("0k 0k 0k", "FYPMM", at_the_end=True)["honour"] == {WHITE: 3}


def test_a_baron_that_falls_in_the_same_moment_still_keeps_tiles_from_counting_again() -> None:
    assert in_a_row("0k 0b 1k", "VFMYV") == outcome(
        {(0, 1): 5, (4, 1): 4}, {WHITE: 3 - 1, BLUE: 4}, beaten=[(2, 1)]
    )


def test_a_negative_barony_is_halved_upwards_at_the_end() -> None:
    cursed = """
      C   S
    .   M0k
    """
    assert resolve_map(cursed, at_the_end=True) == outcome({(0, 1): -3}, {WHITE: -1})


def test_keeps_of_seats_that_are_out_fight_but_their_honour_stays() -> None:
    fought = outcome({(0, 1): 6}, {RED: -1}, beaten=[(1, 2)])
    assert resolve_map(EXAMPLE_7, out=(WHITE,)) == fought
    assert resolve_map(EXAMPLE_7, out=(RED,)) == {**fought, "honour": {WHITE: 6}}


def test_seats_go_out_by_the_sum_of_all_changes_of_a_moment() -> None:
    honour = {WHITE: -4, BLUE: -4, RED: -4, YELLOW: 9}
    assert departures(honour, {WHITE: -1, BLUE: -3, RED: 2}, {}) == {WHITE: 1, BLUE: 1}
    assert departures(honour, {RED: -1}, {YELLOW: 1}) == {YELLOW: 1, RED: 2}
    assert departures(honour, {YELLOW: -13}, {WHITE: 1, BLUE: 1}) == {WHITE: 1, BLUE: 1}


def test_equals_share_a_place_and_seats_that_went_out_later_rank_before_earlier_ones() -> None:
    assert places({WHITE: 3, BLUE: 7, RED: 7, YELLOW: 4}, {}) == {0: 4, 1: 1, 2: 1, 3: 3}
    assert places({0: -4, 1: 30, 2: -9, 3: -5, 4: -4}, {1: 1, 2: 2, 3: 2}) == {
        0: 1,
        1: 5,
        2: 3,
        3: 3,
        4: 1,
    }


@pytest.mark.parametrize("seed", range(50))
def test_a_random_map_obeys_the_box_and_the_laying_of_tiles(seed: int) -> None:
    tiles, keeps = random_map(random.Random(seed))
    assert Counter(tiles.values()) <= Counter(BOX)
    reached, more = set(), {min(tiles)}
    while more:
        reached |= more
        more = {at for tile in more for at in neighbours(tile) & tiles.keys()} - reached
    assert reached == tiles.keys()
    for at, kind in tiles.items():
        around = {tiles[beside] for beside in neighbours(at) & tiles.keys()}
        assert kind == "meadow" or kind not in around
    assert all(tiles[at] == "meadow" for at in keeps)
    most = max(Counter(seat for seat, _ in keeps.values()).values(), default=0)
    assert most <= max(
        KEEPS_A_SEAT[n] for n in KEEPS_A_SEAT if n > max(s for s, _ in keeps.values())
    )


def test_random_maps_contain_every_case_of_the_clauses() -> None:
    seen = Counter[str]()
    for seed in range(150):
        moment = Moment(*random_map(random.Random(seed)), frozenset(), at_the_end=False)
        for knight in moment.knights():
            strength = moment.strength_in_battle(knight)
            opponents, faced = moment.opponents(knight), moment.faced(knight)
            seen["equal opponents"] += any(
                moment.strength_in_battle(other) == strength for other in opponents
            )
            seen["equal rivals"] += any(
                moment.strength_in_battle(other) == strength for other in moment.rivals(knight)
            )
            seen["barons of several owners"] += len({moment.seat(baron) for baron in faced}) > 1
            seen["a fight after a battle"] += bool(opponents and faced) and moment.goes_on(knight)
            seen["a negative battlefield"] += moment.total_value(moment.battlefield(knight)) < 0
            seen["a negative barony"] += moment.value(knight) < 0
            seen["tiles counted before"] += moment.is_established(knight) and bool(
                moment.total_value(moment.barony(knight) & moment.counted_before(knight))
            )
    assert min(seen.values()) >= 3, seen

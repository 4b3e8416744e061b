"""BN-OUB: seats with debts of 5 or more, and their keeps."""

import pytest

from domain import baron
from domain.baron.state import State
from domain.contract import ALL_SECRETS
from tests.support.baron_positions import given, honours, places
from tests.support.events import data_of
from tests.support.given_when import play_lines, when, when_scored

COSTLY = """
    lay round 4 turn 11 seat {seat}
    0: {honour}, CMP, keeps 2, resting 1
    1: 5, MM
    2: 4, CMQ
    market MVF
    pile WW
    board -1,-1
    .  M  S
    .  M0k M
    C  S
    """
"""A cursed place on -1,0 completes a barony of -6 that seat 0 gets, whoever lays it."""


def costly(honour: int, seat: int = 0) -> State:
    return given(COSTLY.format(honour=honour, seat=seat))


@pytest.mark.allows("BN-OUB-1")
def test_a_seat_at_5_below_is_out_at_once_and_its_reserve_leaves_the_game() -> None:
    when(costly(1), 0, "lay meadow -1,0").becomes("""
        keep round 4 turn 11 seat 0
        0: -3, CP, keeps 2, resting 1
        1: 5, MM
        2: 4, CMQ
        market MVF
        pile WW
        board -1,-1
        .  M   S
        M  M0b M
        C  S
        """)
    when(costly(-1), 0, "lay meadow -1,0").becomes("""
        draw round 4 turn 12 seat 1
        0: -5, out 1
        1: 5, MM
        2: 4, CMQ
        market MVF
        pile WW
        board -1,-1
        .  M   S
        M  M0b M
        C  S
        """)


@pytest.mark.allows("BN-OUB-1")
def test_the_event_has_the_seats_that_go_out_and_the_moment() -> None:
    event = when(costly(-2), 0, "lay meadow -1,0").event
    assert data_of(event)["out"] == {"seats": [0], "moment": 1}
    assert data_of(event)["honour"] == [{"seat": 0, "change": -4}]


@pytest.mark.allows("BN-OUB-1")
def test_a_seat_may_go_out_in_the_turn_of_another() -> None:
    after = when(costly(-3, seat=2), 2, "lay meadow -1,0").leads_to("keep round 4 seat 2")
    player = after.players[0]
    assert (player.out, player.honour, player.reserve, player.keeps, player.resting) == (
        *(1, -7, (), 0, 0),
    )
    assert after.keeps == {(0, 0): (0, "baron")}


@pytest.mark.refuses("BN-OUB-1")
def test_a_seat_with_a_debt_of_4_stays_in_the_game() -> None:
    after = when(costly(0), 0, "lay meadow -1,0").produces("TilePlaced", out=None)
    assert after.players[0].honour == -4
    assert after.players[0].out is None


@pytest.mark.refuses("BN-OUB-1")
def test_a_seat_that_is_out_has_no_tiles_and_keeps_left() -> None:
    after = when(costly(-1), 0, "lay meadow -1,0").after
    when(after, 0, "keep -1,0").is_refused("BN-TRN-2", "out")
    entry = baron.position(after, ALL_SECRETS)["players"][0]
    assert (entry["reserve"], entry["reserve_size"], entry["keeps"]) == ([], 0, 0)


OUT = """
    lay round 4 turn 11 seat 1
    0: -5, out 1
    1: 5, MMV
    2: 4, CMQ
    market MVF
    pile WW
    board -1,-1
    .  M   P   M   F
    .  M0k V   M{baron} W
    M  M   Q   S
    """
"""Seat 0 is out; a village on -1,0 completes its knight's barony, beside seat 2's baron or nobody's."""


@pytest.mark.allows("BN-OUB-2")
def test_a_knight_of_a_seat_that_is_out_is_established_for_no_honour() -> None:
    state = given(OUT.format(baron=""))
    after = when(state, 1, "lay village -1,0").after
    assert after.keeps == {(0, 0): (0, "baron")}
    assert after.values == {(0, 0): 7}
    assert honours(after) == [-5, 5, 4]


@pytest.mark.allows("BN-OUB-2")
def test_a_keep_that_would_come_back_leaves_the_game() -> None:
    state = given(OUT.format(baron="2b"))
    after = when(state, 1, "lay village -1,0").produces("TilePlaced", returned=None)
    assert after.keeps == {(2, 0): (2, "baron")}
    assert (after.players[0].keeps, after.players[0].resting) == (0, 0)


@pytest.mark.allows("BN-OUB-2")
def test_barons_of_a_seat_that_is_out_are_beaten_for_no_honour() -> None:
    state = given("""
        lay round 4 seat 1
        0: -5, out 1
        1: 5, V
        2: 4
        market MVF
        board -1,-1
        .  M   F   M   S
        .  M1k V   M0b M
        M  W   Q   M
        """)
    after = when(state, 1, "lay village -1,0").after
    assert after.keeps == {(0, 0): (1, "baron")}
    assert honours(after) == [-5, 5 + 3 + 2 + 3 + 2, 4]
    assert after.players[0].keeps == after.players[0].resting == 0


@pytest.mark.allows("BN-OUB-2")
@pytest.mark.parametrize("seat", [0, 2])
def test_the_turn_of_a_seat_that_goes_out_ends(seat: int) -> None:
    after = when(costly(-1, seat), seat, "lay meadow -1,0").after
    assert (after.phase, after.to_act) == (("draw", 1) if seat == 0 else ("keep", 2))


@pytest.mark.refuses("BN-OUB-2")
def test_keeps_of_a_seat_that_is_out_still_fight() -> None:
    state = given(OUT.format(baron="1b")).copy()
    state.keeps[2, 0] = (0, "baron")
    state.keeps[0, 0] = (1, "knight")
    when(state, 1, "lay village -1,0").produces("TilePlaced", returned=[{"seat": 1, "keeps": 1}])


TWO = """
    lay round 4 turn 11 seat {seat}
    0: {honour}, CM, turns 2
    1: 5, MM, turns 2
    board -1,-1
    .  M  S
    .  M0k M
    C  S
    """


@pytest.mark.allows("BN-OUB-3")
def test_when_a_single_seat_is_left_the_game_ends_at_once() -> None:
    after = when(given(TWO.format(seat=1, honour=-4)), 1, "lay meadow -1,0").leads_to(
        "scoring round 4"
    )
    assert after.turn == 11
    assert after.turns_left == (0, 1)
    assert places(after) == [(1, 1, 5), (2, 0, -8)]


@pytest.mark.allows("BN-OUB-3")
def test_no_knight_is_resolved_when_a_single_seat_is_left() -> None:
    state = given("keep round 4 seat 1\n0: 9\n1: 1, MM\nboard\nM1k V V M0k")
    state = when(state, 0, "resign").leads_to("scoring round 4")
    event = when_scored(state).event
    assert "baronies" not in event.data
    assert [(entry["seat"], entry["score"]) for entry in data_of(event)["ranking"]] == [
        (1, 1),
        (0, 9),
    ]


PAIR = """
    lay round 4 seat {seat}
    {seats}
    market MVF
    board -1,-1
    .  S   M   S
    C  M0k M1k C
    S  .   S
    """
"""A meadow on 0,1 completes two baronies of -4 each, which share only meadows, and earns 1."""


def pair(*honours: int, seat: int) -> State:
    seats = "\n    ".join(f"{seat}: {honour}, M" for seat, honour in enumerate(honours))
    return given(PAIR.format(seat=seat, seats=seats))


@pytest.mark.allows("BN-OUB-3")
def test_the_game_ends_when_nobody_is_left() -> None:
    state = when(pair(-2, -1, seat=0), 0, "lay meadow 0,1").leads_to("scoring round 4")
    assert state.in_game() == []
    assert places(state) == [(1, 0, -5), (1, 1, -5)]


@pytest.mark.refuses("BN-OUB-3")
def test_with_two_seats_left_the_game_goes_on() -> None:
    when(costly(-1), 0, "lay meadow -1,0").leads_to("draw round 4 seat 1")


@pytest.mark.refuses("BN-OUB-3")
def test_knights_are_resolved_at_the_end_with_two_seats_left() -> None:
    state = given("scoring round 4\n0: 9, out 1\n1: 1\n2: 0\nboard\nM1k V . M")
    assert data_of(when_scored(state).event)["baronies"]


@pytest.mark.allows("BN-OUB-4")
def test_seats_that_go_out_in_one_moment_share_the_place() -> None:
    state = when(pair(-1, -4, 3, seat=2), 2, "lay meadow 0,1").leads_to("scoring round 4")
    assert places(state) == [(1, 2, 4), (2, 0, -5), (2, 1, -8)]


@pytest.mark.refuses("BN-OUB-4")
def test_a_seat_that_gains_as_much_in_the_same_moment_is_not_out() -> None:
    state = when(pair(-1, 2, 3, seat=0), 0, "lay meadow 0,1").leads_to("keep round 4 seat 0")
    assert honours(state) == [-4, -2, 3]


@pytest.mark.refuses("BN-OUB-4")
def test_seats_that_go_out_later_have_another_moment() -> None:
    state = when(pair(0, -4, 0, 0, seat=2), 2, "lay meadow 0,1").after
    state = play_lines(state, "0 resign")
    assert [player.out for player in state.players] == [2, 1, None, None]

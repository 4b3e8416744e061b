"""BN-KEP: keeps are put on meadows, one a turn; keeps that came back have to wait."""

import pytest

from domain import baron
from tests.support.baron_positions import given, legal_texts, random_game
from tests.support.events import data_of
from tests.support.given_when import play_lines, when, when_time_is_up

KEEPING = """
    keep round 2 seat 0
    0: 3, MP
    1: 0, MQ
    market MVF
    board
    M  M1k P  M
    """


@pytest.mark.allows("BN-KEP-1")
def test_a_keep_is_put_on_a_meadow_and_the_turn_ends() -> None:
    when(given(KEEPING), 0, "keep 3,0").becomes("""
        draw round 2 seat 1
        0: 3, MP, keeps 4
        1: 0, MQ, keeps 4
        market MVF
        board
        M  M1k P  M0k
        """)
    when(given(KEEPING), 0, "keep 3,0").produces("KeepPlaced", seat=0, at=[3, 0], baronies=None)


@pytest.mark.allows("BN-KEP-1")
def test_a_seat_need_not_put_down_a_keep() -> None:
    state = given(KEEPING)
    assert legal_texts(state, 0) == ["keep 0,0", "keep 3,0", "end"]
    when(state, 0, "end").becomes("""
        draw round 2 seat 1
        0: 3, MP
        1: 0, MQ
        market MVF
        board
        M  M1k P  M
        """)


@pytest.mark.allows("BN-KEP-1")
def test_a_keep_may_be_put_on_the_meadow_just_laid() -> None:
    state = given("lay round 2 seat 0\n0: 0, M\n1: 0\nmarket MVF\nboard\nP")
    state = play_lines(state, "0 lay meadow 1,0", "0 keep 1,0")
    assert state.keeps == {(1, 0): (0, "knight")}


LOST = """
    lay round 4 seat 0
    0: 0, V{more}
    1: 5, MM
    2: 0, MQ, keeps 1
    market MVF
    board -1,-1
    .  M   P   M   F
    .  M0k V   M1b W
    M  M   Q   S
    """
"""Seat 0's village completes the barony of its own knight, which is as strong as seat 1's baron and loses."""


@pytest.mark.allows("BN-KEP-2")
def test_a_returned_keep_rests_and_can_be_put_down_in_the_next_turn() -> None:
    state = when(given(LOST.format(more=", keeps 1")), 0, "lay village -1,0").leads_to(
        "keep round 4 seat 0"
    )
    assert (state.players[0].keeps, state.players[0].resting) == (1, 1)
    state = when(state, 0, "end").leads_to("draw round 4 seat 1")
    assert (state.players[0].keeps, state.players[0].resting) == (2, 0)
    player = baron.position(state, None)["players"][0]
    assert (player["keeps"], player["keeps_resting"]) == (2, 0)


@pytest.mark.allows("BN-KEP-2")
def test_a_forfeited_turn_ends_the_rest_of_keeps() -> None:
    state = when(given(LOST.format(more=", keeps 1")), 0, "lay village -1,0").after
    state = when_time_is_up(state).leads_to("draw round 4 seat 1")
    assert (state.players[0].keeps, state.players[0].resting) == (2, 0)


@pytest.mark.allows("BN-KEP-2")
def test_a_resignation_of_the_seat_to_act_ends_the_rest_of_keeps() -> None:
    state = given("""
        keep round 4 seat 0
        0: 0
        1: 0, resting 1, keeps 3
        2: 0
        market MVF
        board
        M M
        """)
    state = when(state, 0, "resign").leads_to("draw round 4 seat 1")
    assert (state.players[1].keeps, state.players[1].resting) == (4, 0)


def test_a_keep_that_returned_in_this_turn_cannot_be_put_down() -> None:
    state = given("keep round 4 seat 0\n0: 0, keeps 0, resting 2\n1: 0\nmarket MVF\nboard\nM M")
    when(state, 0, "keep 0,0").is_refused("BN-KEP-2", "only keeps that came back")
    assert legal_texts(state, 0) == ["end"]


@pytest.mark.refuses("BN-KEP-2")
def test_the_turn_ends_if_the_only_keep_is_resting() -> None:
    state = when(given(LOST.format(more=", keeps 0")), 0, "lay village -1,0").after
    assert (state.phase, state.to_act) == ("draw", 1)
    assert (state.players[0].keeps, state.players[0].resting) == (1, 0)


@pytest.mark.allows("BN-KEP-3")
def test_a_lost_fight_takes_a_keep_off_the_board() -> None:
    after = when(given(LOST.format(more="")), 0, "lay village -1,0").produces(
        "TilePlaced", returned=[{"seat": 0, "keeps": 1}]
    )
    assert (0, 0) not in after.keeps


@pytest.mark.refuses("BN-KEP-3")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_in_whole_games_no_keep_leaves_its_hex_in_any_other_way(seats: int) -> None:
    lost = 0
    for state, event in random_game(seats, seed=8):
        after = baron.copy(state)
        baron.apply(after, event.type, event.data)
        results = data_of(event).get("baronies", ())
        leaving = {tuple(entry["at"]) for entry in results if entry["result"] == "returned"}
        leaving |= {tuple(beaten["at"]) for entry in results for beaten in entry["beaten"]}
        outcome = {tuple(data_of(event)["at"])} if event.type == "KeepPlaced" else set()
        assert (state.keeps.keys() | outcome) - leaving == after.keeps.keys()
        lost += len(leaving)
    assert lost


@pytest.mark.allows("BN-KEP-4")
@pytest.mark.parametrize(
    ("keeps", "board"),
    [("keeps 0", "M M"), ("keeps 5", "P Q"), ("keeps 5", "M1k Q")],
    ids=["no keep", "no meadow", "no free meadow"],
)
def test_the_turn_ends_by_itself_if_no_keep_can_be_put_down(keeps: str, board: str) -> None:
    state = given(f"lay round 4 seat 0\n0: 0, V, {keeps}\n1: 0\nmarket MVF\nboard\n{board}")
    when(state, 0, "lay village 2,0").leads_to("draw round 4 seat 1")


@pytest.mark.refuses("BN-KEP-4")
def test_the_turn_does_not_end_by_itself_if_a_keep_can_be_put_down() -> None:
    state = given("lay round 4 seat 0\n0: 0, V, keeps 1\n1: 0\nmarket MVF\nboard\nM1k M")
    when(state, 0, "lay village 2,0").leads_to("keep round 4 seat 0")

"""BY-BLD: action C, knights become villages and strongholds."""

import pytest

from domain import barony
from domain.errors import Malformed
from tests.support.barony_positions import given
from tests.support.faults import faults_of
from tests.support.given_when import when

CAMP = """
    play round 3 seat 0
    0: baron
    1: baron
    board
    M0k D0k P0kk F0ck P1ck
    """


@pytest.mark.allows("BY-BLD-1", "BY-BLD-5")
def test_example_16_a_village_on_a_mountain_and_a_stronghold_on_a_field() -> None:
    when(given(CAMP), 0, "build village 0,0 stronghold 1,0").becomes("""
        play round 3 seat 1
        0: baron, 1M 1D
        1: baron
        board
        M0v D0s P0kk F0ck P1ck
        """)


@pytest.mark.allows("BY-BLD-1")
def test_a_single_building_is_enough_and_its_knight_goes_back_to_the_reserve() -> None:
    after = when(given(CAMP), 0, "build village 1,0").produces(
        "BuildingsBuilt", built=[{"at": [1, 0], "building": "village", "token": "field"}]
    )
    assert (after.reserve_knights[0], after.reserve_villages[0]) == (3, 13)


@pytest.mark.allows("BY-BLD-1")
def test_one_of_two_knights_on_a_hex_is_replaced() -> None:
    when(given(CAMP), 0, "build village 2,0").becomes("""
        play round 3 seat 1
        0: baron, 1P
        1: baron
        board
        M0k D0k P0vk F0ck P1ck
        """)


@pytest.mark.allows("BY-BLD-1")
def test_all_knights_may_be_replaced_at_once() -> None:
    state = given("play round 3 seat 0\n0: baron\n1: baron\nboard\nP0k P0k P0k P0k P0k P0k P0k")
    build = "build " + " ".join(f"village {q},0" for q in range(7))
    when(state, 0, build).becomes("""
        play round 3 seat 1
        0: baron, 7P
        1: baron
        board
        P0v P0v P0v P0v P0v P0v P0v
        """)


@pytest.mark.refuses("BY-BLD-1")
def test_two_knights_on_a_hex_do_not_become_two_buildings() -> None:
    with pytest.raises(Malformed) as refused:
        barony.parse_action_text("build village 2,0 stronghold 2,0")
    assert faults_of(refused.value) == {"builds": "names something twice"}


@pytest.mark.allows("BY-BLD-2")
def test_a_hex_whose_village_was_destroyed_can_be_built_on() -> None:
    state = given("play round 3 seat 0\n0: baron\n1: baron\nboard\nP0k P0k1v P1ck")
    state = when(state, 0, "move 0,0>1,0").after
    state.to_act = 0
    when(state, 0, "build village 1,0").becomes("""
        play round 3 seat 1
        0: baron, 1P
        1: baron
        board
        P P0vk P1ck
        """)


@pytest.mark.parametrize(
    "cell",
    ["P0vk", "P0sk", "P0ck", "P0k1v"],
    ids=["own village", "own stronghold", "own city", "opponent's village"],
)
def test_nothing_is_built_where_there_is_a_building(cell: str) -> None:
    state = given(f"play round 3 seat 0\n0: baron\n1: baron\nboard\n{cell} P0k P1ck")
    when(state, 0, "build stronghold 0,0").is_refused("BY-BLD-2", "0,0", "already a building")


@pytest.mark.allows("BY-BLD-3")
def test_an_opposing_knight_on_an_adjacent_hex_does_not_prevent_building() -> None:
    state = given("play round 3 seat 0\n0: baron\n1: baron\nboard\nP0k P1kk")
    when(state, 0, "build village 0,0").becomes("""
        play round 3 seat 1
        0: baron, 1P
        1: baron
        board
        P0v P1kk
        """)


@pytest.mark.allows("BY-BLD-4")
def test_the_second_stronghold_and_the_last_village_are_built() -> None:
    row = " ".join(["P0v"] * 13)
    state = given(f"play round 3 seat 0\n0: baron\n1: baron\nboard\nM0k M0k P0s {row}")
    after = when(state, 0, "build village 0,0 stronghold 1,0").after
    assert (after.reserve_villages[0], after.reserve_strongholds[0]) == (0, 0)


@pytest.mark.allows("BY-BLD-5")
def test_each_building_gains_the_token_of_its_own_hex() -> None:
    state = given("play round 3 seat 0\n0: baron\n1: baron\nboard\nM0k F0k P0k D0k D0k P1ck")
    build = "build village 0,0 stronghold 1,0 village 2,0 stronghold 3,0 village 4,0"
    after = when(state, 0, build).after
    assert after.resources[0] == (1, 1, 1, 2)
    assert after.bank == [19, 19, 19, 18]


@pytest.mark.refuses("BY-BLD-5")
def test_only_the_builder_gains_tokens_and_only_for_buildings() -> None:
    state = given("play round 3 seat 0\n0: baron\n1: baron\nboard\nM0kk F0k P1k")
    after = when(state, 0, "build village 0,0").after
    assert after.resources[0] == (1, 0, 0, 0)
    assert after.resources[1] == (0, 0, 0, 0)


@pytest.mark.allows("BY-BLD-6")
def test_an_own_building_stays_while_knights_come_and_go() -> None:
    state = given("play round 3 seat 0\n0: baron\n1: baron\nboard\nP0k P0vk P P1ck")
    when(state, 0, "move 0,0>1,0 1,0>2,0").becomes("""
        play round 3 seat 1
        0: baron
        1: baron
        board
        P P0vk P0k P1ck
        """)


@pytest.mark.refuses("BY-BLD-6")
def test_no_action_removes_an_own_building_from_the_board() -> None:
    state = given("play round 3 seat 0\n0: baron, 1P\n1: baron\nboard\nF0vk F0sk P0ck P1ck")
    for action in barony.legal_actions(state, 0):
        after = when(state, 0, barony.action_text(action)).after
        assert all(after.building[hex] == state.building[hex] for hex in range(3))
    for type in ("demolish", "remove", "destroy"):
        with pytest.raises(Malformed):
            barony.parse_action({"type": type, "at": [0, 0]})

"""BY-CTY: action D, a village becomes a city."""

import pytest

from tests.support.barony_positions import given
from tests.support.barony_results import scores
from tests.support.given_when import when


@pytest.mark.allows("BY-CTY-1", "BY-END-1")
def test_example_16_a_village_becomes_a_city_and_15_points_are_25() -> None:
    state = given("""
        play round 6 seat 0
        0: viscount, 1P
        1: baron
        board
        P0v D P0ck P1ck
        """)
    after = when(state, 0, "city 0,0").becomes("""
        play round 6 seat 1
        0: viscount, 1P, new cities 1
        1: baron
        board
        P0c D P0ck P1ck
        """)
    assert scores(state) == [15, 0]
    assert scores(after) == [25, 0]


@pytest.mark.allows("BY-CTY-1")
def test_the_village_returns_to_the_reserve_while_knights_stay_and_no_token_is_gained() -> None:
    state = given("play round 6 seat 0\n0: baron\n1: baron\nboard\nP0vkk D P0v P0c P1ck")
    after = when(state, 0, "city 0,0").produces("CityFounded", at=[0, 0], points=10)
    assert (after.reserve_villages[0], after.reserve_cities[0], after.reserve_knights[0]) == (
        13,
        3,
        5,
    )
    assert after.resources[0] == (0, 0, 0, 0)


@pytest.mark.allows("BY-CTY-1")
def test_knights_can_be_recruited_in_a_new_city() -> None:
    state = given("play round 6 seat 0\n0: baron\n1: baron\nboard\nP0v D L P1ck")
    state = when(state, 0, "city 0,0").after
    state.to_act = 0
    when(state, 0, "recruit 2 at 0,0").produces("KnightsRecruited", at=[0, 0])


@pytest.mark.allows("BY-CTY-2")
@pytest.mark.parametrize("cell", ["M", "P", "D"])
def test_a_city_may_be_on_mountain_plain_or_field(cell: str) -> None:
    state = given(f"play round 6 seat 0\n0: baron\n1: baron\nboard\n{cell}0v F P1ck")
    when(state, 0, "city 0,0").leads_to("play round 6 seat 1")


@pytest.mark.allows("BY-CTY-3")
def test_one_hex_between_two_cities_suffices_and_strongholds_do_not_count() -> None:
    state = given("""
        play round 6 seat 0
        0: baron
        1: baron
        board
        P1s P0s D1ck
         P0v P0v F
          D D P0ck
        """)
    when(state, 0, "city 0,1").leads_to("play round 6 seat 1")


@pytest.mark.parametrize("city", ["P0c", "P1c", "P2c", "P1ckk"])
def test_no_city_is_founded_adjacent_to_any_city(city: str) -> None:
    state = given(f"""
        play round 6 seat 0
        0: baron
        1: baron
        2: baron, out
        board
        P {city}
         P0v P P1k
        """)
    when(state, 0, "city 0,1").is_refused("BY-CTY-3", "adjacent to a city")


def test_a_new_city_bars_cities_on_adjacent_hexes_as_well() -> None:
    state = given("play round 6 seat 0\n0: baron\n1: baron\nboard\nP0v P1v P P1ck")
    state = when(state, 0, "city 0,0").after
    when(state, 1, "city 1,0").is_refused("BY-CTY-3")


@pytest.mark.allows("BY-CTY-4")
def test_own_knights_on_the_hex_and_opponents_on_adjacent_hexes_do_not_prevent_a_city() -> None:
    state = given("play round 6 seat 0\n0: baron\n1: baron\nboard\nP1k P0vk P1kk P1v")
    when(state, 0, "city 1,0").becomes("""
        play round 6 seat 1
        0: baron, new cities 1
        1: baron
        board
        P1k P0ck P1kk P1v
        """)


@pytest.mark.allows("BY-CTY-5")
def test_the_last_city_of_the_reserve_is_built() -> None:
    state = given("""
        play round 6 seat 0
        0: baron, new cities 1
        1: baron
        board
        P0v D P0c D P0c D P0c D P0c D P1ck
        """)
    after = when(state, 0, "city 0,0").after
    assert (after.reserve_cities[0], scores(after)) == (0, [20, 0])

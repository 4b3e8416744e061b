"""BS-CHA, BS-ILL, BS-POR: recruitment by spells, alone and combined."""

import pytest

from domain.barony.state import State
from tests.support.barony_positions import given
from tests.support.given_when import when
from tests.support.sorcery_diagrams import RECRUITMENT, three_seats

REALM = "P0c P P0s P0ck P P0c P1ck"
"""Cities on (0,0), (3,0) and (5,0), a stronghold on (2,0), no lake; red's city on (6,0)."""
SHORE = "P0c P0s P P1ck\n L L P P"
"""A city on (0,0) and a stronghold on (1,0), both beside a lake; red's city on (3,0)."""


def given_recruitment(cells: str = REALM, yellow: str = "magic 4") -> State:
    """Seat 0 (yellow) is to cast spells of recruitment."""
    return given(three_seats(RECRUITMENT, cells, yellow=yellow))


def after_recruitment(cells: str, yellow: str) -> str:
    """The diagram after a cast of recruitment, on the turn of seat 1 (red)."""
    return three_seats(RECRUITMENT, cells, seat=1, yellow=yellow)


@pytest.mark.allows("BS-CHA-1")
def test_charm_recruits_one_knight_in_every_city() -> None:
    when(given_recruitment(), 0, "cast charm 1 at 0,0 1 at 3,0 1 at 5,0").becomes(
        after_recruitment("P0ck P P0s P0ckk P P0ck P1ck", "magic 3")
    )


@pytest.mark.allows("BS-CHA-1")
@pytest.mark.parametrize("cities", [("0,0",), ("3,0",), ("5,0", "0,0"), ("3,0", "5,0")])
def test_charm_may_leave_cities_out(cities: tuple[str, ...]) -> None:
    text = "cast charm " + " ".join(f"1 at {city}" for city in cities)
    after = when(given_recruitment(), 0, text).leads_to("play round 5 seat 1")
    assert after.reserve_knights[0] == 6 - len(cities)


@pytest.mark.allows("BS-CHA-1")
def test_charm_with_fewer_knights_than_cities_recruits_all_of_them() -> None:
    state = given_recruitment("P0ckkkkk P P0s P0ck P P0c P1ck")
    when(state, 0, "cast charm 1 at 5,0").becomes(
        after_recruitment("P0ckkkkk P P0s P0ck P P0ck P1ck", "magic 3")
    )


@pytest.mark.refuses("BS-CHA-1")
def test_charm_does_not_recruit_more_than_the_reserve_holds() -> None:
    state = given_recruitment("P0ckkkkk P P0s P0ck P P0c P1ck", "magic 4")
    when(state, 0, "cast charm 1 at 0,0 1 at 5,0").is_refused("BY-REC-2", "1 knight, not 2")
    state = given_recruitment("P0ckkkkkkk P P0s P0c P P P1ck", "magic 4")
    when(state, 0, "cast charm 1 at 0,0").is_refused("BY-REC-2", "0 knights, not 1")


@pytest.mark.allows("BS-ILL-1")
def test_illusion_recruits_in_a_stronghold() -> None:
    when(given_recruitment(), 0, "cast illusion 2 at 2,0").becomes(
        after_recruitment("P0c P P0skk P0ck P P0c P1ck", "magic 3")
    )
    when(given_recruitment(), 0, "cast illusion 1 at 2,0").leads_to("play round 5 seat 1")


@pytest.mark.allows("BS-ILL-1")
@pytest.mark.parametrize("knights", [1, 2, 3])
def test_illusion_recruits_up_to_three_knights_beside_a_lake(knights: int) -> None:
    when(given_recruitment(SHORE), 0, f"cast illusion {knights} at 1,0").becomes(
        after_recruitment(f"P0c P0s{'k' * knights} P P1ck\n L L P P", "magic 3")
    )


@pytest.mark.refuses("BS-ILL-1")
@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("1 at 0,0", "BS-ILL-1"),
        ("1 at 6,0", "BS-ILL-1"),
        ("1 at 4,0", "BS-ILL-1"),
        ("1 at 9,9", "BS-ILL-1"),
        ("1 at 2,0 1 at 4,0", "BS-ILL-1"),
        ("3 at 2,0", "BY-REC-1"),
        ("9007199254740991 at 2,0", "BY-REC-1"),
    ],
    ids=[
        "city",
        "red's",
        "village",
        "not on the board",
        "a village too",
        "three inland",
        "countless",
    ],
)
def test_illusion_recruits_only_in_an_own_stronghold_and_as_a_city_would(
    text: str, clause: str
) -> None:
    state = given_recruitment("P0c P P0s P P0v P P1sk")
    when(state, 0, f"cast illusion {text}").is_refused(clause)


@pytest.mark.refuses("BS-SPL-3")
def test_illusion_recruits_in_a_single_stronghold() -> None:
    state = given_recruitment("P0s P P0s P1ck")
    when(state, 0, "cast illusion 1 at 0,0 1 at 2,0").is_refused("BS-ILL-1", "one site, not 2")
    when(state, 0, "cast illusion portal 1 at 0,0 1 at 2,0").is_refused("BS-POR-1", "one site")


@pytest.mark.refuses("BS-ILL-1")
def test_illusion_needs_knights_in_the_reserve() -> None:
    state = given_recruitment("P0ckkkkkk P P0s P1ck", "magic 4")
    when(state, 0, "cast illusion 2 at 2,0").is_refused("BY-REC-2", "1 knight, not 2")
    when(state, 0, "cast charm illusion 1 at 0,0 1 at 2,0").is_refused("BY-REC-2")


@pytest.mark.allows("BS-ILL-2", "BS-SPL-3")
def test_charm_with_illusion_recruits_in_cities_and_strongholds() -> None:
    when(given_recruitment(), 0, "cast charm illusion 1 at 0,0 1 at 2,0 1 at 3,0 1 at 5,0").becomes(
        after_recruitment("P0ck P P0sk P0ckk P P0ck P1ck", "magic 2")
    )


@pytest.mark.allows("BS-ILL-2")
@pytest.mark.parametrize("text", ["1 at 2,0", "1 at 0,0", "1 at 2,0 1 at 5,0"])
def test_charm_with_illusion_may_leave_out_any_of_them(text: str) -> None:
    when(given_recruitment(), 0, f"cast charm illusion {text}").leads_to("play round 5 seat 1")


@pytest.mark.allows("BS-SPL-7")
def test_charm_with_illusion_may_be_cast_without_a_stronghold() -> None:
    when(given_recruitment("P0c P P0c P1ck"), 0, "cast charm illusion 1 at 0,0 1 at 2,0").becomes(
        after_recruitment("P0ck P P0ck P1ck", "magic 2")
    )


@pytest.mark.allows("BS-ILL-2")
def test_charm_with_illusion_may_be_cast_without_a_city() -> None:
    when(given_recruitment("P0s P P0s P1ck"), 0, "cast charm illusion 1 at 0,0 1 at 2,0").becomes(
        after_recruitment("P0sk P P0sk P1ck", "magic 2")
    )


@pytest.mark.allows("BS-POR-1", "BS-POR-2")
def test_portal_brings_removed_knights_back_first() -> None:
    state = given_recruitment(yellow="removed 1, magic 4")
    event = when(state, 0, "cast portal 2 at 0,0")
    event.becomes(after_recruitment("P0ckk P P0s P0ck P P0c P1ck", "magic 2"))
    event.produces("SpellsCast", returned=1, recruits=[{"at": [0, 0], "knights": 2}])


@pytest.mark.allows("BS-POR-2")
def test_knights_that_portal_does_not_use_stay_removed() -> None:
    when(given_recruitment(yellow="removed 3, magic 4"), 0, "cast portal 2 at 0,0").becomes(
        after_recruitment("P0ckk P P0s P0ck P P0c P1ck", "removed 1, magic 2")
    )


@pytest.mark.allows("BS-POR-2")
def test_portal_recruits_with_an_empty_reserve() -> None:
    state = given_recruitment("P0ckkkkk P1ck", "removed 2, magic 4")
    when(state, 0, "recruit 1 at 0,0").is_refused("BY-REC-2")
    when(state, 0, "cast portal 2 at 0,0").becomes(after_recruitment("P0ckkkkkkk P1ck", "magic 2"))


@pytest.mark.allows("BS-POR-1")
def test_portal_recruits_three_knights_beside_a_lake() -> None:
    when(given_recruitment(SHORE, "removed 2, magic 4"), 0, "cast portal 3 at 0,0").becomes(
        after_recruitment("P0ckkk P0s P P1ck\n L L P P", "magic 2")
    )


@pytest.mark.allows("BS-POR-1", "BS-SPL-7")
def test_portal_may_be_cast_without_removed_knights() -> None:
    event = when(given_recruitment(), 0, "cast portal 1 at 5,0")
    event.becomes(after_recruitment("P0c P P0s P0ck P P0ck P1ck", "magic 2"))
    assert "returned" not in event.event.data


@pytest.mark.refuses("BS-POR-1")
@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("3 at 0,0", "BY-REC-1"),
        ("1 at 0,0 1 at 3,0", "BS-POR-1"),
        ("1 at 6,0", "BS-POR-3"),
        ("1 at 1,0", "BS-POR-3"),
        ("1 at 9,9", "BS-POR-3"),
    ],
    ids=["three inland", "two cities", "red's city", "nothing there", "not on the board"],
)
def test_portal_recruits_by_the_clauses_of_action_a(text: str, clause: str) -> None:
    state = given_recruitment(yellow="removed 4, magic 4")
    when(state, 0, f"cast portal {text}").is_refused(clause)


def test_portal_recruits_no_more_than_reserve_and_removed_knights_together() -> None:
    state = given_recruitment("P0ckkkkkk P1ck\n L L", "removed 1, magic 4")
    when(state, 0, "cast portal 1 at 0,0").becomes(
        three_seats(RECRUITMENT, "P0ckkkkkkk P1ck\n L L", seat=1, yellow="magic 2")
    )
    when(state, 0, "cast portal 2 at 0,0").is_refused("BS-POR-2", "Portal can bring back 1")


@pytest.mark.refuses("BS-POR-2")
@pytest.mark.parametrize("spells", ["charm", "illusion", "charm illusion"])
def test_removed_knights_do_not_return_without_portal(spells: str) -> None:
    state = given_recruitment("P0ckkkkk P P0s P1ck", "removed 2, magic 4")
    site = "0,0" if spells == "charm" else "2,0"
    when(state, 0, f"cast {spells} 1 at {site}").is_refused("BY-REC-2", "0 knights")


@pytest.mark.allows("BS-POR-3", "BS-SPL-3")
@pytest.mark.parametrize("knights", [1, 3])
def test_portal_with_illusion_recruits_in_a_stronghold(knights: int) -> None:
    state = given_recruitment(SHORE, "removed 1, magic 4")
    when(state, 0, f"cast illusion portal {knights} at 1,0").becomes(
        after_recruitment(f"P0c P0s{'k' * knights} P P1ck\n L L P P", "magic 1")
    )


@pytest.mark.allows("BS-POR-1", "BS-SPL-3")
def test_charm_with_portal_recruits_returned_knights_in_every_city() -> None:
    state = given_recruitment("P0ckkk P P0s P0ck P P0c P1ck", "removed 3, magic 4")
    when(state, 0, "cast charm portal 1 at 0,0 1 at 3,0 1 at 5,0").becomes(
        after_recruitment("P0ckkkk P P0s P0ckk P P0ck P1ck", "magic 1")
    )


@pytest.mark.allows("BS-ILL-2", "BS-POR-2", "BS-SPL-3")
def test_all_three_spells_recruit_at_every_site_from_reserve_and_removed_knights() -> None:
    state = given_recruitment("P0ck P P0s P0ck P P0c P1ck", "removed 2, magic 4")
    text = "cast charm illusion portal 1 at 5,0 1 at 3,0 1 at 2,0 1 at 0,0"
    event = when(state, 0, text)
    event.becomes(after_recruitment("P0ckk P P0sk P0ckk P P0ck P1ck", "magic 0"))
    event.produces("SpellsCast", cost=4, returned=2)

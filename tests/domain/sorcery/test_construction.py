"""BS-ABU, BS-PET, BS-SAN, BS-SPL-3, 6, 7: one new city by spells, alone and combined."""

import pytest

from domain.barony import sorcery
from domain.barony.state import State
from domain.errors import FORMAT, Malformed
from tests.support.barony_positions import given
from tests.support.barony_results import scores
from tests.support.given_when import when
from tests.support.sorcery_diagrams import CONSTRUCTION, three_seats


def given_construction(cells: str, *, yellow: str = "magic 4", red: str = "") -> State:
    """Seat 0 (yellow) is to cast spells of construction."""
    return given(three_seats(CONSTRUCTION, cells, yellow=yellow, red=red))


def after_construction(cells: str, magic: int, tokens: str = "", *, red: str = "") -> str:
    """The diagram after a cast of construction, on the turn of seat 1 (red)."""
    yellow = f"{tokens}, new cities 1, magic {magic}"
    return three_seats(CONSTRUCTION, cells, seat=1, yellow=yellow, red=red)


@pytest.mark.allows("BS-ABU-1", "BS-PET-1", "BS-SAN-1", "BS-SPL-3")
def test_example_5_abundance_petrification_and_sanctuary_together() -> None:
    event = when(
        given_construction("F0k P P1ck"), 0, "cast abundance petrification sanctuary at 0,0"
    )
    after = event.becomes(after_construction("F0c P P1ck", 0, "1F"))
    event.produces("SpellsCast", cost=4, replaced="knight", token="forest", points=10)
    assert (after.reserve_knights[0], after.reserve_cities[0]) == (7, 4)
    assert after.bank == [25, 24, 25, 25]


@pytest.mark.allows("BS-ABU-1")
@pytest.mark.parametrize("terrain", ["M", "P", "D"])
def test_abundance_gains_the_token_of_the_hex(terrain: str) -> None:
    when(given_construction(f"{terrain}0vk F P1ck"), 0, "cast abundance at 0,0").becomes(
        after_construction(f"{terrain}0ck F P1ck", 3, f"1{terrain}")
    )


@pytest.mark.allows("BS-ABU-1", "BS-SPL-7")
def test_abundance_may_be_cast_when_the_bank_has_run_out() -> None:
    state = given_construction("P0v F P1ck", red="25P")
    event = when(state, 0, "cast abundance at 0,0")
    event.becomes(after_construction("P0c F P1ck", 3, red="25P"))
    event.produces("SpellsCast", token=None, replaced="village")


@pytest.mark.refuses("BS-ABU-1")
@pytest.mark.parametrize(
    ("cells", "cast"),
    [
        ("F0v P P1ck", "petrification at 0,0"),
        ("P0k P P1ck", "sanctuary at 0,0"),
        ("F0k P P1ck", "petrification sanctuary at 0,0"),
    ],
)
def test_without_abundance_no_token_is_gained(cells: str, cast: str) -> None:
    event = when(given_construction(cells), 0, f"cast {cast}")
    assert "token" not in event.event.data
    assert event.after.resources[0] == (0, 0, 0, 0)


@pytest.mark.refuses("BS-ABU-1")
@pytest.mark.parametrize(
    ("cells", "clause"),
    [
        ("P0k D P1ck", "BY-CTY-1"),
        ("P1v D P0ck", "BY-CTY-1"),
        ("P0s D P1ck", "BY-CTY-1"),
        ("P0ck D P1ck", "BY-CTY-1"),
        ("F0v D P1ck", "BY-CTY-2"),
        ("P0v P0c P1ck", "BY-CTY-3"),
        ("P0v P1c P0ck", "BY-CTY-3"),
        ("P0v1k D P1ck", "BY-CTY-4"),
    ],
)
def test_abundance_lifts_no_clause(cells: str, clause: str) -> None:
    when(given_construction(cells), 0, "cast abundance at 0,0").is_refused(clause, "0,0")


@pytest.mark.allows("BS-PET-1")
@pytest.mark.parametrize(
    ("cells", "then"),
    [
        ("F0v D P1ck", "F0c D P1ck"),
        ("P0v D0c P P1ck", "P0c D0c P P1ck"),
        ("F0v D0c P P1ck", "F0c D0c P P1ck"),
        ("M0vk D0ck P P1ck\n P0c", "M0ck D0ck P P1ck\n P0c"),
        ("F0v D1s P1ck", "F0c D1s P1ck"),
        ("F0v D1vk P1ck", "F0c D1vk P1ck"),
    ],
    ids=["forest", "own city", "both", "two own cities", "red stronghold by", "red village by"],
)
def test_petrification_founds_cities_in_forests_and_beside_own_cities(
    cells: str, then: str
) -> None:
    when(given_construction(cells), 0, "cast petrification at 0,0").becomes(
        after_construction(then, 3)
    )


@pytest.mark.refuses("BS-PET-1")
@pytest.mark.parametrize("red", ["", "out"])
@pytest.mark.parametrize("cells", ["F0v D1c P2k", "P0v D1c P2k\n P0c", "F0v D1c P2k\n P0c"])
@pytest.mark.parametrize("spells", ["petrification", "abundance petrification"])
def test_petrification_founds_no_city_beside_an_opponents_city(
    spells: str, cells: str, red: str
) -> None:
    refused = when(given_construction(cells, red=red), 0, f"cast {spells} at 0,0")
    refused.is_refused("BY-CTY-3", "an opponent's city")


@pytest.mark.parametrize("cells", ["P0v D P0c P1ck", "P0v D0s P1ck", "M0v F P0c P1ck"])
def test_petrification_is_for_a_forest_or_a_hex_beside_an_own_city(cells: str) -> None:
    when(given_construction(cells), 0, "cast petrification at 0,0").is_refused(
        "BS-PET-1", "neither"
    )


@pytest.mark.refuses("BS-PET-1", "BS-SAN-2")
@pytest.mark.parametrize(
    ("cells", "clause"),
    [
        ("F0k D P1ck", "BY-CTY-1"),
        ("F0s D P1ck", "BY-CTY-1"),
        ("F1v D P0ck", "BY-CTY-1"),
        ("F0k1v D P1ck", "BY-CTY-1"),
        ("F0v1k D P1ck", "BY-CTY-4"),
    ],
)
def test_without_sanctuary_the_city_replaces_only_an_own_village(cells: str, clause: str) -> None:
    for spells in ("petrification", "abundance petrification"):
        when(given_construction(cells), 0, f"cast {spells} at 0,0").is_refused(clause)


@pytest.mark.allows("BS-SAN-1", "BS-SAN-2")
def test_sanctuary_replaces_a_knight_by_a_city() -> None:
    event = when(given_construction("P0k F P1ck"), 0, "cast sanctuary at 0,0")
    after = event.becomes(after_construction("P0c F P1ck", 2))
    assert (after.reserve_knights[0], after.reserve_villages[0]) == (7, 14)


@pytest.mark.allows("BS-SAN-1")
@pytest.mark.parametrize("others", ["k", "kk"])
def test_sanctuary_leaves_further_own_knights_on_the_hex(others: str) -> None:
    when(given_construction(f"M0k{others} F P1ck"), 0, "cast sanctuary at 0,0").becomes(
        after_construction(f"M0c{others} F P1ck", 2)
    )


@pytest.mark.allows("BS-SAN-1")
def test_sanctuary_needs_no_village_and_ignores_opponents_on_adjacent_hexes() -> None:
    when(given_construction("P0k D1kk P1ck"), 0, "cast sanctuary at 0,0").becomes(
        after_construction("P0c D1kk P1ck", 2)
    )


@pytest.mark.refuses("BS-SAN-1")
@pytest.mark.parametrize(
    ("cells", "clause"),
    [
        ("P D P1ck", "BS-SAN-1"),
        ("P0v D P1ck", "BS-SAN-1"),
        ("P1k D P0ck", "BS-SAN-1"),
        ("P0k1k D P1ck", "BS-SAN-1"),
        ("P0kk1k D P1ck", "BS-SAN-1"),
        ("P0k1v D P2ck", "BS-SAN-1"),
        ("F0k D P1ck", "BY-CTY-2"),
        ("P0k D0c P1ck", "BY-CTY-3"),
        ("P0k D1c P1ck", "BY-CTY-3"),
    ],
)
@pytest.mark.parametrize("spells", ["sanctuary", "abundance sanctuary"])
@pytest.mark.parametrize("red", ["", "out"])
def test_sanctuary_needs_a_knight_on_a_hex_without_opposing_pawns(
    spells: str, cells: str, clause: str, red: str
) -> None:
    state = given_construction(cells, red=red)
    when(state, 0, f"cast {spells} at 0,0").is_refused(clause, "0,0")


@pytest.mark.parametrize("cell", ["P0vk", "P0sk", "P0ck"])
@pytest.mark.parametrize("spells", ["sanctuary", "petrification sanctuary"])
def test_sanctuary_founds_no_city_on_a_hex_with_a_building(spells: str, cell: str) -> None:
    state = given_construction(f"{cell} P0c P P1ck")
    when(state, 0, f"cast {spells} at 0,0").is_refused("BS-SAN-2", "already a building")


@pytest.mark.refuses("BS-SAN-1")
@pytest.mark.parametrize(
    "spells", ["sanctuary", "abundance sanctuary", "abundance petrification sanctuary"]
)
def test_sanctuary_founds_no_city_on_a_mysterious_place(spells: str) -> None:
    state = given_construction(
        "S*00k P0c P P1ck" if "petrification" in spells else "S*00k P P P1ck"
    )
    when(state, 0, f"cast {spells} at 0,0").is_refused("BS-MYS-1", "mysterious place")


@pytest.mark.refuses("BS-ABU-1", "BS-SAN-1")
def test_nothing_is_built_off_the_board() -> None:
    state = given_construction("P0vk F P1ck")
    for spells, clause in (
        ("abundance", "BY-CTY-1"),
        ("petrification", "BY-CTY-1"),
        ("sanctuary", "BS-SAN-1"),
        ("abundance petrification sanctuary", "BS-SAN-1"),
    ):
        when(state, 0, f"cast {spells} at 9,9").is_refused(clause, "9,9 is not on the board")


@pytest.mark.allows("BS-ABU-1", "BS-PET-1", "BS-SPL-3")
def test_abundance_with_petrification() -> None:
    when(given_construction("F0v P0c P P1ck"), 0, "cast abundance petrification at 0,0").becomes(
        after_construction("F0c P0c P P1ck", 2, "1F")
    )


@pytest.mark.allows("BS-ABU-1", "BS-SAN-1", "BS-SPL-3")
def test_abundance_with_sanctuary() -> None:
    when(given_construction("D0kk F P1ck"), 0, "cast abundance sanctuary at 0,0").becomes(
        after_construction("D0ck F P1ck", 1, "1D")
    )


@pytest.mark.allows("BS-PET-1", "BS-SAN-1", "BS-SPL-3")
@pytest.mark.parametrize("cell", ["F", "P", "M"])
def test_petrification_with_sanctuary(cell: str) -> None:
    when(
        given_construction(f"{cell}0k P0c P P1ck"), 0, "cast petrification sanctuary at 0,0"
    ).becomes(after_construction(f"{cell}0c P0c P P1ck", 1))


@pytest.mark.refuses("BS-PET-1", "BS-SAN-1")
@pytest.mark.parametrize(
    ("cells", "clause"),
    [
        ("P0k P P1ck", "BS-PET-1"),
        ("F0k D1c P1ck", "BY-CTY-3"),
        ("F0k1k P P1ck", "BS-SAN-1"),
        ("F0v P P1ck", "BS-SAN-1"),
    ],
)
@pytest.mark.parametrize("spells", ["petrification sanctuary", "abundance petrification sanctuary"])
def test_combined_spells_keep_their_own_restrictions(spells: str, cells: str, clause: str) -> None:
    when(given_construction(cells), 0, f"cast {spells} at 0,0").is_refused(clause)


@pytest.mark.refuses("BS-SPL-3")
def test_three_spells_found_a_single_city() -> None:
    spells = ["abundance", "petrification", "sanctuary"]
    for extra in ({"at": [[0, 0], [1, 0]]}, {"at": [0, 0], "recruits": [], "path": []}):
        with pytest.raises(Malformed) as refused:
            sorcery.parse_action({"type": "cast", "spells": spells, **extra})
        assert refused.value.clause == FORMAT


EVERY = [
    "abundance at 3,0",
    "petrification at 0,0",
    "sanctuary at 5,0",
    "abundance petrification at 0,0",
    "abundance sanctuary at 5,0",
    "petrification sanctuary at 7,0",
    "abundance petrification sanctuary at 7,0",
]
"""Each set of these spells, with a hex of `LAND` where it founds a city."""
LAND = "F0v P P D0v P P0k P F0k P P1ck"


@pytest.mark.allows("BS-SPL-6")
@pytest.mark.parametrize("cast", EVERY)
def test_every_construction_earns_ten_points_and_takes_a_city(cast: str) -> None:
    state = given_construction(LAND)
    after = when(state, 0, f"cast {cast}").after
    assert scores(after) == [10, 0, 0]
    assert (after.reserve_cities[0], after.new_cities[0]) == (4, 1)


@pytest.mark.refuses("BS-SPL-6")
@pytest.mark.parametrize("cast", EVERY)
def test_no_construction_spell_is_cast_without_a_city_in_reserve(cast: str) -> None:
    state = given_construction(f"{LAND} P P0c P P0c P P0c P P0c P P0c")
    assert state.reserve_cities[0] == 0
    when(state, 0, f"cast {cast}").is_refused("BY-CTY-5", "reserve")


@pytest.mark.refuses("BS-SPL-7")
def test_a_construction_spell_that_does_not_lie_open_is_not_cast() -> None:
    state = given(three_seats("abundance tornado", "P0v D P1ck", yellow="magic 9"))
    when(state, 0, "cast abundance at 0,0").leads_to("play round 5 seat 1")
    for closed in ("petrification", "abundance petrification"):
        when(state, 0, f"cast {closed} at 0,0").is_refused("BS-SPL-1", "not available")


@pytest.mark.refuses("BS-SPL-7")
def test_in_a_game_without_sorcery_no_cast_is_legal() -> None:
    state = given("play round 5 seat 0\n0: baron\n1: baron\nboard\nP0v D0k P0s P0c P1ck")
    for cast in ("abundance at 0,0", "portal 1 at 3,0", "celerity 1,0>0,0>1,0"):
        when(state, 0, f"cast {cast}").is_refused("BS-SPL-1", "without Sorcery")

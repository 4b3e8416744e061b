"""BS-SET: the board with mysterious places, the open spells, and where first cities may be placed."""

from collections import Counter
from functools import cache
from itertools import combinations

import pytest

from domain import barony
from domain.barony import sorcery
from domain.barony.components import BASE_TILES, LETTERS, TERRAINS
from domain.barony.set_up import lay
from domain.barony.sorcery.components import OTHER_TILES, PLACE_TILES
from domain.barony.sorcery.set_up import rotations_apart
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import State
from domain.chance import Chance
from domain.errors import Malformed
from domain.hexes import Hex, distance
from tests.support.barony_positions import connected_hexes, given
from tests.support.events import data_of
from tests.support.given_when import play_lines, when, when_scored

SEEDS = [bytes([number]) for number in range(8)]
PLACE = LETTERS.index("S")
NINE = [
    "abundance",
    "celerity",
    "charm",
    "illusion",
    "petrification",
    "portal",
    "sanctuary",
    "teleportation",
    "tornado",
]


def after_start(seats: int, seed: bytes) -> SorceryState:
    """The state of a game with Sorcery after its start."""
    options = sorcery.check_options(seats, {"sorcery": True})
    opening = sorcery.set_up(seats, options, Chance(seed))
    return sorcery.initial_state(seats, options, opening.data, {})


def as_sorcery(state: State) -> SorceryState:
    """The state, checked to be of a game with Sorcery."""
    assert isinstance(state, SorceryState)
    return state


@cache
def laid_board(seats: int, seed: bytes) -> dict[Hex, str]:
    """The terrain by hex, as a letter, of a board laid for so many players."""
    cells = sorcery.position(after_start(seats, seed), None)["board"]
    return {
        (cell["at"][0], cell["at"][1]): LETTERS[TERRAINS.index(cell["terrain"])] for cell in cells
    }


def gaps_between_places(board: dict[Hex, str]) -> list[int]:
    """The distances of all pairs of mysterious places."""
    places = [at for at, letter in board.items() if letter == "S"]
    return [distance(one, other) for one, other in combinations(places, 2)]


@pytest.mark.allows("BS-SET-1", "BY-SET-1", "BY-SET-2")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("seats", "places", "radius"), [(2, 3, 5), (3, 4, 6), (4, 5, 7), (5, 5, 8)]
)
def test_the_board_is_complete_for_every_number_of_players(
    seats: int, places: int, radius: int, seed: bytes
) -> None:
    board = laid_board(seats, seed)
    hexes = set(board)
    assert (len(hexes), Counter(board.values())["S"]) == (27 * seats, places)
    assert connected_hexes((0, 0), hexes) == hexes
    assert any(all(distance(at, other) <= radius for other in hexes) for at in hexes)
    window = {(q, r) for q in range(-18, 19) for r in range(-18, 19)} - hexes
    assert connected_hexes((18, 18), window) == window


@pytest.mark.allows("BY-SET-2", "BS-SET-2")
def test_other_places_are_used_where_the_best_ones_would_leave_a_gap() -> None:
    """A rare board: few places are far enough from a mysterious place, and those would leave a gap."""
    hexes = set(laid_board(2, (766).to_bytes(32, "big")))
    window = {(q, r) for q in range(-18, 19) for r in range(-18, 19)} - hexes
    assert (len(hexes), connected_hexes((18, 18), window)) == (54, window)


@pytest.mark.allows("BS-SET-1")
def test_five_players_use_all_45_tiles() -> None:
    whole = Counter("".join(BASE_TILES + PLACE_TILES + OTHER_TILES))
    assert all(Counter(laid_board(5, seed).values()) == whole for seed in SEEDS)


@pytest.mark.refuses("BS-SET-1")
def test_four_players_use_only_the_tiles_with_a_mysterious_place() -> None:
    base = Counter("".join(BASE_TILES))
    for seed in SEEDS:
        rest = Counter(laid_board(4, seed).values()) - Counter("".join(PLACE_TILES))
        assert (rest.total(), rest <= base) == (93, True)


@pytest.mark.refuses("BS-SET-1")
def test_five_players_require_the_expansion() -> None:
    assert sorcery.check_options(5, {"sorcery": True})["sorcery"] is True
    with pytest.raises(Malformed) as refused:
        barony.check_options(5, {})
    assert list(refused.value.fields) == ["seats"]


@pytest.mark.allows("BS-SET-1", "BS-SET-2", "BS-SET-4")
@pytest.mark.parametrize("seed", SEEDS[:4])
@pytest.mark.parametrize(
    ("seats", "places", "radius"), [(2, 3, 5), (3, 4, 6), (4, 5, 7), (5, 5, 8)]
)
def test_the_draws_come_in_the_published_order(
    seats: int, places: int, radius: int, seed: bytes
) -> None:
    chance = Chance(seed)
    taken = chance.shuffle(["SDF", "SDP", "SFM", "SLP", "SDM"])[:places]
    others = [*BASE_TILES]
    if seats == 5:
        others += ["DFM", "DMP", "FPP", "FLP"]
    taken += chance.shuffle(others)[: 9 * seats - places]
    board = lay(chance.shuffle(taken), radius, chance, rotations_apart)
    spells = chance.shuffle(NINE)[:5]
    state = after_start(seats, seed)
    assert dict(zip(state.board.hexes, state.board.terrain, strict=True)) == board
    assert list(state.spells) == sorted(spells)


@pytest.mark.allows("BS-SET-2")
def test_mysterious_places_lie_at_least_three_steps_apart() -> None:
    gaps = [gap for seats in (2, 3, 4, 5) for seed in SEEDS for gap in gaps_of(seats, seed)]
    assert min(gaps) == 3


def gaps_of(seats: int, seed: bytes) -> list[int]:
    """The distances between the mysterious places of a board."""
    return gaps_between_places(laid_board(seats, seed))


@pytest.mark.refuses("BS-SET-2")
@pytest.mark.parametrize("number", range(30))
def test_two_tiles_side_by_side_are_turned_so_that_their_places_lie_apart(number: int) -> None:
    terrain = lay(["SDF", "SLP"], 5, Chance(bytes([number])), rotations_apart)
    assert gaps_between_places({at: LETTERS[ground] for at, ground in terrain.items()}) == [3]


@pytest.mark.refuses("BS-SET-2")
def test_turns_that_bring_a_place_too_near_are_not_allowed() -> None:
    near, far = ((1, 0), (1, 1), (2, 0)), ((2, 0), (2, 1), (3, 0))
    assert list(rotations_apart("SDF", near, {(0, 0): PLACE})) == []
    assert list(rotations_apart("SDF", far, {(0, 0): PLACE})) == [1, 2]
    assert list(rotations_apart("DFM", near, {(0, 0): PLACE})) == [0, 1, 2]
    assert list(rotations_apart("SDF", near, {})) == [0, 1, 2]


PLACES_AMID = """
    setup round 0 seat 0
    spells: charm
    0: baron
    1: baron
    board
    P P S P P P
     P P P P P D
    """


@pytest.mark.allows("BS-SET-3")
@pytest.mark.parametrize("where", ["0,0", "4,0", "0,1", "3,1"])
def test_a_first_city_may_be_placed_two_steps_from_a_mysterious_place(where: str) -> None:
    when(given(PLACES_AMID), 0, f"place {where}").produces("CityPlaced")


def test_placements_that_barony_refuses_are_refused_with_sorcery_too() -> None:
    state = given(PLACES_AMID)
    when(state, 0, "place 9,9").is_refused("BY-SET-4", "not on the board")
    when(play_lines(state, "0 place 5,1"), 1, "place 4,1").is_refused("BY-SET-4", "city")
    play = given(PLACES_AMID.replace("setup round 0", "play round 1"))
    when(play, 0, "place 2,0").is_refused("BY-SET-6")


@pytest.mark.allows("BS-SET-3")
def test_in_play_a_city_is_founded_beside_a_mysterious_place() -> None:
    state = given("play round 5 seat 0\nspells: charm\n0: baron\n1: baron\nboard\nP0v S D P1ck")
    when(state, 0, "city 0,0").produces("CityFounded", at=[0, 0], points=10)


@pytest.mark.allows("BY-SET-5")
@pytest.mark.refuses("BS-SET-3")
def test_set_up_ends_when_only_hexes_beside_mysterious_places_are_left() -> None:
    state = given("""
        setup round 0 seat 1
        spells: charm
        0: baron
        1: baron
        board
        P0ck P D P S P F D
        """)
    when(state, 1, "place 2,0").leads_to("setup round 0 seat 1")
    state = given("setup round 0 seat 0\nspells: charm\n0: baron\n1: baron\nboard\nD S P F P")
    when(state, 0, "place 4,0").becomes("""
        play round 1 seat 0
        spells: charm
        0: baron
        1: baron
        board
        D S P F P0ck
        """)


@pytest.mark.refuses("BY-SET-5")
def test_no_city_is_forgone_while_a_hex_away_from_the_places_is_left() -> None:
    state = given("setup round 0 seat 0\nspells: charm\n0: baron\n1: baron\nboard\nD S P P F P")
    when(state, 0, "place 3,0").leads_to("setup round 0 seat 1")
    when(state, 0, "pass").is_refused("BY-SET-6")


@pytest.mark.allows("BY-SET-3")
def test_the_fifth_of_five_players_places_three_cities() -> None:
    state = after_start(5, b"order")
    order: list[int] = []
    while state.phase == "setup":
        assert state.to_act is not None
        order.append(state.to_act)
        first = sorcery.legal_actions(state, state.to_act)[0]
        when(state, (state.to_act + 1) % 5, sorcery.action_text(first)).is_refused("BY-TURN-3")
        state = play_lines(state, f"{state.to_act} {sorcery.action_text(first)}")
    assert order == [0, 1, 2, 3, 4, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0]
    for player in sorcery.position(state, None)["players"]:
        reserve = {"knights": 4, "villages": 14, "strongholds": 2, "cities": 2}
        assert (player["reserve"], player["new_cities"]) == (reserve, 0)


@pytest.mark.allows("BS-SET-4")
def test_five_spells_lie_open_and_any_of_the_nine_can_be_among_them() -> None:
    draws = [after_start(2, seed).spells for seed in SEEDS]
    assert {(len(spells), len(set(spells))) for spells in draws} == {(5, 5)}
    assert all(list(spells) == sorted(spells) for spells in draws)
    assert sorted({spell for spells in draws for spell in spells}) == NINE


@pytest.mark.allows("BS-SET-4")
def test_the_open_spells_stay_open_to_the_end_of_the_game() -> None:
    states = [after_start(2, b"open")]
    while states[-1].phase == "setup":
        first = sorcery.legal_actions(states[-1], states[-1].to_act or 0)[0]
        states.append(play_lines(states[-1], f"{states[-1].to_act} {sorcery.action_text(first)}"))
    states.append(play_lines(states[-1], "1 resign"))
    finished = when_scored(states[-1]).after
    shown = [sorcery.position(state, seat) for state in states for seat in (None, 0, 1)]
    shown.append(sorcery.position(as_sorcery(finished), None))
    assert shown[-1]["phase"] == "finished"
    assert all(position["spells"] == list(states[0].spells) for position in shown)


@pytest.mark.refuses("BS-SET-4")
@pytest.mark.parametrize(
    "text", ["celerity 0,0>1,0>2,0", "charm 1 at 2,0", "illusion 1 at 1,0", "sanctuary at 0,0"]
)
def test_the_four_other_spells_cannot_be_cast(text: str) -> None:
    state = given("""
        play round 3 seat 0
        spells: abundance petrification portal teleportation tornado
        0: baron, magic 9
        1: baron
        board
        P0k P0s D0c P P1ck
        """)
    when(state, 0, f"cast {text}").is_refused(
        "BS-SPL-1", text.split(maxsplit=1)[0].capitalize(), "not available"
    )


@pytest.mark.refuses("BS-SET-4")
def test_without_the_expansion_no_spell_lies_open() -> None:
    opening = barony.set_up(2, barony.check_options(2, {}), Chance(b"open"))
    assert data_of(opening)["spells"] == []

"""BS-MAT: the components of the expansion, and the limits that follow from them."""

from collections import Counter

import pytest

from domain.barony import sorcery
from domain.barony.components import BASE_TILES
from domain.barony.sorcery.components import OTHER_TILES, PLACE_TILES
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import State
from domain.chance import Chance
from domain.errors import Malformed
from tests.support.barony_positions import given
from tests.support.faults import faults_of
from tests.support.given_when import play_lines, rule_system_for, when


def after_start(seats: int) -> SorceryState:
    """The state of a game with Sorcery after its start."""
    options = sorcery.check_options(seats, {"sorcery": True})
    opening = sorcery.set_up(seats, options, Chance(b"seed"))
    return sorcery.initial_state(seats, options, opening.data, {})


@pytest.mark.allows("BS-MAT-1", "BY-MAT-1")
def test_a_fifth_player_has_as_many_pawns_as_the_others() -> None:
    position = sorcery.position(after_start(5), None)
    assert position["pawns"] == []
    whole = {"knights": 7, "villages": 14, "strongholds": 2, "cities": 5}
    assert [player["reserve"] for player in position["players"]] == [whole] * 5


@pytest.mark.allows("BS-MAT-1")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_bank_begins_with_25_of_each_kind_and_nobody_with_magic(seats: int) -> None:
    position = sorcery.position(after_start(seats), None)
    assert position["bank"] == {"mountain": 25, "forest": 25, "plain": 25, "field": 25}
    assert {(player["magic"], *player["imprints"]) for player in position["players"]} == {(0,)}


@pytest.mark.refuses("BS-MAT-1")
@pytest.mark.parametrize("seats", [0, 1, 6])
def test_there_is_no_sixth_player(seats: int) -> None:
    with pytest.raises(Malformed) as refused:
        sorcery.check_options(seats, {"sorcery": True})
    assert faults_of(refused.value) == {"seats": "must be 2 to 5"}


@pytest.mark.allows("BS-MAT-1", "BY-MAT-4")
def test_the_25th_token_of_a_kind_is_gained() -> None:
    state = given("play round 4 seat 0\nspells: charm\n0: baron\n1: baron, 24F\nboard\nF0k P1ck")
    when(state, 0, "build village 0,0").becomes("""
        play round 4 seat 1
        spells: charm
        0: baron, 1F
        1: baron, 24F
        bank: 25M 25P 25D
        board
        F0v P1ck
        """)


@pytest.mark.refuses("BS-MAT-1", "BY-MAT-4")
def test_there_is_no_26th_token_of_a_kind() -> None:
    state = given("play round 4 seat 0\nspells: charm\n0: baron\n1: baron, 25F\nboard\nF0k P1ck")
    after = when(state, 0, "build village 0,0").produces(
        "BuildingsBuilt", built=[{"at": [0, 0], "building": "village", "token": None}]
    )
    assert (after.resources[0], after.bank) == ((0,) * 4, [25, 0, 25, 25])


FIVE_PLACES = """
    play round 1 seat 0
    spells: charm
    0: baron
    1: baron
    2: baron
    3: baron
    board
    S          P  S          P  S          P  S          P  S
      P0k1k2k3k P  P0k1k2k3k  P  P0k1k2k     P  P0k1k2k3k  P  P0k1k2k3k
    """
ROUND = ("0,1>0,0 2,1>2,0", "4,1>4,0 6,1>6,0", "8,1>8,0")


def explored_by_three() -> State:
    """A position in which seats 0, 1 and 2 have an imprint on each of the five places."""
    state = given(FIVE_PLACES)
    for moves in ROUND:
        first = [f"{seat} move {moves}" for seat in range(3)]
        state = play_lines(state, *first, "clock")
    return state


def magic_and_imprints(state: State) -> list[tuple[int, int]]:
    """The numbers of magic tokens and imprints of each seat."""
    players = rule_system_for(state).position(state, None)["players"]
    return [(player["magic"], len(player["imprints"])) for player in players]


@pytest.mark.allows("BS-MAT-1")
def test_all_the_magic_and_all_the_imprints_of_a_player_may_be_used() -> None:
    assert magic_and_imprints(explored_by_three()) == [(15, 5), (10, 5), (5, 5), (0, 0)]


@pytest.mark.refuses("BS-MAT-1")
def test_no_more_than_30_magic_tokens_are_ever_gained() -> None:
    state = play_lines(explored_by_three(), "clock", "clock", "clock", f"3 move {ROUND[0]}")
    seats = magic_and_imprints(state)
    assert sum(magic for magic, _ in seats) == 30
    assert seats[3] == (0, 0)


@pytest.mark.refuses("BS-MAT-1")
def test_there_is_no_tenth_spell() -> None:
    raw = {"type": "cast", "spells": ["fireball"], "at": [0, 0]}
    with pytest.raises(Malformed) as refused:
        sorcery.parse_action(raw)
    nine = (
        "abundance, celerity, charm, illusion, petrification, portal, "
        "sanctuary, teleportation, tornado"
    )
    assert faults_of(refused.value) == {"spells.0": f"must be one of {nine}"}


@pytest.mark.allows("BS-MAT-2")
def test_the_nine_tiles_have_27_hexes_five_of_them_mysterious_places() -> None:
    letters = Counter("".join(PLACE_TILES + OTHER_TILES))
    assert letters == {"S": 5, "M": 4, "F": 5, "P": 6, "D": 5, "L": 2}
    assert [Counter(tile)["S"] for tile in PLACE_TILES] == [1] * 5
    assert len(PLACE_TILES + OTHER_TILES + BASE_TILES) == 45


@pytest.mark.refuses("BS-MAT-2")
def test_no_other_tile_has_a_mysterious_place() -> None:
    assert not any("S" in tile for tile in OTHER_TILES + BASE_TILES)

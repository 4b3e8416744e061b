"""Small random positions of Sorcery, and casts to try on them.

Hypothesis passes its own random generator to the same functions, so that it can shrink failing examples.
"""

import random
from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st

from domain.barony.actions import Cast
from domain.barony.components import (
    CITIES,
    CITY,
    FAMILY,
    FIELD,
    FOREST,
    KNIGHTS,
    LAKE,
    MOUNTAIN,
    MYSTERIOUS_PLACE,
    PLAIN,
    RESOURCES,
    SPELLS,
    STRONGHOLD,
    STRONGHOLDS,
    VILLAGE,
    VILLAGES,
)
from domain.barony.formats import BaronyPosition
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.barony.state import State, replaced
from domain.hexes import Hex, hex_of, neighbours
from tests.support.barony_positions import SEVEN, given, write_position
from tests.support.sorcery_diagrams import MOVEMENT, three_seats

TEN: Final = (*SEVEN, (2, -1), (2, 0), (1, 1))
"""The seven hexes of `SEVEN` and three more to the east, so that some paths cannot lead back to the start."""
TERRAIN_CHOICES: Final = (
    [MOUNTAIN] * 3 + [MYSTERIOUS_PLACE] * 2 + [FOREST] * 2 + [PLAIN, FIELD, LAKE]
)
BUILDING_CHOICES: Final = [0, 0, 0, VILLAGE, VILLAGE, STRONGHOLD, CITY]


def sorcery_state(rng: random.Random) -> SorceryState:
    """A position of play for 2 to 5 seats on seven or ten hexes, seat 0 or 1 to act.

    Five spells or more are open. Pawns share hexes, mountains too, as they can after a Teleportation; there
    are few tokens, and the bank runs out. Rarely two knights of an opponent share a hex with an own pawn:
    no game leads there, but the clauses apply all the same.
    """
    hexes = rng.choice([SEVEN, TEN])
    seats, mover = rng.randint(2, 5), rng.randint(0, 1)
    board = SorceryBoard({at: rng.choice(TERRAIN_CHOICES) for at in hexes})
    state = SorceryState(board, seats)
    state.phase, state.round, state.to_act = "play", 1, mover
    state.spells = tuple(sorted(rng.sample(SPELLS, rng.randint(5, 9))))
    state.magic = [rng.randint(0, 3) for _ in range(seats)]
    state.magic[mover] = rng.choice([0, 1, 2, 3, 3, 4, 4, 5, 6])
    for hex, terrain in enumerate(board.terrain):
        if terrain != LAKE:
            _put_pawns(rng, state, hex, may_build=terrain != MYSTERIOUS_PLACE)
        if terrain == MYSTERIOUS_PLACE:
            for seat in rng.sample(range(seats), rng.randint(0, min(3, seats))):
                state.imprints[seat] += (hex,)
    state.bank = [rng.randint(0, 2) for _ in range(4)]
    for seat in range(seats):
        most = rng.randint(0, 2)
        state.resources[seat] = tuple(rng.randint(0, most) for _ in range(4))
        is_out = seat != mover and seats > 2 and rng.random() < 0.1
        state.is_out = replaced(state.is_out, seat, is_out)
        _fill_reserve(rng, state, seat)
    return state


def _put_pawns(rng: random.Random, state: SorceryState, hex: int, *, may_build: bool) -> None:
    """Put pawns on a hex: any pawns of one seat, or one knight or village of each of several seats."""
    seats = [
        seat for seat in range(state.seats) if rng.random() < (0.5 if seat == state.to_act else 0.3)
    ]
    for seat in rng.sample(seats, len(seats)):
        is_alone = len(seats) == 1
        kinds = BUILDING_CHOICES if is_alone else [0, VILLAGE]
        building = rng.choice(kinds) if may_build and not state.building[hex] else 0
        if building:
            state.building[hex], state.owner[hex] = building, seat
        knights = rng.randint(0 if building else 1, 2) if is_alone else int(not building)
        if seat != state.to_act and knights and rng.random() < 0.03:
            knights = 2
        state.knights[seat][hex] = min(knights, KNIGHTS - sum(state.knights[seat]))


def _fill_reserve(rng: random.Random, state: SorceryState, seat: int) -> None:
    """Put the other pawns in reserve; fewer for the seat to act, as if the rest stood elsewhere."""
    built = [b for b, o in zip(state.building, state.owner, strict=True) if b and o == seat]
    state.reserve_knights[seat] = KNIGHTS - sum(state.knights[seat])
    state.reserve_villages[seat] = VILLAGES - built.count(VILLAGE)
    state.reserve_strongholds[seat] = max(0, STRONGHOLDS - built.count(STRONGHOLD))
    state.reserve_cities[seat] = max(0, CITIES - built.count(CITY))
    if seat == state.to_act:
        reserve = state.reserve_knights[seat]
        removed = rng.randint(0, min(3, reserve))
        state.removed_knights = replaced(state.removed_knights, seat, removed)
        state.reserve_knights[seat] = rng.randint(0, reserve - removed)
        state.reserve_cities[seat] = rng.randint(0, 2)


small_sorcery_states: Final = st.builds(sorcery_state, st.randoms(use_true_random=False))
"""A hypothesis strategy for these positions."""


def board_and_border(state: SorceryState) -> list[Hex]:
    """The hexes of the board, and those adjacent to it."""
    hexes = state.board.hexes
    return sorted({*hexes, *(near for at in hexes for near in neighbours(at))})


def some_cast(rng: random.Random, state: SorceryState) -> Cast:
    """A random cast that is often legal, and often nearly legal."""
    hexes = state.board.hexes
    family = rng.choice([*FAMILY.values()])
    own = [spell for spell in state.spells if FAMILY[spell] == family]
    if not own or rng.random() < 0.05:
        own = list(SPELLS)
    spells = tuple(sorted(rng.sample(own, rng.randint(1, min(3, len(own))))))
    family = FAMILY[spells[0]]
    if family == "movement":
        takes = rng.choices(RESOURCES, k=rng.choice([0, 0, 0, 1, 1, 2, 3]))
        return Cast(spells, path=_path(rng, state, spells), takes=tuple(takes))
    built = [
        at
        for hex, at in enumerate(hexes)
        if state.building[hex] and state.owner[hex] == state.to_act
    ]
    if family == "construction":
        knights = [
            hexes[hex] for hex, count in enumerate(state.knights[state.to_act or 0]) if count
        ]
        likely = knights if "sanctuary" in spells else built
        anywhere = board_and_border(state) if rng.random() < 0.2 else hexes
        return Cast(spells, at=rng.choice(likely if rng.random() < 0.7 and likely else anywhere))
    kinds = [STRONGHOLD] if "illusion" in spells else [CITY]
    kinds += [CITY] if "charm" in spells else []
    fit = [at for at in built if state.building[state.board.index[at]] in kinds]
    sites = fit if fit and rng.random() < 0.8 else hexes
    chosen = sorted(rng.sample(sites, min(len(sites), rng.choice([1, 1, 1, 2, 3]))))
    return Cast(spells, recruits=tuple((at, rng.choice([1, 1, 1, 2, 3, 4])) for at in chosen))


def _path(rng: random.Random, state: SorceryState, spells: Sequence[str]) -> tuple[Hex, ...]:
    hexes = state.board.hexes
    knights = [hexes[hex] for hex, count in enumerate(state.knights[state.to_act or 0]) if count]
    path = [rng.choice(knights if knights and rng.random() < 0.95 else hexes)]
    steps = 1 + ("celerity" in spells)
    for _ in range(steps if rng.random() < 0.95 else 3 - steps):
        near = [at for at in neighbours(path[-1]) if at in state.board.index]
        path.append(rng.choice(near if near and rng.random() < 0.95 else board_and_border(state)))
    return tuple(path)


def from_position(position: BaronyPosition, turn: int = 1) -> SorceryState:
    """The state of a position with Sorcery; positions do not contain `turn`."""
    state = SorceryState(SorceryBoard.from_json(position["board"]), len(position["players"]))
    write_position(state, position, turn)
    index = state.board.index
    state.spells = tuple(position["spells"])
    state.magic = [player["magic"] for player in position["players"]]
    state.imprints = [
        tuple(index[hex_of(at)] for at in player["imprints"]) for player in position["players"]
    ]
    return state


def given_movement(cells: str, *, magic: int = 4, red: str = "", blue: str = "") -> State:
    """A position in which seat 0 (yellow) is to cast spells of movement."""
    return given(three_seats(MOVEMENT, cells, yellow=f"magic {magic}", red=red, blue=blue))


def after_movement(cells: str, *, yellow: str = "magic 3", red: str = "", blue: str = "") -> str:
    """The diagram after a cast of movement, on the turn of seat 1 (red)."""
    return three_seats(MOVEMENT, cells, seat=1, yellow=yellow, red=red, blue=blue)

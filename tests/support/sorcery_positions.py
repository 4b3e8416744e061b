"""Small positions of Sorcery, and casts to try on them, made from a random generator.

Hypothesis gives its own generator to the same functions, so that what fails is made smaller.
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
from domain.barony.state import replaced
from domain.hexes import Hex, hex_of, neighbours
from tests.support.barony_positions import SEVEN, write_position

TEN: Final = (*SEVEN, (2, -1), (2, 0), (1, 1))
"""The seven, and three more to the east: with a way that leads back to no start."""
GROUNDS: Final = [MOUNTAIN] * 3 + [MYSTERIOUS_PLACE] * 2 + [FOREST] * 2 + [PLAIN, FIELD, LAKE]
ALONE: Final = [0, 0, 0, VILLAGE, VILLAGE, STRONGHOLD, CITY]


def sorcery_state(chooser: random.Random) -> SorceryState:
    """A position of play for 2 to 5 seats on seven or ten hexes, seat 0 or 1 to act.

    Five spells or more are open. Pawns share hexes, mountains too, as they can after a Teleportation; there
    are few tokens, and a bank that runs out. Here and there stand two knights of an opponent with one's
    own, where no game leads: the clauses have an answer there too.
    """
    hexes = chooser.choice([SEVEN, TEN])
    seats, mover = chooser.randint(2, 5), chooser.randint(0, 1)
    board = SorceryBoard({at: chooser.choice(GROUNDS) for at in hexes})
    state = SorceryState(board, seats)
    state.phase, state.round, state.to_act = "play", 1, mover
    state.spells = tuple(sorted(chooser.sample(SPELLS, chooser.randint(5, 9))))
    state.magic = [chooser.randint(0, 3) for _ in range(seats)]
    state.magic[mover] = chooser.choice([0, 1, 2, 3, 3, 4, 4, 5, 6])
    for hex, ground in enumerate(board.terrain):
        if ground != LAKE:
            _put_pawns(chooser, state, hex, may_build=ground != MYSTERIOUS_PLACE)
        if ground == MYSTERIOUS_PLACE:
            for seat in chooser.sample(range(seats), chooser.randint(0, min(3, seats))):
                state.imprints[seat] += (hex,)
    state.bank = [chooser.randint(0, 2) for _ in range(4)]
    for seat in range(seats):
        most = chooser.randint(0, 2)
        state.resources[seat] = tuple(chooser.randint(0, most) for _ in range(4))
        is_out = seat != mover and seats > 2 and chooser.random() < 0.1
        state.is_out = replaced(state.is_out, seat, is_out)
        _fill_reserve(chooser, state, seat)
    return state


def _put_pawns(chooser: random.Random, state: SorceryState, hex: int, *, may_build: bool) -> None:
    """Alone a seat may have anything on a hex; with others it has one knight or village."""
    seats = [
        seat
        for seat in range(state.seats)
        if chooser.random() < (0.5 if seat == state.to_act else 0.3)
    ]
    for seat in chooser.sample(seats, len(seats)):
        is_alone = len(seats) == 1
        kinds = ALONE if is_alone else [0, VILLAGE]
        building = chooser.choice(kinds) if may_build and not state.building[hex] else 0
        if building:
            state.building[hex], state.owner[hex] = building, seat
        knights = chooser.randint(0 if building else 1, 2) if is_alone else int(not building)
        if seat != state.to_act and knights and chooser.random() < 0.03:
            knights = 2
        state.knights[seat][hex] = min(knights, KNIGHTS - sum(state.knights[seat]))


def _fill_reserve(chooser: random.Random, state: SorceryState, seat: int) -> None:
    """What is not on the board; for the seat to act fewer, as if the rest stood elsewhere."""
    built = [b for b, o in zip(state.building, state.owner, strict=True) if b and o == seat]
    state.reserve_knights[seat] = KNIGHTS - sum(state.knights[seat])
    state.reserve_villages[seat] = VILLAGES - built.count(VILLAGE)
    state.reserve_strongholds[seat] = max(0, STRONGHOLDS - built.count(STRONGHOLD))
    state.reserve_cities[seat] = max(0, CITIES - built.count(CITY))
    if seat == state.to_act:
        reserve = state.reserve_knights[seat]
        removed = chooser.randint(0, min(3, reserve))
        state.removed_knights = replaced(state.removed_knights, seat, removed)
        state.reserve_knights[seat] = chooser.randint(0, reserve - removed)
        state.reserve_cities[seat] = chooser.randint(0, 2)


small_sorcery_states: Final = st.builds(sorcery_state, st.randoms(use_true_random=False))
"""The same positions from hypothesis."""


def around(state: SorceryState) -> list[Hex]:
    """The hexes of the board and those beside it."""
    hexes = state.board.hexes
    return sorted({*hexes, *(near for at in hexes for near in neighbours(at))})


def some_cast(chooser: random.Random, state: SorceryState) -> Cast:
    """A cast that is often legal, and often just not."""
    hexes = state.board.hexes
    family = chooser.choice([*FAMILY.values()])
    own = [spell for spell in state.spells if FAMILY[spell] == family]
    if not own or chooser.random() < 0.05:
        own = list(SPELLS)
    spells = tuple(sorted(chooser.sample(own, chooser.randint(1, min(3, len(own))))))
    family = FAMILY[spells[0]]
    if family == "movement":
        takes = chooser.choices(RESOURCES, k=chooser.choice([0, 0, 0, 1, 1, 2, 3]))
        return Cast(spells, path=_path(chooser, state, spells), takes=tuple(takes))
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
        anywhere = around(state) if chooser.random() < 0.2 else hexes
        return Cast(
            spells, at=chooser.choice(likely if chooser.random() < 0.7 and likely else anywhere)
        )
    kinds = [STRONGHOLD] if "illusion" in spells else [CITY]
    kinds += [CITY] if "charm" in spells else []
    fit = [at for at in built if state.building[state.board.index[at]] in kinds]
    sites = fit if fit and chooser.random() < 0.8 else hexes
    chosen = sorted(chooser.sample(sites, min(len(sites), chooser.choice([1, 1, 1, 2, 3]))))
    return Cast(spells, recruits=tuple((at, chooser.choice([1, 1, 1, 2, 3, 4])) for at in chosen))


def _path(chooser: random.Random, state: SorceryState, spells: Sequence[str]) -> tuple[Hex, ...]:
    hexes = state.board.hexes
    knights = [hexes[hex] for hex, count in enumerate(state.knights[state.to_act or 0]) if count]
    path = [chooser.choice(knights if knights and chooser.random() < 0.95 else hexes)]
    steps = 1 + ("celerity" in spells)
    for _ in range(steps if chooser.random() < 0.95 else 3 - steps):
        near = [at for at in neighbours(path[-1]) if at in state.board.index]
        path.append(chooser.choice(near if near and chooser.random() < 0.95 else around(state)))
    return tuple(path)


def from_position(position: BaronyPosition, turn: int = 1) -> SorceryState:
    """The state that a position with Sorcery shows. A position has no `turn`."""
    state = SorceryState(SorceryBoard.from_json(position["board"]), len(position["players"]))
    write_position(state, position, turn)
    index = state.board.index
    state.spells = tuple(position["spells"])
    state.magic = [player["magic"] for player in position["players"]]
    state.imprints = [
        tuple(index[hex_of(at)] for at in player["imprints"]) for player in position["players"]
    ]
    return state

"""Casting (BS-SPL): which spells may be cast together, what they cost, and the lists of all casts."""

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Final

from domain.barony.actions import Cast
from domain.barony.components import CONSTRUCTION, FAMILY, MOVEMENT, RECRUITMENT
from domain.barony.sorcery.components import cost_of
from domain.barony.sorcery.construction import decide_construction, legal_constructions
from domain.barony.sorcery.movement import decide_movement
from domain.barony.sorcery.movement_options import legal_movements
from domain.barony.sorcery.recruitment import decide_recruitment, legal_recruitments
from domain.barony.sorcery.state import SorceryState
from domain.contract import DomainEvent, Json, untyped_event
from domain.errors import Refused
from domain.phrases import counted, listing


def decide_cast(state: SorceryState, seat: int, cast: Cast) -> DomainEvent:
    """BS-SPL-1, 2, 3: spells of one family that lie open are paid, and do what they do. Raises Refused."""
    closed = [spell for spell in cast.spells if spell not in state.spells]
    if closed:
        which = f"{listing(closed)} {'is' if len(closed) == 1 else 'are'} not among the spells that"
        raise Refused("BS-SPL-1", f"{which} lie open: {', '.join(state.spells)}")
    families = {FAMILY[spell] for spell in cast.spells}
    if len(families) > 1:
        raise Refused("BS-SPL-1", "spells cast together are of one family")
    cost, magic = cost_of(cast.spells), state.magic[seat]
    if cost > magic:
        price = counted(cost, "magic token")
        raise Refused("BS-SPL-2", f"this costs {price}, and seat {seat} has {magic}")
    data: Json = {"seat": seat, "spells": list(cast.spells), "cost": cost}
    return untyped_event("SpellsCast", {**data, **_DECIDE[families.pop()](state, seat, cast)})


@cache
def combinations_of(family: str, spells: tuple[str, ...], magic: int) -> list[tuple[str, ...]]:
    """BS-SPL-1, 2, 4: every set of open spells of a family that can be paid, fewer before more."""
    own = [spell for spell in spells if FAMILY[spell] == family]
    return [
        together
        for count in range(1, len(own) + 1)
        for together in combinations(own, count)
        if cost_of(together) <= magic
    ]


def legal_casts(state: SorceryState, seat: int) -> list[Cast]:
    """BS-SPL: every outcome that a cast could have, once."""
    magic = state.magic[seat]
    casts: list[Cast] = []
    for family, legal in _LEGAL.items():
        choices = combinations_of(family, state.spells, magic)
        if choices:
            casts += legal(state, seat, choices)
    return casts


_DECIDE: Final[dict[str, Callable[[SorceryState, int, Cast], Json]]] = {
    MOVEMENT: decide_movement,
    RECRUITMENT: decide_recruitment,
    CONSTRUCTION: decide_construction,
}
_LEGAL: Final = {
    MOVEMENT: legal_movements,
    RECRUITMENT: legal_recruitments,
    CONSTRUCTION: legal_constructions,
}

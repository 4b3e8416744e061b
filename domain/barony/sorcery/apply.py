"""`apply` for games with Sorcery: writes recorded events into a state. It never refuses and never decides."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from domain.barony.apply import (
    EVENT_APPLIERS,
    EventApplier,
    apply_destroyed,
    apply_expedition,
    apply_new_city,
)
from domain.barony.apply import apply as base_apply
from domain.barony.apply import apply_steps as base_apply_steps
from domain.barony.components import CITY, KIND
from domain.barony.sorcery.formats import (
    ConstructionCast,
    ExpeditionSent,
    KnightsMoved,
    MovedStep,
    MovementCast,
    RecruitmentCast,
    SpellsCast,
)
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import replaced


def apply_steps(state: SorceryState, seat: int, steps: Sequence[MovedStep]) -> None:
    """Steps of knights from hex to hex, with what their arrivals destroyed and gained."""
    base_apply_steps(state, seat, steps)
    for step in steps:
        if "magic" in step:
            _apply_imprint(state, seat, step["to"], step["magic"])


def _apply_imprint(state: SorceryState, seat: int, at: list[int], magic: int) -> None:
    """The seat places an imprint on a mysterious place and gains magic tokens."""
    q, r = at
    state.imprints[seat] = tuple(sorted((*state.imprints[seat], state.board.index[q, r])))
    state.magic[seat] += magic


def _knights_moved(state: SorceryState, data: KnightsMoved) -> None:
    apply_steps(state, data["seat"], data["moves"])


def _expedition_sent(state: SorceryState, data: ExpeditionSent) -> None:
    apply_expedition(state, data)
    if "magic" in data:
        _apply_imprint(state, data["seat"], data["to"], data["magic"])


def _spells_cast(state: SorceryState, data: SpellsCast) -> None:
    state.magic[data["seat"]] -= data["cost"]
    if "moves" in data:
        _apply_movement(state, data)
    elif "recruits" in data:
        _apply_recruitment(state, data)
    elif "replaced" in data:
        _apply_construction(state, data)


def _apply_movement(state: SorceryState, data: MovementCast) -> None:
    index, seat = state.board.index, data["seat"]
    for step in data["moves"]:
        if "left" in step:
            q, r = step["from"]
            apply_destroyed(state, seat, index[q, r], step["left"])
        apply_steps(state, seat, (step,))
        if "swept" in step:
            q, r = step["to"]
            apply_destroyed(state, seat, index[q, r], step["swept"])


def _apply_recruitment(state: SorceryState, data: RecruitmentCast) -> None:
    seat, returned = data["seat"], data.get("returned", 0)
    knights = state.knights_to_change(seat)
    removed = state.removed_knights[seat] - returned
    state.removed_knights = replaced(state.removed_knights, seat, removed)
    state.reserve_knights[seat] += returned
    for recruits in data["recruits"]:
        q, r = recruits["at"]
        knights[state.board.index[q, r]] += recruits["knights"]
        state.reserve_knights[seat] -= recruits["knights"]


def _apply_construction(state: SorceryState, data: ConstructionCast) -> None:
    q, r = data["at"]
    seat, hex = data["seat"], state.board.index[q, r]
    if data["replaced"] == "knight":
        state.knights_to_change(seat)[hex] -= 1
        state.reserve_knights[seat] += 1
    else:
        state.reserve_villages[seat] += 1
    state.building[hex], state.owner[hex] = CITY, seat
    apply_new_city(state, seat, data["points"])
    token = data.get("token")
    if token is not None:
        state.bank[KIND[token]] -= 1
        state.add_tokens(seat, KIND[token], 1)


SORCERY_APPLIERS: Final[Mapping[str, EventApplier[SorceryState]]] = {
    **EVENT_APPLIERS,
    "KnightsMoved": _knights_moved,
    "ExpeditionSent": _expedition_sent,
    "SpellsCast": _spells_cast,
}


def apply(state: SorceryState, type: str, data: Any) -> None:
    """Write an event into a state that the caller owns, by the applier of its type."""
    base_apply(state, type, data, SORCERY_APPLIERS)

"""`apply`: writes recorded facts of a game with Sorcery into a state. It never refuses and never decides."""

from collections.abc import Mapping
from typing import Any, Final

from domain.barony.apply import EVENT_APPLIERS, KIND, EventApplier, fell, move_knight
from domain.barony.apply import apply as base_apply
from domain.barony.components import CITY
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import replaced
from domain.contract import Json


def explore(state: SorceryState, seat: int, at: list[int], magic: int) -> None:
    """An imprint on a mysterious place, and the magic tokens for it."""
    hex = state.board.index[at[0], at[1]]
    state.imprints[seat] = tuple(sorted((*state.imprints[seat], hex)))
    state.magic[seat] += magic


def come(state: SorceryState, seat: int, step: Json) -> None:
    """One knight's way from hex to hex, with all that its arrival did."""
    move_knight(state, seat, step)
    if "magic" in step:
        explore(state, seat, step["to"], step["magic"])


def _knights_moved(state: SorceryState, data: Json) -> None:
    for step in data["moves"]:
        come(state, data["seat"], step)


def _expedition_sent(state: SorceryState, data: Json) -> None:
    EVENT_APPLIERS["ExpeditionSent"](state, data)
    if "magic" in data:
        explore(state, data["seat"], data["to"], data["magic"])


def _spells_cast(state: SorceryState, data: Json) -> None:
    """By the field that the family of the spells brings."""
    state.magic[data["seat"]] -= data["cost"]
    for name, write in _FAMILIES.items():
        if name in data:
            write(state, data)


def _moved(state: SorceryState, data: Json) -> None:
    index, seat = state.board.index, data["seat"]
    for step in data["moves"]:
        start, end = index[tuple(step["from"])], index[tuple(step["to"])]
        fell(state, seat, start, step.get("left", []))
        come(state, seat, step)
        fell(state, seat, end, step.get("swept", []))


def _recruited(state: SorceryState, data: Json) -> None:
    seat, returned = data["seat"], data.get("returned", 0)
    knights = state.knights[seat]
    removed = state.removed_knights[seat] - returned
    state.removed_knights = replaced(state.removed_knights, seat, removed)
    state.reserve_knights[seat] += returned
    for entry in data["recruits"]:
        knights[state.board.index[tuple(entry["at"])]] += entry["knights"]
        state.reserve_knights[seat] -= entry["knights"]


def _founded(state: SorceryState, data: Json) -> None:
    seat, hex = data["seat"], state.board.index[tuple(data["at"])]
    if data["replaced"] == "knight":
        state.knights[seat][hex] -= 1
        state.reserve_knights[seat] += 1
    else:
        state.reserve_villages[seat] += 1
    state.building[hex], state.owner[hex] = CITY, seat
    state.reserve_cities[seat] -= 1
    state.new_cities = replaced(state.new_cities, seat, state.new_cities[seat] + 1)
    state.score = replaced(state.score, seat, state.score[seat] + data["points"])
    token = data.get("token")
    if token is not None:
        state.bank[KIND[token]] -= 1
        state.add_tokens(seat, KIND[token], 1)


_FAMILIES: Final[Mapping[str, EventApplier]] = {
    "moves": _moved,
    "recruits": _recruited,
    "replaced": _founded,
}
SORCERY_APPLIERS: Final[Mapping[str, EventApplier]] = {
    **EVENT_APPLIERS,
    "KnightsMoved": _knights_moved,
    "ExpeditionSent": _expedition_sent,
    "SpellsCast": _spells_cast,
}


def apply(state: SorceryState, type: str, data: Any) -> None:
    """Write a fact into a state that the caller owns."""
    base_apply(state, type, data, SORCERY_APPLIERS)

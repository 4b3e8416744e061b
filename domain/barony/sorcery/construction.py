"""The construction family (BS-ABU, BS-PET, BS-SAN): one city, with what the spells lift and add."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from domain.barony.actions import Cast
from domain.barony.components import CITY, FOREST, MYSTERIOUS_PLACE, POINTS_A_CITY, VILLAGE, Spell
from domain.barony.construction import (
    CITY_BARRIERS,
    SITE_BARRIERS,
    BarrierMessage,
    CityClause,
    city_site_barrier,
    gain_token,
    has_opposing_knight,
)
from domain.barony.sorcery.components import cost_of
from domain.barony.sorcery.formats import ConstructionCast
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import State
from domain.barony.turn_order import after_turn
from domain.errors import Refused, refusal
from domain.messages import PlayerAt, hex_at, message

CastClause: TypeAlias = CityClause | Literal["BS-MYS-1", "BS-PET-1", "BS-SAN-1", "BS-SAN-2"]
CAST_BARRIERS: Final[Mapping[str, BarrierMessage]] = {
    **CITY_BARRIERS,
    "BS-MYS-1": SITE_BARRIERS["BS-MYS-1"],
    "BS-PET-1": lambda player, at: message(
        "{hex} is neither a forest nor adjacent to a city of {player}", player=player, hex=at
    ),
    "BS-SAN-1": lambda player, at: message(
        "Sanctuary needs a knight of {player} on {hex}, and no opposing pawn", player=player, hex=at
    ),
    "BS-SAN-2": lambda _, at: message("there is already a building on {hex}", hex=at),
}
"""By clause, the reasons for which no city can be built by spells."""


def cast_barrier(state: State, seat: int, hex: int, spells: Collection[Spell]) -> CastClause | None:
    """BY-CTY-1..4, BS-MYS-1, BS-PET-1, BS-SAN-1, 2: the clause that keeps a city off the hex, or None."""
    clause: CastClause | None = None
    if "sanctuary" in spells:
        clause = _knight_barrier(state, seat, hex)
    elif state.building[hex] != VILLAGE or state.owner[hex] != seat:
        clause = "BY-CTY-1"
    if clause is None:
        if "petrification" in spells:
            clause = _petrification_barrier(state, seat, hex)
        else:
            clause = city_site_barrier(state, hex)
    if clause is None and has_opposing_knight(state, seat, hex):
        clause = "BY-CTY-4"
    return clause


def _knight_barrier(state: State, seat: int, hex: int) -> CastClause | None:
    """BS-SAN-1, 2, BS-MYS-1: the clause that keeps a city from replacing a knight on the hex, or None."""
    if not state.knights[seat][hex] or has_opposing_knight(state, seat, hex):
        return "BS-SAN-1"
    if state.building[hex]:
        return "BS-SAN-2" if state.owner[hex] == seat else "BS-SAN-1"
    if state.board.terrain[hex] == MYSTERIOUS_PLACE:
        return "BS-MYS-1"
    return None


def _petrification_barrier(state: State, seat: int, hex: int) -> CastClause | None:
    """BS-PET-1, BY-CTY-3: the clause that keeps a city by Petrification off the hex, or None."""
    owners = {
        state.owner[near] for near in state.board.neighbours[hex] if state.building[near] == CITY
    }
    if owners - {seat}:
        return "BY-CTY-3"
    if not owners and state.board.terrain[hex] != FOREST:
        return "BS-PET-1"
    return None


def decide_construction(state: SorceryState, seat: int, cast: Cast) -> ConstructionCast:
    """BS-ABU, BS-PET, BS-SAN, BS-SPL-6: the data of the event. Raises Refused."""
    at = cast.at
    assert at is not None
    hex = state.board.index.get(at)
    if hex is None:
        off_board = "BS-SAN-1" if "sanctuary" in cast.spells else "BY-CTY-1"
        raise refusal(off_board, "{hex} is not on the board", hex=hex_at(at))
    clause = cast_barrier(state, seat, hex, cast.spells)
    if clause is None and not state.reserve_cities[seat]:
        clause = "BY-CTY-5"
    if clause is not None:
        if clause == "BY-CTY-3" and "petrification" in cast.spells:
            reason = message(
                "no city on {hex}: it is adjacent to an opponent's city", hex=hex_at(at)
            )
            raise Refused(clause, reason)
        raise Refused(clause, CAST_BARRIERS[clause](PlayerAt(seat), hex_at(at)))
    data: ConstructionCast = {
        "seat": seat,
        "spells": list(cast.spells),
        "cost": cost_of(cast.spells),
        "at": list(at),
        "replaced": "knight" if "sanctuary" in cast.spells else "village",
        "points": POINTS_A_CITY,
        "then": after_turn(state),
    }
    if "abundance" in cast.spells:
        data["token"] = gain_token(state.bank[:], state.board.terrain[hex])
    return data


def legal_constructions(
    state: SorceryState, seat: int, choices: Sequence[tuple[Spell, ...]]
) -> list[Cast]:
    """BS-ABU, BS-PET, BS-SAN: casts of these sets of spells, one for each outcome."""
    if not state.reserve_cities[seat]:
        return []
    casts: dict[object, Cast] = {}
    hexes, terrain = state.board.hexes, state.board.terrain
    villages = state.built(seat, VILLAGE)
    knights = [hex for hex, count in enumerate(state.knights[seat]) if count]
    for spells in choices:
        cost = cost_of(spells)
        by_knight = "sanctuary" in spells
        for hex in knights if by_knight else villages:
            if cast_barrier(state, seat, hex, spells) is None:
                gains = "abundance" in spells and state.bank[terrain[hex]] > 0
                casts.setdefault((cost, hex, by_knight, gains), Cast(spells, at=hexes[hex]))
    return list(casts.values())

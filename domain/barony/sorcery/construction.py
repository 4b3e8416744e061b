"""The construction family (BS-ABU, BS-PET, BS-SAN): one city, with what the spells lift and add."""

from collections.abc import Collection, Sequence
from typing import Final

from domain.barony.actions import Cast
from domain.barony.components import CITY, FOREST, MYSTERIOUS_PLACE, POINTS_A_CITY, VILLAGE
from domain.barony.construction import (
    WHY_NOT_CITY,
    bar_to_city_site,
    gain_token,
    has_opposing_knight,
)
from domain.barony.sorcery.components import cost_of
from domain.barony.sorcery.places import NO_BUILDING_HERE
from domain.barony.sorcery.state import SorceryState
from domain.contract import Json
from domain.errors import Refused
from domain.hex_text import hex_text

WHY_NOT: Final = {
    **WHY_NOT_CITY,
    "BS-MYS-1": NO_BUILDING_HERE,
    "BS-PET-1": "it is neither a forest nor adjacent to a city of one's own",
    "BS-SAN-1": "it takes a knight of this seat there, and no opposing pawn",
    "BS-SAN-2": "there is a building already",
}


def bar_to_city(state: SorceryState, seat: int, hex: int, spells: Collection[str]) -> str | None:
    """BY-CTY-1..4, BS-MYS-1, BS-PET-1, BS-SAN-1, 2: the clause that keeps a city off the hex, or None."""
    if "sanctuary" in spells:
        clause = _bar_to_knight(state, seat, hex)
    elif state.building[hex] != VILLAGE or state.owner[hex] != seat:
        clause = "BY-CTY-1"
    else:
        clause = None
    if clause is None:
        site = _bar_to_petrified_site if "petrification" in spells else _bar_to_site
        clause = site(state, seat, hex)
    if clause is None and has_opposing_knight(state, seat, hex):
        clause = "BY-CTY-4"
    return clause


def _bar_to_knight(state: SorceryState, seat: int, hex: int) -> str | None:
    """BS-SAN-1, 2, BS-MYS-1: the clause that keeps a city from replacing a knight on the hex, or None."""
    if not state.knights[seat][hex] or has_opposing_knight(state, seat, hex):
        return "BS-SAN-1"
    if state.building[hex]:
        return "BS-SAN-2" if state.owner[hex] == seat else "BS-SAN-1"
    if state.board.terrain[hex] == MYSTERIOUS_PLACE:
        return "BS-MYS-1"
    return None


def _bar_to_site(state: SorceryState, seat: int, hex: int) -> str | None:
    return bar_to_city_site(state, hex)


def _bar_to_petrified_site(state: SorceryState, seat: int, hex: int) -> str | None:
    """BS-PET-1, BY-CTY-3: the clause that keeps a city by Petrification off the hex, or None."""
    owners = {
        state.owner[near] for near in state.board.neighbours[hex] if state.building[near] == CITY
    }
    if owners - {seat}:
        return "BY-CTY-3"
    if not owners and state.board.terrain[hex] != FOREST:
        return "BS-PET-1"
    return None


def decide_construction(state: SorceryState, seat: int, cast: Cast) -> Json:
    """What comes of the spells, as the data of `SpellsCast` have it. Raises Refused."""
    at = cast.at
    assert at is not None
    hex = state.board.index.get(at)
    if hex is None:
        clause = "BS-SAN-1" if "sanctuary" in cast.spells else "BY-CTY-1"
        raise Refused(clause, f"{hex_text(at)} is not on the board")
    found = bar_to_city(state, seat, hex, cast.spells)
    if found is None and not state.reserve_cities[seat]:
        found = "BY-CTY-5"
    if found is not None:
        why = WHY_NOT[found]
        if found == "BY-CTY-3" and "petrification" in cast.spells:
            why = "it is adjacent to an opponent's city"
        raise Refused(found, f"no city on {hex_text(at)}: {why}")
    data: Json = {
        "at": list(at),
        "replaced": "knight" if "sanctuary" in cast.spells else "village",
        "points": POINTS_A_CITY,
    }
    if "abundance" in cast.spells:
        data["token"] = gain_token(state.bank[:], state.board.terrain[hex])
    return data


def legal_constructions(
    state: SorceryState, seat: int, choices: Sequence[tuple[str, ...]]
) -> list[Cast]:
    """BS-ABU, BS-PET, BS-SAN: casts of these sets of spells, the first of those with one outcome."""
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
            if bar_to_city(state, seat, hex, spells) is None:
                gains = "abundance" in spells and state.bank[terrain[hex]] > 0
                casts.setdefault((cost, hex, by_knight, gains), Cast(spells, at=hexes[hex]))
    return list(casts.values())

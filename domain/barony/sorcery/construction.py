"""The construction family (BS-ABU, BS-PET, BS-SAN): one city, with what the spells lift and add."""

from collections.abc import Collection, Sequence
from typing import Final

from domain.barony.actions import Cast
from domain.barony.components import CITY, FOREST, MYSTERIOUS_PLACE, POINTS_A_CITY, VILLAGE, Spell
from domain.barony.construction import (
    CITY_IN_RESERVE,
    CITY_SITE_CLAUSES,
    NO_OPPOSING_KNIGHT,
    VILLAGE_REPLACED,
    SiteClause,
    check_site,
    gain_token,
    has_opposing_knight,
    is_site,
    names_of,
    no_building,
)
from domain.barony.sorcery.components import cost_of
from domain.barony.sorcery.formats import ConstructionCast
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import State
from domain.barony.turn_order import after_turn
from domain.messages import Message, PlayerAt, message, plural_message

NOT_ON_A_PLACE: Final = SiteClause(
    "BS-MYS-1",
    is_met=lambda state, _, site: state.board.terrain[site] != MYSTERIOUS_PLACE,
    why_not=lambda _, at: message(
        "{hex} is a mysterious place, where nothing can be built", hex=at
    ),
)


def _has_lone_knight(state: State, seat: int, hex: int) -> bool:
    """BS-SAN-1: whether a knight of the seat is on the hex, and no pawn of an opponent."""
    return (
        state.knights[seat][hex] > 0
        and not has_opposing_knight(state, seat, hex)
        and not (state.building[hex] and state.owner[hex] != seat)
    )


KNIGHT_CLAUSES: Final = (
    SiteClause(
        "BS-SAN-1",
        is_met=_has_lone_knight,
        why_not=lambda player, at: message(
            "Sanctuary needs a knight of {player} on {hex}, and no opposing pawn",
            player=player,
            hex=at,
        ),
        why=lambda state, seat, hexes: [
            message(
                "{player}'s knight on {hex} makes room for a city; no opposing pawn stood there",
                player=PlayerAt(seat),
                hex=names_of(state, hexes),
            )
        ],
    ),
    no_building("BS-SAN-2"),
    NOT_ON_A_PLACE,
)
"""BS-SAN-1, 2: what a city replaces by Sanctuary."""


def _cities_near(state: State, hex: int) -> list[int]:
    return [near for near in state.board.neighbours[hex] if state.building[near] == CITY]


def _own_cities_near(state: State, seat: int, hex: int) -> list[int]:
    return [near for near in _cities_near(state, hex) if state.owner[near] == seat]


def _lifted(state: State, seat: int, hex: int) -> list[Message]:
    """BS-PET-1: what Petrification lifted for a city on the hex."""
    here, lifted = names_of(state, [hex]), []
    if state.board.terrain[hex] == FOREST:
        lifted.append(message("{hex} is a forest: BY-CTY-2 is lifted", hex=here))
    if own := _own_cities_near(state, seat, hex):
        lifted.append(
            plural_message(
                "{hex} is adjacent to {player}'s own city on {cities}: BY-CTY-3 is lifted",
                "{hex} is adjacent to {player}'s own cities on {cities}: BY-CTY-3 is lifted",
                count=len(own),
                hex=here,
                player=PlayerAt(seat),
                cities=names_of(state, own),
            )
        )
    return lifted


PETRIFICATION_CLAUSES: Final = (
    SiteClause(
        "BY-CTY-3",
        is_met=lambda state, seat, site: (
            _cities_near(state, site) == _own_cities_near(state, seat, site)
        ),
        why_not=lambda _, at: message(
            "no city on {hex}: it is adjacent to an opponent's city", hex=at
        ),
        why=lambda state, _, hexes: [
            message("no hex adjacent to {hex} had an opponent's city", hex=names_of(state, hexes))
        ],
    ),
    SiteClause(
        "BS-PET-1",
        is_met=lambda state, seat, site: bool(_lifted(state, seat, site)),
        why_not=lambda player, at: message(
            "{hex} is neither a forest nor adjacent to a city of {player}", player=player, hex=at
        ),
        why=lambda state, seat, hexes: [
            sentence for hex in hexes for sentence in _lifted(state, seat, hex)
        ],
    ),
)
"""BS-PET-1, BY-CTY-3: where a city stands by Petrification, in place of BY-CTY-2 and 3."""


def cast_clauses(spells: Collection[Spell]) -> Sequence[SiteClause]:
    """BY-CTY, BS-PET-1, BS-SAN-1, 2: the clauses for a city by these spells."""
    site = PETRIFICATION_CLAUSES if "petrification" in spells else CITY_SITE_CLAUSES
    if "sanctuary" in spells:
        return (*KNIGHT_CLAUSES, *site, CITY_IN_RESERVE)
    return (VILLAGE_REPLACED, *site, NO_OPPOSING_KNIGHT, CITY_IN_RESERVE)


def decide_construction(state: SorceryState, seat: int, cast: Cast) -> ConstructionCast:
    """BS-ABU, BS-PET, BS-SAN, BS-SPL-6: the data of the event. Raises Refused."""
    at = cast.at
    assert at is not None
    clauses = cast_clauses(cast.spells)
    hex = check_site(state, seat, at, clauses, clauses[0].id)
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
        by_knight, clauses = "sanctuary" in spells, cast_clauses(spells)
        for hex in knights if by_knight else villages:
            if is_site(state, seat, hex, clauses):
                gains = "abundance" in spells and state.bank[terrain[hex]] > 0
                casts.setdefault((cost, hex, by_knight, gains), Cast(spells, at=hexes[hex]))
    return list(casts.values())

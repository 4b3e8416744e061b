"""C. Construction and D. New city (BY-BLD, BY-CTY): how pawns become buildings."""

from collections.abc import Callable
from typing import Any, Final

from domain.barony.actions import Build, NewCity
from domain.barony.components import (
    CITY,
    FOREST,
    POINTS_A_CITY,
    RESOURCES,
    VILLAGE,
)
from domain.barony.state import State
from domain.contract import DomainEvent, Json, untyped_event
from domain.errors import Refused
from domain.hex_text import hex_text

WHY_NOT_BUILD: Final = {
    "BY-BLD-1": "no knight of this seat stands there",
    "BY-BLD-2": "there is a building already",
    "BY-BLD-3": "an opponent's knight stands there",
}
WHY_NOT_CITY: Final = {
    "BY-CTY-1": "no village of this seat stands there",
    "BY-CTY-2": "it is a forest",
    "BY-CTY-3": "it is adjacent to a city",
    "BY-CTY-4": "an opponent's knight stands there",
    "BY-CTY-5": "no city is left in the reserve",
}


def has_opposing_knight(state: State, seat: int, hex: int) -> bool:
    """Whether anyone else's knight stands on the hex."""
    return any(knights[hex] for other, knights in enumerate(state.knights) if other != seat)


def bar_to_building(state: State, seat: int, hex: int) -> str | None:
    """BY-BLD-1, 2, 3: the clause that keeps the seat from building on the hex, or None."""
    if not state.knights[seat][hex]:
        return "BY-BLD-1"
    if state.building[hex]:
        return "BY-BLD-2"
    if has_opposing_knight(state, seat, hex):
        return "BY-BLD-3"
    return None


def decide_build(state: State, seat: int, action: Build) -> DomainEvent:
    """BY-BLD-1..5: knights become villages and strongholds, each with its token. Raises Refused."""
    bank = state.bank[:]
    left = {
        "village": state.reserve_villages[seat],
        "stronghold": state.reserve_strongholds[seat],
    }
    built: list[Json] = []
    for at, building in sorted(action.builds):
        hex = state.board.index.get(at)
        if hex is None:
            raise Refused("BY-BLD-1", f"{hex_text(at)} is not on the board")
        clause = bar_to_building(state, seat, hex)
        if clause is not None:
            raise Refused(clause, f"no building on {hex_text(at)}: {WHY_NOT_BUILD[clause]}")
        left[building] -= 1
        if left[building] < 0:
            raise Refused("BY-BLD-4", f"the reserve has too few {building}s for this")
        token = gain_token(bank, state.board.terrain[hex])
        built.append({"at": list(at), "building": building, "token": token})
    return untyped_event("BuildingsBuilt", {"seat": seat, "built": built})


def gain_token(bank: list[int], terrain: int) -> str | None:
    """BY-BLD-5, BY-MAT-4: the kind of token gained on the terrain, taken out of `bank`; None when it has
    run out.
    """
    if not bank[terrain]:
        return None
    bank[terrain] -= 1
    return RESOURCES[terrain]


def legal_builds(
    state: State, seat: int, bar: Callable[[Any, int, int], str | None] = bar_to_building
) -> list[Build]:
    """BY-BLD: every choice of hexes with every choice of buildings that the reserve allows."""
    hexes = state.board.hexes
    villages, strongholds = state.reserve_villages[seat], state.reserve_strongholds[seat]
    sites = [
        ((hexes[hex], "village"), (hexes[hex], "stronghold"))
        for hex, count in enumerate(state.knights[seat])
        if count and bar(state, seat, hex) is None
    ]
    choices: list[tuple[tuple[tuple[tuple[int, int], str], ...], int, int]] = [((), 0, 0)]
    for village, stronghold in sites:
        choices += [((*built, village), v + 1, s) for built, v, s in choices if v < villages] + [
            ((*built, stronghold), v, s + 1) for built, v, s in choices if s < strongholds
        ]
    return [Build(built) for built, _, _ in choices[1:]]


def bar_to_city(state: State, seat: int, hex: int) -> str | None:
    """BY-CTY-1..4: the clause that keeps the seat's village there from becoming a city, or None."""
    if state.building[hex] != VILLAGE or state.owner[hex] != seat:
        return "BY-CTY-1"
    clause = bar_to_city_site(state, hex)
    if clause is None and has_opposing_knight(state, seat, hex):
        clause = "BY-CTY-4"
    return clause


def bar_to_city_site(state: State, hex: int) -> str | None:
    """BY-CTY-2, 3: the clause that keeps any new city off the hex, or None."""
    if state.board.terrain[hex] == FOREST:
        return "BY-CTY-2"
    if any(state.building[near] == CITY for near in state.board.neighbours[hex]):
        return "BY-CTY-3"
    return None


def decide_new_city(state: State, seat: int, action: NewCity) -> DomainEvent:
    """BY-CTY-1..5: a village becomes a city, for 10 points. Raises Refused."""
    hex = state.board.index.get(action.at)
    if hex is None:
        raise Refused("BY-CTY-1", f"{hex_text(action.at)} is not on the board")
    clause = bar_to_city(state, seat, hex)
    if clause is None and not state.reserve_cities[seat]:
        clause = "BY-CTY-5"
    if clause is not None:
        raise Refused(clause, f"no city on {hex_text(action.at)}: {WHY_NOT_CITY[clause]}")
    return untyped_event(
        "CityFounded", {"seat": seat, "at": list(action.at), "points": POINTS_A_CITY}
    )


def legal_new_cities(state: State, seat: int) -> list[NewCity]:
    """BY-CTY: every village that may become a city."""
    if not state.reserve_cities[seat]:
        return []
    return [
        NewCity(state.board.hexes[hex])
        for hex in state.built(seat, VILLAGE)
        if bar_to_city(state, seat, hex) is None
    ]

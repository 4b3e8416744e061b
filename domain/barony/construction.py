"""C. Construction and D. New city (BY-BLD, BY-CTY): how pawns become buildings."""

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from domain.barony.actions import Build, NewCity, Site
from domain.barony.components import CITY, FOREST, POINTS_A_CITY, RESOURCES, VILLAGE, Resource
from domain.barony.formats import BuildingsBuilt, BuiltJson, CityFounded
from domain.barony.state import State
from domain.barony.terms import PAWNS
from domain.barony.turn_order import after_turn
from domain.contract import DomainEvent
from domain.errors import Refused, refusal
from domain.messages import HexAt, Message, PlayerAt, counted, hex_at, message

SiteClause: TypeAlias = Literal["BY-BLD-1", "BY-BLD-2", "BY-BLD-3", "BS-MYS-1"]
CityClause: TypeAlias = Literal["BY-CTY-1", "BY-CTY-2", "BY-CTY-3", "BY-CTY-4", "BY-CTY-5"]

BarrierMessage: TypeAlias = Callable[[PlayerAt, HexAt], Message]
"""Returns why a player cannot build on a hex."""

SITE_BARRIERS: Final[Mapping[str, BarrierMessage]] = {
    "BY-BLD-1": lambda player, at: message(
        "{player} has no knight on {hex}", player=player, hex=at
    ),
    "BY-BLD-2": lambda _, at: message("there is already a building on {hex}", hex=at),
    "BY-BLD-3": lambda _, at: message("an opponent's knight is on {hex}", hex=at),
    "BS-MYS-1": lambda _, at: message(
        "{hex} is a mysterious place, where nothing can be built", hex=at
    ),
}
"""By clause, the reasons for which no village or stronghold can be built."""
CITY_BARRIERS: Final[Mapping[str, BarrierMessage]] = {
    "BY-CTY-1": lambda player, at: message(
        "{player} has no village on {hex}", player=player, hex=at
    ),
    "BY-CTY-2": lambda _, at: message("no city on {hex}: it is a forest", hex=at),
    "BY-CTY-3": lambda _, at: message("no city on {hex}: it is adjacent to a city", hex=at),
    "BY-CTY-4": lambda _, at: message("an opponent's knight is on {hex}", hex=at),
    "BY-CTY-5": lambda player, _: message("{player} has no city left in reserve", player=player),
}
"""By clause, the reasons for which no city can be built."""


def has_opposing_knight(state: State, seat: int, hex: int) -> bool:
    """Whether a knight of another seat stands on the hex."""
    for other, knights in enumerate(state.knights):  # noqa: SIM110 # any() would take twice as long
        if knights[hex] and other != seat:
            return True
    return False


def site_barrier(state: State, seat: int, hex: int) -> SiteClause | None:
    """BY-BLD-1, 2, 3: the clause that keeps the seat from building on the hex, or None."""
    if not state.knights[seat][hex]:
        return "BY-BLD-1"
    if state.building[hex]:
        return "BY-BLD-2"
    if has_opposing_knight(state, seat, hex):
        return "BY-BLD-3"
    return None


SiteBarrier: TypeAlias = Callable[[State, int, int], SiteClause | None]
"""A function such as `site_barrier`."""


def decide_build(
    state: State, seat: int, action: Build, barrier: SiteBarrier = site_barrier
) -> DomainEvent:
    """BY-BLD-1..5: knights become villages and strongholds, each with its token. Raises Refused."""
    board, bank = state.board, state.bank[:]
    left = {"village": state.reserve_villages[seat], "stronghold": state.reserve_strongholds[seat]}
    built: list[BuiltJson] = []
    for at, building in sorted(action.builds):
        hex = board.index.get(at)
        if hex is None:
            raise refusal("BY-BLD-1", "{hex} is not on the board", hex=hex_at(at))
        clause = barrier(state, seat, hex)
        if clause is not None:
            raise Refused(clause, SITE_BARRIERS[clause](PlayerAt(seat), hex_at(at)))
        left[building] -= 1
        if left[building] < 0:
            reserve = state.reserve_villages if building == "village" else state.reserve_strongholds
            raise refusal(
                "BY-BLD-4",
                "the reserve is too small: it holds {pawns}",
                pawns=counted(reserve[seat], PAWNS[building]),
            )
        token = gain_token(bank, board.terrain[hex])
        built.append({"at": [*at], "building": building, "token": token})
    data: BuildingsBuilt = {"seat": seat, "built": built, "then": after_turn(state)}
    return DomainEvent("BuildingsBuilt", data)


def gain_token(bank: list[int], terrain: int) -> Resource | None:
    """BY-BLD-5, BY-MAT-4: the token gained on the terrain, taken out of `bank`; None if it has none."""
    if not bank[terrain]:
        return None
    bank[terrain] -= 1
    return RESOURCES[terrain]


def legal_builds(state: State, seat: int, barrier: SiteBarrier = site_barrier) -> list[Build]:
    """BY-BLD: every choice of hexes with every choice of buildings that the reserve allows."""
    hexes = state.board.hexes
    villages, strongholds = state.reserve_villages[seat], state.reserve_strongholds[seat]
    sites: list[tuple[Site, Site]] = [
        ((hexes[hex], "village"), (hexes[hex], "stronghold"))
        for hex, count in enumerate(state.knights[seat])
        if count and barrier(state, seat, hex) is None
    ]
    choices: list[tuple[tuple[Site, ...], int, int]] = [((), 0, 0)]
    for village, stronghold in sites:
        choices += [((*built, village), v + 1, s) for built, v, s in choices if v < villages] + [
            ((*built, stronghold), v, s + 1) for built, v, s in choices if s < strongholds
        ]
    return [Build(built) for built, _, _ in choices[1:]]


def city_barrier(state: State, seat: int, hex: int) -> CityClause | None:
    """BY-CTY-1..4: the clause that keeps the seat's village on the hex from becoming a city, or None."""
    if state.building[hex] != VILLAGE or state.owner[hex] != seat:
        return "BY-CTY-1"
    clause = city_site_barrier(state, hex)
    if clause is None and has_opposing_knight(state, seat, hex):
        clause = "BY-CTY-4"
    return clause


def city_site_barrier(state: State, hex: int) -> CityClause | None:
    """BY-CTY-2, 3: the clause that keeps every new city off the hex, or None."""
    if state.board.terrain[hex] == FOREST:
        return "BY-CTY-2"
    if any(state.building[near] == CITY for near in state.board.neighbours[hex]):
        return "BY-CTY-3"
    return None


def decide_new_city(state: State, seat: int, action: NewCity) -> DomainEvent:
    """BY-CTY-1..5: a village becomes a city, for 10 points. Raises Refused."""
    hex = state.board.index.get(action.at)
    if hex is None:
        raise refusal("BY-CTY-1", "{hex} is not on the board", hex=hex_at(action.at))
    clause = city_barrier(state, seat, hex)
    if clause is None and not state.reserve_cities[seat]:
        clause = "BY-CTY-5"
    if clause is not None:
        raise Refused(clause, CITY_BARRIERS[clause](PlayerAt(seat), hex_at(action.at)))
    data: CityFounded = {
        "seat": seat,
        "at": list(action.at),
        "points": POINTS_A_CITY,
        "then": after_turn(state),
    }
    return DomainEvent("CityFounded", data)


def legal_new_cities(state: State, seat: int) -> list[NewCity]:
    """BY-CTY: every village that may become a city."""
    if not state.reserve_cities[seat]:
        return []
    return [
        NewCity(state.board.hexes[hex])
        for hex in state.built(seat, VILLAGE)
        if city_barrier(state, seat, hex) is None
    ]

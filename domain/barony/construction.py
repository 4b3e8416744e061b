"""C. Construction and D. New city (BY-BLD, BY-CTY): how pawns become buildings."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from domain.barony.actions import Build, NewCity, Site
from domain.barony.components import CITY, FOREST, POINTS_A_CITY, RESOURCES, VILLAGE, Resource
from domain.barony.components import TERRAINS as TERRAIN_NAMES
from domain.barony.formats import BuildingsBuilt, BuiltJson, CityFounded
from domain.barony.state import State
from domain.barony.terms import PAWNS, TERRAINS
from domain.barony.turn_order import after_turn
from domain.contract import DomainEvent, Reason
from domain.errors import Refused, refusal
from domain.hexes import Hex
from domain.messages import (
    HexAt,
    Listing,
    Message,
    PlayerAt,
    counted,
    hex_at,
    listing,
    message,
    plural_message,
)

Why: TypeAlias = Callable[[State, int, Sequence[int]], Sequence[Message]]
"""Returns what held on hexes, by their numbers, before a seat built on them."""


@dataclass(frozen=True, slots=True)
class SiteClause:
    """A clause about the hex on which a seat builds: when it is met, and what people read about it."""

    id: str
    is_met: Callable[[State, int, int], bool]
    """Whether it allows the seat to build on the hex."""
    why_not: Callable[[PlayerAt, HexAt], Message]
    """Why the player cannot build on the hex, if it is not met."""
    why: Why = lambda *_: ()
    """What is told of it about buildings that it allowed: nothing if it goes without saying."""


def check_site(
    state: State, seat: int, at: Hex, clauses: Sequence[SiteClause], off_board: str
) -> int:
    """The number of a hex on which these clauses allow the seat to build.

    Raises Refused with the first one that does not, or with `off_board` if the hex is not on the board.
    """
    hex = state.board.index.get(at)
    if hex is None:
        raise refusal(off_board, "{hex} is not on the board", hex=hex_at(at))
    for clause in clauses:
        if not clause.is_met(state, seat, hex):
            raise Refused(clause.id, clause.why_not(PlayerAt(seat), hex_at(at)))
    return hex


def is_site(state: State, seat: int, hex: int, clauses: Sequence[SiteClause]) -> bool:
    """Whether these clauses allow the seat to build on the hex."""
    for clause in clauses:  # noqa: SIM110 # all() would take twice as long
        if not clause.is_met(state, seat, hex):
            return False
    return True


def explain_sites(
    state: State, seat: int, hexes: Sequence[int], clauses: Sequence[SiteClause]
) -> Iterator[Reason]:
    """Those of the clauses that all the hexes met before the seat built on them, and how they did."""
    for clause in clauses:
        if all(clause.is_met(state, seat, hex) for hex in hexes):
            for sentence in clause.why(state, seat, hexes):
                yield clause.id, sentence


def names_of(state: State, hexes: Sequence[int]) -> Listing:
    """A list of hexes."""
    return listing(hex_at(state.board.hexes[hex]) for hex in hexes)


def has_opposing_knight(state: State, seat: int, hex: int) -> bool:
    """Whether a knight of another seat stands on the hex."""
    for other, knights in enumerate(state.knights):  # noqa: SIM110 # any() would take twice as long
        if knights[hex] and other != seat:
            return True
    return False


def no_opposing_knight(id: str) -> SiteClause:
    """BY-BLD-3, BY-CTY-4: the clause of this id, which keeps buildings off the knights of others."""
    return SiteClause(
        id,
        is_met=lambda state, seat, site: not has_opposing_knight(state, seat, site),
        why_not=lambda _, at: message("an opponent's knight is on {hex}", hex=at),
        why=lambda state, _, hexes: [
            message("no opponent's knight stood on {hexes}", hexes=names_of(state, hexes))
        ],
    )


def no_building(id: str) -> SiteClause:
    """BY-BLD-2, BS-SAN-2: the clause of this id, which keeps buildings off other buildings."""
    return SiteClause(
        id,
        is_met=lambda state, _, site: not state.building[site],
        why_not=lambda _, at: message("there is already a building on {hex}", hex=at),
        why=lambda state, _, hexes: [
            message("there was no building on {hexes}", hexes=names_of(state, hexes))
        ],
    )


SITE_CLAUSES: Final = (
    SiteClause(
        "BY-BLD-1",
        is_met=lambda state, seat, site: state.knights[seat][site] > 0,
        why_not=lambda player, at: message(
            "{player} has no knight on {hex}", player=player, hex=at
        ),
        why=lambda state, seat, hexes: [
            plural_message(
                "one knight of {player} on {hexes} goes back to the reserve",
                "one knight of {player} on each of {hexes} goes back to the reserve",
                count=len(hexes),
                player=PlayerAt(seat),
                hexes=names_of(state, hexes),
            )
        ],
    ),
    no_building("BY-BLD-2"),
    no_opposing_knight("BY-BLD-3"),
)
"""BY-BLD-1, 2, 3: where villages and strongholds are built."""

VILLAGE_REPLACED: Final = SiteClause(
    "BY-CTY-1",
    is_met=lambda state, seat, site: state.building[site] == VILLAGE and state.owner[site] == seat,
    why_not=lambda player, at: message("{player} has no village on {hex}", player=player, hex=at),
    why=lambda state, seat, hexes: [
        message(
            "{player}'s village on {hex} goes back to the reserve and makes room for a city",
            player=PlayerAt(seat),
            hex=names_of(state, hexes),
        )
    ],
)
CITY_SITE_CLAUSES: Final = (
    SiteClause(
        "BY-CTY-2",
        is_met=lambda state, _, site: state.board.terrain[site] != FOREST,
        why_not=lambda _, at: message("no city on {hex}: it is a forest", hex=at),
        why=lambda state, _, hexes: [
            message(
                "{hex} is {terrain:a}, not a forest",
                hex=names_of(state, [hex]),
                terrain=TERRAINS[TERRAIN_NAMES[state.board.terrain[hex]]],
            )
            for hex in hexes
        ],
    ),
    SiteClause(
        "BY-CTY-3",
        is_met=lambda state, _, site: all(
            state.building[near] != CITY for near in state.board.neighbours[site]
        ),
        why_not=lambda _, at: message("no city on {hex}: it is adjacent to a city", hex=at),
        why=lambda state, _, hexes: [
            message("no hex adjacent to {hex} had a city", hex=names_of(state, hexes))
        ],
    ),
)
"""BY-CTY-2, 3: the terrain of a new city, and the hexes around it."""
NO_OPPOSING_KNIGHT: Final = no_opposing_knight("BY-CTY-4")
CITY_IN_RESERVE: Final = SiteClause(
    "BY-CTY-5",
    is_met=lambda state, seat, _: state.reserve_cities[seat] > 0,
    why_not=lambda player, _: message("{player} has no city left in reserve", player=player),
    why=lambda state, seat, _: [
        message(
            "the reserve held {cities}", cities=counted(state.reserve_cities[seat], PAWNS["city"])
        )
    ],
)
CITY_CLAUSES: Final = (VILLAGE_REPLACED, *CITY_SITE_CLAUSES, NO_OPPOSING_KNIGHT, CITY_IN_RESERVE)
"""BY-CTY: where a village becomes a city."""


def decide_build(
    state: State, seat: int, action: Build, clauses: Sequence[SiteClause] = SITE_CLAUSES
) -> DomainEvent:
    """BY-BLD-1..5: knights become villages and strongholds, each with its token. Raises Refused."""
    board, bank = state.board, state.bank[:]
    left = {"village": state.reserve_villages[seat], "stronghold": state.reserve_strongholds[seat]}
    built: list[BuiltJson] = []
    for at, building in sorted(action.builds):
        hex = check_site(state, seat, at, clauses, "BY-BLD-1")
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


def legal_builds(
    state: State, seat: int, clauses: Sequence[SiteClause] = SITE_CLAUSES
) -> list[Build]:
    """BY-BLD: every choice of hexes with every choice of buildings that the reserve allows."""
    hexes = state.board.hexes
    villages, strongholds = state.reserve_villages[seat], state.reserve_strongholds[seat]
    sites: list[tuple[Site, Site]] = [
        ((hexes[hex], "village"), (hexes[hex], "stronghold"))
        for hex, count in enumerate(state.knights[seat])
        if count and is_site(state, seat, hex, clauses)
    ]
    choices: list[tuple[tuple[Site, ...], int, int]] = [((), 0, 0)]
    for village, stronghold in sites:
        choices += [((*built, village), v + 1, s) for built, v, s in choices if v < villages] + [
            ((*built, stronghold), v, s + 1) for built, v, s in choices if s < strongholds
        ]
    return [Build(built) for built, _, _ in choices[1:]]


def decide_new_city(state: State, seat: int, action: NewCity) -> DomainEvent:
    """BY-CTY-1..5: a village becomes a city, for 10 points. Raises Refused."""
    check_site(state, seat, action.at, CITY_CLAUSES, "BY-CTY-1")
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
        if is_site(state, seat, hex, CITY_CLAUSES)
    ]

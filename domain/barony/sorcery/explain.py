"""`explain` with Sorcery: what spells lifted and did, and what arrivals on mysterious places gained.

Clauses of the base game are explained by its own `explain`; `explain_movement` has the movement family.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Final

from domain.barony.components import BUILDINGS, CITY, FAMILY, FOREST, SPELLS, Building
from domain.barony.explain import (
    EXPLAINERS,
    Explainer,
    explain_pass,
    explain_reserve,
    explain_site,
    explain_with,
)
from domain.barony.explain import explain_expedition as base_explain_expedition
from domain.barony.explain import explain_start as base_explain_start
from domain.barony.explain_board import number_of
from domain.barony.explain_construction import (
    explain_city_gain,
    explain_city_site,
    explain_gain,
    explain_no_opposing_knight,
    explain_replaced_village,
)
from domain.barony.explain_movement import explain_moves
from domain.barony.explain_turn_order import explain_first_city as base_explain_first_city
from domain.barony.explain_turn_order import explain_ranking as base_explain_ranking
from domain.barony.explain_turn_order import explain_standings
from domain.barony.formats import CityPlaced, GameStarted
from domain.barony.sorcery.apply import apply, apply_steps
from domain.barony.sorcery.components import COST, PLACES, PLACES_APART
from domain.barony.sorcery.decide import SORCERY_GENERATORS
from domain.barony.sorcery.explain_movement import (
    explain_arrival,
    explain_imprint,
    explain_movement,
)
from domain.barony.sorcery.formats import (
    ConstructionCast,
    ExpeditionSent,
    KnightsMoved,
    RecruitmentCast,
    RoundScored,
    SpellsCast,
)
from domain.barony.sorcery.position import imprint_points
from domain.barony.sorcery.recruitment import sites
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.contract import DomainEvent, Reason
from domain.event import Ranked
from domain.hex_text import hex_text
from domain.hexes import distance, hex_of
from domain.phrases import counted, listing


def _explain_start(state: None, data: GameStarted) -> Iterator[Reason]:
    """`GameStarted`: BS-SET-1, 2, 4."""
    yield from base_explain_start(state, data)
    places = [hex_of(cell["at"]) for cell in data["board"] if cell["terrain"] == "mysterious_place"]
    hexes = listing(map(hex_text, places))
    yield "BS-SET-1", f"{counted(len(places), 'mysterious place')}: {hexes}"
    # A forged record can contain any board; more places than a set-up lays are not compared in pairs.
    if 1 < len(places) <= max(PLACES.values()):
        apart = min(distance(one, other) for one, other in combinations(places, 2))
        if apart >= PLACES_APART:
            yield "BS-SET-2", f"the two places nearest to each other are {apart} steps apart"
    spells = data["spells"]
    yield "BS-SET-4", f"{len(spells)} of {len(SPELLS)} spells are open: {listing(spells)}"


def _city_placed(state: SorceryState, data: CityPlaced) -> Iterator[Reason]:
    """`CityPlaced`: BS-SET-3."""
    yield from base_explain_first_city(state, data)
    board, here = state.board, hex_text(data["at"])
    if isinstance(board, SorceryBoard) and not board.by_a_place[number_of(state, data["at"])]:
        yield "BS-SET-3", f"there is no mysterious place on {here} or adjacent to it"


def _knights_moved(state: SorceryState, data: KnightsMoved) -> Iterator[Reason]:
    return explain_moves(state, data["seat"], data["moves"], explain_arrival, apply_steps)


def _expedition_sent(state: SorceryState, data: ExpeditionSent) -> Iterator[Reason]:
    """`ExpeditionSent`: BS-MYS-2, 3, 4."""
    yield from base_explain_expedition(state, data)
    yield from explain_imprint(state, data["seat"], data["to"], data.get("magic", 0))
    if "magic" in data:
        yield "BS-MYS-4", "an expedition counts as an arrival"


def _spells_cast(state: SorceryState, data: SpellsCast) -> Iterator[Reason]:
    """`SpellsCast`: BS-SPL-1, 2, 3, then the clauses of the family."""
    seat, spells = data["seat"], data["spells"]
    family, magic = FAMILY[spells[0]], state.magic[seat]
    kind = f"are open spells of {family}" if spells[1:] else f"is an open spell of {family}"
    yield "BS-SPL-1", f"{listing(spells)} {kind}"
    costs = listing(f"{COST[spell]} for {spell}" for spell in spells)
    left = magic - data["cost"]
    yield (
        "BS-SPL-2",
        f"of {counted(magic, 'magic token')} seat {seat} pays {costs}, and keeps {left or 'none'}",
    )
    if spells[1:]:
        yield "BS-SPL-3", f"together they make one {family}"
    if "moves" in data:
        yield from explain_movement(state, data)
    elif "recruits" in data:
        yield from _explain_recruitment(state, data)
    else:
        yield from _explain_construction(state, data)


def _explain_recruitment(state: SorceryState, data: RecruitmentCast) -> Iterator[Reason]:
    """BS-CHA, BS-ILL, BS-POR."""
    seat, spells = data["seat"], data["spells"]
    here = listing(hex_text(entry["at"]) for entry in data["recruits"])
    if "charm" in spells:
        clause = "BS-ILL-2" if "illusion" in spells else "BS-CHA-1"
        buildings = Counter(BUILDINGS[state.building[hex]] for hex in sites(state, seat, spells))
        owned = listing(counted(count, f"{building}") for building, count in buildings.items())
        yield clause, f"one knight each at {here}; seat {seat} has {owned} in all"
    else:
        site: Building = "stronghold" if "illusion" in spells else "city"
        if "portal" in spells:
            how = "with Illusion" if "illusion" in spells else "without Illusion"
            yield "BS-POR-3", f"{how} the site is a {site}: {here}"
        else:
            yield "BS-ILL-1", f"the stronghold on {here} recruits as a city would"
        for entry in data["recruits"]:
            yield explain_site(state, seat, entry["at"], site)
    yield from _explain_available(state, data)


def _explain_available(state: SorceryState, data: RecruitmentCast) -> Iterator[Reason]:
    """BS-POR-1, 2, BS-SPL-7, BY-REC-2: where the knights came from."""
    seat, returned = data["seat"], data.get("returned", 0)
    used = sum(entry["knights"] for entry in data["recruits"]) - returned
    if returned:
        removed = counted(state.removed_knights[seat], "knight")
        come = "come" if returned > 1 else "comes"
        yield "BS-POR-1", f"of {removed} removed by expeditions {returned} {come} back"
        rest = f"{used} more come from the reserve" if used else "the reserve was not needed"
        yield "BS-POR-2", f"the removed knights are used first; {rest}"
    elif "portal" in data["spells"]:
        yield "BS-SPL-7", f"seat {seat} had no knight that Portal could bring back"
    if used:
        yield explain_reserve(state, seat, used)


def _explain_construction(state: SorceryState, data: ConstructionCast) -> Iterator[Reason]:
    """BS-ABU, BS-PET, BS-SAN, BS-SPL-6."""
    seat, spells, at = data["seat"], data["spells"], data["at"]
    hex, here = number_of(state, at), hex_text(at)
    if data["replaced"] == "knight":
        knight = f"seat {seat}'s knight on {here}"
        yield "BS-SAN-1", f"{knight} makes room for a city; no opposing pawn stood there"
        yield "BS-SAN-2", f"there was no building on {here}"
    else:
        yield explain_replaced_village(seat, at)
        yield from explain_no_opposing_knight(state, seat, at)
    if "petrification" in spells:
        yield from _explain_petrification(state, seat, hex)
    else:
        yield from explain_city_site(state, at)
    if "token" in data:
        yield explain_gain(state, hex, data["token"], state.bank[:], "BS-ABU-1")
    yield "BS-SPL-6", f"a city founded by spells earns {data['points']} points like any other"
    yield from explain_city_gain(state, seat, data["points"])


def _explain_petrification(state: SorceryState, seat: int, hex: int) -> Iterator[Reason]:
    """BS-PET-1, BY-CTY-3: what Petrification lifted, and what it left in force."""
    hexes, here = state.board.hexes, hex_text(state.board.hexes[hex])
    near = [at for at in state.board.neighbours[hex] if state.building[at] == CITY]
    own = [hex_text(hexes[at]) for at in near if state.owner[at] == seat]
    if state.board.terrain[hex] == FOREST:
        yield "BS-PET-1", f"{here} is a forest: BY-CTY-2 is lifted"
    if own:
        cities = f"{'cities' if own[1:] else 'city'} on {listing(own)}"
        yield "BS-PET-1", f"{here} is adjacent to seat {seat}'s own {cities}: BY-CTY-3 is lifted"
    if len(own) == len(near):
        yield "BY-CTY-3", f"no hex adjacent to {here} had an opponent's city"


def _round_scored(state: SorceryState, data: RoundScored) -> Iterator[Reason]:
    """`RoundScored`: BS-MYS-5."""
    standings = data["standings"]
    yield from explain_standings(standings)
    imprints = [
        f"seat {entry['seat']}'s imprints are worth {counted(entry['imprint_points'], 'point')}"
        for entry in standings
        if entry["imprint_points"]
    ]
    if imprints:
        yield "BS-MYS-5", listing(imprints)


def _game_finished(state: SorceryState, data: Ranked) -> Iterator[Reason]:
    """`GameFinished`: BS-MYS-5."""
    scores, *others = base_explain_ranking(state, data)
    yield scores
    imprints = [
        f"{imprint_points(state, seat)} of seat {seat}'s {entry['score']} are for {count}"
        for entry in data["ranking"]
        if state.imprints[seat := entry["seat"]]
        and (count := counted(len(state.imprints[seat]), "imprint"))
    ]
    if imprints:
        yield "BS-MYS-5", listing(imprints)
    yield from others


SORCERY_EXPLAINERS: Final[Mapping[str, Explainer[SorceryState]]] = {
    **EXPLAINERS,
    "CityPlaced": _city_placed,
    "KnightsMoved": _knights_moved,
    "ExpeditionSent": _expedition_sent,
    "SpellsCast": _spells_cast,
    "TurnPassed": partial(explain_pass, generators=SORCERY_GENERATORS),
    "RoundScored": _round_scored,
    "GameFinished": _game_finished,
}
"""By event type."""


def explain(state: SorceryState | None, seat: int | None, event: DomainEvent) -> list[Reason]:
    """The clauses by which this event followed from this state; [] for an unknown type.

    There is no state (None) before `GameStarted`.
    """
    return explain_with(state, event, _explain_start, SORCERY_EXPLAINERS, apply)

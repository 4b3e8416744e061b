"""`explain` with Sorcery: what spells lifted and did, what arrivals on mysterious places brought.

As in the base game's, of which whatever a cast shares with an action is taken; casts of movement, the
longest to tell, stand in `explain_movement`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any, Final

from domain.barony.components import BUILDINGS, CITY, FOREST, MYSTERIOUS_PLACE, SPELLS, TERRAINS
from domain.barony.explain import (
    REASONS,
    Reasons,
    explain_city_gain,
    explain_city_peace,
    explain_city_site,
    explain_expedition,
    explain_gain,
    explain_moves,
    explain_pass,
    explain_reserve,
    explain_site,
    explain_start,
    explain_village_replaced,
    ground_of,
    number_of,
)
from domain.barony.explain import explain as base_explain
from domain.barony.explain_turn_order import (
    Reason,
    explain_placement,
    explain_ranking,
    explain_standings,
)
from domain.barony.sorcery.apply import apply, come
from domain.barony.sorcery.components import COST, PLACES, PLACES_APART
from domain.barony.sorcery.event_text import magic_text
from domain.barony.sorcery.explain_movement import explain_arrival, explain_movement, explain_visit
from domain.barony.sorcery.recruitment import sites
from domain.barony.sorcery.rules import SORCERY_LISTS
from domain.barony.sorcery.scoring import imprint_points
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.contract import DomainEvent, Json
from domain.hex_text import hex_text
from domain.hexes import distance, hex_of
from domain.phrases import counted, listing


def _started(state: None, data: Json) -> Iterator[Reason]:
    """`GameStarted`: BS-SET-1, 2, 4."""
    yield from explain_start(state, data)
    places = [
        hex_of(cell["at"])
        for cell in data["board"]
        if cell["terrain"] == TERRAINS[MYSTERIOUS_PLACE]
    ]
    where = listing(map(hex_text, places))
    yield "BS-SET-1", f"{counted(len(places), 'mysterious place')}: {where}"
    # A record may tell of any board; of what no set-up lays nothing is said, however long it is.
    if 1 < len(places) <= max(PLACES.values()):
        apart = min(distance(one, other) for one, other in combinations(places, 2))
        if apart >= PLACES_APART:
            yield "BS-SET-2", f"the two that are nearest each other lie {apart} steps apart"
    spells = data["spells"]
    yield "BS-SET-4", f"{len(spells)} of {len(SPELLS)} spells lie open: {listing(spells)}"


def _placed(state: SorceryState, data: Json) -> Iterator[Reason]:
    """`CityPlaced`: BS-SET-3."""
    yield from explain_placement(state, data)
    board, here = state.board, hex_text(data["at"])
    if isinstance(board, SorceryBoard) and not board.by_a_place[number_of(state, data["at"])]:
        yield "BS-SET-3", f"there is no mysterious place on {here} or beside it"


def _expedition(state: SorceryState, data: Json) -> Iterator[Reason]:
    """`ExpeditionSent`: BS-MYS-2, 3, 4."""
    yield from explain_expedition(state, data)
    yield from explain_visit(state, data["seat"], data)
    if "magic" in data:
        yield "BS-MYS-4", "an expedition counts as an arrival"


def _cast(state: SorceryState, data: Json) -> Iterator[Reason]:
    """`SpellsCast`: BS-SPL-1, 2, 3, then what the family did."""
    seat, spells, held = data["seat"], data["spells"], state.magic[data["seat"]]
    (field,) = _FAMILIES.keys() & data
    name, explained = _FAMILIES[field]
    kind = f"lie open and are spells of {name}" if spells[1:] else f"lies open, a spell of {name}"
    yield "BS-SPL-1", f"{listing(spells)} {kind}"
    costs = listing(f"{COST[spell]} for {spell}" for spell in spells)
    left = held - data["cost"]
    yield "BS-SPL-2", f"of {magic_text(held)} seat {seat} pays {costs}, and keeps {left or 'none'}"
    if spells[1:]:
        yield "BS-SPL-3", f"together they make one {name}"
    yield from explained(state, data)


def _recruitment(state: SorceryState, data: Json) -> Iterator[Reason]:
    """BS-CHA, BS-ILL, BS-POR."""
    seat, spells = data["seat"], data["spells"]
    here = listing(hex_text(entry["at"]) for entry in data["recruits"])
    if "charm" in spells:
        clause = "BS-ILL-2" if "illusion" in spells else "BS-CHA-1"
        known = Counter(BUILDINGS[state.building[hex]] for hex in sites(state, seat, spells))
        owned = listing(counted(count, f"{building}") for building, count in known.items())
        yield clause, f"one knight each at {here}; seat {seat} has {owned} in all"
    else:
        site = "stronghold" if "illusion" in spells else "city"
        if "portal" in spells:
            how = "with Illusion" if "illusion" in spells else "without Illusion"
            yield "BS-POR-3", f"{how} the site is a {site}: {here}"
        else:
            yield "BS-ILL-1", f"the stronghold on {here} recruits as a city would"
        for entry in data["recruits"]:
            yield explain_site(state, seat, entry["at"], site)
    yield from _available(state, data)


def _available(state: SorceryState, data: Json) -> Iterator[Reason]:
    """BS-POR-1, 2, BY-REC-2: where the knights came from."""
    seat, returned = data["seat"], data.get("returned", 0)
    used = sum(entry["knights"] for entry in data["recruits"]) - returned
    if returned:
        removed = counted(state.removed_knights[seat], "knight")
        back = "come back" if returned > 1 else "comes back"
        yield "BS-POR-1", f"of {removed} removed by expeditions {returned} {back}"
        rest = f"{used} more of the reserve" if used else "none of the reserve was needed"
        yield "BS-POR-2", f"the removed ones come first; {rest}"
    elif "portal" in data["spells"]:
        yield "BS-SPL-7", f"seat {seat} had no knight that Portal could bring back"
    if used:
        yield explain_reserve(state, seat, used)


def _construction(state: SorceryState, data: Json) -> Iterator[Reason]:
    """BS-ABU, BS-PET, BS-SAN, BS-SPL-6."""
    seat, spells = data["seat"], data["spells"]
    hex, here = number_of(state, data["at"]), hex_text(data["at"])
    if data["replaced"] == "knight":
        yield (
            "BS-SAN-1",
            f"seat {seat}'s knight on {here} made room for a city; no opposing pawn stood there",
        )
        yield "BS-SAN-2", f"there was no building on {here}"
    else:
        yield explain_village_replaced(data)
        yield from explain_city_peace(state, data)
    if "petrification" in spells:
        yield from _petrified(state, seat, hex, here)
    else:
        yield from explain_city_site(state, data)
    if "abundance" in spells:
        yield explain_gain(state.bank[:], ground_of(state, hex), data, "BS-ABU-1")
    yield "BS-SPL-6", f"a city by spells earns {data['points']} points as any other"
    yield from explain_city_gain(state, data)


def _petrified(state: SorceryState, seat: int, hex: int, here: str) -> Iterator[Reason]:
    """BS-PET-1, BY-CTY-3: what Petrification lifted, and what it left in force."""
    near = [at for at in state.board.neighbours[hex] if state.building[at] == CITY]
    own = [hex_text(state.board.hexes[at]) for at in near if state.owner[at] == seat]
    if state.board.terrain[hex] == FOREST:
        yield "BS-PET-1", f"{here} is a forest: BY-CTY-2 is lifted"
    if own:
        cities = "cities" if own[1:] else "city"
        where = f"{here} is adjacent to seat {seat}'s own {cities} on {listing(own)}"
        yield "BS-PET-1", f"{where}: BY-CTY-3 is lifted"
    if len(own) == len(near):
        yield "BY-CTY-3", f"no hex adjacent to {here} had an opponent's city"


def _standings(state: SorceryState, data: Json) -> Iterator[Reason]:
    """`RoundScored`: BS-MYS-5."""
    yield from explain_standings(state, data)
    worth = [
        f"seat {entry['seat']}'s imprints are worth {entry['imprint_points']} points"
        for entry in data["standings"]
        if entry["imprint_points"]
    ]
    if worth:
        yield "BS-MYS-5", listing(worth)


def _ranking(state: SorceryState, data: Json) -> Iterator[Reason]:
    """`GameFinished`: BS-MYS-5."""
    of_tokens, *others = explain_ranking(state, data)
    yield of_tokens
    worth = [
        f"{imprint_points(state, seat)} of seat {seat}'s {entry['score']} are for {imprints}"
        for entry in data["ranking"]
        if state.imprints[seat := entry["seat"]]
        and (imprints := counted(len(state.imprints[seat]), "imprint"))
    ]
    if worth:
        yield "BS-MYS-5", listing(worth)
    yield from others


_FAMILIES: Final[Mapping[str, tuple[str, Callable[[Any, Json], Iterator[Reason]]]]] = {
    "moves": ("movement", explain_movement),
    "recruits": ("recruitment", _recruitment),
    "replaced": ("construction", _construction),
}
SORCERY_REASONS: Final[Mapping[str, Reasons]] = {
    **REASONS,
    "GameStarted": _started,
    "CityPlaced": _placed,
    "KnightsMoved": partial(explain_moves, arrived=explain_arrival, move_knight=come),
    "ExpeditionSent": _expedition,
    "SpellsCast": _cast,
    "TurnPassed": partial(explain_pass, lists=SORCERY_LISTS),
    "RoundScored": _standings,
    "GameFinished": _ranking,
}


def explain(state: SorceryState | None, seat: int | None, fact: DomainEvent) -> list[Reason]:
    """The clauses that let this fact come of this state, and what they did; [] for an unknown type."""
    return base_explain(state, seat, fact, SORCERY_REASONS, apply)

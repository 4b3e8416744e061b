"""Explanations of the recruitment family (BS-CHA, BS-ILL, BS-POR): a part of `explain`."""

from collections import Counter
from collections.abc import Iterator, Sequence

from domain.barony.components import BUILDINGS, Building, Spell
from domain.barony.explain import explain_reserve, explain_site
from domain.barony.sorcery.formats import RecruitmentCast
from domain.barony.sorcery.recruitment import sites
from domain.barony.sorcery.state import SorceryState
from domain.barony.terms import KNIGHT, PAWNS
from domain.contract import Reason
from domain.messages import Message, PlayerAt, counted, hex_at, listing, message, plural_message


def explain_recruitment(state: SorceryState, data: RecruitmentCast) -> Iterator[Reason]:
    """BS-CHA, BS-ILL, BS-POR."""
    seat, spells = data["seat"], data["spells"]
    here = listing(hex_at(entry["at"]) for entry in data["recruits"])
    if "charm" in spells:
        yield _one_knight_each(state, seat, spells, [entry["at"] for entry in data["recruits"]])
    else:
        if "portal" not in spells:
            text = message("the stronghold on {hex} recruits as a city would", hex=here)
            yield "BS-ILL-1", text
        elif "illusion" in spells:
            yield "BS-POR-3", message("with Illusion the site is a stronghold: {hex}", hex=here)
        else:
            yield "BS-POR-3", message("without Illusion the site is a city: {hex}", hex=here)
        site: Building = "stronghold" if "illusion" in spells else "city"
        for entry in data["recruits"]:
            yield explain_site(state, seat, entry["at"], site)
    yield from _explain_available(state, data)


def _one_knight_each(
    state: SorceryState, seat: int, spells: Sequence[Spell], hexes: Sequence[Sequence[int]]
) -> Reason:
    """BS-CHA-1, BS-ILL-2: one knight at each of some sites."""
    allowed = sites(state, seat, spells)
    buildings = Counter(kind for hex in allowed if (kind := BUILDINGS[state.building[hex]]))
    return "BS-ILL-2" if "illusion" in spells else "BS-CHA-1", plural_message(
        "one knight is recruited on {hexes}; {player} has {buildings} in all",
        "one knight is recruited on each of {hexes}; {player} has {buildings} in all",
        count=len(hexes),
        hexes=listing(map(hex_at, hexes)),
        player=PlayerAt(seat),
        buildings=listing(counted(count, PAWNS[kind]) for kind, count in buildings.items()),
    )


def _explain_available(state: SorceryState, data: RecruitmentCast) -> Iterator[Reason]:
    """BS-POR-1, 2, BS-SPL-7, BY-REC-2: where the knights came from."""
    seat, returned = data["seat"], data.get("returned", 0)
    used = sum(entry["knights"] for entry in data["recruits"]) - returned
    if returned:
        yield (
            "BS-POR-1",
            plural_message(
                "expeditions had removed {removed}, of which {count} comes back",
                "expeditions had removed {removed}, of which {count} come back",
                count=returned,
                removed=counted(state.removed_knights[seat], KNIGHT),
            ),
        )
        yield "BS-POR-2", _after_removed_knights(used)
    elif "portal" in data["spells"]:
        text = message("{player} had no knight that Portal could bring back", player=PlayerAt(seat))
        yield "BS-SPL-7", text
    if used:
        yield explain_reserve(state, seat, used)


def _after_removed_knights(used: int) -> Message:
    """BS-POR-2: how many knights came from the reserve after those that had been removed."""
    if not used:
        return message("the removed knights are used first; the reserve was not needed")
    return plural_message(
        "the removed knights are used first; {count} more comes from the reserve",
        "the removed knights are used first; {count} more come from the reserve",
        count=used,
    )

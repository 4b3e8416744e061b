"""The recruitment family (BS-CHA, BS-ILL, BS-POR): which sites take how many knights, and who comes back."""

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from domain.barony.actions import Cast
from domain.barony.components import CITY, STRONGHOLD
from domain.barony.recruitment import recruits_at
from domain.barony.sorcery.components import cost_of
from domain.barony.sorcery.state import SorceryState
from domain.contract import Json
from domain.errors import Refused
from domain.hex_text import hex_text
from domain.hexes import Hex
from domain.phrases import counted


def sites(state: SorceryState, seat: int, spells: Collection[str]) -> list[int]:
    """BS-CHA-1, BS-ILL-1, 2, BS-POR-3: the hexes where a cast of these spells may recruit."""
    if "illusion" not in spells:
        return state.built(seat, CITY)
    if "charm" in spells:
        return sorted(state.built(seat, CITY) + state.built(seat, STRONGHOLD))
    return state.built(seat, STRONGHOLD)


def most_at(state: SorceryState, hex: int, spells: Collection[str]) -> int:
    """BS-CHA-1, BS-ILL-1, 2: how many knights a cast of these spells may put on one of its sites."""
    return 1 if "charm" in spells else recruits_at(state, hex)


def decide_recruitment(state: SorceryState, seat: int, cast: Cast) -> Json:
    """What comes of the spells, as the data of `SpellsCast` have it. Raises Refused."""
    spells, recruits = cast.spells, cast.recruits
    has_charm, has_portal = "charm" in spells, "portal" in spells
    own, site = _site_clause(spells)
    known = sites(state, seat, spells)
    for at, knights in recruits:
        hex = state.board.index.get(at)
        if hex is None or hex not in known:
            raise Refused(own, f"seat {seat} has no {site} on {hex_text(at)}")
        most = most_at(state, hex, spells)
        if knights > most:
            clause = own if has_charm else "BY-REC-1"
            raise Refused(clause, f"{hex_text(at)} takes {counted(most, 'knight')}, not {knights}")
    if len(recruits) > 1 and not has_charm:
        clause = "BS-POR-1" if has_portal else own
        raise Refused(clause, f"without Charm there is one site, not {len(recruits)}")
    wanted = sum(knights for _, knights in recruits)
    reserve, removed = available(state, seat, spells)
    if wanted > reserve + removed:
        clause = "BS-POR-2" if has_portal else "BY-REC-2"
        back = f" and {removed} can come back" if has_portal else ""
        raise Refused(clause, f"the reserve holds {counted(reserve, 'knight')}{back}, not {wanted}")
    data: Json = {"recruits": [{"at": list(at), "knights": knights} for at, knights in recruits]}
    returned = min(wanted, removed)
    if returned:
        data["returned"] = returned
    return data


def available(state: SorceryState, seat: int, spells: Collection[str]) -> tuple[int, int]:
    """BS-POR-2: the knights to be had from the reserve, and by Portal from those removed."""
    removed = state.removed_knights[seat] if "portal" in spells else 0
    return state.reserve_knights[seat], removed


def _site_clause(spells: Collection[str]) -> tuple[str, str]:
    """The clause that says where a cast of these spells recruits, and what must stand there."""
    if "charm" in spells:
        if "illusion" in spells:
            return "BS-ILL-2", "city or stronghold"
        return "BS-CHA-1", "city"
    site = "stronghold" if "illusion" in spells else "city"
    return ("BS-POR-3" if "portal" in spells else "BS-ILL-1"), site


def legal_recruitments(
    state: SorceryState, seat: int, choices: Sequence[tuple[str, ...]]
) -> list[Cast]:
    """BS-CHA, BS-ILL, BS-POR: casts of these sets of spells, the first of those with one outcome."""
    casts: list[Cast] = []
    seen: set[object] = set()
    for spells in choices:
        cost = cost_of(spells)
        reserve, removed = available(state, seat, spells)
        for recruits, knights in _choices(state, seat, spells, reserve + removed):
            outcome = (cost, recruits, min(knights, removed))
            if outcome not in seen:
                seen.add(outcome)
                casts.append(Cast(spells, recruits=recruits))
    return casts


def _choices(
    state: SorceryState, seat: int, spells: Collection[str], knights: int
) -> Iterator[tuple[tuple[tuple[Hex, int], ...], int]]:
    """Every choice of sites with numbers of knights for which there are enough, and how many that takes."""
    hexes, known = state.board.hexes, sites(state, seat, spells)
    if "charm" not in spells:
        for hex in known:
            most = min(knights, most_at(state, hex, spells))
            yield from ((((hexes[hex], number),), number) for number in range(1, most + 1))
        return
    one_each = [(hexes[hex], 1) for hex in known]
    for count in range(1, min(knights, len(known)) + 1):
        yield from ((chosen, count) for chosen in combinations(one_each, count))

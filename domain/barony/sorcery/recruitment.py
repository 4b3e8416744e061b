"""The recruitment family (BS-CHA, BS-ILL, BS-POR): sites, numbers of knights, and knights that return."""

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import Literal, TypeAlias, assert_never

from domain.barony.actions import Cast
from domain.barony.components import CITY, STRONGHOLD, Spell
from domain.barony.recruitment import recruits_at
from domain.barony.sorcery.components import cost_of
from domain.barony.sorcery.formats import RecruitmentCast
from domain.barony.sorcery.state import SorceryState
from domain.barony.terms import KNIGHT
from domain.barony.turn_order import after_turn
from domain.errors import Refused, refusal
from domain.hexes import Hex
from domain.messages import Message, PlayerAt, counted, hex_at, message

Recruits: TypeAlias = tuple[tuple[Hex, int], ...]
"""The number of knights at each site."""
Site: TypeAlias = Literal["city", "stronghold", "any"]
"""The building in which spells recruit; `any` is a city or a stronghold."""


def sites(state: SorceryState, seat: int, spells: Collection[Spell]) -> list[int]:
    """BS-CHA-1, BS-ILL-1, 2, BS-POR-3: the hexes where a cast of these spells may recruit."""
    if "illusion" not in spells:
        return state.built(seat, CITY)
    if "charm" in spells:
        return sorted(state.built(seat, CITY) + state.built(seat, STRONGHOLD))
    return state.built(seat, STRONGHOLD)


def most_at(state: SorceryState, hex: int, spells: Collection[Spell]) -> int:
    """BS-CHA-1, BS-ILL-1, 2: the greatest number of knights that the spells may put on one of their sites."""
    return 1 if "charm" in spells else recruits_at(state, hex)


def decide_recruitment(state: SorceryState, seat: int, cast: Cast) -> RecruitmentCast:
    """BS-CHA, BS-ILL, BS-POR: the data of the event. Raises Refused."""
    spells, recruits = cast.spells, cast.recruits
    has_charm, has_portal = "charm" in spells, "portal" in spells
    site_clause, site = _site_clause(spells)
    allowed = sites(state, seat, spells)
    for at, knights in recruits:
        hex = state.board.index.get(at)
        if hex is None or hex not in allowed:
            raise Refused(site_clause, _no_site(seat, at, site))
        most = most_at(state, hex, spells)
        if knights > most:
            clause = site_clause if has_charm else "BY-REC-1"
            raise refusal(
                clause,
                "{hex} takes at most {knights}, not {number}",
                hex=hex_at(at),
                knights=counted(most, KNIGHT),
                number=knights,
            )
    if len(recruits) > 1 and not has_charm:
        clause = "BS-POR-1" if has_portal else site_clause
        raise refusal(clause, "without Charm there is one site, not {number}", number=len(recruits))
    total = sum(knights for _, knights in recruits)
    reserve, removed = available(state, seat, spells)
    if total > reserve + removed:
        clause = "BS-POR-2" if has_portal else "BY-REC-2"
        raise Refused(clause, _too_many(reserve, removed if has_portal else None, total))
    data: RecruitmentCast = {
        "seat": seat,
        "spells": list(spells),
        "cost": cost_of(spells),
        "recruits": [{"at": list(at), "knights": knights} for at, knights in recruits],
        "then": after_turn(state),
    }
    returned = min(total, removed)
    if returned:
        data["returned"] = returned
    return data


def _no_site(seat: int, at: Hex, site: Site) -> Message:
    """The refusal of a hex without a building of the seat in which the spells recruit."""
    player, hex = PlayerAt(seat), hex_at(at)
    match site:
        case "city":
            return message("{player} has no city on {hex}", player=player, hex=hex)
        case "stronghold":
            return message("{player} has no stronghold on {hex}", player=player, hex=hex)
        case "any":
            return message(
                "{player} has neither a city nor a stronghold on {hex}", player=player, hex=hex
            )
        case _:
            assert_never(site)


def _too_many(reserve: int, removed: int | None, total: int) -> Message:
    """BY-REC-2, BS-POR-2: why so many knights are refused; `removed` is None without Portal."""
    knights = counted(reserve, KNIGHT)
    if removed is None:
        return message("the reserve holds {knights}, not {number}", knights=knights, number=total)
    return message(
        "the reserve holds {knights} and Portal can bring back {removed}, which is fewer than {number}",
        knights=knights,
        removed=removed,
        number=total,
    )


def available(state: SorceryState, seat: int, spells: Collection[Spell]) -> tuple[int, int]:
    """BS-POR-2: the knights available from the reserve, and by Portal from those removed from the game."""
    removed = state.removed_knights[seat] if "portal" in spells else 0
    return state.reserve_knights[seat], removed


def _site_clause(spells: Collection[Spell]) -> tuple[str, Site]:
    """The clause that defines where a cast of these spells recruits, and the building that it requires."""
    if "charm" in spells:
        if "illusion" in spells:
            return "BS-ILL-2", "any"
        return "BS-CHA-1", "city"
    site: Site = "stronghold" if "illusion" in spells else "city"
    return ("BS-POR-3" if "portal" in spells else "BS-ILL-1"), site


def legal_recruitments(
    state: SorceryState, seat: int, choices: Sequence[tuple[Spell, ...]]
) -> list[Cast]:
    """BS-CHA, BS-ILL, BS-POR: casts of these sets of spells, one for each outcome."""
    casts: list[Cast] = []
    outcomes: set[object] = set()
    for spells in choices:
        cost = cost_of(spells)
        reserve, removed = available(state, seat, spells)
        for recruits, knights in _recruits(state, seat, spells, reserve + removed):
            outcome = (cost, recruits, min(knights, removed))
            if outcome not in outcomes:
                outcomes.add(outcome)
                casts.append(Cast(spells, recruits=recruits))
    return casts


def _recruits(
    state: SorceryState, seat: int, spells: Collection[Spell], knights: int
) -> Iterator[tuple[Recruits, int]]:
    """Every choice of sites and numbers for at most so many knights, with the total number."""
    hexes, allowed = state.board.hexes, sites(state, seat, spells)
    if "charm" not in spells:
        for hex in allowed:
            most = min(knights, most_at(state, hex, spells))
            yield from ((((hexes[hex], number),), number) for number in range(1, most + 1))
        return
    one_each = [(hexes[hex], 1) for hex in allowed]
    for count in range(1, min(knights, len(allowed)) + 1):
        yield from ((recruits, count) for recruits in combinations(one_each, count))

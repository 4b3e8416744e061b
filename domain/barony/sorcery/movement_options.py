"""All casts of the movement family: every outcome that the ways of one knight can have, each once.

What bars a hex and what falls there can be told beforehand: a cast changes a hex that it comes to again
only where Tornado sweeps the start and Celerity leads back to it.
"""

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from domain.barony.actions import Cast
from domain.barony.components import RESOURCES, VILLAGE
from domain.barony.movement import barred, has_company, meetings
from domain.barony.sorcery.components import cost_of
from domain.barony.sorcery.movement import is_teleport, isolated_pawns
from domain.barony.sorcery.places import visit
from domain.barony.sorcery.state import SorceryState
from domain.hexes import Hex

Pawn: TypeAlias = tuple[int, int, str]
"""A pawn that falls: (hex, owner, `knight` or `village`)."""
Way: TypeAlias = tuple[int, ...]
"""A knight's start and where each of its steps ends."""
Paths: TypeAlias = dict[int, tuple[Hex, ...]]
"""Ways as casts have them, by the hexes where they end."""


def legal_movements(
    state: SorceryState, seat: int, choices: Sequence[tuple[str, ...]]
) -> list[Cast]:
    """BS-CEL, BS-TEL, BS-TOR: casts of these sets of spells, the first of those with one outcome."""
    ways, hexes = _Ways(state, seat), state.board.hexes
    casts: list[Cast] = []
    calm: dict[object, Container[int]] = {}
    """By cost and start, the ends of the ways listed on which nothing happened."""
    seen: set[object] = set()
    for spells in choices:
        cost = cost_of(spells)
        kind = Kind("celerity" in spells, "teleportation" in spells, "tornado" in spells)
        for start in ways.starts:
            paths, others = ways.sorted(start, kind)
            if paths:
                calm[cost, start] = paths
                casts += [Cast(spells, path) for path in paths.values()]
            for way in others:
                end = way[-1]
                # A knight that comes back has been nowhere, whichever it was.
                where: object = (cost, start, end) if end != start else cost
                fallen, explored = ways.fallen(way, kind), ways.explored(way)
                if not fallen and not explored and end in calm.get((cost, start), ()):
                    continue
                for takes, tokens in _takes(state, fallen):
                    outcome = (where, frozenset(fallen), tokens, explored)
                    if outcome not in seen:
                        seen.add(outcome)
                        casts.append(Cast(spells, tuple([hexes[hex] for hex in way]), takes))
    return casts


class Kind(NamedTuple):
    """Which spells of the family are cast."""

    celerity: bool
    teleportation: bool
    tornado: bool


class _Ways:
    """Where the knights of a seat can go, and what happens there; what takes effort is worked out once."""

    def __init__(self, state: SorceryState, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.near = near = state.board.neighbours
        self.starts = [hex for hex, count in enumerate(state.knights[seat]) if count]
        once = {end for start in self.starts for end in near[start]}
        reach = once.union(self.starts, *map(near.__getitem__, once))
        self.bars = barred(state, seat, reach)
        self.free = reach.difference(self.bars)
        self.jumps = {
            hex
            for hex, clause in self.bars.items()
            if clause == "BY-MOV-6" and is_teleport(state, seat, hex)
        }
        self.visits = {hex for hex in reach if visit(state, seat, hex)}
        self.pawns = meetings(state, seat, reach)
        self.swept = {
            start: pawns
            for start in self.pawns.keys() & self.starts
            if (pawns := isolated_pawns(state, seat, start))
        }
        fights = {hex for hex in self.pawns if has_company(state, seat, hex)}
        self.calm = self.free - self.visits - fights
        """Hexes where an arrival does no more than to bring a knight there."""
        self.calm_for_tornado = self.calm.difference(self.pawns)
        self._sorted: dict[object, tuple[Paths, list[Way]]] = {}

    def sorted(self, start: int, kind: Kind) -> tuple[Paths, list[Way]]:
        """Of the ways from a hex those on which nothing happens, one to each other end, and all others."""
        if kind.tornado and start in self.swept:
            return {}, list(self._every(start, kind))
        calm = self.calm_for_tornado if kind.tornado else self.calm
        # One of the two sets of calm hexes lies within the other: as many hexes are the same ones.
        key = (start, kind.celerity, kind.teleportation, len(calm))
        found = self._sorted.get(key)
        if found is None:
            if kind.teleportation:
                found = {}, list(self._every(start, kind))
            elif kind.celerity:
                found = self._two_steps(start, calm)
            else:
                found = self._one_step(start, calm)
            self._sorted[key] = found
        return found

    def _one_step(self, start: int, calm: set[int]) -> tuple[Paths, list[Way]]:
        hexes = self.state.board.hexes
        ends = self.free.intersection(self.near[start])
        paths: Paths = {end: (hexes[start], hexes[end]) for end in ends & calm}
        return paths, [(start, end) for end in ends - calm]

    def _two_steps(self, start: int, calm: set[int]) -> tuple[Paths, list[Way]]:
        hexes, free = self.state.board.hexes, self.free
        first = hexes[start]
        paths: Paths = {}
        others: list[Way] = []
        home: Way | None = None
        for middle in free.intersection(self.near[start]):
            ends = free.intersection(self.near[middle])
            if middle not in calm:
                others += [(start, middle, end) for end in ends]
                continue
            by = hexes[middle]
            for end in ends:
                if end not in calm:
                    others.append((start, middle, end))
                elif end == start:
                    home = (start, middle, end)
                elif end not in paths:
                    paths[end] = (first, by, hexes[end])
        return paths, [*others, home] if home else others

    def _every(self, start: int, kind: Kind) -> Iterator[Way]:
        """Every way from a hex, with exactly one jump (BS-TEL-2) or without any."""
        free, jumps, near = self.free, self.jumps, self.near
        if not kind.celerity:
            ends = jumps if kind.teleportation else free
            yield from ((start, end) for end in near[start] if end in ends)
            return
        back, jump_back = free, jumps
        if kind.tornado and start in self.swept and self.bars.get(start) == "BY-MOV-6":
            # Once it is swept nothing bars the hex that the knight has left.
            back, jump_back = free | {start}, jumps - {start}
        for middle in near[start]:
            if middle in free:
                ends = jump_back if kind.teleportation else back
            elif kind.teleportation and middle in jumps:
                ends = back
            else:
                continue
            yield from ((start, middle, end) for end in near[middle] if end in ends)

    def explored(self, way: Way) -> frozenset[int]:
        """The mysterious places that get an imprint on the way."""
        return frozenset(self.visits.intersection(way[1:]))

    def fallen(self, way: Way, kind: Kind) -> list[Pawn]:
        """The pawns that fall on a way, in order (BS-TOR-2)."""
        start, end = way[0], way[-1]
        swept = self.swept.get(start, []) if kind.tornado else []
        fallen = [(start, *pawn) for pawn in swept]
        for hex in way[1:]:
            if hex in self.pawns and self._has_company(hex, start):
                fallen += [(hex, *p) for p in self.pawns[hex] if hex != start or p not in swept]
        if kind.tornado and end in self.pawns:
            last = [(end, *pawn) for pawn in isolated_pawns(self.state, self.seat, end)]
            fallen += [pawn for pawn in last if pawn not in fallen]
        return fallen

    def _has_company(self, hex: int, start: int) -> bool:
        """BY-CON-1 for a knight that has left `start`."""
        if hex == start and self.state.knights[self.seat][hex] == 1:
            return self.state.building[hex] == VILLAGE and self.state.owner[hex] == self.seat
        return has_company(self.state, self.seat, hex)


def _takes(
    state: SorceryState, fallen: Sequence[Pawn]
) -> Iterator[tuple[tuple[str, ...], tuple[tuple[int, str], ...]]]:
    """BY-CON-2, 3: every choice of tokens for the villages among the fallen, and from whom they come.

    In which order the same tokens are taken from one owner makes no difference.
    """
    owners = [owner for _, owner, pawn in fallen if pawn == "village"]
    if not owners:
        yield (), ()
        return
    found: dict[tuple[tuple[int, str], ...], tuple[str, ...]] = {}
    open_choices: list[tuple[tuple[int, str], ...]] = [()]
    for owner in owners:
        held = state.resources[owner]
        longer = []
        for taken in open_choices:
            kinds = [
                name
                for kind, name in enumerate(RESOURCES)
                if held[kind] > taken.count((owner, name))
            ]
            longer += [(*taken, (owner, name)) for name in kinds] or [taken]
        open_choices = longer
    for taken in open_choices:
        found.setdefault(tuple(sorted(taken)), tuple(name for _, name in taken))
    for tokens, takes in found.items():
        yield takes, tokens

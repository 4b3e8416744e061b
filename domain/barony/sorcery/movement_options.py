"""The options of the movement family: every outcome that the paths of one knight can have, each listed once.

What bars a hex and what is destroyed on it is the same for all paths: a cast changes a hex that it returns to
only where Tornado sweeps the start and Celerity leads back to it.
"""

from collections.abc import Container, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from domain.barony.actions import Cast
from domain.barony.components import RESOURCES, VILLAGE, Resource, Spell
from domain.barony.movement import Takes, barred_hexes, has_own_pawn, hexes_with_opponents
from domain.barony.sorcery.components import cost_of
from domain.barony.sorcery.movement import is_teleportation, isolated_pawns
from domain.barony.sorcery.places import magic_of_arrival
from domain.barony.sorcery.state import SorceryState
from domain.hexes import Hex

DestroyedPawn: TypeAlias = tuple[int, int, Literal["knight", "village"]]
"""A destroyed pawn: its hex, its seat and its kind."""
Path: TypeAlias = tuple[int, ...]
"""The hex where a knight starts, and the hex where each of its steps ends."""
QuietPaths: TypeAlias = dict[int, tuple[Hex, ...]]
"""Paths on which nothing happens but the steps, as casts have them, by the hex where they end."""
TakenTokens: TypeAlias = tuple[tuple[int, Resource], ...]
"""Tokens taken from other seats: the seat and the kind of each."""


def legal_movements(
    state: SorceryState, seat: int, choices: Sequence[tuple[Spell, ...]]
) -> list[Cast]:
    """BS-CEL, BS-TEL, BS-TOR: casts of these sets of spells, one for each outcome."""
    options, hexes = _Options(state, seat), state.board.hexes
    casts: list[Cast] = []
    quiet_ends: dict[object, Container[int]] = {}
    """By cost and start, the ends of the quiet paths that are listed."""
    outcomes: set[object] = set()
    for spells in choices:
        cost = cost_of(spells)
        kind = Kind("celerity" in spells, "teleportation" in spells, "tornado" in spells)
        for start in options.starts:
            quiet, others = options.paths(start, kind)
            if quiet:
                quiet_ends[cost, start] = quiet
                casts += [Cast(spells, path) for path in quiet.values()]
            for path in others:
                end = path[-1]
                # Knights that return to their start have the same outcome, wherever they start.
                moved: object = (cost, start, end) if end != start else cost
                destroyed, explored = options.destroyed(path, kind), options.explored(path)
                if not destroyed and not explored and end in quiet_ends.get((cost, start), ()):
                    continue
                for takes, tokens in _takes(state, destroyed):
                    outcome = (moved, frozenset(destroyed), tokens, explored)
                    if outcome not in outcomes:
                        outcomes.add(outcome)
                        casts.append(Cast(spells, tuple([hexes[hex] for hex in path]), takes))
    return casts


class Kind(NamedTuple):
    """The spells of the family that are cast."""

    celerity: bool
    teleportation: bool
    tornado: bool


class _Options:
    """Where the knights of a seat can go, and what happens there, computed once for all casts."""

    def __init__(self, state: SorceryState, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.near = near = state.board.neighbours
        self.starts = [hex for hex, count in enumerate(state.knights[seat]) if count]
        adjacent = {end for start in self.starts for end in near[start]}
        reach = adjacent.union(self.starts, *map(near.__getitem__, adjacent))
        self.barred = barred_hexes(state, seat, reach)
        self.free = reach.difference(self.barred)
        self.teleportations = {
            hex
            for hex, clause in self.barred.items()
            if clause == "BY-MOV-6" and is_teleportation(state, seat, hex)
        }
        """Hexes that only a teleportation can enter."""
        self.unexplored = {hex for hex in reach if magic_of_arrival(state, seat, hex)}
        """Mysterious places where an arrival places an imprint."""
        self.opponents = hexes_with_opponents(state, seat, reach)
        self.swept_starts = {
            start: pawns
            for start in self.opponents.keys() & self.starts
            if (pawns := isolated_pawns(state, seat, start))
        }
        """The pawns that Tornado destroys where a knight starts, by hex."""
        conflicts = {hex for hex in self.opponents if has_own_pawn(state, seat, hex)}
        self.quiet = self.free - self.unexplored - conflicts
        """Hexes where an arrival changes nothing else."""
        self.quiet_with_tornado = self.quiet.difference(self.opponents)
        self._paths: dict[object, tuple[QuietPaths, list[Path]]] = {}

    def paths(self, start: int, kind: Kind) -> tuple[QuietPaths, list[Path]]:
        """The paths from a hex: of the quiet ones one to each other hex, and all others."""
        if kind.tornado and start in self.swept_starts:
            return {}, list(self._all_paths(start, kind))
        quiet = self.quiet_with_tornado if kind.tornado else self.quiet
        # One of the two sets of quiet hexes contains the other: sets of equal size are equal.
        key = (start, kind.celerity, kind.teleportation, len(quiet))
        paths = self._paths.get(key)
        if paths is None:
            if kind.teleportation:
                paths = {}, list(self._all_paths(start, kind))
            elif kind.celerity:
                paths = self._two_steps(start, quiet)
            else:
                paths = self._one_step(start, quiet)
            self._paths[key] = paths
        return paths

    def _one_step(self, start: int, quiet: set[int]) -> tuple[QuietPaths, list[Path]]:
        hexes = self.state.board.hexes
        ends = self.free.intersection(self.near[start])
        paths: QuietPaths = {end: (hexes[start], hexes[end]) for end in ends & quiet}
        return paths, [(start, end) for end in ends - quiet]

    def _two_steps(self, start: int, quiet: set[int]) -> tuple[QuietPaths, list[Path]]:
        hexes, free = self.state.board.hexes, self.free
        first = hexes[start]
        paths: QuietPaths = {}
        others: list[Path] = []
        path_back: Path | None = None
        for middle in free.intersection(self.near[start]):
            ends = free.intersection(self.near[middle])
            if middle not in quiet:
                others += [(start, middle, end) for end in ends]
                continue
            second = hexes[middle]
            for end in ends:
                if end not in quiet:
                    others.append((start, middle, end))
                elif end == start:
                    path_back = (start, middle, end)
                elif end not in paths:
                    paths[end] = (first, second, hexes[end])
        return paths, [*others, path_back] if path_back else others

    def _all_paths(self, start: int, kind: Kind) -> Iterator[Path]:
        """Every path from a hex, with exactly one teleportation (BS-TEL-2) or without any."""
        free, teleportations, near = self.free, self.teleportations, self.near
        if not kind.celerity:
            ends = teleportations if kind.teleportation else free
            yield from ((start, end) for end in near[start] if end in ends)
            return
        last_free, last_teleportations = free, teleportations
        if kind.tornado and start in self.swept_starts and self.barred.get(start) == "BY-MOV-6":
            # After the sweep nothing bars the hex that the knight has left.
            last_free, last_teleportations = free | {start}, teleportations - {start}
        for middle in near[start]:
            if middle in free:
                ends = last_teleportations if kind.teleportation else last_free
            elif kind.teleportation and middle in teleportations:
                ends = last_free
            else:
                continue
            yield from ((start, middle, end) for end in near[middle] if end in ends)

    def explored(self, path: Path) -> frozenset[int]:
        """The mysterious places that get an imprint on the path."""
        return frozenset(self.unexplored.intersection(path[1:]))

    def destroyed(self, path: Path, kind: Kind) -> list[DestroyedPawn]:
        """BS-TOR-2: the pawns that are destroyed on the path, in order."""
        start, end = path[0], path[-1]
        swept = self.swept_starts.get(start, []) if kind.tornado else []
        destroyed = [(start, *pawn) for pawn in swept]
        for hex in path[1:]:
            if hex in self.opponents and self._has_own_pawn(hex, start):
                destroyed += [
                    (hex, *pawn)
                    for pawn in self.opponents[hex]
                    if hex != start or pawn not in swept
                ]
        if kind.tornado and end in self.opponents:
            last = [(end, *pawn) for pawn in isolated_pawns(self.state, self.seat, end)]
            destroyed += [pawn for pawn in last if pawn not in destroyed]
        return destroyed

    def _has_own_pawn(self, hex: int, start: int) -> bool:
        """BY-CON-1 for a knight that has left `start`."""
        if hex == start and self.state.knights[self.seat][hex] == 1:
            return self.state.building[hex] == VILLAGE and self.state.owner[hex] == self.seat
        return has_own_pawn(self.state, self.seat, hex)


def _takes(
    state: SorceryState, destroyed: Sequence[DestroyedPawn]
) -> Iterator[tuple[Takes, TakenTokens]]:
    """BY-CON-2, 3: every choice of tokens for the destroyed villages, with the tokens that it takes.

    The order in which the same tokens are taken from one seat makes no difference.
    """
    owners = [owner for _, owner, kind in destroyed if kind == "village"]
    if not owners:
        yield (), ()
        return
    choices: list[TakenTokens] = [()]
    for owner in owners:
        tokens = state.resources[owner]
        longer: list[TakenTokens] = []
        for taken in choices:
            kinds = [
                name
                for kind, name in enumerate(RESOURCES)
                if tokens[kind] > taken.count((owner, name))
            ]
            longer += [(*taken, (owner, name)) for name in kinds] or [taken]
        choices = longer
    takes_of: dict[TakenTokens, Takes] = {}
    for taken in choices:
        takes_of.setdefault(tuple(sorted(taken)), tuple(name for _, name in taken))
    for taken, takes in takes_of.items():
        yield takes, taken

"""The movement family (BS-CEL, BS-TEL, BS-TOR): one knight makes one step or two.

`legal_movements` lists every outcome that the paths of one knight can have once. What bars a hex and what is
destroyed on it is the same for all paths: a cast changes a hex that it returns to only where Tornado sweeps
the start and Celerity leads back to it.
"""

from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias, cast

from domain.barony.actions import Cast
from domain.barony.components import RESOURCES, VILLAGE, Resource, Spell
from domain.barony.formats import Destroyed
from domain.barony.movement import (
    BarrierClause,
    Pawn,
    Takes,
    arrive,
    barred_hexes,
    barrier,
    check_knight,
    check_step,
    check_takes_used,
    destroy,
    has_own_pawn,
    hexes_with_opponents,
)
from domain.barony.sorcery.components import cost_of
from domain.barony.sorcery.formats import CastStep, MovementCast
from domain.barony.sorcery.places import magic_of_arrival
from domain.barony.sorcery.state import SorceryState, apply_steps
from domain.barony.state import State, apply_destroyed
from domain.barony.turn_order import after_turn
from domain.errors import Refused, refusal
from domain.hexes import Hex
from domain.messages import Message, message


def isolated_pawns(state: State, seat: int, hex: int) -> list[Pawn]:
    """BS-SPL-5: knights and villages that are the only pawn of another seat on the hex, knights first."""
    building, village_owner = state.building[hex], state.owner[hex]
    if not building:
        village_owner = -1
    isolated: list[Pawn] = []
    for other, knights in enumerate(state.knights):
        if knights[hex] == 1 and other not in (seat, village_owner):
            isolated.append((other, "knight"))
    if building == VILLAGE and village_owner != seat and not state.knights[village_owner][hex]:
        isolated.append((village_owner, "village"))
    return isolated


def is_teleportation(state: State, seat: int, hex: int) -> bool:
    """BS-TEL-1: whether a step onto the hex needs Teleportation, and may be made by it.

    Where BY-MOV-6 is all that bars a hex, a village there is the only pawn of its seat (BY-MOV-5).
    """
    return (
        barrier(state, seat, hex) == "BY-MOV-6"
        and state.building[hex] == VILLAGE
        and state.owner[hex] != seat
    )


def barrier_to_teleportation(state: State, seat: int, hex: int) -> BarrierClause | None:
    """BS-TEL-1: the clause that keeps a knight with Teleportation from entering the hex, or None."""
    return None if is_teleportation(state, seat, hex) else barrier(state, seat, hex)


def decide_movement(state: SorceryState, seat: int, action: Cast) -> MovementCast:
    """BS-CEL, BS-TEL, BS-TOR, BS-MYS-2: the data of the event. Raises Refused."""
    path, takes = action.path, list(action.takes)
    steps = _check_length(action)
    hex = check_knight(state, seat, path[0])
    has_tornado, has_teleportation = "tornado" in action.spells, "teleportation" in action.spells
    barrier_to_step = barrier_to_teleportation if has_teleportation else barrier
    trial = state.copy()
    moves: list[CastStep] = []
    teleportations = 0
    for number, (start, end) in enumerate(pairwise(path), start=1):
        hex = check_step(trial, seat, hex, end, barrier_to_step)
        teleportations += is_teleportation(trial, seat, hex)
        left: list[Destroyed] = []
        if has_tornado and number == 1:
            left = _sweep(trial, seat, start, takes)
            apply_destroyed(trial, seat, trial.board.index[start], left)
        present = trial.knights[seat][hex]
        move = cast("CastStep", arrive(trial, seat, start, end, hex, present, takes))
        if left:
            move["left"] = left
        magic = magic_of_arrival(trial, seat, hex)
        if magic:
            move["magic"] = magic
        apply_steps(trial, seat, (move,))
        if has_tornado and number == steps and (swept := _sweep(trial, seat, end, takes)):
            move["swept"] = swept
        moves.append(move)
    if has_teleportation and teleportations != 1:
        clause = "BS-TEL-1" if steps == 1 else "BS-TEL-2"
        raise Refused(clause, _not_one_teleportation(teleportations))
    check_takes_used(takes)
    return {
        "seat": seat,
        "spells": list(action.spells),
        "cost": cost_of(action.spells),
        "moves": moves,
        "then": after_turn(state),
    }


def _not_one_teleportation(teleportations: int) -> Message:
    """BS-TEL-1, 2: why a move with this number of teleportations, none or two, is refused."""
    if teleportations:
        return message(
            "both steps lead onto a mountain with an opponent's isolated village, and only one may"
        )
    return message("no step leads onto a mountain with an opponent's isolated village")


def _check_length(action: Cast) -> int:
    """BS-CEL-1, 2: the number of steps. Raises Refused."""
    steps = len(action.path) - 1
    if "celerity" in action.spells and steps != 2:
        raise refusal("BS-CEL-1", "with Celerity the knight makes exactly two steps")
    if "celerity" not in action.spells and steps != 1:
        raise refusal("BS-CEL-2", "without Celerity the knight makes one step")
    return steps


def _sweep(state: SorceryState, seat: int, at: Hex, takes: list[Resource]) -> list[Destroyed]:
    """BS-TOR-1, 2: what Tornado destroys on a hex, as in events.

    Removes the takes that it uses from `takes`. Raises Refused for a take that does not match.
    """
    pawns = isolated_pawns(state, seat, state.board.index[at])
    return [destroy(state, pawn, at, takes) for pawn in pawns]


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

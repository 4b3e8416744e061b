"""All casts of the movement family: every outcome that the ways of one knight can have, each once.

What bars a hex and what falls there can be told beforehand: a cast changes a hex that it comes to again
only where Tornado sweeps the start and Celerity leads back to it.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

from domain.barony.material import RESOURCES
from domain.barony.movement import barrier, has_company, opposing_pawns
from domain.barony.sorcery.actions import Cast
from domain.barony.sorcery.material import COST
from domain.barony.sorcery.movement import is_teleport, isolated_pawns
from domain.barony.sorcery.places import visit
from domain.barony.sorcery.state import SorceryState

Pawn: TypeAlias = tuple[int, int, str]
"""A pawn that falls: (hex, owner, `knight` or `village`)."""
Way: TypeAlias = tuple[int, ...]
"""A knight's start and where each of its steps ends."""


def legal_movements(
    state: SorceryState, seat: int, choices: Sequence[tuple[str, ...]]
) -> list[Cast]:
    """BS-CEL, BS-TEL, BS-TOR: casts of these sets of spells, the first of those with one outcome."""
    casts: dict[object, Cast] = {}
    ways, hexes = _Ways(state, seat), state.board.hexes
    for spells in choices:
        cost = sum(map(COST.__getitem__, spells))
        has_tornado = "tornado" in spells
        for way in ways.of(spells):
            start, end = way[0], way[-1]
            # A knight that comes back to where it stood has been nowhere, whichever it was.
            where = (cost, start, end) if start != end else (cost,)
            if not has_tornado and ways.are_plain(way):
                if where not in casts:
                    casts[where] = Cast(spells, tuple([hexes[hex] for hex in way]))
                continue
            fallen = ways.fallen(way, has_tornado=has_tornado)
            explored = frozenset(hex for hex in way[1:] if visit(state, seat, hex))
            for takes, tokens in _takes(state, fallen):
                outcome = (*where, frozenset(fallen), tokens, explored)
                if outcome not in casts:
                    casts[outcome] = Cast(spells, tuple([hexes[hex] for hex in way]), takes)
    return list(casts.values())


class _Ways:
    """Where the knights of a seat can go, and what happens there; what takes effort is worked out once."""

    def __init__(self, state: SorceryState, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.near = state.board.neighbours
        self.starts = [hex for hex, count in enumerate(state.knights[seat]) if count]

    @cached_property
    def _reach(self) -> frozenset[int]:
        """Every hex within two steps of a knight."""
        once = {end for start in self.starts for end in self.near[start]}
        return frozenset({*self.starts, *once, *(end for hex in once for end in self.near[hex])})

    @cached_property
    def free(self) -> frozenset[int]:
        """Hexes that nothing bars."""
        return frozenset(h for h in self._reach if barrier(self.state, self.seat, h) is None)

    @cached_property
    def jumps(self) -> frozenset[int]:
        """Hexes onto which Teleportation leads."""
        others = self._reach - self.free
        return frozenset(h for h in others if is_teleport(self.state, self.seat, h))

    @cached_property
    def special(self) -> frozenset[int]:
        """Hexes where an arrival does more than to bring a knight there."""
        return frozenset(
            hex
            for hex in self._reach
            if visit(self.state, self.seat, hex) or opposing_pawns(self.state, self.seat, hex)
        )

    def are_plain(self, way: Way) -> bool:
        """Whether the steps do no more than to bring a knight from the start to the end."""
        return self.special.isdisjoint(way[1:])

    def of(self, spells: tuple[str, ...]) -> Iterator[Way]:
        """Every way that a cast of these spells may take."""
        has_teleport, has_tornado = "teleportation" in spells, "tornado" in spells
        for start in self.starts:
            if "celerity" not in spells:
                ends = self.jumps if has_teleport else self.free
                yield from ((start, end) for end in self.near[start] if end in ends)
                continue
            free, jumps = self.free, self.jumps
            if has_tornado and barrier(self.state, self.seat, start) == "BY-MOV-6":
                free, jumps = free | {start}, jumps - {start}  # once it is swept
            for middle in self.near[start]:
                if middle in self.free:
                    ends = jumps if has_teleport else free
                elif has_teleport and middle in self.jumps:
                    ends = free
                else:
                    continue
                yield from ((start, middle, end) for end in self.near[middle] if end in ends)

    def fallen(self, way: Way, *, has_tornado: bool) -> list[Pawn]:
        """The pawns that fall, in order (BS-TOR-2)."""
        state, seat = self.state, self.seat
        start, end = way[0], way[-1]
        swept = isolated_pawns(state, seat, start) if has_tornado else []
        fallen = [(start, *pawn) for pawn in swept]
        for hex in way[1:]:
            pawns = opposing_pawns(state, seat, hex) if self._has_company(hex, start) else []
            fallen += [(hex, *pawn) for pawn in pawns if hex != start or pawn not in swept]
        if has_tornado and end != start:
            last = [(end, *pawn) for pawn in isolated_pawns(state, seat, end)]
            fallen += [pawn for pawn in last if pawn not in fallen]
        return fallen

    def _has_company(self, hex: int, start: int) -> bool:
        """BY-CON-1 for a knight that has left `start`."""
        if hex == start and self.state.knights[self.seat][hex] == 1:
            return bool(self.state.building[hex]) and self.state.owner[hex] == self.seat
        return has_company(self.state, self.seat, hex)


def _takes(
    state: SorceryState, fallen: Sequence[Pawn]
) -> Iterator[tuple[tuple[str, ...], tuple[tuple[int, str], ...]]]:
    """BY-CON-2, 3: every choice of tokens for the villages among the fallen, and from whom they come.

    In which order the same tokens are taken from one owner makes no difference.
    """
    owners = [owner for _, owner, pawn in fallen if pawn == "village"]
    found: dict[tuple[tuple[int, str], ...], tuple[str, ...]] = {}
    open_choices: list[tuple[tuple[int, str], ...]] = [()]
    for owner in owners:
        held = state.players[owner].resources
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

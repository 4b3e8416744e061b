"""Baronies (BN-BAR-1): which tiles a keep has around it, what they are worth, what two of them share."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from domain.baron.components import KNIGHT, MEADOW, VALUES
from domain.hexes import Hex, neighbours


@dataclass(frozen=True, slots=True)
class Standing:
    """The board at one moment: all that the reckoning of baronies looks at."""

    tiles: Mapping[Hex, str]
    keeps: Mapping[Hex, tuple[int, str]]
    """The seat and the side of each keep."""
    out: frozenset[int]
    """Seats whose keeps fight on, while their honour stays as it is (BN-OUB-2)."""


def barony(board: Standing, keep: Hex) -> frozenset[Hex]:
    """BN-BAR-1: the keep's own hex and those around it, as far as there are tiles on them."""
    return frozenset(at for at in (keep, *neighbours(keep)) if at in board.tiles)


def worth(board: Standing, hexes: Iterable[Hex]) -> int:
    """The values of these tiles added up (BN-MAT-1)."""
    return sum(VALUES[board.tiles[at]] for at in hexes)


def worth_a_fight(board: Standing, hexes: Iterable[Hex]) -> frozenset[Hex]:
    """BN-FGT-1: those of the tiles that are no meadows. A tile of negative value is fought for too."""
    return frozenset(at for at in hexes if board.tiles[at] != MEADOW)


def complete(board: Standing) -> list[Hex]:
    """BN-BAR-1: the knights whose six tiles are all there, in order of (q, r)."""
    return sorted(
        at
        for at, (_, side) in board.keeps.items()
        if side == KNIGHT and all(near in board.tiles for near in neighbours(at))
    )

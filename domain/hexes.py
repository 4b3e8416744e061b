"""Hexes in axial coordinates [q, r]: neighbours and distance, without any board or rule."""

from collections.abc import Sequence
from typing import TypeAlias

Hex: TypeAlias = tuple[int, int]

DIRECTIONS: tuple[Hex, ...] = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))


def hex_of(at: Sequence[int]) -> Hex:
    """A hex from its JSON, [q, r]."""
    return (at[0], at[1])


def neighbours(at: Hex) -> tuple[Hex, ...]:
    """The six hexes adjacent to `at`, in the order of `DIRECTIONS`."""
    q, r = at
    return tuple((q + dq, r + dr) for dq, dr in DIRECTIONS)


def distance(a: Hex, b: Hex) -> int:
    """The number of steps from one hex to the other."""
    dq, dr = a[0] - b[0], a[1] - b[1]
    return max(abs(dq), abs(dr), abs(dq + dr))

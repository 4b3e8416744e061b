"""Hexes in axial coordinates [q, r]: neighbours, distance, and the short form in which people type them."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import message

Hex: TypeAlias = tuple[int, int]

DIRECTIONS: tuple[Hex, ...] = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))


def hex_of(at: Sequence[int]) -> Hex:
    """A hex from its JSON, [q, r]."""
    return (at[0], at[1])


@lru_cache(maxsize=1024)
def neighbours(at: Hex) -> tuple[Hex, ...]:
    """The six hexes adjacent to `at`, in the order of `DIRECTIONS`."""
    q, r = at
    return tuple((q + dq, r + dr) for dq, dr in DIRECTIONS)


def distance(a: Hex, b: Hex) -> int:
    """The number of steps from one hex to the other."""
    dq, dr = a[0] - b[0], a[1] - b[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def hex_text(at: Iterable[int]) -> str:
    """A hex as `q,r`."""
    return ",".join(map(str, at))


def json_from_text(text: str, read: Callable[[str, list[str]], JsonObject]) -> JsonObject:
    """The JSON of an action in short form. Raises Malformed.

    `read` gets the first word and the others, and raises ValueError or IndexError for unknown forms.
    """
    word, *rest = text.split() or [""]
    try:
        return read(word, rest)
    except (ValueError, IndexError):
        fault = message("“{text}” cannot be read as an action", text=text.strip())
        raise Malformed({"": fault}) from None


def hex_pair(text: str) -> list[int]:
    """A hex from `q,r`, as JSON. Raises ValueError."""
    q, r = text.split(",")
    return [number_from_text(q), number_from_text(r)]


def number_from_text(text: str) -> int:
    """An integer in plain digits. Raises ValueError; `int` would also accept `1_0` and other digits."""
    if not re.fullmatch("-?[0-9]+", text):
        raise ValueError(text)
    return int(text)


def hex_from_text(text: str) -> Hex:
    """A hex from `q,r`. Raises ValueError."""
    q, r = hex_pair(text)
    return (q, r)

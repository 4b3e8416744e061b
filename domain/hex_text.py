"""Hexes and numbers in the short form in which people type and read actions."""

import re
from collections.abc import Callable, Iterable

from domain.errors import Malformed
from domain.hexes import Hex
from domain.json_types import JsonObject
from domain.messages import message


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

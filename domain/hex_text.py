"""What the short texts of all games have in common: hexes and numbers as people type and read them."""

import re
from collections.abc import Callable, Iterable

from domain.contract import Json
from domain.errors import Malformed
from domain.hexes import Hex


def hex_text(at: Iterable[int]) -> str:
    """A hex as `q,r`."""
    return ",".join(map(str, at))


def json_from_text(text: str, read: Callable[[str, list[str]], Json]) -> Json:
    """The JSON of a short form, read by its first word and the others. Raises Malformed."""
    word, *rest = text.split() or [""]
    try:
        return read(word, rest)
    except (ValueError, IndexError):
        raise Malformed({"": f"cannot be read as an action: {text.strip()!r}"}) from None


def hex_pair(text: str) -> list[int]:
    """A hex from `q,r`, as JSON has it. Raises ValueError."""
    q, r = text.split(",")
    return [number_from_text(q), number_from_text(r)]


def number_from_text(text: str) -> int:
    """Plain digits: `int` alone would read `1_0` and digits of other scripts as well."""
    if not re.fullmatch("-?[0-9]+", text):
        raise ValueError(text)
    return int(text)


def hex_from_text(text: str) -> Hex:
    """A hex from `q,r`. Raises ValueError."""
    q, r = hex_pair(text)
    return (q, r)

"""Text that stays in its place: how wide it is, where it breaks, when it is cut.

A picture is drawn here without any font at hand, so widths are careful estimates for the broad
faces (Verdana, DejaVu) that an SVG may be shown in; a terminal counts columns exactly.
"""

import unicodedata
from collections.abc import Callable
from typing import TypeAlias

Measure: TypeAlias = Callable[[str], float]
"""How wide a text is, in whatever unit its place is measured in."""

_NARROW = frozenset("iljtfrI.,:;'|!()[]{} ·")
_BROAD = frozenset("mwMW@%")
ELLIPSIS = "…"


def _char_ems(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in {"W", "F"}:
        return 1.05
    if char in _NARROW:
        return 0.42
    if char in _BROAD:
        return 1.0
    return 0.75 if char.isupper() else 0.64


def ems(text: str) -> float:
    """The width of a text in a broad face, in font sizes; real fonts set it narrower."""
    return sum(map(_char_ems, text))


def columns(text: str) -> int:
    """The columns that a text takes in a terminal."""
    return sum(
        0
        if unicodedata.combining(char) or unicodedata.category(char) == "Cf"
        else 2
        if unicodedata.east_asian_width(char) in {"W", "F"}
        else 1
        for char in text
    )


def cut(text: str, width: float, measure: Measure) -> str:
    """The text, or as much of its beginning as fits with an ellipsis."""
    if measure(text) <= width:
        return text
    kept = text
    while kept and measure(kept.rstrip() + ELLIPSIS) > width:
        kept = kept[:-1]
    return kept.rstrip() + ELLIPSIS


def _split(word: str, width: float, measure: Measure) -> list[str]:
    """A word too long for any line, in pieces of at least one character that fit where they can."""
    pieces = [""]
    for char in word:
        if pieces[-1] and measure(pieces[-1] + char) > width:
            pieces.append("")
        pieces[-1] += char
    return pieces


def wrap(text: str, width: float, measure: Measure, most: int | None = None) -> list[str]:
    """The text in lines no wider than `width`, broken at blanks (not at hard ones) where there
    are any; of more than `most` lines the last one kept is cut. An empty text is one empty line.
    """
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if measure(longer) <= width:
            lines[-1] = longer
        else:
            lines += _split(word, width, measure)
    if len(lines) > 1 and not lines[0]:
        del lines[0]
    if most is not None and len(lines) > most:
        lines[most - 1 :] = [cut(" ".join(lines[most - 1 :]), width, measure)]
    return lines

"""Cleans untrusted text for display, and measures, cuts and wraps text.

Pictures are drawn without access to fonts, so widths are conservative estimates for the broad faces (Verdana,
DejaVu) that may show them. Widths in a terminal are exact.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

Measure: TypeAlias = Callable[[str], float]
"""Returns the width of a text, in the unit in which its place is measured."""

_NARROW = frozenset("iljtfrI.,:;'|!()[]{} \xa0\ue001·")
_BROAD = frozenset("mwMW@%")
ELLIPSIS = "…"
MINUS = "\u2212"
_NEGATIVE = re.compile(r"(?<!\w)-(?=\d)")
HARD_SPACE = "\xa0"
"""A space at which no line is broken."""
_ENTRY_SPACE = "\ue001"
"""A space inside an entry of a list, at which a line is broken only if the entry is too long for a line."""

_FIRST_STRONG_ISOLATE = "\u2068"
_POP_ISOLATE = "\u2069"
# Characters that change the direction of writing: in a table they would reorder other people's text.
_DIRECTIONAL = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c")


def clean(text: str) -> str:
    """Return the text on one line, with single spaces, and without characters that could do harm.

    Control characters, lone surrogates and characters that XML forbids become U+FFFD; characters that
    change the direction of writing are left out.
    """
    text = " ".join(text.split())
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        "\ufffd"
        if unicodedata.category(char) in {"Cc", "Cs"} or ord(char) & 0xFFFE == 0xFFFE
        else char
        for char in text
        if char not in _DIRECTIONAL
    )


def isolated(text: str) -> str:
    """Return clean text whose direction of writing does not affect the text around it.

    Text with letters that are written from right to left is isolated (Unicode UAX 9).
    """
    if text.isascii():
        return text
    is_mixed = any(unicodedata.bidirectional(char) in {"R", "AL", "AN"} for char in text)
    return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}" if is_mixed else text


@lru_cache(maxsize=4096)
def _char_ems(char: str) -> float:
    if unicodedata.combining(char) or char in _DIRECTIONAL:
        return 0.0
    if unicodedata.east_asian_width(char) in {"W", "F"}:
        return 1.05
    if char in _NARROW:
        return 0.42
    if char in _BROAD:
        return 1.0
    if char == MINUS:
        return 0.84
    return 0.75 if char.isupper() else 0.64


def ems(text: str) -> float:
    """Return an upper estimate of the width of a text, in font sizes."""
    return sum(map(_char_ems, text))


def with_minus(text: str) -> str:
    """Return the text with minus signs (U+2212) before negative numbers, where a hyphen is hard to see."""
    return _NEGATIVE.sub(MINUS, text)


def columns(text: str) -> int:
    """Return the number of columns that a text takes in a terminal."""
    if text.isascii() and text.isprintable():
        return len(text)
    from wcwidth import wcwidth

    return sum(max(wcwidth(char), 0) for char in text)


def cut(text: str, width: float, measure: Measure) -> str:
    """Return the text, truncated with an ellipsis if it does not fit into the width."""
    if measure(text) <= width:
        return text
    beginning = text
    while beginning and measure(beginning.rstrip() + ELLIPSIS) > width:
        beginning = beginning[:-1]
    kept = beginning.rstrip() + ELLIPSIS
    return kept + _POP_ISOLATE * (kept.count(_FIRST_STRONG_ISOLATE) - kept.count(_POP_ISOLATE))


def _split(word: str, width: float, measure: Measure) -> list[str]:
    """Return the parts, of at least one character, of a word that is too long for a line."""
    parts = [""]
    for char in word:
        if parts[-1] and measure(parts[-1] + char) > width:
            parts.append("")
        parts[-1] += char
    return parts


def wrap(text: str, width: float, measure: Measure, max_lines: int | None = None) -> list[str]:
    """Return the text in lines that are no wider than `width`, at most `max_lines` of them.

    Lines are broken at spaces where possible, never at hard spaces. Text that does not fit into
    `max_lines` is cut. An empty text is one empty line.
    """
    lines = _fill(text, (" ", _ENTRY_SPACE), width, measure)
    if max_lines is not None and len(lines) > max_lines:
        lines[max_lines - 1 :] = [cut(" ".join(lines[max_lines - 1 :]), width, measure)]
    return [line.replace(_ENTRY_SPACE, HARD_SPACE) for line in lines]


def _fill(text: str, separators: Sequence[str], width: float, measure: Measure) -> list[str]:
    """Return the text in lines that are broken at the first separator.

    A part that is too long for a line is broken at the next separator, and finally between characters.
    """
    if not separators:
        return _split(text, width, measure)
    separator, *others = separators
    lines = [""]
    for part in text.split(separator):
        longer = f"{lines[-1]}{separator}{part}" if lines[-1] else part
        if measure(longer) <= width:
            lines[-1] = longer
        else:
            lines += _fill(part, others, width, measure)
    if len(lines) > 1 and not lines[0]:
        del lines[0]
    return lines


def unbroken_entries(text: str) -> str:
    """Return a list such as `2 knights, 3 villages` whose entries `wrap` breaks only if it must."""
    return ", ".join(entry.replace(" ", _ENTRY_SPACE) for entry in text.split(", "))


def longest_word(texts: Iterable[str]) -> int:
    """Return the number of columns of the longest word in some texts; 0 without words."""
    words = (word for text in texts for word in text.split(" "))
    return max(map(columns, words), default=0)

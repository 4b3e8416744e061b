"""Cleans entered text of white space that people do not see.

Phones add a space after a word that they complete, and text that is copied from a page or a mail may have
non-breaking and zero-width spaces around it. These are not part of a handle, an address or a code. Passwords
are not changed.
"""

import unicodedata
from typing import Final

_INVISIBLE: Final = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})
"""The Unicode categories of separators, and of control and format characters, such as a zero-width space."""


def trim(text: str) -> str:
    """Return a text without the white space and the invisible characters before and after it."""
    start, end = 0, len(text)
    while start < end and _is_invisible(text[start]):
        start += 1
    while start < end and _is_invisible(text[end - 1]):
        end -= 1
    return text[start:end]


def trim_code(text: str) -> str:
    """Return a code, such as a token of a link, without white space and invisible characters anywhere in it.

    A code contains none, but a program may have broken it into several lines.
    """
    return "".join(character for character in text if not _is_invisible(character))


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) in _INVISIBLE

"""Which texts people may write in disputes."""

import unicodedata
from typing import Final

_LINE_FEED: Final = "\n"
_FORBIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Control characters, surrogates, line and paragraph separators."""
_DIRECTION_CONTROLS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the direction of the text after them, so that it looks different from what it is."""


def statement_fault(text: str, max_characters: int) -> str | None:
    """Return what is wrong with a statement, as the end of a sentence about it; None if it is allowed."""
    if not text.strip():
        return "must not be empty"
    if len(text) > max_characters:
        return f"must have at most {max_characters} characters"
    for character in text:
        if character != _LINE_FEED and (
            unicodedata.category(character) in _FORBIDDEN_CATEGORIES
            or character in _DIRECTION_CONTROLS
        ):
            return f"must not contain the character U+{ord(character):04X}"
    return None

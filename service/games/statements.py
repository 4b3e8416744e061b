"""Which texts people may write in disputes."""

import unicodedata
from typing import Final

from domain.messages import Message, message, plural_message

_LINE_FEED: Final = "\n"
_FORBIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Control characters, surrogates, line and paragraph separators."""
_DIRECTION_CONTROLS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the direction of the text after them, so that it looks different from what it is."""


def statement_fault(text: str, max_characters: int) -> Message | None:
    """Return what is wrong with a statement, as the end of a sentence about it; None if it is allowed."""
    if not text.strip():
        return message("must not be empty")
    if len(text) > max_characters:
        return plural_message(
            "must have at most one character",
            "must have at most {count} characters",
            count=max_characters,
        )
    for character in text:
        if character != _LINE_FEED and (
            unicodedata.category(character) in _FORBIDDEN_CATEGORIES
            or character in _DIRECTION_CONTROLS
        ):
            return message("must not contain the character U+{code}", code=f"{ord(character):04X}")
    return None

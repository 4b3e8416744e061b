"""Names of games: one line of text that looks like what it is, wherever it is shown."""

import unicodedata
from typing import Final

from domain.messages import Message, message

MAX_NAME_CHARACTERS: Final = 60
_JOINERS: Final = frozenset("\u200c\u200d")
"""Invisible characters that some scripts need inside words, and emoji between their parts."""
_MAX_MARKS: Final = 4
"""The most marks (accents and the like) in a row: more of them would cover the lines around the name."""


def name_fault(name: object) -> Message | None:
    """What is wrong with the name of a game, as the end of a sentence about it; None if it is allowed."""
    if not isinstance(name, str):
        return message("must be a text")
    if not 1 <= len(name) <= MAX_NAME_CHARACTERS:
        return message("must have 1 to {count} characters", count=MAX_NAME_CHARACTERS)
    marks = 0
    for character in name:
        category = unicodedata.category(character)
        if category in {"Cc", "Cs", "Co", "Zl", "Zp"} or (
            category == "Cf" and character not in _JOINERS
        ):
            return message("must not contain the character U+{code}", code=f"{ord(character):04X}")
        marks = marks + 1 if category[0] == "M" else 0
        if marks > _MAX_MARKS:
            return message("must not have more than {count} accents on a letter", count=_MAX_MARKS)
    if name != name.strip() or not name.strip("".join(_JOINERS)):
        return message("must not begin or end with a space")
    return None

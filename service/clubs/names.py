"""The names of clubs: the rules are those of handles, and a name may have spaces between its words."""

import unicodedata
from typing import Final

from domain.messages import Message, Text, message
from service.accounts.handles import MAX_LENGTH, InvalidHandle, fold_case, parse_handle, skeletons
from service.accounts.reserved_handles import is_reserved
from service.entered_text import trim

MAX_NAME_LENGTH: Final = MAX_LENGTH
_MAX_RAW_LENGTH: Final = 4 * MAX_LENGTH
"""The maximum length before normalization, as for handles."""
_SPACE: Final = "_"
"""The character that replaces a space when a name is checked as a handle."""


def name_fault(name: str) -> Text | None:
    """Return the fault of a normalized name of a club; None if it is valid."""
    handle = name.replace(" ", _SPACE)
    try:
        parse_handle(handle)
    except InvalidHandle as error:
        return _LENGTH if len(name) > MAX_NAME_LENGTH or not name else error.message
    if is_reserved(handle):
        return message("is reserved, because it seems to speak for this server: choose another one")
    return None


_LENGTH: Final[Message] = message("must have 1 to {count} characters", count=MAX_NAME_LENGTH)


def normalized_name(text: str) -> str:
    """Return a name in the normalization form NFKC, with single spaces between its words."""
    words = unicodedata.normalize("NFKC", trim(text)[:_MAX_RAW_LENGTH]).split()
    return " ".join(filter(None, map(trim, words)))


def skeletons_of_name(name: str) -> frozenset[str]:
    """Return the skeletons of a name; names that look alike have one in common."""
    return skeletons(name.replace(" ", _SPACE))


def sorting_key(name: str) -> str:
    """Return the key by which lists order a name, without distinguishing upper and lower case."""
    return fold_case(name)

"""Handles: validates them, compares them, and finds those that look alike.

A handle is a PRECIS username (RFC 8265) of letters, digits and a few signs, in one script. Upper and lower
case do not distinguish handles. Two handles look alike if they have a skeleton in common (UTS 39). In a
skeleton, every character is replaced by the one that Unicode lists as its prototype: the Cyrillic letter a,
for example, by the Latin one.
"""

import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from domain.errors import CartularyError
from domain.messages import listing
from service.entered_text import trim

MAX_LENGTH: Final = 32
HANDLE_MARK: Final = "@"
"""The optional mark before a handle: `@me` is always a handle, never a reserved word."""
_MAX_RAW_LENGTH: Final = 4 * MAX_LENGTH
"""The maximum length before normalization, whose time can grow with the square of the length."""
_SIGNS: Final = "_-."
_PROFILE: Final = "UsernameCasePreserved"
_WRITING_SYSTEMS: Final = (
    frozenset({"HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"HAN", "HANGUL"}),
    frozenset({"HAN", "BOPOMOFO"}),
)
"""Scripts that are written together."""
_ALL_SCRIPTS: Final = frozenset({"COMMON", "INHERITED"})
"""The Unicode script of characters that belong to all scripts, such as digits."""
_GUEST_CHARACTERS: Final = "bcdfghjkmnpqrstvwxz2456789"
"""Letters and digits that look different and do not form words."""
_GUEST_LENGTH: Final = 6
_LEFT_TO_RIGHT_MARK: Final = "\u200e"


class InvalidHandle(CartularyError):
    """A text that is not allowed as a handle. The message is what is wrong, for a field error."""


def parse_handle(text: str) -> str:
    """Return the handle in a text, in the normalization form NFKC: letters have their usual form.

    White space around it is removed. Raises InvalidHandle.
    """
    text = trim(text)
    if len(text) > _MAX_RAW_LENGTH or not _is_well_formed(handle := _normalize(text)):
        raise InvalidHandle.with_message(
            "must be 1 to {count} letters, digits, underscores, hyphens or full stops, and neither"
            " begin nor end with a hyphen or a full stop",
            count=MAX_LENGTH,
        )
    _check_characters(handle)
    _check_scripts(handle)
    return handle


def random_guest_handle() -> str:
    """Return a handle for a guest, such as `guest-7k2m9x`."""
    return "guest-" + "".join(secrets.choice(_GUEST_CHARACTERS) for _ in range(_GUEST_LENGTH))


def fold_case(handle: str) -> str:
    """Return a handle without the distinction of upper and lower case."""
    return handle.casefold()


def entered_handle(text: str) -> str:
    """Return the handle in a text that names a player, without white space around it and without its mark."""
    return trim(text).removeprefix(HANDLE_MARK)


def spellings(text: str) -> tuple[str, ...]:
    """Return the handles that a text may stand for, in lower case, the most exact first.

    The text may have white space around it, and begin with HANDLE_MARK.
    There are none if no player can have such a handle. Handles that were registered before
    `parse_handle` normalized them to NFKC are stored in NFC.
    """
    text = entered_handle(text)
    if len(text) > _MAX_RAW_LENGTH:
        return ()
    normalized = (unicodedata.normalize("NFC", text), _normalize(text))
    return tuple(dict.fromkeys(fold_case(form) for form in normalized if _is_well_formed(form)))


def skeletons(handle: str) -> frozenset[str]:
    """Return the skeletons of a handle, as it is written and in lower case.

    Case changes what a character looks like: a capital I looks like a lower-case l.
    """
    return frozenset(fold_case(_skeleton(text)) for text in (handle, fold_case(handle)))


def _check_characters(handle: str) -> None:
    """Raise InvalidHandle if PRECIS does not allow a character, or an order of characters, in a username."""
    # The libraries are imported here and below, so that processes that do not register players start quickly.
    import precis_i18n

    try:
        precis_i18n.get_profile(_PROFILE).enforce(handle)
    except UnicodeEncodeError as error:
        if error.reason.endswith("bidi_rule"):
            raise InvalidHandle.with_message(
                "must not mix directions of writing, and must begin with a letter if it is written"
                " from right to left"
            ) from None
        character = handle[error.start]
        raise InvalidHandle.with_message(
            "must not contain the character U+{code}", code=f"{ord(character):04X}"
        ) from None


def _check_scripts(handle: str) -> None:
    """Raise InvalidHandle if a handle mixes scripts that are not used together."""
    from confusable_homoglyphs.categories import unique_aliases

    scripts = unique_aliases(handle) - _ALL_SCRIPTS
    if len(scripts) > 1 and not any(scripts <= system for system in _WRITING_SYSTEMS):
        # The names of scripts are those of Unicode, in every language.
        names = sorted(script.replace("_", " ").title() for script in scripts)
        raise InvalidHandle.with_message("must not mix scripts: {scripts}", scripts=listing(names))


def _normalize(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _is_well_formed(handle: str) -> bool:
    """Return whether a normalized handle has only letters, marks, digits and signs, in allowed places."""
    return (
        0 < len(handle) <= MAX_LENGTH
        and all(c in _SIGNS or unicodedata.category(c)[0] in "LMN" for c in handle)
        and (handle[0] == "_" or unicodedata.category(handle[0])[0] in "LN")
        and handle[-1] not in "-."
    )


def _skeleton(handle: str) -> str:
    """Return the skeleton of a handle (UTS 39, section 4)."""
    prototypes = _prototypes()
    decomposed = unicodedata.normalize("NFD", _normalize(handle))
    replaced = "".join(prototypes.get(c, c) for c in decomposed)
    # A dot above does not change these letters, because they already have one.
    return re.sub("(?<=[ijl])\u0307", "", unicodedata.normalize("NFD", replaced))


@cache
def _prototypes() -> Mapping[str, str]:
    """Return a mapping from characters to the characters that they look like."""
    from confusable_homoglyphs.utils import load

    neighbors = _neighbors(load("confusables.json"))

    def prototype(character: str) -> str:
        """Return the prototype of a character: the center of the star that it is connected to."""
        connected = neighbors.get(character, set())
        if len(connected) != 1:
            return character
        (other,) = connected
        if len(other) > 1:
            return "".join(map(prototype, other))
        return other if len(neighbors[other]) > 1 else min(character, other)

    pairs = {character: prototype(character) for character in neighbors if len(character) == 1}
    return {character: other for character, other in pairs.items() if other != character}


def _neighbors(confusables: Mapping[str, Iterable[Any]]) -> dict[str, set[str]]:
    """Return a mapping from texts to the texts that look like them, from the data of confusable-homoglyphs.

    The data connects each character with its prototype, in both directions, and encloses right-to-left
    characters in left-to-right marks.
    """
    neighbors: dict[str, set[str]] = {}
    for text, entries in confusables.items():
        connected = neighbors.setdefault(text.replace(_LEFT_TO_RIGHT_MARK, ""), set())
        connected.update(entry["c"].replace(_LEFT_TO_RIGHT_MARK, "") for entry in entries)
    return neighbors

"""Signs for the terminal: one character for every ground and every kind of piece of a scene.

Known names have a sign of their own; any other name gets the first of its letters that is still
free in the scene, and the legend under the board says what stands for what.
"""

from collections.abc import Iterable, Mapping
from string import ascii_lowercase, digits

_GROUNDS = {
    "mountain": "^",
    "forest": "%",
    "plain": ".",
    "field": "=",
    "lake": "~",
    "mysterious_place": "@",
    "meadow": ",",
    "village": "n",
    "vineyard": "&",
    "quarry": "#",
    "pond": "o",
    "marsh": '"',
    "cursed_place": "!",
}
MARK = "*"
"""Stands before a seat that has left its mark on a hex; no ground and no piece has it."""
_PIECES = {
    "knight": "K",
    "village": "V",
    "stronghold": "S",
    "city": "C",
    "keep_knight": "K",
    "keep_baron": "B",
}


def _signs(names: Iterable[str], known: Mapping[str, str], spare: str) -> dict[str, str]:
    """A sign for each name, no two the same as long as there are enough."""
    signs: dict[str, str] = {}
    for name in sorted(set(names), key=lambda name: (name not in known, name)):
        letters = "".join(filter(str.isalpha, name))
        letters = letters.upper() if spare.isupper() else letters.lower()
        wanted = known.get(name, "") + "".join(filter(str.isascii, letters)) + spare
        taken = set(signs.values())
        signs[name] = next((sign for sign in wanted if sign not in taken), "?")
    return dict(sorted(signs.items()))


def ground_signs(names: Iterable[str]) -> dict[str, str]:
    """Signs of the grounds, in alphabetical order of the names."""
    return _signs(names, _GROUNDS, ascii_lowercase + digits)


def piece_signs(names: Iterable[str]) -> dict[str, str]:
    """Signs of the kinds of pieces, capitals, in alphabetical order of the names."""
    return _signs(names, _PIECES, ascii_lowercase.upper())

"""The components of the expansion (BS-MAT): tiles, costs of spells, numbers and terms, each in one place."""

from collections.abc import Iterable, Mapping
from typing import Final

from domain.barony.components import Spell, Tile
from domain.messages import Term, Text, message, term

PLACE_TILES: Final[tuple[Tile, ...]] = ("SDF", "SDP", "SFM", "SLP", "SDM")
"""The tiles with a mysterious place (BS-MAT-2). A set-up shuffles them in this order."""
OTHER_TILES: Final[tuple[Tile, ...]] = ("DFM", "DMP", "FPP", "FLP")
"""The other tiles of the expansion, which only five players need (BS-SET-1)."""
PLACES: Final = {2: 3, 3: 4, 4: 5, 5: 5}
"""Mysterious places on the board, by the number of players (BS-SET-1)."""
PLACES_APART: Final = 3
"""The least distance between two mysterious places (BS-SET-2)."""
RADIUS_OF_FIVE: Final = 8
"""The greatest distance of a hex from the middle one with five players."""

MOST_SEATS: Final = 5
BANK_OF_EACH: Final = 25
"""Tokens of each kind in the bank (BS-MAT-1)."""

MAGIC_OF_A_VISIT: Final = (3, 2, 1)
"""The magic tokens that an arrival gains, by the number of imprints on the place before it (BS-MYS-2).

No stock of magic tokens is needed: five places give the 30 tokens there are (BS-MAT-1).
"""
POINTS_AN_IMPRINT: Final = 3

COST: Final[Mapping[Spell, int]] = {
    "abundance": 1,
    "celerity": 1,
    "charm": 1,
    "illusion": 1,
    "petrification": 1,
    "portal": 2,
    "sanctuary": 2,
    "teleportation": 1,
    "tornado": 2,
}
"""The magic tokens that each spell costs."""
OPEN_SPELLS: Final = 5
"""The number of open spells (BS-SET-4)."""


def cost_of(spells: Iterable[Spell]) -> int:
    """BS-SPL-2: the magic tokens that spells cast together cost."""
    return sum(map(COST.__getitem__, spells))


TITLE: Final = term("Barony: Sorcery")
DESCRIPTION: Final[Text] = message(
    "Barony with its expansion: knights find magic in mysterious places, and players spend it on spells that"
    " bend the rules of their actions."
)
MAGIC_TOKEN: Final = term(
    "magic token; plural: magic tokens; a: a magic token; the: the magic token"
)
IMPRINT: Final = term("imprint; plural: imprints; a: an imprint; the: the imprint")

SPELL_NAMES: Final[Mapping[Spell, Term]] = {
    "abundance": term("Abundance"),
    "celerity": term("Celerity"),
    "charm": term("Charm"),
    "illusion": term("Illusion"),
    "petrification": term("Petrification"),
    "portal": term("Portal"),
    "sanctuary": term("Sanctuary"),
    "teleportation": term("Teleportation"),
    "tornado": term("Tornado"),
}

"""What is in the box of the expansion (BS-MAT): tiles, spells and numbers, each in one place."""

from collections.abc import Iterable, Mapping
from typing import Final

from domain.barony.tiles import Tile

PLACE_TILES: Final[tuple[Tile, ...]] = ("SDF", "SDP", "SFM", "SLP", "SDM")
"""The tiles with a mysterious place (BS-MAT-2), in the order in which a set-up shuffles them."""
OTHER_TILES: Final[tuple[Tile, ...]] = ("DFM", "DMP", "FPP", "FLP")
"""The expansion's other tiles, which only five players need (BS-SET-1)."""
PLACES: Final = {2: 3, 3: 4, 4: 5, 5: 5}
"""Mysterious places on the board, by the number of players (BS-SET-1)."""
PLACES_APART: Final = 3
"""The least distance between two mysterious places (BS-SET-2)."""
RADIUS_OF_FIVE: Final = 8
"""How far the hexes may lie from the middle one with five players."""

MOST_SEATS: Final = 5
BANK_OF_EACH: Final = 25
"""Tokens of each kind in the bank (BS-MAT-1)."""

MAGIC_OF_A_VISIT: Final = (3, 2, 1)
"""Magic tokens of an arrival, by the number of imprints that are there before it (BS-MYS-2).

No stock is kept: five places bring the 30 of the box, and a player has an imprint for each (BS-MAT-1).
"""
POINTS_AN_IMPRINT: Final = 3

COST: Final[Mapping[str, int]] = {
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
"""Magic tokens that each spell costs."""
OPEN_SPELLS: Final = 5
"""How many spells lie open (BS-SET-4)."""


def cost_of(spells: Iterable[str]) -> int:
    """BS-SPL-2: the magic tokens that spells cast together cost."""
    return sum(map(COST.__getitem__, spells))

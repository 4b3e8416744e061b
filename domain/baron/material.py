"""What is in the box (BN-MAT): numbers and values, each in one place so that a correction is one line."""

from collections.abc import Mapping
from typing import Final

MEADOW: Final = "meadow"
"""The one kind that may lie next to its own, carry a keep, and is not worth a fight."""

VALUES: Final[Mapping[str, int]] = {
    MEADOW: 0,
    "village": 3,
    "field": 2,
    "forest": 2,
    "vineyard": 1,
    "quarry": 1,
    "pond": 1,
    "marsh": -1,
    "cursed_place": -2,
}
"""What a tile is worth, by its kind (BN-MAT-1)."""

TILES: Final = tuple(VALUES)
"""The kinds in the order in which the rules list them: a shuffle begins from it."""

COUNTS: Final[Mapping[str, int]] = {
    kind: {MEADOW: 28, "cursed_place": 3}.get(kind, 6) for kind in TILES
}
"""Tiles of each kind (BN-MAT-1)."""

KEEPS: Final[Mapping[int, int]] = {2: 5, 3: 4, 4: 3, 5: 2}
"""Keeps of a player, by the number of players (BN-MAT-2)."""

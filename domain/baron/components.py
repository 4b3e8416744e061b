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
FEWEST_SEATS, MOST_SEATS = min(KEEPS), max(KEEPS)

KNIGHT: Final = "knight"
BARON: Final = "baron"
"""The two sides of a keep (BN-MAT-2)."""

OF_VALUE_ONE: Final = ("vineyard", "quarry", "pond")
"""The kinds of which a seat is dealt one (BN-SET-2), in the order in which they are drawn from."""

DEALT: Final = 2
"""Tiles in a reserve at the start (BN-SET-1)."""

SLOT_COSTS: Final = (0, 1, 3)
"""What the tile of each market slot costs (BN-DRW-1)."""
SLOTS: Final = len(SLOT_COSTS)

BONUS: Final[Mapping[int, int]] = {4: 1, 5: 3, 6: 9}
"""Honour for a tile by how many it is laid against (BN-LAY-3)."""

DEEPEST_DEBT: Final = -4
"""The least honour with which a seat stays in the game (BN-DRW-3, BN-OUB-1)."""

LAST_TURNS: Final = 2
"""Turns that each seat has once there is nothing left to draw (BN-END-1)."""

"""What is in the box (BN-MAT): numbers and values, each in one place so that a correction is one line."""

from collections.abc import Mapping
from typing import Final

from domain.baron.formats import Side, Tile

MEADOW: Final = "meadow"
"""The only kind of tile that may lie next to its own kind or carry a keep, and that no fight is about."""

VALUES: Final[Mapping[Tile, int]] = {
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
"""The value of each kind of tile (BN-MAT-1)."""

TILES: Final = tuple(VALUES)
"""The kinds in the order of BN-MAT-1, in which they are listed before a shuffle."""

COUNTS: Final[Mapping[Tile, int]] = {
    kind: {MEADOW: 28, "cursed_place": 3}.get(kind, 6) for kind in TILES
}
"""The number of tiles of each kind (BN-MAT-1)."""

KEEPS: Final[Mapping[int, int]] = {2: 5, 3: 4, 4: 3, 5: 2}
"""The keeps of a player, by the number of players (BN-MAT-2)."""
FEWEST_SEATS, MOST_SEATS = min(KEEPS), max(KEEPS)

KNIGHT: Final[Side] = "knight"
BARON: Final[Side] = "baron"
"""The two sides of a keep (BN-MAT-2)."""

OF_VALUE_ONE: Final[tuple[Tile, ...]] = ("vineyard", "quarry", "pond")
"""The kinds of which each seat is dealt one (BN-SET-2), in the order in which they are shuffled."""

TILES_DEALT: Final = 2
"""The number of tiles in a reserve at the start (BN-SET-1)."""

SLOT_COSTS: Final = (0, 1, 3)
"""What the tile of each market slot costs (BN-DRW-1)."""
SLOTS: Final = len(SLOT_COSTS)

BONUS: Final[Mapping[int, int]] = {4: 1, 5: 3, 6: 9}
"""The honour that a tile earns, by the number of tiles adjacent to it (BN-LAY-3)."""

LEAST_HONOUR: Final = -4
"""The least honour with which a seat stays in the game (BN-DRW-3, BN-OUB-1)."""

LAST_TURNS: Final = 2
"""The number of turns that each seat has once nothing is left to draw (BN-END-1)."""

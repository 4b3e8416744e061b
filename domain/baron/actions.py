"""The actions of Baron as values. Their JSON is read and written in `form`, their text in `notation`."""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from domain.contract import Resign
from domain.hexes import Hex


@dataclass(frozen=True, slots=True)
class Draw:
    """Take the tile of a market slot, counted from 1 (BN-DRW)."""

    type: ClassVar[str] = "draw"
    slot: int


@dataclass(frozen=True, slots=True)
class PlaceTile:
    """Lay a tile of the reserve (BN-LAY-1)."""

    type: ClassVar[str] = "place_tile"
    tile: str
    at: Hex


@dataclass(frozen=True, slots=True)
class DiscardTile:
    """Give up a tile, where none can be laid (BN-LAY-4)."""

    type: ClassVar[str] = "discard_tile"
    tile: str


@dataclass(frozen=True, slots=True)
class PlaceKeep:
    """Put a keep on a meadow (BN-KEP-1)."""

    type: ClassVar[str] = "place_keep"
    at: Hex


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Put no keep (BN-KEP-1)."""

    type: ClassVar[str] = "end_turn"


Action: TypeAlias = Draw | PlaceTile | DiscardTile | PlaceKeep | EndTurn | Resign

"""Laying the board (BY-SET-1, 2): tiles are drawn with the game's chance and laid next to each other.

The procedure, which docs/formats.md publishes so that anybody can lay a board again:

1. Shuffle `BASE_TILES`, take nine for each player, and shuffle those.
2. The first tile covers (0,0), (1,0), (0,1). For each further tile, list in order all places that are free,
   within the radius of (0,0) and adjacent to the board. Rate each: twice the number of hex sides that it
   shares with the board, minus the distances of its three hexes from (0,0). Keep those rated at most 2
   below the best. Draw one with `below`; if it would leave a gap, remove it from the list and draw
   another. When no kept place is left, keep the best of the others in the same way.
3. The hexes of the place, in order, take the letters of the tile, rotated by `below(3)`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from domain.barony.components import RADIUS, TILES_A_PLAYER
from domain.barony.tiles import BASE_TILES, LETTERS, Tile
from domain.chance import Chance
from domain.hexes import Hex, distance, neighbours

Place: TypeAlias = tuple[Hex, Hex, Hex]
"""Three mutually adjacent hexes, sorted."""

MIDDLE: Final[Hex] = (0, 0)
FIRST_PLACE: Final[Place] = ((0, 0), (0, 1), (1, 0))


def lay_board(seats: int, chance: Chance) -> dict[Hex, int]:
    """The terrain of every hex of a board for that many players, drawn and laid with `chance`."""
    tiles = chance.shuffle(chance.shuffle(BASE_TILES)[: TILES_A_PLAYER * seats])
    return lay(tiles, RADIUS[seats], chance)


Rotations: TypeAlias = Callable[[Tile, Place, Mapping[Hex, int]], Sequence[int]]
"""Returns the rotations in which a tile may be laid on a place of the board so far."""


def any_rotation(tile: Tile, place: Place, terrain: Mapping[Hex, int]) -> Sequence[int]:
    """All rotations of a tile, by 0, 1 and 2 hexes."""
    return range(3)


def rotated(tile: Tile, rotation: int) -> Tile:
    """The letters that the hexes of a place, in order, take from a tile in that rotation."""
    return tile[rotation:] + tile[:rotation]


def lay(
    tiles: Sequence[Tile], radius: int, chance: Chance, rotations: Rotations = any_rotation
) -> dict[Hex, int]:
    """BY-SET-2: the board of the tiles, laid in this order, without gaps, within the radius of (0, 0)."""
    terrain: dict[Hex, int] = {}
    for tile in tiles:
        place = _draw_place(tile, terrain, radius, chance, rotations) if terrain else FIRST_PLACE
        allowed = rotations(tile, place, terrain)
        letters = rotated(tile, allowed[chance.below(len(allowed))])
        terrain.update(
            (at, LETTERS.index(letter)) for at, letter in zip(place, letters, strict=True)
        )
    return terrain


def _draw_place(
    tile: Tile, terrain: Mapping[Hex, int], radius: int, chance: Chance, rotations: Rotations
) -> Place:
    """A place for the next tile that leaves no gap."""
    rated = {
        place: _rating(place, terrain)
        for place in _places(terrain, radius)
        if rotations(tile, place, terrain)
    }
    while rated:
        enough = max(rated.values()) - 2
        places = sorted(place for place, rating in rated.items() if rating >= enough)
        while places:
            place = places.pop(chance.below(len(places)))
            if not has_gap({*terrain, *place}):
                return place
            del rated[place]
    raise AssertionError("a compact board always has a place that leaves no gap")


def _places(laid: Collection[Hex], radius: int) -> Iterator[Place]:
    """Every place adjacent to the board, some of them more than once."""
    border = {near for at in laid for near in neighbours(at) if near not in laid}
    for at in border:
        around = neighbours(at)
        for one, other in zip(around, around[1:] + around[:1], strict=True):
            first, second, third = sorted((at, one, other))
            place = (first, second, third)
            if not any(hex in laid or distance(hex, MIDDLE) > radius for hex in place):
                yield place


def _rating(place: Place, laid: Collection[Hex]) -> int:
    """How compact the place keeps the board: shared sides count for it, distances against it."""
    sides = sum(near in laid for at in place for near in neighbours(at))
    return 2 * sides - sum(distance(at, MIDDLE) for at in place)


def has_gap(board: Collection[Hex]) -> bool:
    """BY-SET-2: whether a hex off the board is cut off from the outside by the board."""
    reach = max(distance(at, MIDDLE) for at in board) + 1
    start = (reach, 0)
    outside = {start}
    unseen = [start]
    while unseen:
        for near in neighbours(unseen.pop()):
            if near not in outside and near not in board and distance(near, MIDDLE) <= reach:
                outside.add(near)
                unseen.append(near)
    return len(outside) + len(board) < 3 * reach * (reach + 1) + 1

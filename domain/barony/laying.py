"""Laying the board (BY-SET-1, 2): tiles drawn from the chance of the game, laid one beside the other.

The way, published in docs/formats.md for who wants to lay a board again:

1. Shuffle `BASE_TILES`, take nine a player, shuffle what was taken.
2. The first tile covers (0,0), (1,0), (0,1). For each further one all places are listed in order that are
   free, within the radius of (0,0) and touch the board. Each is rated: twice the hex sides that it
   shares with the board, less the distances of its three hexes from (0,0). Those rated at most 2 below
   the best are kept. One is drawn with `below`; if it would leave a gap it is struck from the list, and
   another one is drawn. Once all that were kept are struck, the best of the others are kept likewise.
3. The place's hexes, in order, take the tile's letters, turned on by `below(3)`.
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
    """The terrain of every hex of a board for that many players, tiles drawn and laid by `chance`."""
    tiles = chance.shuffle(chance.shuffle(BASE_TILES)[: TILES_A_PLAYER * seats])
    return lay(tiles, RADIUS[seats], chance)


Turns: TypeAlias = Callable[[Tile, Place, Mapping[Hex, int]], Sequence[int]]
"""The turns in which a tile may be laid on a place, beside what is laid already."""


def any_turn(tile: Tile, place: Place, terrain: Mapping[Hex, int]) -> Sequence[int]:
    """A tile may be turned as one likes."""
    return range(3)


def turned(tile: Tile, turn: int) -> Tile:
    """The letters that a place's hexes, in order, take from a tile so turned."""
    return tile[turn:] + tile[:turn]


def lay(
    tiles: Sequence[Tile], radius: int, chance: Chance, turns: Turns = any_turn
) -> dict[Hex, int]:
    """BY-SET-2: the tiles in this order, connected, without gaps, within the radius of (0, 0)."""
    terrain: dict[Hex, int] = {}
    for tile in tiles:
        place = _draw_place(tile, terrain, radius, chance, turns) if terrain else FIRST_PLACE
        allowed = turns(tile, place, terrain)
        letters = turned(tile, allowed[chance.below(len(allowed))])
        terrain.update(
            (at, LETTERS.index(letter)) for at, letter in zip(place, letters, strict=True)
        )
    return terrain


def _draw_place(
    tile: Tile, terrain: Mapping[Hex, int], radius: int, chance: Chance, turns: Turns
) -> Place:
    """A place for the next tile that leaves no gap."""
    rated = {
        place: _rating(place, terrain)
        for place in _places(terrain, radius)
        if turns(tile, place, terrain)
    }
    while rated:
        enough = max(rated.values()) - 2
        places = sorted(place for place, rating in rated.items() if rating >= enough)
        while places:
            place = places.pop(chance.below(len(places)))
            if not has_gap({*terrain, *place}):
                return place
            del rated[place]
    raise AssertionError("a compact board always has a place left that closes nothing in")


def _places(laid: Collection[Hex], radius: int) -> Iterator[Place]:
    """Every place beside the board, more than once."""
    rim = {near for at in laid for near in neighbours(at) if near not in laid}
    for at in rim:
        around = neighbours(at)
        for one, other in zip(around, around[1:] + around[:1], strict=True):
            first, second, third = sorted((at, one, other))
            place = (first, second, third)
            if not any(hex in laid or distance(hex, MIDDLE) > radius for hex in place):
                yield place


def _rating(place: Place, laid: Collection[Hex]) -> int:
    """How well the place rounds off the board: sides shared count for it, distance against it."""
    sides = sum(near in laid for at in place for near in neighbours(at))
    return 2 * sides - sum(distance(at, MIDDLE) for at in place)


def has_gap(board: Collection[Hex]) -> bool:
    """BY-SET-2: whether some hex off the board is not joined to the outside by hexes off the board."""
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

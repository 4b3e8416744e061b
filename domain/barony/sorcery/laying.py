"""Laying a board with mysterious places (BS-SET-1, 2), by the way of the base game but for two things.

1. The tiles: shuffle `PLACE_TILES` and take `PLACES`; shuffle `BASE_TILES` (with five players and
   `OTHER_TILES` behind them) and take the rest; shuffle what was taken together.
2. A tile with a mysterious place may be turned only so that the place is far enough from the others: free
   places where no turn of it is allowed are left out before any are rated, and `below` draws among the
   turns that are allowed, in order.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

from domain.barony.board_check import board_faults, recorded_terrain, unknown_fields
from domain.barony.components import MYSTERIOUS_PLACE, RADIUS, SPELLS, TILES_A_PLAYER
from domain.barony.laying import Place, any_turn, lay, turned
from domain.barony.sorcery.components import (
    MOST_SEATS,
    OPEN_SPELLS,
    OTHER_TILES,
    PLACE_TILES,
    PLACES,
    PLACES_APART,
    RADIUS_OF_FIVE,
)
from domain.barony.tiles import BASE_TILES, LETTERS, Tile
from domain.chance import Chance
from domain.hexes import Hex, distance


def lay_board(seats: int, chance: Chance) -> dict[Hex, int]:
    """The terrain of every hex of a board for that many players, tiles drawn and laid by `chance`."""
    with_places = chance.shuffle(PLACE_TILES)[: PLACES[seats]]
    others = BASE_TILES + OTHER_TILES if seats == MOST_SEATS else BASE_TILES
    rest = chance.shuffle(others)[: TILES_A_PLAYER * seats - len(with_places)]
    tiles = chance.shuffle([*with_places, *rest])
    return lay(tiles, RADIUS.get(seats, RADIUS_OF_FIVE), chance, turns_apart)


def turns_apart(tile: Tile, place: Place, terrain: Mapping[Hex, int]) -> Sequence[int]:
    """BS-SET-2: the turns of a tile at which its mysterious place, if any, lies far from the others."""
    letter = LETTERS[MYSTERIOUS_PLACE]
    if letter not in tile:
        return any_turn(tile, place, terrain)
    others = [at for at, ground in terrain.items() if ground == MYSTERIOUS_PLACE]
    return [
        turn
        for turn in any_turn(tile, place, terrain)
        if all(
            distance(place[turned(tile, turn).index(letter)], other) >= PLACES_APART
            for other in others
        )
    ]


def set_up_faults(
    seats: int, options: object, data: Mapping[str, object], opened: Mapping[str, object]
) -> list[str]:
    """BS-SET-1, 2, 4: why no set-up can give these data of `GameStarted`; [] if one can."""
    faults = unknown_fields(data)
    spells = data.get("spells")
    if not isinstance(spells, list) or len(spells) != OPEN_SPELLS:
        faults.append(f"{OPEN_SPELLS} spells lie open, of {len(SPELLS)}")
    elif [spell for spell in SPELLS if spell in spells] != spells:
        faults.append("the spells are not in alphabetical order, each of the nine at most once")
    terrain = recorded_terrain(data.get("board"))
    if isinstance(terrain, str):
        return [*faults, terrain]
    places = sorted(at for at, ground in terrain.items() if ground == MYSTERIOUS_PLACE)
    if len(places) != PLACES[seats]:
        faults.append(f"for {seats} seats there are {PLACES[seats]} mysterious places")
    elif any(distance(one, other) < PLACES_APART for one, other in combinations(places, 2)):
        faults.append("two mysterious places are too close to each other")
    box = (*BASE_TILES, *PLACE_TILES, *(OTHER_TILES if seats == MOST_SEATS else ()))
    return [*faults, *board_faults(terrain, seats, RADIUS.get(seats, RADIUS_OF_FIVE), box)]

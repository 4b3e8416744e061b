"""Setting up a game with Sorcery (BS-SET-1, 2, 4): options, `GameStarted`, and the state after it.

The board is laid as in the base game (`domain.barony.set_up`), with two differences:

1. The tiles: shuffle `PLACE_TILES` and take `PLACES` of them; shuffle `BASE_TILES` (with five players
   followed by `OTHER_TILES`) and take the rest; shuffle all the tiles taken together.
2. A tile with a mysterious place is laid only in a rotation that keeps the place far enough from the others:
   places where it has no such rotation are left out before any are rated, and `below` draws among the
   rotations that are allowed, in order.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, cast

from domain.barony.components import (
    BASE_TILES,
    LETTERS,
    MYSTERIOUS_PLACE,
    RADIUS,
    SPELLS,
    TILES_A_PLAYER,
    Tile,
)
from domain.barony.formats import OwnBaronyOptions, SetUp
from domain.barony.set_up import (
    Place,
    any_rotation,
    board_faults,
    lay,
    recorded_terrain,
    rotated,
    unknown_fields,
    with_options,
    wrong_seats,
)
from domain.barony.set_up import check_options as base_check_options
from domain.barony.sorcery.components import (
    MOST_SEATS,
    OPEN_SPELLS,
    OTHER_TILES,
    PLACE_TILES,
    PLACES,
    PLACES_APART,
    RADIUS_OF_FIVE,
)
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.barony.terms import TERRAINS
from domain.chance import Chance
from domain.contract import DomainEvent, OwnOptions
from domain.event import EventData
from domain.hexes import Hex, distance
from domain.life_cycle_messages import PLAYER
from domain.messages import Message, counted, message

SEATS_FAULT: Final = message("must be 2 to {most}", most=MOST_SEATS)


def check_options(seats: int, options: Mapping[str, object]) -> OwnBaronyOptions:
    """The options of the game, complete. Raises Malformed, which names every wrong one."""
    return base_check_options(seats, options, MOST_SEATS, SEATS_FAULT)


def set_up(seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
    """BS-SET-1, 2, 4: the board, drawn and laid, and the open spells."""
    board = SorceryBoard(lay_board(seats, chance))
    spells = sorted(chance.shuffle(SPELLS)[:OPEN_SPELLS])
    data: SetUp = {"board": board.cells, "spells": spells}
    return DomainEvent("GameStarted", data)


def initial_state(
    seats: int, options: OwnOptions, data: EventData, opened: Mapping[str, object]
) -> SorceryState:
    """BY-SET-3: the state in which seat 0 is to place the first city. There are no secrets."""
    opening = cast("SetUp", data)
    state = SorceryState(SorceryBoard.from_json(opening["board"]), seats)
    state.spells = tuple(opening["spells"])
    return with_options(state, options)


def lay_board(seats: int, chance: Chance) -> dict[Hex, int]:
    """The terrain of every hex of a board for that many players, drawn and laid with `chance`."""
    with_places = chance.shuffle(PLACE_TILES)[: PLACES[seats]]
    others = BASE_TILES + OTHER_TILES if seats == MOST_SEATS else BASE_TILES
    rest = chance.shuffle(others)[: TILES_A_PLAYER * seats - len(with_places)]
    tiles = chance.shuffle([*with_places, *rest])
    return lay(tiles, RADIUS.get(seats, RADIUS_OF_FIVE), chance, rotations_apart)


def rotations_apart(tile: Tile, place: Place, terrain: Mapping[Hex, int]) -> Sequence[int]:
    """BS-SET-2: the rotations that keep the tile's mysterious place, if any, far from the others."""
    letter = LETTERS[MYSTERIOUS_PLACE]
    if letter not in tile:
        return any_rotation(tile, place, terrain)
    others = [at for at, kind in terrain.items() if kind == MYSTERIOUS_PLACE]
    return [
        rotation
        for rotation in any_rotation(tile, place, terrain)
        if all(
            distance(place[rotated(tile, rotation).index(letter)], other) >= PLACES_APART
            for other in others
        )
    ]


def set_up_faults(
    seats: int, options: object, data: Mapping[str, object], opened: Mapping[str, object]
) -> list[Message]:
    """BS-SET-1, 2, 4: why no set-up can lead to this data of `GameStarted`; [] if one can."""
    if seats not in PLACES:
        return [wrong_seats(seats)]
    faults = unknown_fields(data)
    spells = data.get("spells")
    if not isinstance(spells, list) or len(spells) != OPEN_SPELLS:
        faults.append(
            message(
                "{open} of the {count} spells must be open", open=OPEN_SPELLS, count=len(SPELLS)
            )
        )
    elif [spell for spell in SPELLS if spell in spells] != spells:
        faults.append(
            message("the spells are not different ones of the nine in alphabetical order")
        )
    terrain = recorded_terrain(data.get("board"))
    if isinstance(terrain, Message):
        return [*faults, terrain]
    places = sorted(at for at, kind in terrain.items() if kind == MYSTERIOUS_PLACE)
    if len(places) != PLACES[seats]:
        faults.append(
            message(
                "for {players} there must be {places}",
                players=counted(seats, PLAYER),
                places=counted(PLACES[seats], TERRAINS["mysterious_place"]),
            )
        )
    elif any(distance(one, other) < PLACES_APART for one, other in combinations(places, 2)):
        faults.append(message("two mysterious places are too close to each other"))
    box = (*BASE_TILES, *PLACE_TILES, *(OTHER_TILES if seats == MOST_SEATS else ()))
    return [*faults, *board_faults(terrain, seats, RADIUS.get(seats, RADIUS_OF_FIVE), box)]

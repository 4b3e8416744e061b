"""Checks whether a recorded board can be the result of a set-up (BY-SET-1, 2).

Audits of games in progress need this, because the secret behind the draws is not known yet. Once it is
published, the board is drawn again instead. Sorcery checks its boards with the same functions.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from domain.barony.board import NUMBERS
from domain.barony.components import RADIUS, TILES_A_PLAYER
from domain.barony.laying import FIRST_PLACE, MIDDLE, Place, has_gap
from domain.barony.terms import HEX
from domain.barony.tiles import BASE_TILES, LETTERS, Tile
from domain.chance import Chance
from domain.contract import Inference, Opened
from domain.hexes import Hex, distance, neighbours
from domain.json_fields import is_integer
from domain.life_cycle_messages import PLAYER
from domain.messages import Message, counted, hex_at, message

HEXES_PER_TILE: Final = 3


def set_up_faults(
    seats: int, options: object, data: Mapping[str, object], opened: Mapping[str, object]
) -> list[Message]:
    """BY-SET-1, 2: why no set-up can lead to this data of `GameStarted`; [] if one can."""
    if seats not in RADIUS:
        return [wrong_seats(seats)]
    faults = unknown_fields(data)
    if data.get("spells") != []:
        faults.append(message("a game without Sorcery has no open spells"))
    terrain = recorded_terrain(data.get("board"))
    if isinstance(terrain, Message):
        return [*faults, terrain]
    return [*faults, *board_faults(terrain, seats, RADIUS[seats], BASE_TILES)]


def infer_secrets(
    seats: int,
    options: object,
    start: object,
    played: object,
    opened: Opened,
    chance: Chance | None = None,
) -> Inference:
    """There are no secrets in Barony."""
    return Inference(opened)


def wrong_seats(seats: int) -> Message:
    """The fault of a game with a number of seats that it cannot have."""
    return message("the game is not played with {players}", players=counted(seats, PLAYER))


def unknown_fields(data: Mapping[str, object]) -> list[Message]:
    """Faults for the fields that `GameStarted` does not have."""
    return [
        message("it has no field {name}", name=name)
        for name in data
        if name not in ("players", "board", "spells")
    ]


def recorded_terrain(cells: object) -> dict[Hex, int] | Message:
    """The terrain of a recorded board by hex, or what is wrong with its form."""
    terrain: dict[Hex, int] = {}
    if not isinstance(cells, list):
        return message("the board is not a list of hexes")
    for cell in cells:
        match cell:
            case {"at": [int(q), int(r)], "terrain": str(name), **more} if (
                not more and is_integer(q) and is_integer(r) and name in NUMBERS
            ):
                terrain[q, r] = NUMBERS[name]
            case _:
                return message("the board has an entry that is not a hex with a terrain")
    if [tuple(cell["at"]) for cell in cells] != sorted(terrain):
        return message("the hexes of the board are not sorted, or one occurs twice")
    return terrain


def board_faults(
    terrain: Mapping[Hex, int], seats: int, radius: int, box: Iterable[Tile]
) -> list[Message]:
    """BY-SET-1, 2, BY-MAT-5: why no tiles of the box can form this board; [] if some can.

    The box may have more tiles than the board. The first tile covers `FIRST_PLACE` (docs/formats.md, Chance).
    """
    size = HEXES_PER_TILE * TILES_A_PLAYER * seats
    if len(terrain) != size:
        return [
            message(
                "the board has {hexes}; for {players} it must have {size}",
                hexes=counted(len(terrain), HEX),
                players=counted(seats, PLAYER),
                size=size,
            )
        ]
    too_far = [at for at in terrain if distance(at, MIDDLE) > radius]
    if too_far:
        return [
            message(
                "{hex} is more than {distance} from {middle}",
                hex=hex_at(too_far[0]),
                distance=counted(radius, HEX),
                middle=hex_at(MIDDLE),
            )
        ]
    if any(at not in terrain for at in FIRST_PLACE):
        return [message("the first tile is not in the middle")]
    if not _is_connected(terrain):
        return [message("the board is not connected")]
    if has_gap(terrain):
        return [message("the board has a gap")]
    if not _can_be_tiled(terrain, box):
        return [message("no tiles of the box cover the board with these terrains")]
    return []


def _is_connected(board: Mapping[Hex, int]) -> bool:
    reached = {MIDDLE}
    border = [MIDDLE]
    while border:
        for near in neighbours(border.pop()):
            if near in board and near not in reached:
                reached.add(near)
                border.append(near)
    return len(reached) == len(board)


def _can_be_tiled(terrain: Mapping[Hex, int], box: Iterable[Tile]) -> bool:
    """Whether tiles of the box, each used once, can cover the board, one of them on `FIRST_PLACE`.

    The order of the tiles does not matter: the tiles of a connected board can always be laid in an order in
    which each is adjacent to an earlier one.
    """
    remaining = Counter(map(_normalized, box))
    fitting: dict[Place, Tile] = {}
    for place in {place for at in terrain for place in _places_with(at) if at == place[0]}:
        if all(at in terrain for at in place):
            tile = _normalized("".join(LETTERS[terrain[at]] for at in place))
            if remaining[tile]:
                fitting[place] = tile
    places_at: dict[Hex, list[Place]] = {at: [] for at in terrain}
    for place in fitting:
        for at in place:
            places_at[at].append(place)
    if FIRST_PLACE not in fitting:
        return False
    remaining[fitting[FIRST_PLACE]] -= 1
    uncovered = terrain.keys() - set(FIRST_PLACE)
    return _is_covered(uncovered, places_at, fitting, remaining)


def _is_covered(
    uncovered: set[Hex],
    places_at: Mapping[Hex, Sequence[Place]],
    fitting: Mapping[Place, Tile],
    remaining: Counter[Tile],
) -> bool:
    """Whether the remaining tiles can cover the uncovered hexes; tries the hex with fewest places first."""
    if not uncovered:
        return True
    fewest: list[Place] | None = None
    for at in uncovered:
        places = [
            place
            for place in places_at[at]
            if remaining[fitting[place]] and uncovered.issuperset(place)
        ]
        if fewest is None or len(places) < len(fewest):
            fewest = places
        if len(fewest) <= 1:
            break
    for place in fewest or ():
        remaining[fitting[place]] -= 1
        if _is_covered(uncovered - set(place), places_at, fitting, remaining):
            return True
        remaining[fitting[place]] += 1
    return False


def _places_with(at: Hex) -> Iterator[Place]:
    """The six places that contain a hex."""
    around = neighbours(at)
    for one, other in zip(around, around[1:] + around[:1], strict=True):
        first, second, third = sorted((at, one, other))
        yield first, second, third


def _normalized(letters: Tile) -> Tile:
    """The letters of a tile in the rotation that sorts first, so that all rotations give the same letters."""
    return min(letters[rotation:] + letters[:rotation] for rotation in range(HEXES_PER_TILE))

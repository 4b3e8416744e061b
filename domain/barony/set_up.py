"""Setting up a game: its options (BY-END-5), the board (BY-SET-1, 2), `GameStarted`, and the state after it.

Tiles are drawn with the game's chance and laid next to each other. The procedure, which docs/formats.md
publishes so that anybody can lay a board again:

1. Shuffle `BASE_TILES`, take nine for each player, and shuffle those.
2. The first tile covers (0,0), (1,0), (0,1). For each further tile, list in order all places that are free,
   within the radius of (0,0) and adjacent to the board. Rate each: twice the number of hex sides that it
   shares with the board, minus the distances of its three hexes from (0,0). Keep those rated at most 2
   below the best. Draw one with `below`; if it would leave a gap, remove it from the list and draw
   another. When no kept place is left, keep the best of the others in the same way.
3. The hexes of the place, in order, take the letters of the tile, rotated by `below(3)`.

`set_up_faults` checks whether a recorded board can be the result. Audits of games in progress need this,
because the secret behind the draws is not known yet; once it is published, the board is drawn again instead.
Sorcery sets up and checks its boards with the same functions.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias, TypeVar, cast

from domain.barony.board import NUMBERS, Board
from domain.barony.components import BASE_TILES, LETTERS, MOST_SEATS, RADIUS, TILES_A_PLAYER, Tile
from domain.barony.formats import OwnBaronyOptions, SetUp
from domain.barony.state import State
from domain.barony.terms import HEX, OPTION_FIELDS
from domain.chance import Chance
from domain.contract import DomainEvent, Inference, Opened, OwnOptions
from domain.errors import Malformed
from domain.event import EventData
from domain.hexes import Hex, distance, neighbours
from domain.json_fields import is_integer
from domain.life_cycle_messages import PLAYER
from domain.messages import Message, counted, hex_at, message
from domain.option_fields import checked_options

SEATS_FAULT: Final = message("must be 2 to {most}, or 5 with Sorcery", most=MOST_SEATS)

StateT = TypeVar("StateT", bound=State)


def check_options(
    seats: int,
    options: Mapping[str, object],
    most_seats: int = MOST_SEATS,
    seats_fault: Message = SEATS_FAULT,
) -> OwnBaronyOptions:
    """The options of the game, complete. Raises Malformed, which names every wrong one.

    `seats_fault` is what is wrong with any other number of seats than 2 to `most_seats`.
    """
    own = {name: value for name, value in options.items() if name != "sorcery"}
    checked, faults = checked_options(OPTION_FIELDS, own)
    sorcery = options.get("sorcery", False)
    if not isinstance(sorcery, bool):
        faults["options.sorcery"] = message("must be true or false")
    if not 2 <= seats <= most_seats:
        faults["seats"] = seats_fault
    if faults:
        raise Malformed(faults)
    return cast("OwnBaronyOptions", {"sorcery": sorcery, **checked})


def set_up(seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
    """BY-SET-1, 2: the board, drawn and laid."""
    data: SetUp = {"board": Board(lay_board(seats, chance)).cells, "spells": []}
    return DomainEvent("GameStarted", data)


def initial_state(
    seats: int, options: OwnOptions, data: EventData, opened: Mapping[str, object]
) -> State:
    """BY-SET-3: the state in which seat 0 is to place the first city. There are no secrets."""
    return with_options(State(Board.from_json(cast("SetUp", data)["board"]), seats), options)


def with_options(state: StateT, options: OwnOptions) -> StateT:
    """The new state, after writing the game's options into it."""
    own = cast("OwnBaronyOptions", options)
    state.round_limit = own["round_limit"]
    state.end_by_agreement = own["end_by_agreement"]
    return state


def redraw(state: object, chance: Chance) -> Mapping[str, object]:
    """Draw nothing when play resumes: board and spells are drawn at the start (BY-SET-1, BS-SPL-2)."""
    return {}


def apply_redraw(state: object, opened: Mapping[str, object]) -> None:
    """Change nothing, because nothing is drawn again."""


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
    ratings: dict[Place, int] = {}
    for tile in tiles:
        place = _draw_place(tile, terrain, ratings, chance, rotations) if terrain else FIRST_PLACE
        allowed = rotations(tile, place, terrain)
        letters = rotated(tile, allowed[chance.below(len(allowed))])
        terrain.update(
            (at, LETTERS.index(letter)) for at, letter in zip(place, letters, strict=True)
        )
        update_ratings(ratings, place, terrain, radius)
    return terrain


def _draw_place(
    tile: Tile,
    terrain: Mapping[Hex, int],
    ratings: Mapping[Place, int],
    chance: Chance,
    rotations: Rotations,
) -> Place:
    """A place for the next tile that leaves no gap."""
    rated = {place: rating for place, rating in ratings.items() if rotations(tile, place, terrain)}
    while rated:
        enough = max(rated.values()) - 2
        places = sorted(place for place, rating in rated.items() if rating >= enough)
        while places:
            place = places.pop(chance.below(len(places)))
            if not leaves_gap(place, terrain):
                return place
            del rated[place]
    raise AssertionError("a compact board always has a place that leaves no gap")


def update_ratings(
    ratings: dict[Place, int], laid: Iterable[Hex], board: Collection[Hex], radius: int
) -> None:
    """Rate the free places beside the board after some of its hexes have been laid.

    The rating says how compact a place keeps the board: shared sides count for it, distances against it.
    """
    for at in laid:
        for place in _places_covering(at):
            ratings.pop(place, None)
        for near in neighbours(at):
            for place in _places_covering(near):
                first, second, third = place
                # Most places are not free, which takes the least time to find out.
                if first in board or second in board or third in board:
                    continue
                position = _position_of(place)
                if position.farthest <= radius:
                    ratings[place] = ratings.get(place, -position.distances) + 2


@lru_cache(maxsize=1024)
def _places_covering(at: Hex) -> Sequence[Place]:
    """The six places that a hex is part of."""
    around = neighbours(at)
    places = []
    for one, other in zip(around, around[1:] + around[:1], strict=True):
        first, second, third = sorted((at, one, other))
        places.append((first, second, third))
    return places


class _Position(NamedTuple):
    """The hexes around a place in a circle, and how far its hexes are from the middle of the board."""

    around: Sequence[Hex]
    farthest: int
    distances: int


@lru_cache(maxsize=1024)
def _position_of(place: Place) -> _Position:
    rest = {near for at in place for near in neighbours(at)}.difference(place)
    around = [min(rest)]
    while len(around) < len(rest):
        around.append(
            next(near for near in neighbours(around[-1]) if near in rest and near not in around)
        )
    distances = [distance(at, MIDDLE) for at in place]
    return _Position(around, max(distances), sum(distances))


def leaves_gap(place: Place, board: Collection[Hex]) -> bool:
    """BY-SET-2: whether a connected board without gaps has one after a tile is laid on a place beside it.

    It has one if the board cuts the hexes around the place that are free into several parts.
    """
    is_free = [at not in board for at in _position_of(place).around]
    return sum(free and not other for free, other in pairwise([*is_free, is_free[0]])) > 1


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
    for place in {place for at in terrain for place in _places_covering(at) if at == place[0]}:
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


def _normalized(letters: Tile) -> Tile:
    """The letters of a tile in the rotation that sorts first, so that all rotations give the same letters."""
    return min(rotated(letters, rotation) for rotation in range(HEXES_PER_TILE))

"""Checks whether a recorded board can have been drawn and laid at all (BY-SET-1, 2).

Audits of games in progress need this, because the secret behind the draws is not known yet. Once it is
published, the board is drawn again instead. Sorcery checks its boards with the same functions.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from domain.barony.board import NUMBERS
from domain.barony.components import RADIUS, TILES_A_PLAYER
from domain.barony.laying import FIRST_PLACE, MIDDLE, Place, has_gap
from domain.barony.tiles import BASE_TILES, LETTERS, Tile
from domain.contract import Inference
from domain.hex_text import hex_text
from domain.hexes import Hex, distance, neighbours
from domain.json_fields import is_integer

HEXES_OF_A_TILE: Final = 3


def set_up_faults(
    seats: int, options: object, data: Mapping[str, object], opened: Mapping[str, object]
) -> list[str]:
    """BY-SET-1, 2: why no set-up can give these data of `GameStarted`; [] if one can."""
    if seats not in RADIUS:
        return [f"the game is not played with {seats} seats"]
    faults = unknown_fields(data)
    if data.get("spells") != []:
        faults.append("spells lie open in a game without Sorcery")
    terrain = recorded_terrain(data.get("board"))
    if isinstance(terrain, str):
        return [*faults, terrain]
    return [*faults, *board_faults(terrain, seats, RADIUS[seats], BASE_TILES)]


def infer_secrets(
    seats: int, options: object, start: object, played: object, opened: Mapping[str, object]
) -> Inference:
    """There are no secrets in Barony."""
    return Inference(opened)


def unknown_fields(data: Mapping[str, object]) -> list[str]:
    """The fields that `GameStarted` does not have."""
    return [
        f"it has no field {name}" for name in data if name not in ("players", "board", "spells")
    ]


def recorded_terrain(cells: object) -> dict[Hex, int] | str:
    """The terrain of a recorded board by hex; a string says what is wrong with its form."""
    terrain: dict[Hex, int] = {}
    if not isinstance(cells, list):
        return "the board is no list of hexes"
    for cell in cells:
        match cell:
            case {"at": [int(q), int(r)], "terrain": str(name), **more} if (
                not more and is_integer(q) and is_integer(r) and name in NUMBERS
            ):
                terrain[q, r] = NUMBERS[name]
            case _:
                return "the board has an entry that is no hex with a terrain"
    if [tuple(cell["at"]) for cell in cells] != sorted(terrain):
        return "the hexes of the board are not in order, each once"
    return terrain


def board_faults(
    terrain: Mapping[Hex, int], seats: int, radius: int, box: Iterable[Tile]
) -> list[str]:
    """BY-SET-1, 2, BY-MAT-5: why no tiles of the box can be laid as this board; [] if some can.

    The box may have more tiles than the board. The first tile lies in the middle, as docs/formats.md has it.
    """
    size = HEXES_OF_A_TILE * TILES_A_PLAYER * seats
    if len(terrain) != size:
        return [f"the board has {len(terrain)} hexes; for {seats} seats it has {size}"]
    afar = [at for at in terrain if distance(at, MIDDLE) > radius]
    if afar:
        return [f"{hex_text(afar[0])} is more than {radius} hexes from {hex_text(MIDDLE)}"]
    if any(at not in terrain for at in FIRST_PLACE):
        return ["the first tile does not lie in the middle"]
    if not _is_connected(terrain):
        return ["the board is in several parts"]
    if has_gap(terrain):
        return ["the board has a gap"]
    if not _can_be_tiled(terrain, box):
        return ["no tiles of the box cover the board with these terrains"]
    return []


def _is_connected(board: Mapping[Hex, int]) -> bool:
    reached = {MIDDLE}
    edge = [MIDDLE]
    while edge:
        for near in neighbours(edge.pop()):
            if near in board and near not in reached:
                reached.add(near)
                edge.append(near)
    return len(reached) == len(board)


def _can_be_tiled(terrain: Mapping[Hex, int], box: Iterable[Tile]) -> bool:
    """Whether tiles of the box, each used once, cover the board; one of them lies on `FIRST_PLACE`.

    The order in which they are laid does not matter: the tiles of a connected board can always be laid so
    that each touches one that was laid before.
    """
    left_in_box = Counter(map(_unturned, box))
    fitting: dict[Place, Tile] = {}
    for place in {place for at in terrain for place in _places_with(at) if at == place[0]}:
        if all(at in terrain for at in place):
            tile = _unturned("".join(LETTERS[terrain[at]] for at in place))
            if left_in_box[tile]:
                fitting[place] = tile
    places_of: dict[Hex, list[Place]] = {at: [] for at in terrain}
    for place in fitting:
        for at in place:
            places_of[at].append(place)
    if FIRST_PLACE not in fitting:
        return False
    left_in_box[fitting[FIRST_PLACE]] -= 1
    uncovered = terrain.keys() - set(FIRST_PLACE)
    return _is_covered(uncovered, places_of, fitting, left_in_box)


def _is_covered(
    uncovered: set[Hex],
    places_of: Mapping[Hex, Sequence[Place]],
    fitting: Mapping[Place, Tile],
    left_in_box: Counter[Tile],
) -> bool:
    """Whether the tiles left in the box cover the rest; tries the hex with the fewest places first."""
    if not uncovered:
        return True
    fewest: list[Place] | None = None
    for at in uncovered:
        places = [
            place
            for place in places_of[at]
            if left_in_box[fitting[place]] and uncovered.issuperset(place)
        ]
        if fewest is None or len(places) < len(fewest):
            fewest = places
        if len(fewest) <= 1:
            break
    for place in fewest or ():
        left_in_box[fitting[place]] -= 1
        if _is_covered(uncovered - set(place), places_of, fitting, left_in_box):
            return True
        left_in_box[fitting[place]] += 1
    return False


def _places_with(at: Hex) -> Iterator[Place]:
    """The six places that a hex is part of."""
    around = neighbours(at)
    for one, other in zip(around, around[1:] + around[:1], strict=True):
        first, second, third = sorted((at, one, other))
        yield first, second, third


def _unturned(letters: Tile) -> Tile:
    """The letters of a tile in the turn that sorts first, so that all turns of a tile are equal."""
    return min(letters[turn:] + letters[:turn] for turn in range(HEXES_OF_A_TILE))

"""Decides which set-ups can be drawn, by docs/rules.md and docs/formats.md alone.

Tests compare it with `set_up_faults` and `infer_secrets` of the rule systems, whose code it does not use. It
is slow on purpose, so that each function can be compared with its clause.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeAlias

from domain.event import Event
from domain.json_types import JsonObject
from tests.support.baron_reference_set_up import BOX

Hex: TypeAlias = tuple[int, int]

TERRAINS: Final = {
    "mountain": "M",
    "forest": "F",
    "plain": "P",
    "field": "D",
    "lake": "L",
    "mysterious_place": "S",
}
TILES: Final = (
    *("DDD", "DDF", "DDL", "DDL", "DDM", "DDP", "DFF", "DFL", "DFM", "DFP", "DLM", "DLM"),
    *("DLM", "DLP", "DMP", "DMP", "DPP", "FFF", "FFL", "FFM", "FFP", "FLM", "FLM", "FLP"),
    *("FLP", "FMM", "FMM", "FMP", "FPP", "FPP", "LMM", "LMP", "LPP", "MMP", "MPP", "PPP"),
)
"""BY-MAT-5."""
PLACE_TILES: Final = ("SDF", "SDP", "SFM", "SLP", "SDM")
OTHER_TILES: Final = ("DFM", "DMP", "FPP", "FLP")
"""BS-MAT-2."""
SPELLS: Final = frozenset(
    {"abundance", "celerity", "charm", "illusion", "petrification", "portal", "sanctuary"}
    | {"teleportation", "tornado"}
)
RADIUS: Final = {2: 5, 3: 6, 4: 7, 5: 8}
"""BY-SET-2."""
PLACES: Final = {2: 3, 3: 4, 4: 5, 5: 5}
"""BS-SET-1."""
STEPS: Final = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
VALUE_ONE: Final = ("vineyard", "quarry", "pond")


def neighbours(at: Hex) -> list[Hex]:
    """Return the six neighbours of a hex."""
    return [(at[0] + q, at[1] + r) for q, r in STEPS]


def hex_distance(one: Hex, other: Hex) -> int:
    """Return the distance of two hexes."""
    q, r = one[0] - other[0], one[1] - other[1]
    return max(abs(q), abs(r), abs(q + r))


# Barony and Sorcery


def is_possible_board(data: JsonObject, seats: int, sorcery: bool) -> bool:
    """Whether `GameStarted` has a board and spells that the set-up can give (BY-SET-1, 2, BS-SET-1, 2, 4)."""
    if data.keys() != {"players", "board", "spells"}:
        return False
    if not _are_possible_spells(data["spells"], sorcery):
        return False
    board = _as_letters(data["board"])
    if board is None or len(board) != 27 * seats:
        return False
    if any(hex_distance(at, (0, 0)) > RADIUS[seats] for at in board) or _has_gap(board):
        return False
    places = [at for at, letter in board.items() if letter == "S"]
    if len(places) != (PLACES[seats] if sorcery else 0):
        return False
    if any(hex_distance(one, other) < 3 for one in places for other in places if one != other):
        return False
    box = [*TILES, *(PLACE_TILES if sorcery else ()), *(OTHER_TILES if seats == 5 else ())]
    return _can_be_tiled(board, Counter(map(_turned, box)))


def _are_possible_spells(spells: object, sorcery: bool) -> bool:
    if not sorcery:
        return spells == []
    if not isinstance(spells, list) or len(spells) != 5 or spells != sorted(set(map(str, spells))):
        return False
    return all(spell in SPELLS for spell in spells)


def _as_letters(cells: Any) -> dict[Hex, str] | None:
    """Return the letters of a recorded board by hex, or None if the board is malformed."""
    board: dict[Hex, str] = {}
    if not isinstance(cells, list):
        return None
    for cell in cells:
        match cell:
            case {"at": [int(q), int(r)], "terrain": str(terrain), **more} if not more:
                if terrain not in TERRAINS or type(q) is bool or type(r) is bool:
                    return None
                board[q, r] = TERRAINS[terrain]
            case _:
                return None
    is_in_order = [tuple(cell["at"]) for cell in cells] == sorted(board)
    return board if is_in_order else None


def _has_gap(board: Mapping[Hex, str]) -> bool:
    """BY-SET-2: whether a hex off the board is cut off from the outside."""
    reach = max(hex_distance(at, (0, 0)) for at in board) + 1
    free = {
        (q, r)
        for q in range(-reach, reach + 1)
        for r in range(-reach, reach + 1)
        if hex_distance((q, r), (0, 0)) <= reach and (q, r) not in board
    }
    edge = [at for at in free if hex_distance(at, (0, 0)) == reach]
    outside = set(edge)
    while edge:
        for at in neighbours(edge.pop()):
            if at in free and at not in outside:
                outside.add(at)
                edge.append(at)
    return outside != free


def _turned(letters: str) -> str:
    """One name for a tile and its turns."""
    return min(letters[turn:] + letters[:turn] for turn in range(3))


def _can_be_tiled(board: Mapping[Hex, str], box: Counter[str]) -> bool:
    """Whether tiles of the box cover the board, the first of them at (0, 0), (0, 1) and (1, 0).

    The tiles of a connected board can always be laid in an order in which each touches one before it.
    """
    first = ((0, 0), (0, 1), (1, 0))
    if any(at not in board for at in first):
        return False
    tile = _turned("".join(board[at] for at in first))
    if not box[tile]:
        return False
    return _is_connected(board) and _tiled(
        sorted(board.keys() - set(first)), board, box - Counter([tile])
    )


def _is_connected(board: Mapping[Hex, str]) -> bool:
    seen = {(0, 0)}
    edge = [(0, 0)]
    while edge:
        for at in neighbours(edge.pop()):
            if at in board and at not in seen:
                seen.add(at)
                edge.append(at)
    return len(seen) == len(board)


def _tiled(left: Sequence[Hex], board: Mapping[Hex, str], box: Counter[str]) -> bool:
    """Whether tiles of the box can cover these sorted hexes; only two ways are left for the first one."""
    if not left:
        return True
    (q, r), free = left[0], set(left)
    for others in (((q + 1, r - 1), (q + 1, r)), ((q, r + 1), (q + 1, r))):
        place = ((q, r), *others)
        if not free.issuperset(place):
            continue
        tile = _turned("".join(board[at] for at in place))
        if box[tile]:
            rest = [at for at in left if at not in place]
            if _tiled(rest, board, box - Counter([tile])):
                return True
    return False


# Baron


def possible_secrets(
    start: Event, events: Sequence[Event], seats: int, shown: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Iterate over the possible secrets of a game of Baron with these events (BN-SET, BN-MAT-1).

    They agree with the secrets in `shown`. The tiles that nobody has drawn yet are in one order only.
    """
    data = start["data"]
    if data.keys() != {"players", "market", "start", "removed"} or not _is_open_set_up(data, seats):
        return
    drawn = [
        event["data"].get("refill")
        for event in events
        if event["type"] == "TileDrawn" and event["data"].get("refill") is not None
    ]
    if not all(isinstance(tile, str) for tile in drawn):
        return
    open_tiles = [*data["market"], data["start"], *data["removed"], *drawn, *["meadow"] * seats]
    for kinds in product(VALUE_ONE, repeat=seats):
        counts = [kinds.count(kind) for kind in VALUE_ONE]
        if max(counts) - min(counts) > 1:  # BN-SET-2
            continue
        rest = Counter({kind: count for kind, (count, _) in BOX.items()})
        rest.subtract([*open_tiles, *kinds])
        if any(count < 0 for count in rest.values()) or rest.keys() != BOX.keys():
            continue
        secrets: dict[str, Any] = {
            f"reserve/{seat}": sorted(("meadow", kind)) for seat, kind in enumerate(kinds)
        }
        secrets["pile"] = [*drawn, *sorted(rest.elements())]
        if all(secrets.get(name) == value for name, value in shown.items() if name != "pile"):
            yield secrets


def _is_open_set_up(data: JsonObject, seats: int) -> bool:
    """BN-SET-3, 4: whether the open tiles are possible, each part by itself."""
    market, removed = data["market"], data["removed"]
    if not isinstance(market, list) or len(market) != 3 or not isinstance(removed, list):
        return False
    if not isinstance(data["start"], str) or BOX.get(data["start"], (0, -1))[1] < 0:
        return False
    if not all(isinstance(tile, str) and tile in BOX for tile in [*market, *removed]):
        return False
    if seats < 5:
        return removed == []
    return len(removed) == 2 and removed[0] == "meadow" and removed[1] in VALUE_ONE

"""Maps of Baron as plain data for the reference rules: parsed from text, or made at random."""

import random
import re
from typing import Final

from tests.support.baron_reference_rules import Hex, Keeps, Tiles, neighbours

KINDS: Final = {
    "M": "meadow",
    "V": "village",
    "F": "field",
    "W": "forest",
    "Y": "vineyard",
    "Q": "quarry",
    "P": "pond",
    "S": "marsh",
    "C": "cursed_place",
}
"""The letter of each kind of tile in a map: W for wood, Y for vineyard, S for swamp."""
SIDES: Final = {"k": "knight", "b": "baron"}

BOX: Final = {
    "meadow": 28,
    "village": 6,
    "field": 6,
    "forest": 6,
    "vineyard": 6,
    "quarry": 6,
    "pond": 6,
    "marsh": 6,
    "cursed_place": 3,
}
"""BN-MAT-1."""
KEEPS_A_SEAT: Final = {2: 5, 3: 4, 4: 3, 5: 2}
"""BN-MAT-2."""


def parse_map(text: str) -> tuple[Tiles, Keeps]:
    """The map that the text shows, whose first cell is (0, 0).

    A cell takes four columns, and each row is shifted by two, so that a tile is adjacent to those beside it
    and to the two above and below that begin half a cell to the left and to the right. `M0k` is a meadow with
    a knight of seat 0, `M1b` one with a baron of seat 1, a dot an empty hex.
    """
    tiles: Tiles = {}
    keeps: Keeps = {}
    lines = text.strip("\n").splitlines()
    origin = len(lines[0]) - len(lines[0].lstrip())
    for r, line in enumerate(lines):
        for cell in re.finditer(r"\S+", line):
            q, rest = divmod(cell.start() - origin - 2 * r, 4)
            assert rest == 0, f"not in line: {line}"
            if cell[0] == ".":
                continue
            tiles[q, r] = KINDS[cell[0][0]]
            if len(cell[0]) > 1:
                keeps[q, r] = int(cell[0][1]), SIDES[cell[0][2]]
    return tiles, keeps


def random_map(rng: random.Random) -> tuple[Tiles, Keeps]:
    """A compact, connected map of tiles that BN-LAY-2 allows, with keeps of 2 to 5 seats on its meadows.

    It shows one of four moments: a tile was just laid, and all complete knights are on it or around it; a
    keep was just put down; the last turn is over; or keeps are on random meadows, as no game leads to.
    """
    tiles = _random_tiles(rng)
    seats = rng.randint(2, 5)
    supply = [seat for seat in range(seats) for _ in range(KEEPS_A_SEAT[seats])]
    rng.shuffle(supply)
    meadows = [at for at in sorted(tiles) if tiles[at] == "meadow"]
    rng.shuffle(meadows)
    complete = [at for at in meadows if neighbours(at) <= tiles.keys()]
    moment = rng.choice(["tile", "tile", "keep", "end", "anything"])
    new: set[Hex] = set()
    if moment == "tile" and complete:
        last = max(sorted(tiles), key=lambda at: (len(_reach(at) & set(complete)), rng.random()))
        new = _reach(last) & set(complete)
    elif moment == "keep":
        new = set(complete[:1])
    keeps: Keeps = {}
    for at in sorted(meadows, key=lambda at: at not in new)[: len(supply)]:
        if at not in new and rng.random() < 0.2:
            continue
        is_baron = at in complete and at not in new
        if moment == "anything":
            is_baron = rng.random() < 0.5
        if moment != "anything" and is_baron:
            fitting = [seat for seat in supply if _can_be_baron(tiles, keeps, at, seat)]
        else:
            fitting = supply
        if fitting:
            keeps[at] = fitting[0], "baron" if is_baron else "knight"
            supply.remove(fitting[0])
    return tiles, keeps


def _reach(at: Hex) -> set[Hex]:
    """The hex and the adjacent hexes."""
    return {at} | neighbours(at)


def _random_tiles(rng: random.Random) -> Tiles:
    """12 to 50 tiles of the box, most of them adjacent to many others."""
    box = [kind for kind, count in BOX.items() for _ in range(count)]
    rng.shuffle(box)
    tiles = {(0, 0): box.pop()}
    size = rng.randint(12, 50)
    while len(tiles) < size:
        free = sorted({at for tile in tiles for at in neighbours(tile)} - tiles.keys())
        weights = [len(neighbours(at) & tiles.keys()) ** 4 for at in free]
        [at] = rng.choices(free, weights)
        around = {tiles[beside] for beside in neighbours(at) & tiles.keys()} - {"meadow"}
        fitting = [kind for kind in box if kind not in around]
        if fitting:
            tiles[at] = fitting[0]
            box.remove(fitting[0])
    return tiles


def _can_be_baron(tiles: Tiles, keeps: Keeps, at: Hex, seat: int) -> bool:
    """Whether a baron of this seat shares only meadows with opposing barons (BN-FGT-5)."""
    return all(
        tiles[tile] == "meadow"
        for other, (owner, side) in keeps.items()
        if side == "baron" and owner != seat
        for tile in _reach(at) & _reach(other)
    )

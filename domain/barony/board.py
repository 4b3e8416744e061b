"""The board: hexes with their terrain, and the tables in which the rules look things up.

A board never changes after it is laid, so all states of a game share one. Inside the package a hex is its
index in `hexes`, which is sorted by (q, r); in JSON it is [q, r].
"""

from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Final, Self

from domain.barony.components import FOREST, LAKE, TERRAINS
from domain.barony.formats import Cell
from domain.hexes import Hex, neighbours

NUMBERS: Final[Mapping[str, int]] = {name: terrain for terrain, name in enumerate(TERRAINS)}


@cache
def _cell(at: Hex, terrain: int) -> Cell:
    """A hex as in `position.board`. All boards share the object, since thousands may be in memory."""
    return {"at": list(at), "terrain": TERRAINS[terrain]}


class Board:
    """A laid board. Every table is indexed by the number of a hex, and computed when it is first used:
    folding a log needs only `index`.
    """

    def __init__(self, terrain: Mapping[Hex, int]) -> None:
        self.hexes: tuple[Hex, ...] = tuple(sorted(terrain))
        self.index: dict[Hex, int] = dict(zip(self.hexes, range(len(self.hexes)), strict=True))
        self.terrain: bytes = bytes(map(terrain.__getitem__, self.hexes))

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The adjacent hexes on the board, in order."""
        index = self.index
        return tuple(
            tuple(sorted(index[near] for near in neighbours(at) if near in index))
            for at in self.hexes
        )

    @cached_property
    def edge(self) -> tuple[bool, ...]:
        """Whether the hex has a neighbour off the board (BY-EXP-2)."""
        return tuple(len(near) < 6 for near in self.neighbours)

    @cached_property
    def by_a_lake(self) -> tuple[bool, ...]:
        """Whether the hex is adjacent to a lake (BY-REC-1)."""
        return tuple(any(self.terrain[hex] == LAKE for hex in near) for near in self.neighbours)

    @cached_property
    def can_be_settled(self) -> tuple[bool, ...]:
        """Whether the terrain of the hex allows a first city (BY-SET-4)."""
        return tuple(terrain not in (LAKE, FOREST) for terrain in self.terrain)

    @cached_property
    def cells(self) -> list[Cell]:
        """The board as in `position.board`. All positions share the list, and nobody may change it."""
        return list(map(_cell, self.hexes, self.terrain))

    @classmethod
    def from_json(cls, cells: Iterable[Cell]) -> Self:
        """The board of a position or of `GameStarted`."""
        return cls({(q, r): NUMBERS[cell["terrain"]] for cell in cells for q, r in [cell["at"]]})

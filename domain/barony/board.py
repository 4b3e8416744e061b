"""The board: hexes with their terrain, and the tables that the rules look things up in.

A board never changes once laid, so all states of a game share one. Inside, a hex is its index in
`hexes`, which is sorted by (q, r); outside it is [q, r].
"""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Final, Self

from domain.barony.components import FOREST, LAKE, TERRAINS
from domain.contract import Json
from domain.hexes import Hex, neighbours

NUMBERS: Final = {name: terrain for terrain, name in enumerate(TERRAINS)}


@cache
def _cell(at: Hex, terrain: int) -> Json:
    """A hex as in `position.board`; one object for all boards, since thousands may be in memory."""
    return {"at": list(at), "terrain": TERRAINS[terrain]}


class Board:
    """A laid board. All tables are indexed by the hex's number, and made when first looked into: folding a
    log needs none but `index`.
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
        """Whether the ground of the hex takes a first city (BY-SET-4)."""
        return tuple(terrain not in (LAKE, FOREST) for terrain in self.terrain)

    @cached_property
    def cells(self) -> list[Json]:
        """The board as in `position.board`: shared by all positions, and not to be changed."""
        return list(map(_cell, self.hexes, self.terrain))

    @classmethod
    def from_json(cls, cells: list[Json]) -> Self:
        """From `position.board` or `GameStarted.board`."""
        return cls({tuple(cell["at"]): NUMBERS[cell["terrain"]] for cell in cells})

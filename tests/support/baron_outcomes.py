"""Resolves the knights of a board that a test gives as text, and sums up the results."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from domain.baron.battles import Board, complete_knights, resolve
from domain.baron.components import BARON, KNIGHT
from domain.baron.formats import Side, Tile
from domain.hexes import Hex
from domain.json_types import JsonObject
from tests.support.baron_maps import parse_map
from tests.support.baron_reference_rules import Keeps, Tiles

TWO = """
      V   Y
    Q   M0k M
      F   S
    M   M1b W
      M   M
    """
"""Example 7: a knight with 5 beside the battlefield, against a baron with 2."""

ON_THE_RIGHT = """
      M   M   M   M
    M   M0k {}   M1b M
      M   W   M   V
    """
"""A knight with 2 beside the tile that it shares with a baron with 3."""

AROUND_A_FIELD = """
            M   M
      V   P   M{}b M
    M   M0k F   M
      M   Q   M{}b M
            M   M
    """
"""A knight and two barons that share a field; each baron shares one more tile with the knight."""


def row_of_keeps(text: str, *, incomplete: bool = False) -> str:
    """A map of keeps in a row, two hexes from each other; the first is at (0, 1).

    `0k:VQ F 1b:W` is a knight of seat 0 and a baron of seat 1 that share a field; a village and a quarry
    belong to the knight alone, and a forest to the baron alone. All other tiles are meadows.

    `incomplete`: each knight lacks a tile that it would not share.
    """
    words = text.split()
    above, middle, below = "  ", "M   ", "  "
    for keep, between in zip(words[::2], [*words[1::2], "M"], strict=True):
        pawn, _, own = keep.partition(":")
        above += "".join(f"{tile:4}" for tile in own.ljust(2, "M"))
        middle += f"M{pawn:3}{between:4}"
        below += ".   M   " if incomplete and pawn.endswith("k") else "M   M   "
    return "\n".join("    " + row for row in (above, middle, below))


def board_from_map(text: str, *, out: Collection[int] = ()) -> Board:
    """The board of a map (tests/support/baron_maps.py)."""
    return board_of(*parse_map(text), out)


def board_of(tiles: Tiles, keeps: Keeps, out: Collection[int] = ()) -> Board:
    """The board with these tiles and keeps."""
    kinds, sides = cast("dict[Hex, Tile]", tiles), cast("dict[Hex, tuple[int, Side]]", keeps)
    return Board(kinds, sides, frozenset(out))


def knights_of(board: Board) -> list[Hex]:
    """All knights, complete or not."""
    return sorted(at for at, (_, side) in board.keeps.items() if side == KNIGHT)


@dataclass(frozen=True)
class Outcome:
    """The results of one moment, and summaries of them."""

    board: Board
    results: list[JsonObject]

    @cached_property
    def knights(self) -> list[str]:
        """The result of each knight, in the order of the map: `0 established`, `1 lost_battle`."""
        ordered = sorted(self.results, key=lambda entry: entry["at"][::-1])
        return [f"{entry['seat']} {entry.get('why', entry['result'])}" for entry in ordered]

    @cached_property
    def keeps(self) -> list[str]:
        """The keeps on the board afterwards, in the order of the map: `0b`."""
        left = dict(self.board.keeps)
        for entry in self.results:
            if entry["result"] == "established":
                left[tuple(entry["at"])] = (entry["seat"], BARON)
            else:
                del left[tuple(entry["at"])]
            for beaten in entry["beaten"]:
                del left[tuple(beaten["at"])]
        ordered = sorted(left, key=lambda at: at[::-1])
        return [f"{left[at][0]}{'b' if left[at][1] == BARON else 'k'}" for at in ordered]

    @cached_property
    def honour(self) -> dict[int, int]:
        """The change of honour by seat, without seats for which it is 0."""
        change: Counter[int] = Counter()
        for entry in self.results:
            change[entry["seat"]] += entry["gain"]
            for beaten in entry["beaten"]:
                change[beaten["seat"]] -= beaten["loss"]
        return {seat: points for seat, points in change.items() if points}

    def of(self, seat: int) -> JsonObject:
        """The result of the seat's only knight."""
        (entry,) = (entry for entry in self.results if entry["seat"] == seat)
        return entry


def resolve_map(text: str, *, out: Collection[int] = ()) -> Outcome:
    """Resolve the complete knights of a map."""
    board = board_from_map(text, out=out)
    return Outcome(
        board, cast("list[JsonObject]", resolve(board, complete_knights(board), at_end=False))
    )


def resolve_map_at_end(text: str, *, out: Collection[int] = ()) -> Outcome:
    """Resolve all knights of a map at the end of the game (BN-END-2)."""
    board = board_from_map(text, out=out)
    return Outcome(board, cast("list[JsonObject]", resolve(board, knights_of(board), at_end=True)))

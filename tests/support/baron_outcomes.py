"""What the knights of a drawn board bring about, in few words."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from domain.baron.battles import Board, complete_knights
from domain.baron.components import BARON, KNIGHT
from domain.baron.formats import Side, Tile
from domain.baron.resolution import resolve
from domain.contract import Json
from domain.hexes import Hex
from tests.support.baron_by_the_book import Keeps, Tiles
from tests.support.baron_maps import drawn

TWO = """
      V   Y
    Q   M0k M
      F   S
    M   M1b W
      M   M
    """
"""Example 7: a knight who is worth 5 where he is alone, a baron who is worth 2 there."""

ON_THE_RIGHT = """
      M   M   M   M
    M   M0k {}   M1b M
      M   W   M   V
    """
"""A knight with 2 beside the tile that he shares with a baron, who has 3 beside it."""

AROUND_A_FIELD = """
            M   M
      V   P   M{}b M
    M   M0k F   M
      M   Q   M{}b M
            M   M
    """
"""A knight and two barons who have a field in common; each baron shares one more tile with the knight."""


def row_of_keeps(text: str, *, incomplete: bool = False) -> str:
    """A drawing of keeps in a row, two hexes from each other; the first is at (0, 1).

    `0k:VQ F 1b:W` is a knight of seat 0 and a baron of seat 1 with a field between them that both have, a
    village and a quarry only the knight's, and a forest only the baron's. All else are meadows.

    `incomplete`: each knight lacks a tile that no other has.
    """
    words = text.split()
    above, middle, below = "  ", "M   ", "  "
    for keep, between in zip(words[::2], [*words[1::2], "M"], strict=True):
        who, _, own = keep.partition(":")
        above += "".join(f"{tile:4}" for tile in own.ljust(2, "M"))
        middle += f"M{who:3}{between:4}"
        below += ".   M   " if incomplete and who.endswith("k") else "M   M   "
    return "\n".join("    " + row for row in (above, middle, below))


def standing(text: str, *, out: Collection[int] = ()) -> Board:
    """The board of a drawing (tests/support/baron_maps.py): its first cell is (0, 0)."""
    return board_of(*drawn(text), out)


def board_of(tiles: Tiles, keeps: Keeps, out: Collection[int] = ()) -> Board:
    """The board with these tiles and keeps."""
    kinds, sides = cast("dict[Hex, Tile]", tiles), cast("dict[Hex, tuple[int, Side]]", keeps)
    return Board(kinds, sides, frozenset(out))


def knights_of(board: Board) -> list[Hex]:
    """All keeps on their knight side, complete or not."""
    return sorted(at for at, (_, side) in board.keeps.items() if side == KNIGHT)


@dataclass(frozen=True)
class Outcome:
    """What came of a moment: `entries` as they were reckoned, and the same in short."""

    board: Board
    entries: list[Json]

    @cached_property
    def knights(self) -> list[str]:
        """Whose knight came to what, as one reads the drawing: `0 established`, `1 lost_battle`."""
        ordered = sorted(self.entries, key=lambda entry: entry["at"][::-1])
        return [f"{entry['seat']} {entry.get('why', entry['result'])}" for entry in ordered]

    @cached_property
    def keeps(self) -> list[str]:
        """The keeps that stand afterwards, as one reads the drawing: `0b`."""
        left = dict(self.board.keeps)
        for entry in self.entries:
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
        """By seat what changes, if anything does."""
        change: Counter[int] = Counter()
        for entry in self.entries:
            change[entry["seat"]] += entry["gain"]
            for beaten in entry["beaten"]:
                change[beaten["seat"]] -= beaten["loss"]
        return {seat: points for seat, points in change.items() if points}

    def of(self, seat: int) -> Json:
        """The entry of the seat's only knight."""
        (entry,) = (entry for entry in self.entries if entry["seat"] == seat)
        return entry


def outcome(text: str, *, out: Collection[int] = ()) -> Outcome:
    """What comes of the knights that are complete in this drawing."""
    board = standing(text, out=out)
    return Outcome(board, cast("list[Json]", resolve(board, complete_knights(board), at_end=False)))


def outcome_at_the_end(text: str, *, out: Collection[int] = ()) -> Outcome:
    """What comes of all knights in this drawing when play is over (BN-END-2)."""
    board = standing(text, out=out)
    return Outcome(board, cast("list[Json]", resolve(board, knights_of(board), at_end=True)))

"""How tiles, keeps and sums appear in texts: `field 3,0 (2)`, `seat 1's baron on 2,2`."""

from collections.abc import Iterable, Sequence

from domain.baron.battles import Board, total_value
from domain.baron.components import MEADOW, VALUES
from domain.hex_text import hex_text
from domain.hexes import Hex
from domain.phrases import counted, listing


def kind_text(kind: str) -> str:
    """`pond`, `cursed place`."""
    return kind.replace("_", " ")


def tile_text(kind: str) -> str:
    """`a pond`, `a cursed place`."""
    return f"a {kind_text(kind)}"


def knight_text(seat: int, at: Iterable[int]) -> str:
    """`seat 1's knight on 2,0`."""
    return f"seat {seat}'s knight on {hex_text(at)}"


def baron_text(seat: int, at: Iterable[int]) -> str:
    """`seat 1's baron on 2,0`."""
    return f"seat {seat}'s baron on {hex_text(at)}"


def seats_text(seats: Sequence[int]) -> str:
    """`seat 1`, `seats 0 and 2`."""
    return f"seat{'s' if seats[1:] else ''} {listing(map(str, seats))}"


def tiles_text(board: Board, hexes: Iterable[Hex]) -> str:
    """Tiles with their places and values, and the number of meadows: `field 3,0 (2) and 2 meadows`."""
    kinds = [(at, board.tiles[at]) for at in sorted(hexes)]
    others = [(at, kind) for at, kind in kinds if kind != MEADOW]
    words = [f"{kind_text(kind)} {hex_text(at)} ({VALUES[kind]})" for at, kind in others]
    if len(others) < len(kinds):
        words.append(counted(len(kinds) - len(others), "meadow"))
    return listing(words)


def sum_text(board: Board, hexes: Iterable[Hex]) -> str:
    """The sum of the tiles and what it consists of, without meadows: `5 (village 3 and forest 2)`."""
    hexes = [*hexes]
    terms = [
        f"{kind_text(board.tiles[at])} {VALUES[board.tiles[at]]}"
        for at in sorted(hexes)
        if board.tiles[at] != MEADOW
    ]
    return f"{total_value(board, hexes)} ({listing(terms) if terms else 'nothing but meadows'})"


def change_text(change: int) -> str:
    """`gains 3`, `loses 1`, `neither gains nor loses`."""
    if not change:
        return "neither gains nor loses"
    return f"gains {change}" if change > 0 else f"loses {-change}"

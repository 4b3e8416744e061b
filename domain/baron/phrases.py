"""How tiles, keeps and sums are named in what people read: `field 3,0 (2)`, `seat 1's baron on 2,2`."""

from collections.abc import Iterable, Sequence

from domain.baron.baronies import Standing, worth
from domain.baron.components import MEADOW, VALUES
from domain.contract import Json
from domain.hex_text import hex_text
from domain.hexes import Hex
from domain.phrases import counted, listing


def kind_text(kind: str) -> str:
    """`pond`, `cursed place`."""
    return kind.replace("_", " ")


def tile_text(kind: str) -> str:
    """`a pond`, `a cursed place`."""
    return f"a {kind_text(kind)}"


def knight_text(entry: Json) -> str:
    """`seat 1's knight on 2,0`, of anything with a seat and a hex."""
    return f"seat {entry['seat']}'s knight on {hex_text(entry['at'])}"


def baron_text(entry: Json) -> str:
    """`seat 1's baron on 2,0`, of anything with a seat and a hex."""
    return f"seat {entry['seat']}'s baron on {hex_text(entry['at'])}"


def seats_text(seats: Sequence[int]) -> str:
    """`seat 1`, `seats 0 and 2`."""
    return f"seat{'s' if seats[1:] else ''} {listing(map(str, seats))}"


def ground_text(board: Standing, hexes: Iterable[Hex]) -> str:
    """Tiles with their places and values, meadows only counted: `field 3,0 (2) and 2 meadows`."""
    kinds = [(at, board.tiles[at]) for at in sorted(hexes)]
    of_value = [(at, kind) for at, kind in kinds if kind != MEADOW]
    words = [f"{kind_text(kind)} {hex_text(at)} ({VALUES[kind]})" for at, kind in of_value]
    if len(of_value) < len(kinds):
        words.append(counted(len(kinds) - len(of_value), "meadow"))
    return listing(words)


def sum_text(board: Standing, hexes: Iterable[Hex]) -> str:
    """What tiles add up to, and of what: `5 (village 3 and forest 2)`; meadows go without saying."""
    hexes = [*hexes]
    terms = [
        f"{kind_text(board.tiles[at])} {VALUES[board.tiles[at]]}"
        for at in sorted(hexes)
        if board.tiles[at] != MEADOW
    ]
    return f"{worth(board, hexes)} ({listing(terms) if terms else 'nothing but meadows'})"


def change_text(change: int) -> str:
    """`gains 3`, `loses 1`, `neither gains nor loses`."""
    if not change:
        return "neither gains nor loses"
    return f"gains {change}" if change > 0 else f"loses {-change}"

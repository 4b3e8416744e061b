"""How messages show tiles, keeps and sums: `field 3,0 (2)`, `seat 1's baron on 2,2`."""

from collections.abc import Iterable, Sequence

from domain.baron.battles import Board, total_value
from domain.baron.components import MEADOW, VALUES
from domain.baron.formats import Tile
from domain.baron.terms import HONOUR, TILE_TERMS
from domain.hexes import Hex
from domain.messages import Listing, Message, PlayerAt, counted, hex_at, listing, message


def kinds(tiles: Iterable[Tile]) -> Listing:
    """`a pond and a cursed place`."""
    return listing(message("{tile:a}", tile=TILE_TERMS[kind]) for kind in tiles)


def knight(seat: int, at: Sequence[int]) -> Message:
    """`seat 1's knight on 2,0`."""
    return message("{player}'s knight on {hex}", player=PlayerAt(seat), hex=hex_at(at))


def baron(seat: int, at: Sequence[int]) -> Message:
    """`seat 1's baron on 2,0`."""
    return message("{player}'s baron on {hex}", player=PlayerAt(seat), hex=hex_at(at))


def players(seats: Iterable[int]) -> Listing:
    """`seat 1`, `seat 0 and seat 2`."""
    return listing(map(PlayerAt, seats))


def tiles_with_values(board: Board, hexes: Iterable[Hex]) -> Listing:
    """Tiles with their places and values, and the number of meadows: `field 3,0 (2) and 2 meadows`."""
    tiles = [(at, board.tiles[at]) for at in sorted(hexes)]
    others = [
        message("{tile} {hex} ({value})", tile=TILE_TERMS[kind], hex=hex_at(at), value=VALUES[kind])
        for at, kind in tiles
        if kind != MEADOW
    ]
    meadows = len(tiles) - len(others)
    return listing([*others, counted(meadows, TILE_TERMS["meadow"])] if meadows else others)


def sum_of_tiles(board: Board, hexes: Iterable[Hex]) -> Message:
    """The sum of the tiles and what it consists of, without meadows: `5 (village 3 and forest 2)`."""
    hexes = sorted(hexes)
    total = total_value(board, hexes)
    others = [board.tiles[at] for at in hexes if board.tiles[at] != MEADOW]
    if not others:
        return message("{sum} (nothing but meadows)", sum=total)
    parts = [
        message("{tile} {value}", tile=TILE_TERMS[kind], value=VALUES[kind]) for kind in others
    ]
    return message("{sum} ({tiles})", sum=total, tiles=listing(parts))


def honour_change(seat: int, change: int) -> Message:
    """`seat 1 gains 3 honour`, `seat 1 loses 1 honour`, `seat 1 neither gains nor loses honour`."""
    player = PlayerAt(seat)
    if change > 0:
        return message("{player} gains {honour}", player=player, honour=counted(change, HONOUR))
    if change < 0:
        return message("{player} loses {honour}", player=player, honour=counted(-change, HONOUR))
    return message("{player} neither gains nor loses honour", player=player)

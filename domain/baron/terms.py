"""The words of Baron: the terms of messages, the labels of fields and types, and phrases.

Phrases show tiles, keeps and sums: `field 3,0 (2)` and `seat 1's baron on 2,2`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from domain.baron.battles import Board, total_value
from domain.baron.components import MEADOW, VALUES
from domain.baron.formats import Side, Tile
from domain.hexes import Hex
from domain.messages import (
    Listing,
    Message,
    PlayerAt,
    Term,
    Text,
    counted,
    hex_at,
    listing,
    message,
    message_in,
    term,
)
from domain.position_labels import COMMON_LABELS

TITLE: Final = term("Baron")
DESCRIPTION: Final[Text] = message(
    "The players build the land tile by tile. A keep on a meadow becomes a barony when the land around it is"
    " complete, unless a neighbour opposes it; the player with the most honour wins."
)
TILE_TERMS: Final[Mapping[Tile, Term]] = {
    "meadow": term("meadow; plural: meadows; a: a meadow; the: the meadow"),
    "village": term("village; plural: villages; a: a village; the: the village"),
    "field": term("field; plural: fields; a: a field; the: the field"),
    "forest": term("forest; plural: forests; a: a forest; the: the forest"),
    "vineyard": term("vineyard; plural: vineyards; a: a vineyard; the: the vineyard"),
    "quarry": term("quarry; plural: quarries; a: a quarry; the: the quarry"),
    "pond": term("pond; plural: ponds; a: a pond; the: the pond"),
    "marsh": term("marsh; plural: marshes; a: a marsh; the: the marsh"),
    "cursed_place": term(
        "cursed place; plural: cursed places; a: a cursed place; the: the cursed place"
    ),
}
"""The kinds of tiles (BN-MAT-1)."""

SIDE_TERMS: Final[Mapping[Side, Term]] = {
    "knight": term("knight; plural: knights; a: a knight; the: the knight"),
    "baron": term("baron; plural: barons; a: a baron; the: the baron"),
}
"""The sides of a keep (BN-MAT-2), by which keeps on the board are called."""

TILE: Final = term("tile; plural: tiles; a: a tile; the: the tile")
KEEP: Final = term("keep; plural: keeps; a: a keep; the: the keep")
BARONY: Final = term("barony; plural: baronies; a: a barony; the: the barony")
HONOUR: Final = term("honour; plural: honour; a: a point of honour; the: the honour")
"""Points of honour: `3 honour`."""


VERBS: Final[Mapping[str, Text]] = {
    "draw": message_in("button", "Draw"),
    "place_tile": message_in("button", "Lay"),
    "discard_tile": message_in("button", "Give up"),
    "place_keep": message_in("button", "Keep"),
    "end_turn": message_in("button", "End"),
}
"""What the buttons of actions say: one word, of about ten letters at most."""

LABELS: Final[Mapping[str, Text]] = {
    **COMMON_LABELS,
    **{name: term for terms in (TILE_TERMS, SIDE_TERMS) for name, term in terms.items()},
    # Fields
    "honour": message_in("label", "honour"),
    "keeps": message_in("label", "keeps"),
    "keeps_resting": message_in("label", "keeps resting"),
    "market": message_in("label", "market"),
    "pile": message_in("label", "pile"),
    "removed": message_in("label", "removed from the game"),
    "reserve_size": message_in("label", "tiles in reserve"),
    "side": message_in("label", "side"),
    "tile": message_in("label", "tile"),
    "tiles": message_in("label", "tiles"),
    "turns_left": message_in("label", "turns left"),
    "value": message_in("label", "value"),
    # Phases, which are called like the actions
    "draw": message_in("label", "draw a tile"),
    "keep": message_in("label", "put down a keep"),
    "lay": message_in("label", "lay a tile"),
    # Types of actions
    "discard_tile": message_in("label", "give up a tile"),
    "end_turn": message_in("label", "end the turn"),
    "place_keep": message_in("label", "put down a keep"),
    "place_tile": message_in("label", "lay a tile"),
    # Types of events
    "KeepPlaced": message_in("label", "put down a keep"),
    "TileDiscarded": message_in("label", "give up a tile"),
    "TileDrawn": message_in("label", "draw a tile"),
    "TilePlaced": message_in("label", "lay a tile"),
    "TurnEnded": message_in("label", "end the turn"),
}


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
    """The sum of the tiles and its terms, without meadows: `5 (village 3 and forest 2)`."""
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

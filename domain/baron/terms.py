"""The terms of Baron in messages: kinds of tiles, the sides of a keep, and what players count."""

from collections.abc import Mapping
from typing import Final

from domain.baron.formats import Side, Tile
from domain.messages import Term, Text, message, term

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

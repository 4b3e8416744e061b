"""A one-sentence summary of each clause, by id. docs/rules.md contains the full text of the clauses."""

from collections.abc import Mapping
from typing import Final

from domain.messages import Text, message

CLAUSES: Final[Mapping[str, Text]] = {
    "BN-MAT-1": message(
        "There are 73 tiles: 28 meadows, 3 cursed places and 6 of each of the seven other kinds."
    ),
    "BN-MAT-2": message(
        "With 2, 3, 4 or 5 players, each player has 5, 4, 3 or 2 keeps with two sides."
    ),
    "BN-SET-1": message(
        "Each seat starts with 0 honour, a meadow and a tile of value 1 that only its player knows."
    ),
    "BN-SET-2": message("The dealt tiles of value 1 vary as much as possible."),
    "BN-SET-3": message("With five players, a meadow and a tile of value 1 are removed openly."),
    "BN-SET-4": message(
        "Three tiles form the market; the next tile that is not negative is the start tile."
    ),
    "BN-SET-5": message("The option seating determines who takes the first turn."),
    "BN-DRW-1": message(
        "The tiles in slots 1, 2 and 3 cost 0, 1 and 3 honour; the pile refills the last slot."
    ),
    "BN-DRW-2": message(
        "A seat must draw while the market has a tile, and cannot choose an empty slot."
    ),
    "BN-DRW-3": message("A draw cannot reduce a seat's honour below -4; slot 1 costs nothing."),
    "BN-LAY-1": message("A seat lays a tile from its reserve on an empty hex adjacent to a tile."),
    "BN-LAY-2": message("Tiles of the same kind cannot be adjacent, except meadows."),
    "BN-LAY-3": message("A tile laid adjacent to four, five or six tiles earns 1, 3 or 9 honour."),
    "BN-LAY-4": message("If no tile of the reserve can be laid, the seat discards one of them."),
    "BN-KEP-1": message(
        "At the end of its turn, a seat may place one keep on a meadow without a keep."
    ),
    "BN-KEP-2": message(
        "A keep that returned during a turn cannot be placed before that turn has ended."
    ),
    "BN-KEP-3": message("A keep does not move, and leaves the board only when it loses a fight."),
    "BN-KEP-4": message("If the seat cannot place a keep, the turn ends automatically."),
    "BN-TRN-1": message(
        "Seats take turns; a round is one turn of every seat that still has turns."
    ),
    "BN-TRN-2": message("A seat in the game acts only on its own turn and until play ends."),
    "BN-TRN-3": message(
        "A turn is: draw; then lay or discard a tile; then place a keep or end the turn."
    ),
    "BN-TRN-4": message("A forfeited turn ends immediately, and nothing is undone."),
    "BN-BAR-1": message(
        "A barony is a meadow with a keep and the six tiles around it; its value is their sum."
    ),
    "BN-BAR-2": message("A knight's barony is resolved as soon as it is complete."),
    "BN-BAR-3": message(
        "A knight that nobody opposes is established, and its owner gains the value of the barony."
    ),
    "BN-BAR-4": message(
        "A tile that belongs to a standing barony of the same player does not earn honour again."
    ),
    "BN-FGT-1": message(
        "A knight fights the opposing barons with whom it shares a tile other than a meadow."
    ),
    "BN-FGT-2": message(
        "The battlefield consists of the shared tiles; they count for nobody's strength."
    ),
    "BN-FGT-3": message("The knight wins only if it is stronger than the strongest of the barons."),
    "BN-FGT-4": message(
        "If the knight loses, its keep returns to the reserve; nobody's honour changes."
    ),
    "BN-FGT-5": message(
        "If the knight wins, it is established; beaten keeps return, and their owners lose honour."
    ),
    "BN-SIM-1": message(
        "Knights completed by one tile fight each other first if they are opponents or rivals."
    ),
    "BN-SIM-2": message(
        "A knight stays in a battle if it is stronger than each of its opponents and rivals."
    ),
    "BN-SIM-3": message(
        "Equally strong opponents both return; of equal rivals, one counts as stronger."
    ),
    "BN-SIM-4": message(
        "A knight that stays fights its barons on a battlefield without the knights that left."
    ),
    "BN-SIM-5": message(
        "If several knights of one player face the same baron, only the strongest fights it."
    ),
    "BN-SIM-6": message(
        "All events of one moment are resolved on the same board and take effect together."
    ),
    "BN-OUB-1": message(
        "A seat at -5 honour or below is out; its reserve leaves the game, but its keeps stay."
    ),
    "BN-OUB-2": message(
        "The keeps of a seat that is out still fight, but its honour no longer changes."
    ),
    "BN-OUB-3": message(
        "If at most one seat is left, the game ends immediately, without BN-END-2."
    ),
    "BN-OUB-4": message("All changes of honour in one moment are added up before seats go out."),
    "BN-END-1": message(
        "After the last tile is drawn and the turn completed, each seat has two more turns."
    ),
    "BN-END-2": message(
        "At the end, all knights try to become barons at once, with half their strength."
    ),
    "BN-END-3": message(
        "The most honour wins; equal seats share a place, and seats that are out are ranked last."
    ),
    "BN-END-4": message(
        "A seat that resigns or is removed is out; each departure is a separate moment."
    ),
}

EXPLAINED_BY: Final[Mapping[str, str]] = {
    # Types of actions
    "draw": "BN-DRW-1",
    "place_tile": "BN-LAY-3",
    "discard_tile": "BN-LAY-4",
    "place_keep": "BN-KEP-1",
    "end_turn": "BN-TRN-3",
    "resign": "BN-END-4",
    # Tiles and keeps
    "meadow": "BN-KEP-1",
    "village": "BN-LAY-2",
    "field": "BN-LAY-2",
    "forest": "BN-LAY-2",
    "vineyard": "BN-LAY-2",
    "quarry": "BN-LAY-2",
    "pond": "BN-LAY-2",
    "marsh": "BN-BAR-1",
    "cursed_place": "BN-BAR-1",
    "keep_knight": "BN-BAR-3",
    "keep_baron": "BN-FGT-1",
    # Headings and numbers
    "no barony": "BN-BAR-1",
    "barony": "BN-BAR-1",
    "winner": "BN-END-3",
    "score": "BN-OUB-1",
    "place": "BN-END-3",
    "reserve": "BN-LAY-1",
    "keeps": "BN-MAT-2",
    "keeps resting": "BN-KEP-2",
    "on the board": "BN-KEP-3",
    "turns left": "BN-END-1",
    "market": "BN-DRW-1",
    "pile": "BN-END-1",
    "removed from the game": "BN-SET-3",
}
"""The clause that explains a word of a page."""

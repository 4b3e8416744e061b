"""What people call the fields of a position of Baron, the words in it, and types of actions and events."""

from collections.abc import Mapping
from typing import Final

from domain.baron.terms import SIDE_TERMS, TILE_TERMS
from domain.messages import Text, message_in
from domain.position_labels import COMMON_LABELS

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

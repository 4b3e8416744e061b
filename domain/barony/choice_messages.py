"""The choices of Barony in words, from the position as a viewer sees it."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, cast

from domain.barony.components import RESOURCES, Resource
from domain.barony.formats import BaronyPosition
from domain.barony.labels import LABELS
from domain.barony.terms import KNIGHT, TERRAINS, TOKENS
from domain.choices import Choice
from domain.hexes import Hex
from domain.messages import Term, Text, counted, hex_at, listing, message

_DONE: Final = {
    "next_knight": message("no other knight moves"),
    "next_site": message("nothing else is built"),
}
_AGREEMENT: Final = {
    "agree": message("ask for the end of the game"),
    "disagree": message("no longer ask for the end of the game"),
}


def choice_message(position: BaronyPosition, choice: Choice, path: Sequence[Choice]) -> Text:
    """The choice after those of `path` in words."""
    if choice.at is not None:
        return _hex_message(position, choice.question, choice.at)
    match choice.question:
        case "knights":
            return counted(int(choice.value), KNIGHT)
        case "token":
            return TOKENS[cast("Resource", choice.value)]
        case "action" | "building":
            return LABELS[choice.value]
        case "payment":
            counts = zip(RESOURCES, map(int, choice.value.split("-")), strict=True)
            return listing(counted(count, TOKENS[name]) for name, count in counts if count)
        case "agreement":
            return _AGREEMENT[choice.value]
        case question:
            return _DONE[question]


def _hex_message(position: BaronyPosition, question: str, at: Hex) -> Text:
    """The choice of a hex: the player's own pawn on it, or else its terrain."""
    hex = hex_at(at)
    match question:
        case "knight" | "next_knight" | "site" | "next_site":
            return message("the knight on {hex}", hex=hex)
        case "city":
            return message("the city on {hex}", hex=hex)
        case "village":
            return message("the village on {hex}", hex=hex)
        case _:
            return message("{terrain:the} on {hex}", terrain=terrain_at(position, at), hex=hex)


def terrain_at(position: BaronyPosition, at: Hex) -> Term:
    """The term for the terrain of a hex of the board."""
    board = position["board"]
    return TERRAINS[board[bisect_left(board, [*at], key=lambda cell: cell["at"])]["terrain"]]

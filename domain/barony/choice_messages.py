"""The choices of Barony in words, from the position as a viewer sees it."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, cast

from domain.barony.components import RESOURCES, Resource, Terrain
from domain.barony.event_messages import pawn
from domain.barony.formats import BaronyPosition, Pawns
from domain.barony.labels import LABELS
from domain.barony.terms import KNIGHT, RESOURCE_POINT, TERRAINS, TOKENS
from domain.barony.titles import worth
from domain.choices import Choice
from domain.hexes import Hex
from domain.messages import (
    Message,
    PlayerAt,
    Text,
    counted,
    hex_at,
    listing,
    message,
    plural_message,
)

FIXED_MESSAGES: Final[Mapping[tuple[str, str], Message]] = {
    ("next_knight", "done"): message("no other knight moves"),
    ("next_site", "done"): message("nothing else is built"),
    ("agreement", "agree"): message("ask for the end of the game"),
    ("agreement", "disagree"): message("no longer ask for the end of the game"),
}
"""By question and value."""


def choice_message(
    position: BaronyPosition,
    choice: Choice,
    path: Sequence[Choice],
    fixed_messages: Mapping[tuple[str, str], Message] = FIXED_MESSAGES,
) -> Text:
    """The choice after those of `path` in words."""
    if choice.at is not None:
        return _hex_message(position, choice.question, choice.at, path)
    match choice.question:
        case "action" | "building":
            return LABELS[choice.value]
        case "knights":
            return counted(int(choice.value), KNIGHT)
        case "token":
            token, _, owner = choice.value.partition("-")
            return message(
                "{token:a} from {player}",
                token=TOKENS[cast("Resource", token)],
                player=PlayerAt(int(owner)),
            )
        case "payment":
            counts = tuple(map(int, choice.value.split("-")))
            tokens = zip(RESOURCES, counts, strict=True)
            return message(
                "{tokens}, worth {points}",
                tokens=listing(counted(count, TOKENS[name]) for name, count in tokens if count),
                points=counted(worth(counts), RESOURCE_POINT),
            )
        case question:
            return fixed_messages[question, choice.value]


def _hex_message(
    position: BaronyPosition, question: str, at: Hex, path: Sequence[Choice]
) -> Message:
    """The choice of a hex: the pawn of the player on it, or its terrain and what happens there."""
    match question:
        case "knight" | "next_knight":
            return plural_message(
                "the knight on {hex}",
                "one of the {count} knights on {hex}",
                count=_knights_to_move(position, at, path),
                hex=hex_at(at),
            )
        case "city":
            return message("the city on {hex}", hex=hex_at(at))
        case "village":
            return message("the village on {hex}", hex=hex_at(at))
        case "destination" if path[0].value == "move":
            return _destination_message(position, at, path)
        case _:
            return hex_message(position, at)


def hex_message(position: BaronyPosition, at: Hex) -> Message:
    """A hex of the board with its terrain."""
    return message(
        "{terrain:the} on {hex}", terrain=TERRAINS[terrain_at(position, at)], hex=hex_at(at)
    )


def terrain_at(position: BaronyPosition, at: Hex) -> Terrain:
    """The terrain of a hex of the board."""
    board = position["board"]
    return board[bisect_left(board, [*at], key=lambda cell: cell["at"])]["terrain"]


def _pawns_at(position: BaronyPosition, at: Hex) -> Iterator[Pawns]:
    return (pawns for pawns in position["pawns"] if pawns["at"] == [*at])


def _knights_to_move(position: BaronyPosition, at: Hex, path: Sequence[Choice]) -> int:
    """BY-MOV-2: the knights of the seat to act on the hex, without those that move in `path`."""
    seat = position["to_act"]
    knights = sum(pawns["knights"] for pawns in _pawns_at(position, at) if pawns["seat"] == seat)
    return knights - sum(choice.at == at for choice in path if choice.question == "knight")


def _destination_message(position: BaronyPosition, at: Hex, path: Sequence[Choice]) -> Message:
    """BY-CON-1: the hex where a knight arrives, and the pawns that are destroyed there."""
    opposing = [pawns for pawns in _pawns_at(position, at) if pawns["seat"] != position["to_act"]]
    if not opposing or not _destroys(position, at, path):
        return hex_message(position, at)
    destroyed = [pawn(pawns["seat"], "knight") for pawns in opposing if pawns["knights"]]
    destroyed += [pawn(pawns["seat"], "village") for pawns in opposing if pawns["building"]]
    return message(
        "{terrain:the} on {hex}, where the knight destroys {pawns}",
        terrain=TERRAINS[terrain_at(position, at)],
        hex=hex_at(at),
        pawns=listing(destroyed),
    )


def _destroys(position: BaronyPosition, at: Hex, path: Sequence[Choice]) -> bool:
    """BY-CON-1: whether a knight that arrives on the hex after the moves of `path` joins another pawn there,
    and is the first one to do so.
    """
    own = sum(
        pawns["knights"] + bool(pawns["building"])
        for pawns in _pawns_at(position, at)
        if pawns["seat"] == position["to_act"]
    )
    for choice, following in pairwise(path):
        if following.question == "destination":
            own -= choice.at == at
            if following.at == at:
                if own:
                    return False
                own += 1
    return own > 0

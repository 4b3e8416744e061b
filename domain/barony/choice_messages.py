"""The choices of Barony in words, from the position as a viewer sees it."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, cast

from domain.barony.components import RESOURCES, Building, Resource, Terrain
from domain.barony.event_messages import pawn
from domain.barony.formats import BaronyPosition
from domain.barony.labels import LABELS
from domain.barony.terms import KNIGHT, PAWNS, RESOURCE_POINT, TERRAINS, TOKENS
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
    knights, building = _own_pawns(position, at)
    match question:
        case "knight" | "next_knight":
            moved = sum(choice.at == at for choice in path if choice.question == "knight")
            return plural_message(
                "the knight on {hex}",
                "one of the {count} knights on {hex}",
                count=knights - moved,
                hex=hex_at(at),
            )
        case "city" | "village" | "recruitment_site" | "next_recruitment_site" if building:
            return message("{building:the} on {hex}", building=PAWNS[building], hex=hex_at(at))
        case "destination" if path[0].value == "move" and _is_attacked(position, at, path):
            return message(
                "{terrain:the} on {hex}, where the knight destroys {pawns}",
                terrain=TERRAINS[terrain_at(position, at)],
                hex=hex_at(at),
                pawns=listing(_opposing_pawns(position, at)),
            )
        case _:
            return message(
                "{terrain:the} on {hex}",
                terrain=TERRAINS[terrain_at(position, at)],
                hex=hex_at(at),
            )


def terrain_at(position: BaronyPosition, at: Hex) -> Terrain:
    """The terrain of a hex of the board."""
    board = position["board"]
    return board[bisect_left(board, [*at], key=lambda cell: cell["at"])]["terrain"]


def _own_pawns(position: BaronyPosition, at: Hex) -> tuple[int, Building | None]:
    """The number of knights and the building that the seat to act has on the hex."""
    for pawns in position["pawns"]:
        if pawns["seat"] == position["to_act"] and pawns["at"] == [*at]:
            return pawns["knights"], pawns["building"]
    return 0, None


def _opposing_pawns(position: BaronyPosition, at: Hex) -> list[Message]:
    """The pawns of other seats on a hex that a knight can enter: knights, and then villages."""
    opposing = [
        pawns
        for pawns in position["pawns"]
        if pawns["seat"] != position["to_act"] and pawns["at"] == [*at]
    ]
    knights = [pawn(pawns["seat"], "knight") for pawns in opposing if pawns["knights"]]
    return knights + [pawn(pawns["seat"], "village") for pawns in opposing if pawns["building"]]


def _is_attacked(position: BaronyPosition, at: Hex, path: Sequence[Choice]) -> bool:
    """BY-CON-1: whether a knight that arrives on the hex after the moves of `path` destroys pawns there: it
    joins another pawn of its seat, and no knight before it has done so.
    """
    knights, building = _own_pawns(position, at)
    own = knights + bool(building)
    for choice, following in pairwise(path):
        if following.question == "destination":
            own -= choice.at == at
            if following.at == at:
                if own:
                    return False
                own += 1
    return own > 0 and bool(_opposing_pawns(position, at))

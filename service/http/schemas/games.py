"""Schemas of requests about games: creating, joining and listing them."""

from typing import Final

from domain.chance import MAX_NONCE_BYTES
from domain.registry import EXPANSIONS, RULES
from service.http.schemas.fields import (
    AnyObject,
    AnyValue,
    HexBytes,
    NonNegativeInteger,
    QueryInteger,
    StrictSchema,
    Text,
    TextList,
)
from service.listings import STATUSES

_EXPANSIONS: Final = ", ".join(f"`{option}` of {rules}" for rules, option in EXPANSIONS)
_NONCE: Final = {
    "description": "Bytes that become part of the game's seed; drawn by the server if left out."
}


class CreateGame(StrictSchema):
    """A new game. Its rule system defines which options it has."""

    rules = Text(required=True, metadata={"enum": sorted(RULES)})
    seats = NonNegativeInteger(
        required=True,
        metadata={"description": "Number of players; its range depends on the rules and options."},
    )
    options = AnyObject(
        load_default=dict,
        metadata={
            "type": "object",
            "description": (
                "`seating` (`drawn` or `joined`), `private` (true or false) and the options of the rules,"
                f" which include the expansions (true or false): {_EXPANSIONS}."
            ),
        },
    )
    clock = AnyValue(
        load_default=None,
        metadata={
            "type": "object",
            "nullable": True,
            "description": 'Null, or `{"per_turn": SECONDS}`.',
        },
    )
    invite = TextList(load_default=list, metadata={"description": "Handles of players to invite."})
    nonce = HexBytes(max_bytes=MAX_NONCE_BYTES, load_default=None, metadata=dict(_NONCE))


class JoinGame(StrictSchema):
    """A place in a game."""

    nonce = HexBytes(max_bytes=MAX_NONCE_BYTES, load_default=None, metadata=dict(_NONCE))


class ListGames(StrictSchema):
    """Which games to list."""

    status = Text(
        load_default=None,
        metadata={"description": f"One or several of {', '.join(STATUSES)}, separated by commas."},
    )
    player = Text(load_default=None, metadata={"description": "Handle of a player in the game."})
    cursor = Text(load_default=None, metadata={"description": "`next` of the previous page."})
    limit = QueryInteger(
        minimum=1, load_default=50, metadata={"description": "Games per page, at most 100."}
    )

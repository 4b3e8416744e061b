"""Schemas of games: creating, joining and listing them, and their summaries."""

from typing import Final

from marshmallow import Schema, fields

from domain.chance import NONCE_BYTES_MOST
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
    nonce = HexBytes(max_bytes=NONCE_BYTES_MOST, load_default=None, metadata=dict(_NONCE))


class JoinGame(StrictSchema):
    """A place in a game."""

    nonce = HexBytes(max_bytes=NONCE_BYTES_MOST, load_default=None, metadata=dict(_NONCE))


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


class Head(Schema):
    """The last event of a game."""

    seq = fields.Integer(required=True)
    hash = fields.String(required=True)


class Place(Schema):
    """A player of a game."""

    id = fields.String(required=True)
    handle = fields.String(required=True)
    seat = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Null until the game starts."}
    )


class Summary(Schema):
    """The summary of a game."""

    id = fields.String(required=True)
    rules = fields.String(required=True, metadata={"enum": sorted(RULES)})
    options = fields.Dict(required=True)
    clock = fields.Dict(required=True, allow_none=True)
    seats = fields.Integer(required=True)
    status = fields.String(required=True, metadata={"enum": list(STATUSES)})
    players = fields.List(fields.Nested(Place), required=True)
    head = fields.Nested(Head, required=True)
    to_act = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The seat whose turn it is."}
    )
    deadline = fields.String(
        required=True,
        allow_none=True,
        metadata={"format": "date-time", "description": "When that turn is forfeited."},
    )


class GameList(Schema):
    """A page of games, newest first."""

    games = fields.List(fields.Nested(Summary), required=True)
    next = fields.String(required=True, allow_none=True)

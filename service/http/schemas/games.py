"""Forms about games: creating, joining, listing, and what is told of a game."""

from typing import Final

from marshmallow import Schema, fields

from domain.chance import NONCE_BYTES_MOST
from domain.registry import EXPANSIONS, RULES
from service.http.schemas.fields import Anything, Count, Form, Hex, Object, Text, Texts, Whole
from service.listings import STATUSES

_EXPANSIONS: Final = ", ".join(f"`{option}` of {rules}" for rules, option in EXPANSIONS)


class CreateGame(Form):
    """A new game; what options there are is for its rules to say."""

    rules = Text(required=True, metadata={"enum": sorted(RULES)})
    seats = Whole(
        required=True,
        metadata={"description": "how many there may be depends on the rules and their options"},
    )
    options = Object(
        load_default=dict,
        metadata={
            "type": "object",
            "description": (
                "`seating` (`drawn` or `joined`), `private` (true or false), and the rules' own, among"
                f" them (true or false) the expansions: {_EXPANSIONS}"
            ),
        },
    )
    clock = Anything(
        load_default=None,
        metadata={
            "type": "object",
            "nullable": True,
            "description": 'null, or `{"per_turn": SECONDS}`',
        },
    )
    invite = Texts(load_default=list, metadata={"description": "handles"})
    nonce = Hex(most=NONCE_BYTES_MOST, load_default=None)


class Join(Form):
    """A place in a game."""

    nonce = Hex(most=NONCE_BYTES_MOST, load_default=None)


class ListGames(Form):
    """Which games to list."""

    status = Text(
        load_default=None,
        metadata={"description": f"of {', '.join(STATUSES)}: one or several, with commas between"},
    )
    player = Text(load_default=None, metadata={"description": "handle of one who has a place"})
    cursor = Text(load_default=None, metadata={"description": "`next` of the page before"})
    limit = Count(least=1, load_default=50, metadata={"description": "100 are given at most"})


class Head(Schema):
    """Where a game's log ends."""

    seq = fields.Integer(required=True)
    hash = fields.String(required=True)


class Place(Schema):
    """Who has a place in a game."""

    id = fields.String(required=True)
    handle = fields.String(required=True)
    seat = fields.Integer(
        required=True, allow_none=True, metadata={"description": "null until it starts"}
    )


class Summary(Schema):
    """A game in short."""

    id = fields.String(required=True)
    rules = fields.String(required=True, metadata={"enum": sorted(RULES)})
    options = fields.Dict(required=True)
    clock = fields.Dict(required=True, allow_none=True)
    seats = fields.Integer(required=True)
    status = fields.String(required=True, metadata={"enum": list(STATUSES)})
    players = fields.List(fields.Nested(Place), required=True)
    head = fields.Nested(Head, required=True)
    to_act = fields.Integer(required=True, allow_none=True, metadata={"description": "a seat"})
    deadline = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})


class Games(Schema):
    """A page of games, newest first."""

    games = fields.List(fields.Nested(Summary), required=True)
    next = fields.String(required=True, allow_none=True)

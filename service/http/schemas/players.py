"""Schemas of accounts: registering, logging in, and a player's own data."""

from marshmallow import Schema, fields

from service.http.schemas.fields import StrictSchema, Text
from service.http.schemas.games import Summary


class Register(StrictSchema):
    """A new account."""

    handle = Text(
        required=True,
        metadata={"example": "ada", "description": "The player's public name, in any script."},
    )
    password = Text(required=True, metadata={"minLength": 8, "maxLength": 1024})
    email = Text(allow_none=True, load_default=None)
    locale = Text(
        allow_none=True,
        load_default=None,
        metadata={"example": "en", "description": "A language tag, such as `en` or `fr-CH`."},
    )


class LogIn(StrictSchema):
    """The credentials of a player."""

    handle = Text(required=True)
    password = Text(required=True)


class Token(Schema):
    """A token for the Authorization header."""

    token = fields.String(required=True)


class Player(Schema):
    """A player's account, as only that player sees it."""

    id = fields.String(required=True)
    handle = fields.String(required=True)
    created = fields.String(required=True, metadata={"format": "date-time"})
    email = fields.String(required=True, allow_none=True)
    locale = fields.String(required=True, allow_none=True)


class Registration(Schema):
    """A new player and a first token."""

    player = fields.Nested(Player, required=True)
    token = fields.String(required=True)


class Me(Schema):
    """The player, and the games in which it is their turn."""

    player = fields.Nested(Player, required=True)
    games = fields.List(fields.Nested(Summary), required=True)
    next = fields.String(required=True, allow_none=True)

"""Forms about players: registering, logging in, and what is told of a player."""

from marshmallow import Schema, fields

from service.http.schemas.fields import Form, Text
from service.http.schemas.games import Summary


class Register(Form):
    """A new player."""

    handle = Text(required=True, metadata={"example": "ada"})
    password = Text(required=True, metadata={"minLength": 8, "maxLength": 1024})
    email = Text(allow_none=True, load_default=None)
    locale = Text(allow_none=True, load_default=None, metadata={"example": "en"})


class LogIn(Form):
    """A player's own words."""

    handle = Text(required=True)
    password = Text(required=True)


class Token(Schema):
    """What a player's requests carry from now on."""

    token = fields.String(required=True)


class Player(Schema):
    """A player, as told to themselves."""

    id = fields.String(required=True)
    handle = fields.String(required=True)
    created = fields.String(required=True, metadata={"format": "date-time"})
    email = fields.String(required=True, allow_none=True)
    locale = fields.String(required=True, allow_none=True)


class Registered(Schema):
    """A new player, and a first token."""

    player = fields.Nested(Player, required=True)
    token = fields.String(required=True)


class Me(Schema):
    """The player, and the games in which it is their turn."""

    player = fields.Nested(Player, required=True)
    games = fields.List(fields.Nested(Summary), required=True)
    next = fields.String(required=True, allow_none=True)

"""Schemas of requests about accounts: registering and logging in."""

from service.http.schemas.fields import StrictSchema, Text


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

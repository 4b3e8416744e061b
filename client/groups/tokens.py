"""Personal tokens, for programs that act for a player.

`python -m service.http.client_generator` has written this file.
"""

from typing import TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment


class CreateToken(TypedDict):
    """The body of a request: CreateToken."""

    name: str
    scopes: list[str]
    days: int


class NewPersonalToken(TypedDict):
    """A new personal token. `token` is shown only in this response."""

    id: str
    name: str
    scopes: list[str]
    created: str
    ends: str
    used: str | None
    token: str


class PersonalTokenEntry(TypedDict):
    """A personal token, without the token itself. `used` is the hour of the last use, or null."""

    id: str
    name: str
    scopes: list[str]
    created: str
    ends: str
    used: str | None


class PersonalTokenList(TypedDict):
    """All personal tokens of a player that are valid, the oldest first."""

    tokens: list[PersonalTokenEntry]
    next: str | None


def list_personal_tokens() -> Call[PersonalTokenList]:
    """List the player's personal tokens that are valid, without the tokens themselves."""
    return call("GET", "/me/tokens", reader(PersonalTokenList))


def create_personal_token(**body: Unpack[CreateToken]) -> Call[NewPersonalToken]:
    """Create a personal token, with which a program can do what its scopes allow, and nothing
    else.

    `token` is shown only in this response. If the player has too many, the response is a 409. The
    player is notified by mail, if there is a confirmed address. A personal token cannot create
    another one.
    """
    return call("POST", "/me/tokens", reader(NewPersonalToken), body=body)


def revoke_personal_tokens() -> Call[None]:
    """Revoke all personal tokens, and remove the webhooks that were registered with them."""
    return call("DELETE", "/me/tokens", read_nothing)


def revoke_personal_token(id: str, /) -> Call[None]:
    """Revoke a personal token, and remove the webhooks that were registered with it.

    All processes of the server refuse it within five seconds, and its event streams end.
    """
    return call("DELETE", f"/me/tokens/{segment(id)}", read_nothing)


class TokensCalls(Group[C_co]):
    """Personal tokens, for programs that act for a player."""

    list = Method(list_personal_tokens)
    create = Method(create_personal_token)
    revoke_all = Method(revoke_personal_tokens)
    revoke = Method(revoke_personal_token)

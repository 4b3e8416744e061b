"""The bodies of successful responses about accounts; see responses.py."""

from typing import Literal, NotRequired, TypedDict

from domain.json_types import PlayerId, Timestamp


class Account(TypedDict):
    """A player's account, as only that player sees it. `guest` is there until there is a password."""

    id: PlayerId
    handle: str
    created: Timestamp
    email: str | None
    email_status: Literal["unconfirmed", "confirmed", "disabled"] | None
    locale: str | None
    time_zone: str | None
    guest: NotRequired[Literal[True]]


class Token(TypedDict):
    """A token for the Authorization header."""

    token: str


class Registration(TypedDict):
    """A new player and a first token."""

    player: Account
    token: str


class MyAccount(TypedDict):
    """The player."""

    player: Account

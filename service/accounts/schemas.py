"""Requests and responses about accounts."""

from typing import Literal, NotRequired, TypedDict

from domain.json_types import PlayerId, Timestamp
from service.accounts.account_reader import (
    PRESENCE_VISIBILITIES,
    PROFILE_VISIBILITIES,
    PresenceVisibility,
    ProfileVisibility,
)
from service.accounts.keys import MAX_NAME_LENGTH
from service.accounts.personal_tokens import MAX_DAYS, SCOPES, Scope
from service.accounts.personal_tokens import MAX_NAME_LENGTH as MAX_TOKEN_NAME_LENGTH
from service.http.validation import HexText, PositiveInteger, StrictSchema, String, TextList


def _locale() -> String:
    return String(
        load_default=None, example="en", description="A language tag, such as `en` or `fr-CH`."
    )


class NameGuest(StrictSchema):
    """The handle and the password that a guest chooses."""

    handle = String(
        required=True,
        example="ada",
        description="The player's public name, in any script, but not in several. It is normalized (NFKC).",
    )
    password = String(required=True, minLength=8, maxLength=1024)
    email = String(load_default=None)


class Register(NameGuest):
    """A new account."""

    locale = _locale()


class CreateGuest(StrictSchema):
    """A new account without a password."""

    locale = _locale()


class ChangeAccount(StrictSchema):
    """What a player changes in the account."""

    locale = String(
        allow_none=True,
        example="fr-CH",
        description="A language tag, such as `en` or `fr-CH`, or null for no setting.",
    )
    time_zone = String(
        allow_none=True,
        example="Europe/Paris",
        description="The IANA name of a time zone, or null for UTC.",
    )
    profile = String(
        allow_none=True,
        enum=[*PROFILE_VISIBILITIES, None],
        description="What others see on the player's profile: `everything`, the `results` without"
        " the list of games, or `nothing`; null is `everything`.",
    )
    presence = String(
        allow_none=True,
        enum=[*PRESENCE_VISIBILITIES, None],
        description="Whether the other players of a game see when the player has a page of it open:"
        " `shown` or `hidden`; null is `shown`.",
    )


class RemoveEmail(StrictSchema):
    """The password of the player, again. A guest has none."""

    password = String(load_default=None, description="Required unless the player is a guest.")


class ChangeEmail(StrictSchema):
    """The e-mail address of the player, and the password, again."""

    email = String(required=True, example="ada@example.org")
    password = String(
        load_default=None,
        description="Required for another address than that of the account, unless the player is a"
        " guest.",
    )


class LogIn(StrictSchema):
    """The credentials of a player."""

    handle = String(required=True)
    password = String(required=True)


class ErasePlayer(StrictSchema):
    """The password of the player, again. A guest has none."""

    password = String(load_default=None, description="Required unless the player is a guest.")


class ChangePassword(StrictSchema):
    """The password of the player, and a new one."""

    password = String(required=True)
    new_password = String(required=True, minLength=8, maxLength=1024)


class RequestPasswordReset(StrictSchema):
    """The handle of a player who has forgotten the password."""

    handle = String(required=True)


class ResetPassword(StrictSchema):
    """The token in the link of a mail, and a new password."""

    token = String(required=True)
    new_password = String(required=True, minLength=8, maxLength=1024)


class AddKey(StrictSchema):
    """A public key of the player."""

    public = HexText(digits=64, required=True, description="Ed25519 public key.")
    proof = HexText(
        digits=128,
        required=True,
        description="Ed25519 signature, by this key, of the canonical JSON (RFC 8785) of"
        ' `{"sign": "cartulary key v1", "player": ID, "public": PUBLIC}`.',
    )
    name = String(
        load_default=None,
        description="What the player calls the key, such as the device that has it, in at most"
        f" {MAX_NAME_LENGTH} printable characters. Only the player sees it.",
    )


class RenameKey(StrictSchema):
    """A new name of a key of the player."""

    name = String(
        required=True,
        allow_none=True,
        description=f"At most {MAX_NAME_LENGTH} printable characters; null removes the name.",
    )


class CreateToken(StrictSchema):
    """A new personal token."""

    name = String(
        required=True,
        example="my bot",
        description="What the player calls the token, such as the program that uses it, in at most"
        f" {MAX_TOKEN_NAME_LENGTH} printable characters.",
    )
    scopes = TextList(
        max_items=len(SCOPES),
        required=True,
        example=["read", "play"],
        description=f"What the token allows: some of {', '.join(SCOPES)}.",
    )
    days = PositiveInteger(
        required=True,
        example=90,
        description=f"For how many days the token is valid, at most {MAX_DAYS}.",
    )


class PersonalTokenEntry(TypedDict):
    """A personal token, without the token itself. `used` is the hour of the last use, or null."""

    id: str
    name: str
    scopes: list[Scope]
    created: Timestamp
    ends: Timestamp
    used: Timestamp | None


class NewPersonalToken(PersonalTokenEntry):
    """A new personal token. `token` is shown only in this response."""

    token: str


class PersonalTokenList(TypedDict):
    """All personal tokens of a player that are valid, the oldest first."""

    tokens: list[PersonalTokenEntry]
    next: str | None


class Account(TypedDict):
    """A player's account, as only that player sees it. `guest` is there until there is a password,
    and `bot` if the account is marked as a bot.
    """

    id: PlayerId
    handle: str
    created: Timestamp
    email: str | None
    email_status: Literal["unconfirmed", "confirmed", "disabled"] | None
    locale: str | None
    time_zone: str | None
    profile: ProfileVisibility
    presence: PresenceVisibility
    guest: NotRequired[Literal[True]]
    bot: NotRequired[Literal[True]]


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

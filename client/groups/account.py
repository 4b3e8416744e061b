"""The player's own account.

`python -m service.http.client_generator` has written this file.
"""

from typing import Literal, NotRequired, TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment


class Account(TypedDict):
    """A player's account, as only that player sees it. `guest` is there until there is a
    password, and `bot` if the account is marked as a bot.
    """

    id: str
    handle: str
    created: str
    email: str | None
    email_status: str | None
    locale: str | None
    time_zone: str | None
    profile: str
    presence: str
    guest: NotRequired[bool]
    bot: NotRequired[bool]


class AddKey(TypedDict):
    """The body of a request: AddKey."""

    public: str
    proof: str
    name: NotRequired[str | None]


class ChangeAccount(TypedDict):
    """The body of a request: ChangeAccount."""

    locale: NotRequired[str | None]
    time_zone: NotRequired[str | None]
    profile: NotRequired[Literal["everything", "results", "nothing"] | None]
    presence: NotRequired[Literal["shown", "hidden"] | None]


class ChangeEmail(TypedDict):
    """The body of a request: ChangeEmail."""

    email: str
    password: NotRequired[str | None]


class ChangePassword(TypedDict):
    """The body of a request: ChangePassword."""

    password: str
    new_password: str


class ErasePlayer(TypedDict):
    """The body of a request: ErasePlayer."""

    password: NotRequired[str | None]


class MyAccount(TypedDict):
    """The player."""

    player: Account


PlayerKey = TypedDict(
    "PlayerKey",
    {
        "key": str,
        "public": str,
        "from": str,
        "until": str | None,
        "name": str | None,
        "last_used": str | None,
    },
)
"""A key of the player. `name` is what the player calls it, or null; `last_used` is the hour
in which it last signed something, or null.
"""


class PlayerKeyList(TypedDict):
    """All keys of a player, including revoked ones."""

    keys: list[PlayerKey]
    next: str | None


class RemoveEmail(TypedDict):
    """The body of a request: RemoveEmail."""

    password: NotRequired[str | None]


class RenameKey(TypedDict):
    """The body of a request: RenameKey."""

    name: str | None


class RequestPasswordReset(TypedDict):
    """The body of a request: RequestPasswordReset."""

    handle: str


class ResetPassword(TypedDict):
    """The body of a request: ResetPassword."""

    token: str
    new_password: str


class Session(TypedDict):
    """A valid token of the player. `created` is null if an earlier version of the server made
    it; `last_used` is the hour of the last use; `client` is the `User-Agent` of the program that
    logged in, or null.
    """

    id: str
    created: str | None
    last_used: str
    client: str | None
    current: bool


class SessionList(TypedDict):
    """All sessions of the player, the one used last first."""

    sessions: list[Session]
    next: str | None


def request_password_reset(**body: Unpack[RequestPasswordReset]) -> Call[None]:
    """Have a mail with a link sent, with which a player who has forgotten the password chooses a
    new one.

    The mail goes to the confirmed address of the account. The response is the same if there is no
    such account, or if it has no confirmed address. After many requests from a network in a day, it
    is a 429; on a server that sends no mail, a 409.
    """
    return call("POST", "/password-resets", read_nothing, body=body, sends_token=False)


def choose_new_password(**body: Unpack[ResetPassword]) -> Call[None]:
    """Choose a new password with the token in the link of a mail, the end of its address.

    The token is valid for an hour, and can be used once. All tokens of the player end. If it has
    expired or was used, the response is a 404.
    """
    return call("PUT", "/password-resets", read_nothing, body=body, sends_token=False)


def change_account(**body: Unpack[ChangeAccount]) -> Call[MyAccount]:
    """Change the player's language, time zone, and what others see on the profile, or some of
    them.

    Days of holidays, quiet hours and digests are in the time zone. `locale` is a language tag, or
    null. Texts such as the `detail` of a problem are in this language if the server has it, else in
    one that `Accept-Language` prefers, else in English.
    """
    return call("PATCH", "/me", reader(MyAccount), body=body)


def erase_player(**body: Unpack[ErasePlayer]) -> Call[None]:
    """Leave the server for good.

    Erases the player's handle, e-mail address, settings, holidays, password, sessions and keys, and
    everything that the player wrote in disputes. The player leaves the games that have not started
    and resigns in those that are in progress. The logs of games stay, and contain only the player's
    id. This cannot be undone, and nobody can register the handle again. If `password` is not the
    current password, the response is a 403. A guest leaves it out.
    """
    return call("DELETE", "/me", read_nothing, body=body)


def list_sessions() -> Call[SessionList]:
    """List the player's sessions: the tokens that are valid, without the tokens themselves."""
    return call("GET", "/me/sessions", reader(SessionList))


def end_other_sessions() -> Call[None]:
    """End all sessions of the player except that of this request.

    Personal tokens stay valid: `DELETE /me/tokens` revokes them.
    """
    return call("DELETE", "/me/sessions", read_nothing)


def end_session(session: str, /) -> Call[None]:
    """End a session: its token is no longer valid."""
    return call("DELETE", f"/me/sessions/{segment(session)}", read_nothing)


def mark_as_bot() -> Call[MyAccount]:
    """Mark the player's account as one for which a program plays, for ever.

    Bots are marked where players are named, and play in no rated game; otherwise they are like
    other players. If the player is a guest, or has a place in a game that is open or in progress,
    the response is a 409.
    """
    return call("PUT", "/me/bot", reader(MyAccount))


def change_password(**body: Unpack[ChangePassword]) -> Call[None]:
    """Change the player's password, and end all other sessions.

    Personal tokens stay valid: `DELETE /me/tokens` revokes them. If `password` is not the current
    password, the response is a 403.
    """
    return call("PUT", "/me/password", read_nothing, body=body)


def set_email(**body: Unpack[ChangeEmail]) -> Call[MyAccount]:
    """Set the player's e-mail address, and have a mail with a link to confirm it sent there.

    Nothing else is sent to an address before it is confirmed. Set the same address again to get
    another mail; another address needs the current password, without which the response is a 400,
    or a 403 if it is wrong. If too many of these mails were requested in the last day, by this
    player, for this address or from this network, the response is a 429, and the address is stored
    all the same.
    """
    return call("POST", "/me/email", reader(MyAccount), body=body)


def remove_email(**body: Unpack[RemoveEmail]) -> Call[None]:
    """Remove the player's e-mail address. No mail is sent any more.

    The current password is needed, unless the player is a guest.
    """
    return call("DELETE", "/me/email", read_nothing, body=body)


def list_my_keys() -> Call[PlayerKeyList]:
    """List the player's public keys, including revoked ones.

    `until` is the time at which a key was revoked, or null.
    """
    return call("GET", "/me/keys", reader(PlayerKeyList))


def add_key(**body: Unpack[AddKey]) -> Call[PlayerKey]:
    """Register a public key with which the player signs actions.

    The key is added to the log of every open game and game in progress in which the player has a
    place, and of every game that the player joins later. The request can be repeated: it adds what
    is missing. If the key was revoked, or the player has too many keys, the response is a 409; if
    the proof does not match, a 422 that quotes what it must cover.
    """
    return call("POST", "/me/keys", reader(PlayerKey), body=body)


def rename_key(key: str, /, **body: Unpack[RenameKey]) -> Call[PlayerKey]:
    """Give a key a name, which only the player sees, or remove its name."""
    return call("PATCH", f"/me/keys/{segment(key)}", reader(PlayerKey), body=body)


def revoke_key(key: str, /) -> Call[None]:
    """Revoke a key.

    From now on, no action can be signed with it, and it cannot be registered again. The logs of the
    player's current games record the revocation. The request can be repeated.
    """
    return call("DELETE", f"/me/keys/{segment(key)}", read_nothing)


class AccountCalls(Group[C_co]):
    """The player's own account."""

    request_password_reset = Method(request_password_reset)
    choose_new_password = Method(choose_new_password)
    change = Method(change_account)
    erase = Method(erase_player)
    list_sessions = Method(list_sessions)
    end_other_sessions = Method(end_other_sessions)
    end_session = Method(end_session)
    mark_as_bot = Method(mark_as_bot)
    change_password = Method(change_password)
    set_email = Method(set_email)
    remove_email = Method(remove_email)
    list_keys = Method(list_my_keys)
    add_key = Method(add_key)
    rename_key = Method(rename_key)
    revoke_key = Method(revoke_key)

"""The calls of the HTTP interface: each function returns the request and how to read its response.

The clients have a method for each of these functions, with the same parameters.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from client.requests import Call, call, long_call, new_key, read_nothing, reader, segment
from client.results import (
    AcceptedAction,
    Account,
    ChatMessage,
    ChatMessagePage,
    EventFeedPage,
    EventPage,
    GamePage,
    GameSummary,
    Invitation,
    InvitedGame,
    LegalActions,
    LessonList,
    Me,
    MyKeys,
    Options,
    Position,
    Registration,
    ServerKeys,
    Token,
    json_of,
    parse,
)
from domain.json_types import JsonObject
from ledger.statements import Statement

D = TypeVar("D")


def _given(**members: Any) -> JsonObject:
    """Return a body of the members that are not None."""
    return {name: value for name, value in members.items() if value is not None}


def _game(game: str, rest: str = "") -> str:
    return f"/games/{segment(game)}{rest}"


@dataclass(frozen=True, slots=True)
class _Player:
    player: Account


def register(
    handle: str, password: str, *, email: str | None = None, locale: str | None = None
) -> Call[Registration]:
    """Register a player. From then on, the client uses the player's token."""
    body = _given(handle=handle, password=password, email=email, locale=locale)
    return call("POST", "/players", reader(Registration), body=body, sends_token=False)


def become_guest(*, locale: str | None = None) -> Call[Registration]:
    """Become a guest, a player without a password. From then on, the client uses the guest's token."""
    body = _given(locale=locale)
    return call("POST", "/guests", reader(Registration), body=body, sends_token=False)


def log_in(handle: str, password: str) -> Call[Token]:
    """Get a new token, which the client uses from then on."""
    body = {"handle": handle, "password": password}
    return call("POST", "/tokens", reader(Token), body=body, sends_token=False)


def log_out() -> Call[None]:
    """Revoke the token of the client."""
    return call("DELETE", "/tokens/current", read_nothing)


def choose_handle(handle: str, password: str) -> Call[Account]:
    """Choose a handle and a password, as a guest. Places in games and the token stay."""
    return call(
        "PUT",
        "/me/handle",
        lambda body: parse(_Player, json_of(body)).player,
        body={"handle": handle, "password": password},
    )


def me(*, cursor: str | None = None, limit: int | None = None) -> Call[Me]:
    """Return the player, and the games in which it is their turn."""
    return call("GET", "/me", reader(Me), params={"cursor": cursor, "limit": limit})


def create_game(
    rules: str,
    seats: int,
    *,
    options: Options | None = None,
    clock: Mapping[str, Any] | None = None,
    invite: Sequence[str] = (),
    bots: Sequence[str] = (),
    arbiter: str | None = None,
    nonce: str | None = None,
    idempotency_key: str | None = None,
) -> Call[GameSummary]:
    """Create a game, in which the player takes the first place."""
    body = _given(
        rules=rules,
        seats=seats,
        options=None if options is None else dict(options),
        clock=None if clock is None else dict(clock),
        invite=list(invite) or None,
        bots=list(bots) or None,
        arbiter=arbiter,
        nonce=nonce,
    )
    return call("POST", "/games", reader(GameSummary), body=body, key=new_key(idempotency_key))


def games(
    *,
    status: str | None = None,
    player: str | None = None,
    rules: str | None = None,
    seats: int | None = None,
    free: int | None = None,
    clock: str | None = None,
    club: str | None = None,
    vacant: bool | None = None,
    conditions: Mapping[str, str] | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> Call[GamePage]:
    """Return a page of games, newest first. `status` is one or several, separated by commas.

    `conditions` are filters by options of games, such as an expansion.
    """
    params = {
        **(conditions or {}),
        "status": status,
        "player": player,
        "rules": rules,
        "seats": seats,
        "free": free,
        "clock": clock,
        "club": club,
        "vacant": vacant,
        "cursor": cursor,
        "limit": limit,
    }
    return call("GET", "/games", reader(GamePage), params=params)


def game(game: str) -> Call[GameSummary]:
    """Return the summary of a game."""
    return call("GET", _game(game), reader(GameSummary))


def join(
    game: str,
    *,
    invitation: str | None = None,
    nonce: str | None = None,
    idempotency_key: str | None = None,
) -> Call[GameSummary]:
    """Join a game. Joining a private game requires the token of an `invitation`."""
    return call(
        "POST",
        _game(game, "/players"),
        reader(GameSummary),
        body=_given(invitation=invitation, nonce=nonce),
        key=new_key(idempotency_key),
        game=game,
    )


def leave(game: str, *, idempotency_key: str | None = None) -> Call[None]:
    """Leave a game that has not started."""
    path = _game(game, "/players/me")
    return call("DELETE", path, read_nothing, key=new_key(idempotency_key))


def invite(game: str) -> Call[Invitation]:
    """Make an invitation link to a game that has not started. It replaces the player's earlier one."""
    return call("POST", _game(game, "/invitations"), reader(Invitation))


def invite_player(game: str, handle: str, *, idempotency_key: str | None = None) -> Call[None]:
    """Invite a player to the player's own game, which has not started."""
    return call(
        "POST",
        _game(game, "/invitations"),
        read_nothing,
        body={"handle": handle},
        key=new_key(idempotency_key),
    )


def revoke_invitation(game: str) -> Call[None]:
    """Revoke the player's invitation link to a game."""
    return call("DELETE", _game(game, "/invitations/mine"), read_nothing)


def invitation(token: str) -> Call[InvitedGame]:
    """Return the game to which an invitation link leads."""
    return call("GET", f"/invitations/{segment(token)}", reader(InvitedGame))


def add_bot(
    game: str,
    bot: str | None = None,
    *,
    nonce: str | None = None,
    idempotency_key: str | None = None,
) -> Call[GameSummary]:
    """Give a place in the player's own game to a bot of the server."""
    return call(
        "POST",
        _game(game, "/bots"),
        reader(GameSummary),
        body=_given(bot=bot, nonce=nonce),
        key=new_key(idempotency_key),
        game=game,
    )


def position(game: str, *, seq: int | None = None) -> Call[Position]:
    """Return the player's view of the position after event `seq`, by default the last event."""
    return call("GET", _game(game, "/position"), reader(Position), params={"seq": seq})


def legal_actions(game: str) -> Call[LegalActions]:
    """Return the legal actions of the player's seat: none if it is another seat's turn."""
    return call("GET", _game(game, "/legal-actions"), reader(LegalActions))


def lessons(game: str) -> Call[LessonList]:
    """Return the lessons that are due for the player in a tutorial game."""
    return call("GET", _game(game, "/lessons"), reader(LessonList))


def submit(
    game: str,
    action: Mapping[str, Any],
    *,
    expected_seq: int,
    signature: Mapping[str, str] | None = None,
    idempotency_key: str | None = None,
) -> Call[AcceptedAction]:
    """Submit an action. `expected_seq` is the last event that the player has seen."""
    body = _given(
        action=dict(action),
        expected_seq=expected_seq,
        signature=None if signature is None else dict(signature),
    )
    return call(
        "POST",
        _game(game, "/actions"),
        reader(AcceptedAction),
        body=body,
        key=new_key(idempotency_key),
        game=game,
    )


def state(game: str, statement: Statement) -> Call[AcceptedAction]:
    """Make a statement in a game."""
    return _state(game, statement, reader(AcceptedAction))


def withdraw(game: str, statement: Statement) -> Call[None]:
    """Make a statement that withdraws an earlier one. The response has no content."""
    return _state(game, statement, read_nothing)


def _state(game: str, statement: Statement, read: Callable[[bytes], D]) -> Call[D]:
    return call(
        statement.METHOD,
        _game(game, statement.path()),
        read,
        body=_given(**statement.body()),
        key=new_key(statement.idempotency_key),
        game=game,
        statement=statement,
    )


def events(
    game: str,
    *,
    after: int | None = None,
    limit: int | None = None,
    conditions: Mapping[str, str] | None = None,
) -> Call[EventPage]:
    """Return a page of the log: the events after `after` that meet the conditions of docs/http.md."""
    params = {**(conditions or {}), "after": after, "limit": limit}
    return call("GET", _game(game, "/events"), reader(EventPage), params=params)


def event_feed(*, after: str | None = None, limit: int | None = None) -> Call[EventFeedPage]:
    """Return a page of the events of all public games, in the order of the transparency log.

    `after` is the `next` or the `cursor` of an earlier page; without it, the page is the first one.
    """
    params = {"after": after, "limit": limit}
    return call("GET", "/events", reader(EventFeedPage), params=params)


def messages(
    game: str, *, after: int | None = None, limit: int | None = None
) -> Call[ChatMessagePage]:
    """Return the messages of a game after number `after`, the oldest first."""
    params = {"after": after, "limit": limit}
    return call("GET", _game(game, "/messages"), reader(ChatMessagePage), params=params)


def send_message(
    game: str, text: str, *, seq: int | None = None, idempotency_key: str | None = None
) -> Call[ChatMessage]:
    """Write a message to the other players of a game; `seq` is an event to which it points."""
    path = _game(game, "/messages")
    body = _given(text=text, seq=seq)
    return call("POST", path, reader(ChatMessage), body=body, key=new_key(idempotency_key))


def erase_message(game: str, number: int) -> Call[None]:
    """Erase a message that the player has written."""
    return call("DELETE", _game(game, f"/messages/{number}"), read_nothing)


def register_key(public: str, proof: str) -> Call[None]:
    """Register a public key (hex) of the player; `proof` is its signature of `ledger.keys.key_payload`."""
    body = {"public": public, "proof": proof}
    return replace(call("POST", "/me/keys", read_nothing, body=body), can_repeat=True)


def my_keys() -> Call[MyKeys]:
    """Return the public keys of the player, including revoked ones."""
    return call("GET", "/me/keys", reader(MyKeys))


def server_keys() -> Call[ServerKeys]:
    """Return the public keys with which receipts, records and checkpoints can be verified."""
    return call("GET", "/keys", reader(ServerKeys))


def record(
    game: str, *, seq: int | None = None, on_part: Callable[[bytes], None] | None = None
) -> Call[bytes]:
    """Return the game record up to event `seq`, by default the last, with secrets that the player may see.

    `on_part` is called with each part of it as it arrives.
    """
    return replace(long_call(_game(game, "/record"), params={"seq": seq}), on_part=on_part)

"""What players manage in their account: sessions, the password, keys for signing actions, and its end."""

from domain.json_types import JsonObject
from service.accounts.api.players import account_of
from service.accounts.schemas import (
    AddKey,
    ChangeEmail,
    ChangePassword,
    CreateToken,
    ErasePlayer,
    MyAccount,
    NameGuest,
    NewPersonalToken,
    PersonalTokenEntry,
    PersonalTokenList,
    RemoveEmail,
    RenameKey,
)
from service.accounts.tokens import session_id
from service.http.blueprint import Blueprint
from service.http.context import (
    bearer_token,
    change_email,
    client_source,
    request_confirmation,
    service,
)
from service.http.ratelimits import limit_account_attempts, limit_new_places
from service.http.responses import account, body_of
from service.http.schemas.responses import PlayerKey, PlayerKeyList, Session, SessionList

blueprint = Blueprint("account", "The player's own sessions and keys.", auth="login_required")


@blueprint.get("/me/sessions", "All sessions of the player, the one used last first.", SessionList)
def list_sessions(player: str) -> JsonObject:
    """List the player's sessions: the tokens that are valid, without the tokens themselves."""
    current = session_id(bearer_token() or "")
    sessions = [
        body_of(Session, session, current=session.id == current)
        for session in service().accounts.players.tokens.sessions(player)
    ]
    return {"sessions": sessions, "next": None}


@blueprint.delete("/me/sessions/<session>", "The session has ended.")
def end_session(player: str, session: str) -> None:
    """End a session: its token is no longer valid."""
    service().accounts.players.tokens.end(player, session)


@blueprint.delete("/me/sessions", "All other sessions have ended.")
def end_other_sessions(player: str) -> None:
    """End all sessions of the player except that of this request.

    Personal tokens stay valid: `DELETE /me/tokens` revokes them.
    """
    service().accounts.players.tokens.end_all(player, except_token=bearer_token())


@blueprint.get(
    "/me/tokens", "All personal tokens of the player, the oldest first.", PersonalTokenList
)
def list_personal_tokens(player: str) -> JsonObject:
    """List the player's personal tokens that are valid, without the tokens themselves."""
    tokens = service().accounts.players.tokens.personal.of(player)
    return {"tokens": [body_of(PersonalTokenEntry, token) for token in tokens], "next": None}


@blueprint.post(
    "/me/tokens",
    "The personal token.",
    NewPersonalToken,
    limit=limit_new_places,
    json_body=CreateToken(),
    errors=(409,),
)
def create_personal_token(player: str, body: JsonObject) -> JsonObject:
    """Create a personal token, with which a program can do what its scopes allow, and nothing else.

    `token` is shown only in this response. If the player has too many, the response is a 409. The player is
    notified by mail, if there is a confirmed address. A personal token cannot create another one.
    """
    token, secret = service().accounts.players.tokens.create_personal(
        player, bearer_token() or "", **body
    )
    service().notifications.mail.account_notices.report(
        "token_created", player, {"name": token.name}
    )
    return body_of(NewPersonalToken, token, token=secret)


@blueprint.delete("/me/tokens", "All personal tokens are revoked.")
def revoke_personal_tokens(player: str) -> None:
    """Revoke all personal tokens, and remove the webhooks that were registered with them."""
    service().accounts.players.tokens.revoke_all_personal(player)


@blueprint.delete("/me/tokens/<id>", "The token is revoked.")
def revoke_personal_token(player: str, id: str) -> None:
    """Revoke a personal token, and remove the webhooks that were registered with it.

    All processes of the server refuse it within five seconds, and its event streams end.
    """
    service().accounts.players.tokens.revoke_personal(player, id)


@blueprint.put(
    "/me/bot",
    "The player, whose account is marked as a bot.",
    MyAccount,
    limit=limit_new_places,
    errors=(409,),
)
def mark_as_bot(player: str) -> JsonObject:
    """Mark the player's account as one for which a program plays, for ever.

    Bots are marked where players are named, and play in no rated game; otherwise they are like other players.
    If the player is a guest, or has a place in a game that is open or in progress, the response is a 409.
    """
    service().games.listings.require_no_current_games(player)
    service().accounts.players.mark_as_bot(player)
    return {"player": account(account_of(player))}


@blueprint.put(
    "/me/password",
    "The password is changed, and all other sessions have ended.",
    limit=limit_account_attempts,
    json_body=ChangePassword(),
    errors=(403,),
)
def change_password(player: str, body: JsonObject) -> None:
    """Change the player's password, and end all other sessions.

    Personal tokens stay valid: `DELETE /me/tokens` revokes them.
    If `password` is not the current password, the response is a 403.
    """
    service().accounts.players.change_password(player, bearer_token() or "", **body)
    service().notifications.mail.account_notices.report("password_changed", player)


@blueprint.put(
    "/me/handle",
    "The player, whose account now has a handle and a password.",
    MyAccount,
    limit=limit_account_attempts,
    json_body=NameGuest(),
    errors=(409,),
)
def name_guest(player: str, body: JsonObject) -> JsonObject:
    """Choose a handle and a password, as a guest.

    Places in games and sessions stay. If the player is no guest, or the handle is taken, the response is a
    409.
    """
    named = service().accounts.players.name_guest(player, **body, source=client_source())
    request_confirmation(player)
    return {"player": account(named)}


@blueprint.post(
    "/me/email",
    "The player after the change.",
    MyAccount,
    status=200,
    limit=limit_account_attempts,
    json_body=ChangeEmail(),
    errors=(403,),
)
def set_email(player: str, body: JsonObject) -> JsonObject:
    """Set the player's e-mail address, and have a mail with a link to confirm it sent there.

    Nothing else is sent to an address before it is confirmed. Set the same address again to get another mail;
    another address needs the current password, without which the response is a 400, or a 403 if it is wrong.
    If too many of these mails were requested in the last day, by this player, for this address or from this
    network, the response is a 429, and the address is stored all the same.
    """
    change_email(player, body["email"], body["password"])
    return {"player": account(account_of(player))}


@blueprint.delete(
    "/me/email",
    "The account has no e-mail address any more.",
    limit=limit_account_attempts,
    json_body=RemoveEmail(),
    is_body_required=False,
    errors=(403,),
)
def remove_email(player: str, body: JsonObject) -> None:
    """Remove the player's e-mail address. No mail is sent any more.

    The current password is needed, unless the player is a guest.
    """
    service().accounts.players.require_password_of_owner(player, body["password"])
    service().notifications.mail.addresses.remove(player)


@blueprint.delete(
    "/me",
    "The player is erased.",
    limit=limit_account_attempts,
    json_body=ErasePlayer(),
    errors=(403,),
)
def erase_player(player: str, body: JsonObject) -> None:
    """Leave the server for good.

    Erases the player's handle, e-mail address, settings, holidays, password, sessions and keys, and
    everything that the player wrote in disputes. The player leaves the games that have not started and
    resigns in those that are in progress. The logs of games stay, and contain only the player's id.
    This cannot be undone, and nobody can register the handle again. If `password` is not the current
    password, the response is a 403. A guest leaves it out.
    """
    service().accounts.erasure.erase(player, body["password"])


@blueprint.get("/me/keys", "All keys of the player, the oldest first.", PlayerKeyList)
def list_my_keys(player: str) -> JsonObject:
    """List the player's public keys, including revoked ones.

    `until` is the time at which a key was revoked, or null.
    """
    return {"keys": service().accounts.keys.described(player), "next": None}


@blueprint.post(
    "/me/keys", "The key.", PlayerKey, limit=limit_new_places, json_body=AddKey(), errors=(409, 422)
)
def add_key(player: str, body: JsonObject) -> JsonObject:
    """Register a public key with which the player signs actions.

    The key is added to the log of every open game and game in progress in which the player has a place, and
    of every game that the player joins later. The request can be repeated: it adds what is missing. If the
    key was revoked, or the player has too many keys, the response is a 409; if the proof does not match, a
    422 that quotes what it must cover.
    """
    public, proof = bytes.fromhex(body["public"]), bytes.fromhex(body["proof"])
    entry = service().games.key_registry.add(player, public, proof, body["name"])
    return _key(player, entry["key"])


@blueprint.patch(
    "/me/keys/<key>", "The key.", PlayerKey, limit=limit_new_places, json_body=RenameKey()
)
def rename_key(player: str, key: str, body: JsonObject) -> JsonObject:
    """Give a key a name, which only the player sees, or remove its name."""
    service().accounts.keys.rename(player, key, body["name"])
    return _key(player, key)


def _key(player: str, key: str) -> JsonObject:
    """Return the entry of a key that the player has registered."""
    (entry,) = (entry for entry in service().accounts.keys.described(player) if entry["key"] == key)
    return entry


@blueprint.delete("/me/keys/<key>", "The key is revoked.", limit=limit_new_places)
def revoke_key(player: str, key: str) -> None:
    """Revoke a key.

    From now on, no action can be signed with it, and it cannot be registered again. The logs of the player's
    current games record the revocation. The request can be repeated.
    """
    service().games.key_registry.revoke(player, key)

"""Accounts: registering, logging in and out, and the player's own data."""

from typing import Final

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import message
from service.accounts.account_reader import Player
from service.errors import Unauthorised
from service.games.summary import summarize
from service.http.blueprint import Blueprint
from service.http.context import (
    bearer_token,
    client_name,
    client_network,
    client_source,
    request_confirmation,
    service,
)
from service.http.ratelimits import limit_account_attempts
from service.http.responses import account, game_summaries
from service.http.schemas.account import (
    ChangeAccount,
    CreateGuest,
    LogIn,
    MyAccount,
    Register,
    Registration,
    RequestPasswordReset,
    ResetPassword,
    Token,
)
from service.http.schemas.requests import MAX_PAGE_SIZE, MeQuery
from service.http.schemas.responses import Me

MAX_SHOWN_INVITATIONS: Final = 20
"""The most invitations in the answer to `GET /me`."""

blueprint = Blueprint("players", "Accounts and tokens.", auth="login_required")


@blueprint.post(
    "/players",
    "The player, and a first token.",
    Registration,
    auth="public",
    limit=limit_account_attempts,
    json_body=Register(),
    errors=(409,),
)
def register_player(body: JsonObject) -> JsonObject:
    """Register a player.

    A handle belongs to one player, in upper and lower case. A handle that looks like that of another player
    is refused. The token is shown only in this response. A mail with a link to confirm the address is sent to
    `email`; nothing else is sent there before that.
    """
    player, token = service().accounts.players.register(
        **body, client=client_name(), source=client_source()
    )
    request_confirmation(player.id)
    return {"player": account(player), "token": token}


@blueprint.post(
    "/guests",
    "The guest, and the only token.",
    Registration,
    auth="public",
    limit=limit_account_attempts,
    json_body=CreateGuest(),
    is_body_required=False,
)
def create_guest(body: JsonObject) -> JsonObject:
    """Create a guest: a player without a password, whose handle the server makes up.

    The token is shown only in this response. It and the account are valid for 180 days, unless the guest
    chooses a handle and a password before (`PUT /me/handle`).
    """
    player, token = service().accounts.players.create_guest(body["locale"], client=client_name())
    return {"player": account(player), "token": token}


@blueprint.post(
    "/tokens",
    "A new token. Earlier tokens stay valid.",
    Token,
    auth="public",
    limit=limit_account_attempts,
    json_body=LogIn(),
    errors=(401, 403),
)
def log_in(body: JsonObject) -> JsonObject:
    """Log in.

    The token is shown only in this response, and is valid for 180 days. If the account is suspended, the
    response to the correct password is a 403 with the reason. After ten wrong passwords for a handle in an
    hour, the response is a 429, except from networks from which the player has logged in before; each of
    these has ten attempts of its own.
    """
    token = service().accounts.players.login(**body, client=client_name(), source=client_source())
    return {"token": token}


@blueprint.post(
    "/password-resets",
    "The request is accepted.",
    auth="public",
    limit=limit_account_attempts,
    json_body=RequestPasswordReset(),
    errors=(409,),
)
def request_password_reset(body: JsonObject) -> None:
    """Have a mail with a link sent, with which a player who has forgotten the password chooses a new one.

    The mail goes to the confirmed address of the account. The response is the same if there is no such
    account, or if it has no confirmed address. After many requests from a network in a day, it is a 429; on a
    server that sends no mail, a 409.
    """
    service().notifications.mail.password_resets.request(body["handle"], client_network())


@blueprint.put(
    "/password-resets",
    "The password is changed, and all sessions have ended.",
    auth="public",
    limit=limit_account_attempts,
    json_body=ResetPassword(),
    errors=(404,),
)
def choose_new_password(body: JsonObject) -> None:
    """Choose a new password with the token in the link of a mail, the end of its address.

    The token is valid for an hour, and can be used once. All tokens of the player end. If it has expired or
    was used, the response is a 404.
    """
    service().notifications.mail.password_resets.reset(**body, source=client_source())


@blueprint.delete("/tokens/current", "The token of this request is no longer valid.")
def log_out(player: str) -> None:
    """Log out."""
    service().accounts.players.logout(bearer_token() or "")


@blueprint.patch("/me", "The player after the change.", MyAccount, json_body=ChangeAccount())
def change_account(player: str, body: JsonObject) -> JsonObject:
    """Change the player's language and time zone, or one of them.

    Days of holidays, quiet hours and digests are in the time zone. `locale` is a language tag, or null. Texts
    such as the `detail` of a problem are in this language if the server has it, else in one that
    `Accept-Language` prefers, else in English.
    """
    if not body:
        raise Malformed({"": message("must have locale or time_zone")})
    service().accounts.players.change_settings(player, bearer_token() or "", body)
    return {"player": account(account_of(player))}


def account_of(player: str) -> Player:
    """Return an account. Raises Unauthorised if it was deleted after its token was looked up."""
    (current_player,) = service().accounts.players.get([player])
    if current_player is None:
        raise Unauthorised(message("the account of this token has been deleted"))
    return current_player


@blueprint.get(
    "/me",
    "The player, the games in which it is their turn, and up to 20 of the games that wait for their"
    " answer to an invitation (`GET /me/invitations` has them all), newest first. `next` is the"
    " `cursor` of the next page, or null. A page may have fewer games than `limit`,"
    " even none, before the last one.",
    Me,
    query=MeQuery(),
)
def get_me(player: str, query: JsonObject) -> JsonObject:
    """Get the player's own account, and the games that wait for them."""
    current_player = account_of(player)
    limit = min(query["limit"], MAX_PAGE_SIZE)
    games, cursor = service().games.queries.games_waiting_for(player, query["cursor"], limit)
    summaries = game_summaries([summarize(game) for game in games])
    invitations, _ = service().games.received_invitations.page(player, limit=MAX_SHOWN_INVITATIONS)
    return {
        "player": account(current_player),
        "games": summaries,
        "invitations": game_summaries(invitations),
        "next": cursor,
    }

"""Accounts: registering, logging in and out, and the player's own data. Profiles of players."""

from dataclasses import replace
from typing import Final

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import message
from service.accounts.account_reader import Player
from service.accounts.schemas import (
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
from service.errors import Unauthorised
from service.games.game_filter import filter_of_kinds
from service.games.listings import STATUSES, parse_statuses
from service.games.summary import summarize
from service.http.blueprint import Blueprint
from service.http.context import (
    bearer_token,
    client_name,
    client_network,
    client_source,
    has_personal_token,
    request_confirmation,
    service,
)
from service.http.ratelimits import limit_account_attempts
from service.http.responses import account, body_of, game_summaries, player_profile
from service.http.schemas.lobby import (
    HeadToHeadResult,
    HeadToHeadResults,
    ListGamesOfPlayer,
    NamedPlayer,
    PlayerProfile,
)
from service.http.schemas.requests import MeQuery
from service.http.schemas.responses import GameList, Me

MAX_SHOWN_INVITATIONS: Final = 20
"""The most invitations in the answer to `GET /me`."""

blueprint = Blueprint("players", "Accounts and tokens.", auth="login_required")
profiles = Blueprint("profiles", "What players show of themselves.", auth="optional_auth")


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
    service().accounts.players.tokens.revoke(bearer_token() or "")


@blueprint.patch("/me", "The player after the change.", MyAccount, json_body=ChangeAccount())
def change_account(player: str, body: JsonObject) -> JsonObject:
    """Change the player's language, time zone, and what others see on the profile, or some of them.

    Days of holidays, quiet hours and digests are in the time zone. `locale` is a language tag, or null. Texts
    such as the `detail` of a problem are in this language if the server has it, else in one that
    `Accept-Language` prefers, else in English.
    """
    if not body:
        raise Malformed({"": message("must have locale, time_zone or profile")})
    service().accounts.players.change_settings(player, bearer_token() or "", body)
    return {"player": account(account_of(player))}


def account_of(player: str) -> Player:
    """Return an account. Raises Unauthorised if it was deleted after its token was looked up."""
    (current_player,) = service().accounts.players.get([player])
    if current_player is None:
        raise Unauthorised.with_message("the account of this token has been deleted")
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
    """Get the player's own account, and the games that wait for them.

    With a personal token, `email` and `email_status` are null.
    """
    current_player = account_of(player)
    games, cursor = service().games.queries.games_waiting_for(player, **query)
    summaries = game_summaries([summarize(game) for game in games])
    invitations, _ = service().games.received_invitations.page(player, limit=MAX_SHOWN_INVITATIONS)
    if has_personal_token():
        # The address belongs to the account, which no scope covers.
        current_player = replace(current_player, email=None, email_status=None)
    return {
        "player": account(current_player),
        "games": summaries,
        "invitations": game_summaries(invitations),
        "next": cursor,
    }


@profiles.get("/players/<handle>", "The player, as the viewer may see them.", PlayerProfile)
def get_profile(handle: str, player: str | None) -> JsonObject:
    """Get the profile of a player: since when, games and places by rules and seats, and reliability.

    All numbers are about public games. Other players see what the player has chosen in `profile` of the
    account. If no player has the handle, or the player was erased, the response is a 404.
    """
    return player_profile(service().games.profiles.profile(handle, player))


@profiles.get(
    "/players/<handle>/games",
    "A page of games, newest first. `next` is the `cursor` of the next page, or null. A page may have"
    " fewer games than `limit`, even none, before the last one.",
    GameList,
    query=ListGamesOfPlayer(),
    errors=(403,),
)
def list_games_of_player(handle: str, player: str | None, query: JsonObject) -> JsonObject:
    """List the games of a player, newest first.

    With a token, the list includes the private games that the viewer may see. If the player shows no list of
    games, the response is a 403.
    """
    player_profiles = service().games.profiles
    subject = player_profiles.player(handle)
    statuses = parse_statuses(query["status"], STATUSES)
    game_filter = filter_of_kinds(query)
    if query["result"] is not None:
        game_filter = replace(game_filter, result=(subject.id, query["result"]))
    opponent = None
    if query["opponent"] is not None:
        opponent = player_profiles.player(query["opponent"]).id
    summaries, next_cursor = player_profiles.games(
        subject, player, statuses, game_filter, opponent, query["cursor"], query["limit"]
    )
    return {"games": game_summaries(summaries), "next": next_cursor}


@profiles.get(
    "/players/<handle>/head-to-head/<other>",
    "The two players, and the results by rules.",
    HeadToHeadResults,
    errors=(403,),
)
def get_head_to_head(handle: str, other: str, player: str | None) -> JsonObject:
    """Compare two players by their places in the finished public games in which both were.

    Bots are not compared. If one of them shows no results, and the viewer is neither of them, the response is
    a 403.
    """
    first, second, results = service().games.profiles.head_to_head(handle, other, player)
    return {
        "player": body_of(NamedPlayer, first),
        "other": body_of(NamedPlayer, second),
        "results": [body_of(HeadToHeadResult, row) for row in results],
    }

"""The context of the current request: the service that handles it, its origin, and its sender.

A private game must look like a game that does not exist to everybody who may not see it, whatever other
faults their request has. `blueprint.py` calls `hide_private`, `require_resource` and `require_access` only
when a request has failed: a successful request has passed the same checks where the game was loaded.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Literal, TypeAlias, cast

from flask import current_app, g, request

from domain.game import Game
from domain.messages import message
from service.accounts.password_guesses import LoginSource
from service.accounts.personal_tokens import Scope, digest_of
from service.accounts.tokens import MAX_CLIENT_LENGTH
from service.bootstrap import Service
from service.errors import Forbidden, InsufficientScope, TooManyRequests, Unauthorised, Unavailable
from service.games.access import is_correspondent, require_correspondent, require_dispute
from service.http.access_log import AccessLog, Metrics
from service.visitors import network_of

SERVICE: Final = "cartulary"
METRICS: Final = "cartulary-metrics"
ACCESS_LOG: Final = "cartulary-access-log"
"""The names under which `create_app` stores these objects in `app.extensions`."""


def service() -> Service:
    """Return the service behind the application that handles the current request."""
    return cast("Service", current_app.extensions[SERVICE])


def metrics() -> Metrics:
    """Return the metrics of the application that handles the current request."""
    return cast("Metrics", current_app.extensions[METRICS])


def access_log() -> AccessLog:
    """Return the access log of the application that handles the current request."""
    return cast("AccessLog", current_app.extensions[ACCESS_LOG])


def client_network() -> str:
    """Return the network that the current request comes from."""
    return network_of(request.remote_addr or "")


def client_source() -> LoginSource:
    """Return the place from which the sender of the current request, which has no cookies, logs in."""
    return LoginSource(client_network())


def client_name() -> str | None:
    """Return the printable part of the name of the program that sends the request."""
    name: str = request.headers.get("User-Agent", "")
    return "".join(filter(str.isprintable, name[:MAX_CLIENT_LENGTH])) or None


def request_confirmation(player_id: str) -> None:
    """Send a confirmation mail to a player who has just registered, if there is an address.

    After too many of these mails, none is sent, and the player can request one later.
    """
    with suppress(TooManyRequests):
        service().notifications.mail.confirmations.request(player_id, client_network())


def change_email(player_id: str, address: str, password: str | None) -> None:
    """Set the address of a player, and send a confirmation mail to it.

    A change of the address requires the password, because the owner of the address can choose a new password.
    Raises Malformed, Forbidden, TooManyRequests; after too many mails, the address is stored nevertheless.
    """
    mail = service().notifications.mail
    if mail.addresses.is_other(player_id, address):
        service().accounts.players.require_password_of_owner(player_id, password)
    mail.addresses.set(player_id, address)
    mail.confirmations.request(player_id, client_network())


AuthPolicy: TypeAlias = Literal[
    "without_tokens",
    "public",
    "optional_auth",
    "login_required",
    "participants_only",
    "ruling_parties_only",
    "dispute_opener_only",
    "correspondents_only",
    "administrators_only",
]
"""Who may call a route. `without_tokens` serves everybody and reads no token, outside of the API;
`public` serves everybody alike, and needs no scope; `optional_auth` serves everybody, and the view learns who
it is. These two refuse an invalid token, as all others do. `participants_only` serves the players of the game
in the URL; `ruling_parties_only` its arbiter or, if it has none, its players; `dispute_opener_only` the
player who opened the dispute; `correspondents_only` the players of the game and its arbiter;
`administrators_only` players with the role of an administrator, whatever game they ask for."""

Resource: TypeAlias = Literal["dispute", "takeback", "message"]
"""The kind of resource that the number in the URL of a route identifies."""


def bearer_token() -> str | None:
    """Return the token of the request, or None if it has none.

    Raises Unauthorised if the Authorization header is not a bearer token.
    """
    header: str | None = request.environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorised.with_message("the Authorization header must be `Bearer TOKEN`")
    return token.strip()


def optional_auth() -> str | None:
    """Return the id of the player who sends the request, or None without a token.

    Raises Unauthorised for an invalid token.
    """
    if "player_id" not in g:
        token = bearer_token()
        if token is None:
            g.player_id = g.scopes = None
        else:
            g.player_locale = None  # of a token that is not valid, or cannot be looked up
            owner = service().accounts.players.tokens.owner(token)
            if owner is None:
                raise Unauthorised.with_message("the token is invalid or has expired")
            g.player_id, g.player_locale, g.scopes = owner.id, owner.locale, owner.scopes
    current: str | None = g.player_id
    return current


def require_scope(scope: Scope | None) -> None:
    """Raise InsufficientScope if the request has a personal token without this scope; with None, for each.

    Raises Unauthorised for an invalid token. The resource of the request has no influence on the result.
    """
    optional_auth()
    scopes: frozenset[Scope] | None = g.get("scopes")
    if scopes is None or (scope is not None and scope in scopes):
        return
    if scope is None:
        raise InsufficientScope(
            message("a personal token does not allow this: log in to do it"), scope
        )
    raise InsufficientScope(
        message("this needs a personal token with the scope {scope}", scope=scope), scope
    )


def has_personal_token() -> bool:
    """Return whether the request, which is authenticated, has a personal token."""
    return g.get("scopes") is not None


def personal_token_digest() -> str | None:
    """Return the hash of the personal token of the request, which is authenticated; None for a session."""
    token = bearer_token()
    return digest_of(token) if token is not None and has_personal_token() else None


def login_required() -> str:
    """Return the id of the player who sends the request. Raises Unauthorised without a valid token."""
    player_id = optional_auth()
    if player_id is None:
        raise Unauthorised.with_message("a token is required: `Authorization: Bearer TOKEN`")
    return player_id


def administrator_required() -> str:
    """Return the id of the administrator who sends the request.

    Raises Unauthorised without a valid token, Forbidden for any other player.
    """
    player_id = login_required()
    service().administration.require_administrator(player_id)
    return player_id


def authenticated_player() -> str | None:
    """Return the id of the player who sends the request, or None without a valid token."""
    try:
        return optional_auth()
    except Unauthorised:
        return None


def player_locale() -> str | None:
    """Return the locale that the sender of the request has set; None without a setting or a valid token.

    The token is looked up, at most once, if that has not been done for the request. An error is not raised.
    """
    if "player_locale" not in g:
        g.player_locale = None
        with suppress(Unauthorised, Unavailable):
            optional_auth()
    locale: str | None = g.player_locale
    return locale


def hide_private(game_id: str) -> None:
    """Raise NotFound if the sender of the request may not know of the game.

    Otherwise remember the game's seq for the response (`problems.py`).
    """
    g.game_seq = service().games.queries.visible_game(game_id, authenticated_player()).seq


def require_resource(resource: Resource, arguments: Mapping[str, Any]) -> None:
    """Raise NotFound if the dispute, the takeback or the message in the URL does not exist.

    `arguments` are those of the URL; the sender of the request may know of the game. Somebody who may not
    read its messages does not learn which of them exist.
    """
    game = service().games.queries.game(arguments["game_id"])
    match resource:
        case "dispute":
            require_dispute(game, arguments["seq"])
        case "takeback":
            service().games.statements.require_takeback(game, arguments["seq"])
        case "message":
            player_id = authenticated_player()
            if player_id is not None and is_correspondent(game, player_id):
                service().chat.require(game.id, arguments["number"])


def require_access(auth: AuthPolicy, arguments: Mapping[str, Any]) -> None:
    """Raise Forbidden if the policy does not allow the sender of the request to call the route.

    `arguments` are those of the URL. For an administrator, NotFound is raised if the resource in the URL does
    not exist.
    """
    if auth == "administrators_only":
        administrator_required()
        service().administration.require_target(arguments)
        return
    check = _ACCESS_CHECKS.get(auth)
    if check is not None:
        player_id = login_required()
        game = service().games.queries.visible_game(arguments["game_id"], player_id)
        check(game, player_id, arguments)


def _participants_only(game: Game, player_id: str, _: Mapping[str, Any]) -> None:
    if not game.has_joined(player_id):
        raise Forbidden.with_message("this is not a player of the game")


def _ruling_parties_only(game: Game, player_id: str, _: Mapping[str, Any]) -> None:
    service().games.queries.access.require_party(game, player_id)


def _dispute_opener_only(game: Game, player_id: str, arguments: Mapping[str, Any]) -> None:
    service().games.queries.access.require_opener(
        game, require_dispute(game, arguments["seq"]), player_id
    )


_ACCESS_CHECKS: Final[Mapping[AuthPolicy, Callable[[Game, str, Mapping[str, Any]], None]]] = {
    "participants_only": _participants_only,
    "ruling_parties_only": _ruling_parties_only,
    "dispute_opener_only": _dispute_opener_only,
    "correspondents_only": lambda game, player_id, _: require_correspondent(game, player_id),
}
ACCESS_POLICIES: Final = frozenset({*_ACCESS_CHECKS, "administrators_only"})
"""The policies that forbid a route to some of the players who are logged in."""

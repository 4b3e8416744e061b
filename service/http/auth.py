"""Authentication, and which error a client may see.

A private game must look like a game that does not exist to everybody who may not see it, whatever
else is wrong with their request. `blueprint.py` calls `hide_private` and `participants_only` only
when a request has failed: a successful request has passed the same checks where the game was
loaded.
"""

from typing import Literal, TypeAlias

from flask import g, request

from service.errors import Forbidden, Unauthorised
from service.http.context import service

AuthPolicy: TypeAlias = Literal["public", "optional_auth", "login_required", "participants_only"]
"""Who may call a route. `public` ignores tokens; `optional_auth` serves everybody, but refuses an
invalid token; `participants_only` serves the players of the game in the URL."""


def bearer_token() -> str | None:
    """Return the token of the request, or None if it has none.

    Raises Unauthorised if the Authorization header is not a bearer token.
    """
    header: str | None = request.environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorised("the Authorization header must be `Bearer TOKEN`")
    return token.strip()


def optional_auth() -> str | None:
    """Return the id of the player who sends the request, or None without a token.

    Raises Unauthorised for an invalid token.
    """
    if "player_id" not in g:
        token = bearer_token()
        player_id = None if token is None else service().players.by_token(token)
        if token is not None and player_id is None:
            raise Unauthorised("the token is invalid or has expired")
        g.player_id = player_id
        return player_id
    current: str | None = g.player_id
    return current


def login_required() -> str:
    """Return the id of the player who sends the request. Raises Unauthorised without a valid token."""
    player_id = optional_auth()
    if player_id is None:
        raise Unauthorised("a token is required: `Authorization: Bearer TOKEN`")
    return player_id


def authenticated_player() -> str | None:
    """Return the id of the player who sends the request, or None without a valid token."""
    try:
        return optional_auth()
    except Unauthorised:
        return None


def hide_private(game_id: str) -> None:
    """Raise NotFound if the sender of the request may not know of the game.

    Otherwise remember the game's seq for the response (`problems.py`).
    """
    g.game_seq = service().queries.visible_game(game_id, authenticated_player()).seq


def participants_only(game_id: str) -> None:
    """Raise Forbidden if the sender of the request is not a player of the game."""
    player_id = login_required()
    if not service().queries.visible_game(game_id, player_id).has_joined(player_id):
        raise Forbidden("this is not a player of the game")

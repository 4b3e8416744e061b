"""Who asks: the player behind a token, and what a refusal may tell whom.

A private game is a 404 to all who may not know of it, before any word on tokens, seats or bodies.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

from flask import Response, g, request
from werkzeug.exceptions import HTTPException

from domain.errors import Malformed, NotNow
from service.errors import Forbidden, Unauthorised
from service.http.context import service

P = ParamSpec("P")
View = Callable[P, Response]


def token() -> str | None:
    """The token that was sent, or None. Raises Unauthorised for what is no bearer token."""
    sent = request.headers.get("Authorization")
    if sent is None:
        return None
    scheme, _, word = sent.partition(" ")
    if scheme.lower() != "bearer" or not word.strip():
        raise Unauthorised("the Authorization header must be `Bearer TOKEN`")
    return word.strip()


def viewer() -> str | None:
    """The player who asks, or None where no token was sent. Raises Unauthorised for one that is not valid."""
    if "viewer" not in g:
        sent = token()
        player = None if sent is None else service().players.by_token(sent)
        if sent is not None and player is None:
            raise Unauthorised("this token is not valid, or no longer")
        g.viewer = player
    found: str | None = g.viewer
    return found


def anyone() -> str | None:
    """The player who asks, None also for a token that is not valid."""
    try:
        return viewer()
    except Unauthorised:
        return None


def player() -> str:
    """The player who asks. Raises Unauthorised where nobody is known."""
    known = viewer()
    if known is None:
        raise Unauthorised("this needs a token: Authorization: Bearer TOKEN")
    return known


def login_required(view: View[P]) -> View[P]:
    """A call for players: who is unknown is told so before anything else is looked at."""

    @wraps(view)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Response:
        player()
        return view(*args, **kwargs)

    return asked


def optional_auth(view: View[P]) -> View[P]:
    """A call for everyone; but a token that is not valid is said to be so."""

    @wraps(view)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Response:
        viewer()
        return view(*args, **kwargs)

    return asked


def hide_private(view: View[P]) -> View[P]:
    """A call on a game: whatever is wrong with it, who may not know of the game is told only 404."""

    @wraps(view)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Response:
        try:
            return view(*args, **kwargs)
        except (Unauthorised, Forbidden, Malformed, NotNow, HTTPException):
            game_id: Any = kwargs["game_id"]
            g.head = service().queries.visible_game(game_id, anyone()).seq
            raise

    return asked


def seated(view: View[P]) -> View[P]:
    """A call for the players of a game: others are told so before a word on what they sent."""

    @wraps(view)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Response:
        try:
            return view(*args, **kwargs)
        except (Malformed, HTTPException):
            game_id: Any = kwargs["game_id"]
            if not service().queries.visible_game(game_id, player()).has_joined(player()):
                raise Forbidden("this is not a player of the game") from None
            raise

    return asked

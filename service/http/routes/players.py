"""Players: register, log in and out, and what waits for whom."""

from typing import Any

from flask import Response

from service.http import auth
from service.http.blueprint import Blueprint
from service.http.context import service
from service.http.ratelimits import accounts_limited
from service.http.responses import answer, nothing
from service.http.schemas.players import LogIn, Me, Register, Registered, Token
from service.http.summaries import own, summaries

blueprint = Blueprint("players", __name__, description="Who plays, and as whom a request speaks.")


@blueprint.call("POST", "/players")
@blueprint.gives(201, Registered(), "the player, and a first token")
@blueprint.refuses(400, 409, 413, 415)
@accounts_limited
@blueprint.takes(Register())
def register(body: dict[str, Any]) -> Response:
    """Register."""
    player, token = service().players.register(**body)
    return answer({"player": own(player), "token": token}, 201)


@blueprint.call("POST", "/tokens")
@blueprint.gives(201, Token(), "a new token; others go on being valid")
@blueprint.refuses(400, 401, 413, 415)
@accounts_limited
@blueprint.takes(LogIn())
def log_in(body: dict[str, Any]) -> Response:
    """Log in."""
    return answer({"token": service().players.login(**body)}, 201)


@blueprint.call("DELETE", "/tokens/current")
@blueprint.gives(204, None, "the token that this request carried is no longer valid")
@blueprint.refuses(player=True)
@auth.login_required
def log_out() -> Response:
    """Log out."""
    service().players.logout(auth.token() or "")
    return nothing()


@blueprint.call("GET", "/me")
@blueprint.gives(200, Me(), "the player, and the games in which it is their turn")
@blueprint.refuses(player=True)
@auth.login_required
def me() -> Response:
    """Myself, and the games that wait for me."""
    player = auth.player()
    (known,) = service().players.get([player])
    games = summaries(service().queries.games_waiting_for(player))
    return answer({"player": own(known), "games": games, "next": None})

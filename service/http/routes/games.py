"""Games: create, join, leave, and find them."""

from collections.abc import Sequence
from typing import Any

from flask import Response

from domain import lifecycle
from domain.errors import Malformed
from domain.game import Game
from ledger.turn_clock import clock_faults
from service.http import auth
from service.http.blueprint import Blueprint, idempotency_key
from service.http.context import figures, service
from service.http.responses import answer, nothing
from service.http.schemas.games import CreateGame, Games, Join, ListGames, Summary
from service.http.summaries import summaries, summary
from service.listings import STATUSES, Page

MOST_LISTED = 100

blueprint = Blueprint("games", __name__, description="Games, from an open table to their end.")
_KEY = blueprint.header(
    "Idempotency-Key",
    "a request repeated with the same key and body is find_idempotency_record again, done once",
)


def _further(body: dict[str, Any]) -> dict[str, str]:
    """What the rules and the clock find wrong with what is asked for."""
    faults = clock_faults(body.get("clock"))
    options = body.get("options", {})
    try:
        lifecycle.check_options(
            body.get("rules"), body.get("seats"), options if isinstance(options, dict) else {}
        )
    except Malformed as refused:
        faults |= refused.fields
    return faults


@blueprint.call("POST", "/games")
@blueprint.gives(201, Summary(), "the game", headers={"Location": "where it is from now on"})
@blueprint.refuses(400, 413, 415, 422, player=True)
@_KEY
@auth.login_required
@blueprint.takes(CreateGame(), further=_further)
def create(body: dict[str, Any]) -> Response:
    """Create a game; its creator has the first place."""
    key = idempotency_key()
    invited, unknown = _guests(body.pop("invite"))
    if unknown:
        raise Malformed({**_further(body), **unknown})
    game = service().commands.create(auth.player(), **body, invited=invited, idempotency_key=key)
    figures().acknowledged("GameCreated", "SeatTaken")
    return answer(summary(game), 201, {"Location": f"/api/v1/games/{game.id}"})


def _guests(handles: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The players of these handles, and which handles are nobody's."""
    found, unknown = [], {}
    for place, handle in enumerate(handles):
        guest = service().players.by_handle(handle)
        if guest is None:
            unknown[f"invite.{place}"] = "is no player's handle"
        else:
            found.append(guest.id)
    return tuple(found), unknown


@blueprint.call("GET", "/games")
@blueprint.gives(200, Games(), "games, newest first; `next` is the `cursor` of the page after")
@blueprint.refuses(400, 401)
@auth.optional_auth
@blueprint.asks(ListGames())
def list_games(query: dict[str, Any]) -> Response:
    """Find games; private ones are among them for who may see them."""
    statuses = [] if query["status"] is None else query["status"].split(",")
    unknown = [status for status in statuses if status not in STATUSES]
    if unknown:
        raise Malformed({"status": f"must be of {', '.join(STATUSES)}, with commas between"})
    page = _page(statuses, query)
    games = service().queries.games(page.games) if page.games else []
    return answer({"games": summaries(games), "next": page.next})


def _page(statuses: list[Any], query: dict[str, Any]) -> Page:
    player = None
    if query["player"] is not None:
        known = service().players.by_handle(query["player"])
        if known is None:
            return Page((), None)
        player = known.id
    limit = min(query["limit"], MOST_LISTED)
    return service().listings.page(statuses, player, query["cursor"], limit, auth.viewer())


@blueprint.call("GET", "/games/<game_id>")
@blueprint.gives(200, Summary(), "the game")
@blueprint.refuses(400, 401, 404)
@auth.hide_private
@auth.optional_auth
@blueprint.asks_nothing
def show(game_id: str) -> Response:
    """A game in short."""
    return answer(summary(service().queries.visible_game(game_id, auth.viewer())))


@blueprint.call("POST", "/games/<game_id>/players")
@blueprint.gives(201, Summary(), "the game; a full one has started")
@blueprint.refuses(400, 404, 409, 413, 415, 422, player=True)
@_KEY
@auth.hide_private
@auth.login_required
@blueprint.takes(Join(), required=False)
def join(game_id: str, body: dict[str, Any]) -> Response:
    """Take a place."""
    game: Game = service().commands.join(game_id, auth.player(), body["nonce"], idempotency_key())
    figures().acknowledged("SeatTaken", *["GameStarted"] * (game.status != "open"))
    return answer(summary(game), 201)


@blueprint.call("DELETE", "/games/<game_id>/players/me")
@blueprint.gives(204, None, "the place is free again; who leaves last abandons the game")
@blueprint.refuses(400, 404, 409, 422, player=True)
@_KEY
@auth.hide_private
@auth.login_required
def leave(game_id: str) -> Response:
    """Give one's place back, before the game has started."""
    game = service().commands.leave(game_id, auth.player(), idempotency_key())
    figures().acknowledged("SeatLeft", *["GameAbandoned"] * (game.status == "abandoned"))
    return nothing()

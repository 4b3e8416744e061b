"""Games: creating, joining, leaving and finding them."""

from collections.abc import Sequence
from typing import Any

from flask import Response

from domain import lifecycle
from domain.errors import Malformed
from domain.game import Game
from domain.json_types import JsonObject
from ledger.turn_clock import clock_faults
from service.http.blueprint import NO_QUERY, Blueprint, response
from service.http.context import metrics, service
from service.http.ratelimits import limit_new_places
from service.http.responses import game_summaries, game_summary, json_response, no_content
from service.http.schemas.requests import MAX_PAGE_SIZE, CreateGame, JoinGame, ListGames
from service.http.schemas.responses import GameList, GameSummary
from service.listings import STATUSES, Page

blueprint = Blueprint("games", __name__, description="Games, from an open table to their end.")


def _rule_errors(body: JsonObject, player: str) -> dict[str, str]:
    """Return what is wrong with the clock and with what the rules check, by field."""
    errors = clock_faults(body.get("clock"))
    options = body.get("options", {})
    try:
        lifecycle.check_options(
            body.get("rules"), body.get("seats"), options if isinstance(options, dict) else {}
        )
    except Malformed as error:
        errors |= error.fields
    return errors


@blueprint.route(
    "POST",
    "/games",
    auth="login_required",
    limit=limit_new_places,
    json_body=CreateGame(),
    extra_validation=_rule_errors,
    is_idempotent=True,
    responses={
        201: response(
            "The summary of the game.", GameSummary, headers={"Location": "URL of the game."}
        )
    },
    error_responses=(409,),
)
def create_game(player: str, body: JsonObject, idempotency_key: str | None) -> Response:
    """Create a game.

    The creator has the first place.
    """
    invited, errors = _invited_players(body.pop("invite"))
    if errors:
        raise Malformed({**_rule_errors(body, player), **errors})
    game = service().commands.create(
        player, **body, invited=invited, idempotency_key=idempotency_key
    )
    metrics().count_events("GameCreated", "SeatTaken", *_key_events(game, player))
    return json_response(game_summary(game), 201, {"Location": f"/api/v1/games/{game.id}"})


def _key_events(game: Game, player: str) -> list[str]:
    """Return the types of the events that have registered the keys of a player who just took a place."""
    return ["PlayerKeyAdded"] * len(game.keys.get(player, {}))


def _invited_players(handles: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the ids of the players with these handles, and the errors for `invite` by field."""
    limit = service().settings.bounds.max_invitations
    if len({handle.casefold() for handle in handles}) > limit:
        return (), {"invite": f"must name at most {limit} players"}
    players = service().players.by_handles(handles)
    invited, errors = [], {}
    for index, handle in enumerate(handles):
        player = players[handle]
        if player is None:
            errors[f"invite.{index}"] = "is not the handle of a player"
        else:
            invited.append(player.id)
    return tuple(invited), errors


@blueprint.route(
    "GET",
    "/games",
    auth="optional_auth",
    query=ListGames(),
    responses={
        200: response(
            "A page of games, newest first. `next` is the `cursor` of the next page, or null. A page may have"
            " fewer games than `limit`, even none, before the last one.",
            GameList,
        )
    },
)
def list_games(player: str | None, query: JsonObject) -> Response:
    """List games, newest first.

    With a token, the list includes the private games that the player may see.
    """
    statuses = [] if query["status"] is None else query["status"].split(",")
    if any(status not in STATUSES for status in statuses):
        raise Malformed(
            {"status": f"must be one or several of {', '.join(STATUSES)}, separated by commas"}
        )
    page = _page(statuses, query, viewer=player)
    summaries = service().queries.summaries(page.games)
    games = game_summaries([summary for summary in summaries if summary is not None])
    return json_response({"games": games, "next": page.first(len(summaries)).next})


def _page(statuses: list[Any], query: JsonObject, viewer: str | None) -> Page:
    player_id = None
    if query["player"] is not None:
        player = service().players.by_handle(query["player"])
        if player is None:
            return Page((), None)
        player_id = player.id
    limit = min(query["limit"], MAX_PAGE_SIZE)
    return service().listings.page(statuses, player_id, query["cursor"], limit, viewer)


@blueprint.route(
    "GET",
    "/games/<game_id>",
    auth="optional_auth",
    query=NO_QUERY,
    responses={200: response("The summary of the game.", GameSummary)},
)
def get_game(game_id: str, player: str | None) -> Response:
    """Get the summary of a game."""
    return json_response(game_summary(service().queries.visible_game(game_id, player)))


@blueprint.route(
    "POST",
    "/games/<game_id>/players",
    auth="login_required",
    limit=limit_new_places,
    json_body=JoinGame(),
    is_body_required=False,
    is_idempotent=True,
    responses={201: response("The summary of the game, after joining.", GameSummary)},
    error_responses=(409,),
)
def join_game(game_id: str, player: str, body: JsonObject, idempotency_key: str | None) -> Response:
    """Join a game.

    The game starts when its last place is taken.
    """
    game: Game = service().commands.join(game_id, player, body["nonce"], idempotency_key)
    started = ["GameStarted"] * (game.status != "open")
    metrics().count_events("SeatTaken", *started, *_key_events(game, player))
    return json_response(game_summary(game), 201)


@blueprint.route(
    "DELETE",
    "/games/<game_id>/players/me",
    auth="login_required",
    is_idempotent=True,
    responses={204: response("The player has left the game.")},
    error_responses=(409,),
)
def leave_game(game_id: str, player: str, idempotency_key: str | None) -> Response:
    """Leave a game before it starts.

    The game is abandoned when its last player leaves.
    """
    game = service().commands.leave(game_id, player, idempotency_key)
    metrics().count_events("SeatLeft", *["GameAbandoned"] * (game.status == "abandoned"))
    return no_content()

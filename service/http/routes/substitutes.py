"""Substitutes: leaving a seat to one, and taking a vacant seat."""

from flask import Response

from domain.json_types import JsonObject
from service.http.blueprint import Blueprint, response
from service.http.context import metrics, service
from service.http.ratelimits import limit_new_places
from service.http.responses import game_summary, json_response
from service.http.schemas.responses import GameSummary
from service.http.schemas.substitute_requests import TakeSeat

blueprint = Blueprint("substitutes", __name__, description="Vacant seats, and who takes them.")


@blueprint.route(
    "DELETE",
    "/games/<game_id>/seats/me",
    auth="participants_only",
    is_idempotent=True,
    responses={200: response("The summary of the game, with the vacant seat.", GameSummary)},
    error_responses=(409,),
)
def leave_seat(game_id: str, player: str, idempotency_key: str | None) -> Response:
    """Leave your seat to a substitute, in a game in progress with the option `substitutes`.

    The clock ends the turns of a vacant seat at once, as the game's options say for missed turns. You cannot
    come back. When no people are left in the game, it is abandoned.
    """
    game = service().substitutes.leave_seat(game_id, player, idempotency_key)
    metrics().count_events("SeatVacated", *["GameAbandoned"] * (game.status == "abandoned"))
    return json_response(game_summary(game))


@blueprint.route(
    "POST",
    "/games/<game_id>/substitutes",
    auth="login_required",
    limit=limit_new_places,
    json_body=TakeSeat(),
    is_idempotent=True,
    responses={201: response("The summary of the game, with you at the seat.", GameSummary)},
    error_responses=(409,),
)
def take_seat(game_id: str, player: str, body: JsonObject, idempotency_key: str | None) -> Response:
    """Take a vacant seat of a game, as a substitute for its former player.

    From then on, the seat and everything that belongs to it is yours. Players who have or had a seat in the
    game, and its arbiter, cannot be substitutes. `GET /games?vacant=true` lists games with vacant seats.
    """
    game = service().substitutes.take_seat(game_id, player, body["seat"], idempotency_key)
    metrics().count_events("SubstituteSeated", *["PlayerKeyAdded"] * len(game.keys.get(player, {})))
    return json_response(game_summary(game), 201)

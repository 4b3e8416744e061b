"""Takebacks: asking for one, and agreeing to it."""

from typing import Final

from flask import Response

from domain.json_types import JsonObject
from service.http.blueprint import Blueprint, response
from service.http.context import service
from service.http.ratelimits import limit_disputes
from service.http.responses import accepted_events
from service.http.schemas.fields import MAX_INTEGER
from service.http.schemas.requests import AnswerTakeback, RequestTakeback
from service.http.schemas.responses import AcceptedAction

_TAKEBACKS: Final = "/games/<game_id>/takebacks"

blueprint = Blueprint("takebacks", __name__, description="Actions taken back by agreement.")


@blueprint.route(
    "POST",
    _TAKEBACKS,
    auth="participants_only",
    limit=limit_disputes,
    json_body=RequestTakeback(),
    is_body_required=False,
    is_idempotent=True,
    responses={201: response("The event, and a receipt for it.", AcceptedAction)},
    error_responses=(409,),
)
def request_takeback(
    game_id: str, player: str, body: JsonObject, idempotency_key: str | None
) -> Response:
    """Ask to take back the last action, in a game with the option `takebacks`.

    Only the player who acted last can ask, once for each action. The request lapses when anyone acts, when a
    turn is forfeited or a seat removed, and when a player declines.
    """
    return accepted_events(service().disputes.request_takeback(game_id, player, idempotency_key))


@blueprint.route(
    "POST",
    f"{_TAKEBACKS}/<int(max={MAX_INTEGER}):seq>/answers",
    auth="participants_only",
    limit=limit_disputes,
    json_body=AnswerTakeback(),
    is_idempotent=True,
    resource="takeback",
    responses={201: response("The events, and a receipt for the first.", AcceptedAction)},
    error_responses=(409,),
)
def answer_takeback(
    game_id: str, seq: int, player: str, body: JsonObject, idempotency_key: str | None
) -> Response:
    """Agree to a takeback, or decline it.

    When all other players who are still in the game have agreed, play resumes from before the action.
    """
    accepted = service().disputes.answer_takeback(
        game_id, seq, player, agree=body["agree"], idempotency_key=idempotency_key
    )
    return accepted_events(accepted)

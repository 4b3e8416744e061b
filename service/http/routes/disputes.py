"""Disputes (opening, reading, answering, ruling and withdrawing them) and takebacks."""

from typing import Final

from flask import Response

from domain.json_types import JsonObject
from domain.messages import Text
from service.games.dispute_view import dispute_summary
from service.http.blueprint import NO_QUERY, Blueprint, response
from service.http.context import metrics, service
from service.http.ratelimits import limit_disputes
from service.http.responses import accepted_events, json_response, no_content
from service.http.schemas.disputes import (
    AnswerDispute,
    AnswerTakeback,
    DisputeDetails,
    DisputeList,
    GiveRuling,
    OpenDispute,
    RequestTakeback,
)
from service.http.schemas.fields import MAX_INTEGER
from service.http.schemas.responses import AcceptedAction

_DISPUTES: Final = "/games/<game_id>/disputes"
_DISPUTE: Final = f"{_DISPUTES}/<int(max={MAX_INTEGER}):seq>"

blueprint = Blueprint("disputes", __name__, description="Disputes about what happened in a game.")
takebacks = Blueprint("takebacks", __name__, description="Actions taken back by agreement.")


def _field_errors(body: JsonObject, **_: object) -> dict[str, Text]:
    """Return what is wrong with the statement and the ruling, by field."""
    return service().disputes.field_faults(body)


@blueprint.route(
    "POST",
    _DISPUTES,
    auth="participants_only",
    limit=limit_disputes,
    json_body=OpenDispute(),
    extra_validation=_field_errors,
    is_idempotent=True,
    responses={201: response("The event, and a receipt for it.", AcceptedAction)},
    error_responses=(409,),
)
def open_dispute(
    game_id: str, player: str, body: JsonObject, idempotency_key: str | None
) -> Response:
    """Dispute an event of a game that is in progress.

    The game's clock stops until the ruling, for at most 72 hours. A game has one open dispute at a time, and
    a player can open three in a game.
    """
    accepted = service().disputes.open_dispute(
        game_id, player, body["seq"], body["statement"], idempotency_key
    )
    return accepted_events(accepted)


@blueprint.route(
    "GET",
    _DISPUTES,
    auth="optional_auth",
    query=NO_QUERY,
    responses={200: response("All disputes, the oldest first.", DisputeList)},
)
def list_disputes(game_id: str, player: str | None) -> Response:
    """List the disputes of a game."""
    game = service().queries.visible_game(game_id, player)
    disputes = [dispute_summary(game, dispute) for dispute in game.disputes]
    return json_response({"disputes": disputes, "next": None})


@blueprint.route(
    "GET",
    _DISPUTE,
    auth="optional_auth",
    query=NO_QUERY,
    resource="dispute",
    responses={200: response("The dispute, with everything that was written.", DisputeDetails)},
)
def get_dispute(game_id: str, seq: int, player: str | None) -> Response:
    """Get a dispute by the seq of the event that opened it."""
    return json_response(service().queries.dispute(game_id, seq, player))


@blueprint.route(
    "DELETE",
    _DISPUTE,
    auth="dispute_opener_only",
    limit=limit_disputes,
    is_idempotent=True,
    resource="dispute",
    responses={204: response("The dispute is withdrawn.")},
    error_responses=(409,),
)
def withdraw_dispute(game_id: str, seq: int, player: str, idempotency_key: str | None) -> Response:
    """Withdraw a dispute that the player has opened."""
    accepted = service().disputes.withdraw_dispute(game_id, seq, player, idempotency_key)
    metrics().count_events(*(event["type"] for event in accepted.events))
    return no_content()


@blueprint.route(
    "POST",
    f"{_DISPUTE}/answers",
    auth="participants_only",
    limit=limit_disputes,
    json_body=AnswerDispute(),
    extra_validation=_field_errors,
    is_idempotent=True,
    resource="dispute",
    responses={201: response("The event, and a receipt for it.", AcceptedAction)},
    error_responses=(409,),
)
def answer_dispute(
    game_id: str, seq: int, player: str, body: JsonObject, idempotency_key: str | None
) -> Response:
    """Answer an open dispute. A player can answer ten times."""
    accepted = service().disputes.answer_dispute(
        game_id, seq, player, body["statement"], idempotency_key
    )
    return accepted_events(accepted)


@blueprint.route(
    "POST",
    f"{_DISPUTE}/rulings",
    auth="ruling_parties_only",
    limit=limit_disputes,
    json_body=GiveRuling(),
    extra_validation=_field_errors,
    is_idempotent=True,
    resource="dispute",
    responses={201: response("The events, and a receipt for the first.", AcceptedAction)},
    error_responses=(409, 422),
)
def give_ruling(
    game_id: str, seq: int, player: str, body: JsonObject, idempotency_key: str | None
) -> Response:
    """Rule an open dispute, as the arbiter of the game.

    In a game without an arbiter, every player proposes a ruling. It takes effect when all players who are
    still in the game propose the same. A player can propose ten times, and the last proposal counts.
    """
    accepted = service().disputes.give_ruling(
        game_id, seq, player, body["ruling"], body["statement"], idempotency_key
    )
    return accepted_events(accepted)


_TAKEBACKS: Final = "/games/<game_id>/takebacks"


@takebacks.route(
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


@takebacks.route(
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

"""Disputes (opening, reading, answering, ruling and withdrawing them) and takebacks."""

from typing import Final

from domain.json_types import JsonObject
from domain.messages import Text
from service.disputes.schemas import (
    AnswerDispute,
    AnswerTakeback,
    DisputeDetails,
    DisputeList,
    GiveRuling,
    OpenDispute,
    RequestTakeback,
)
from service.games.dispute_view import dispute_summary
from service.games.repository import AcceptedAction
from service.http.blueprint import Blueprint
from service.http.context import service
from service.http.ratelimits import limit_disputes
from service.http.schemas.requests import OnlySignature

_DISPUTES: Final = "/games/<game_id>/disputes"
_DISPUTE: Final = f"{_DISPUTES}/<int:seq>"

blueprint = Blueprint(
    "disputes", "Disputes about what happened in a game.", auth="participants_only"
)
takebacks = Blueprint("takebacks", "Actions taken back by agreement.", auth="participants_only")


def _field_errors(body: JsonObject, **_: object) -> dict[str, Text]:
    """Return what is wrong with the statement and the ruling, by field."""
    return service().disputes.field_faults(body)


@blueprint.post_action(
    _DISPUTES, limit=limit_disputes, json_body=OpenDispute(), extra_validation=_field_errors
)
def open_dispute(
    game_id: str, player: str, body: JsonObject, idempotency_key: str | None
) -> AcceptedAction:
    """Dispute an event of a game that is in progress.

    The game's clock stops until the ruling, for at most 72 hours. A game has one open dispute at a time, and
    a player can open three in a game.
    """
    return service().disputes.open_dispute(
        game_id,
        player,
        body["seq"],
        body["statement"],
        idempotency_key=idempotency_key,
        signature=body["signature"],
        nonce=body["nonce"],
    )


@blueprint.get(_DISPUTES, "All disputes, the oldest first.", DisputeList, auth="optional_auth")
def list_disputes(game_id: str, player: str | None) -> JsonObject:
    """List the disputes of a game."""
    game = service().games.queries.visible_game(game_id, player)
    disputes = [dispute_summary(game, dispute) for dispute in game.disputes]
    return {"disputes": disputes, "next": None}


@blueprint.get(
    _DISPUTE,
    "The dispute, with everything that was written.",
    DisputeDetails,
    auth="optional_auth",
    resource="dispute",
)
def get_dispute(game_id: str, seq: int, player: str | None) -> JsonObject:
    """Get a dispute by the seq of the event that opened it."""
    return service().games.queries.dispute(game_id, seq, player)


@blueprint.delete(
    _DISPUTE,
    "The dispute is withdrawn.",
    auth="dispute_opener_only",
    limit=limit_disputes,
    json_body=OnlySignature(),
    is_body_required=False,
    is_idempotent=True,
    resource="dispute",
    errors=(409, 422),
)
def withdraw_dispute(
    game_id: str, seq: int, player: str, body: JsonObject, idempotency_key: str | None
) -> None:
    """Withdraw a dispute that the player has opened."""
    service().disputes.withdraw_dispute(
        game_id, seq, player, **body, idempotency_key=idempotency_key
    )


@blueprint.post_action(
    f"{_DISPUTE}/answers",
    limit=limit_disputes,
    json_body=AnswerDispute(),
    extra_validation=_field_errors,
    resource="dispute",
)
def answer_dispute(
    game_id: str, seq: int, player: str, body: JsonObject, idempotency_key: str | None
) -> AcceptedAction:
    """Answer an open dispute. A player can answer ten times."""
    return service().disputes.answer_dispute(
        game_id, seq, player, **body, idempotency_key=idempotency_key
    )


@blueprint.post_action(
    f"{_DISPUTE}/rulings",
    "The events, and a receipt for the first.",
    auth="ruling_parties_only",
    limit=limit_disputes,
    json_body=GiveRuling(),
    extra_validation=_field_errors,
    resource="dispute",
)
def give_ruling(
    game_id: str, seq: int, player: str, body: JsonObject, idempotency_key: str | None
) -> AcceptedAction:
    """Rule an open dispute, as the arbiter of the game.

    In a game without an arbiter, every player proposes a ruling. It takes effect when all players who are
    still in the game propose the same. A player can propose ten times, and the last proposal counts.
    """
    return service().disputes.give_ruling(
        game_id,
        seq,
        player,
        body["ruling"],
        body["statement"],
        idempotency_key=idempotency_key,
        signature=body["signature"],
        nonce=body["nonce"],
    )


_TAKEBACKS: Final = "/games/<game_id>/takebacks"


@takebacks.post_action(
    _TAKEBACKS, limit=limit_disputes, json_body=RequestTakeback(), is_body_required=False
)
def request_takeback(
    game_id: str, player: str, body: JsonObject, idempotency_key: str | None
) -> AcceptedAction:
    """Ask to take back the last action, in a game with the option `takebacks`.

    Only the player who acted last can ask, once for each action. Conditional actions that have followed it
    do not count, and are taken back with it. The request lapses when anyone acts, when a
    turn is forfeited or a seat removed, and when a player declines.
    """
    return service().disputes.request_takeback(
        game_id, player, **body, idempotency_key=idempotency_key
    )


@takebacks.post_action(
    f"{_TAKEBACKS}/<int:seq>/answers",
    "The events, and a receipt for the first.",
    limit=limit_disputes,
    json_body=AnswerTakeback(),
    resource="takeback",
)
def answer_takeback(
    game_id: str, seq: int, player: str, body: JsonObject, idempotency_key: str | None
) -> AcceptedAction:
    """Agree to a takeback, or decline it.

    When all other players who are still in the game have agreed, play resumes from before the action.
    """
    return service().disputes.answer_takeback(
        game_id, seq, player, **body, idempotency_key=idempotency_key
    )

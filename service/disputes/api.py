"""Disputes (opening, reading, answering, ruling and withdrawing them) and takebacks."""

from typing import Final

from domain.json_types import JsonObject
from ledger.statements import (
    AnswerDispute,
    AnswerTakeback,
    GiveRuling,
    OpenDispute,
    RequestTakeback,
    WithdrawDispute,
)
from service.disputes.schemas import RULING_FIELDS, DisputeDetails, DisputeList
from service.games.dispute_view import dispute_summary
from service.http.blueprint import Blueprint
from service.http.context import service
from service.http.statements import add_statement

_DISPUTES: Final = "/games/<game_id>/disputes"
_DISPUTE: Final = f"{_DISPUTES}/<int:seq>"

blueprint = Blueprint(
    "disputes", "Disputes about what happened in a game.", auth="participants_only"
)
takebacks = Blueprint("takebacks", "Actions taken back by agreement.", auth="participants_only")


add_statement(blueprint, OpenDispute)


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


add_statement(blueprint, WithdrawDispute, "The dispute is withdrawn.", auth="dispute_opener_only")
add_statement(blueprint, AnswerDispute)
add_statement(
    blueprint,
    GiveRuling,
    "The events, and a receipt for the first.",
    auth="ruling_parties_only",
    body_fields=RULING_FIELDS,
)
add_statement(takebacks, RequestTakeback)
add_statement(takebacks, AnswerTakeback, "The events, and a receipt for the first.")

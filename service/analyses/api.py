"""Analyses of games that are over: requesting one, and reading it while and after it is computed."""

from typing import Final, Literal, TypedDict

from flask import Response

from domain.json_types import Digest, GameId, JsonObject, Timestamp
from service.analyses.store import StoredAnalysis
from service.http.blueprint import Blueprint, json_response, response
from service.http.context import service
from service.http.ratelimits import limit_audits

_PATH: Final = "/games/<game_id>/analysis"


class GameAnalysis(TypedDict):
    """The analysis of a game up to the event with the hash `head`, which is its last one.

    `done` is the part of the work that is done, in per cent. `analysis` is as `cartulary analyse --json`
    prints it (docs/analysis.md), null until it is complete.
    """

    game: GameId
    head: Digest
    status: Literal["waiting", "complete", "failed"]
    done: int
    requested_at: Timestamp
    analysis: JsonObject | None


blueprint = Blueprint("analyses", "What finished games meant.", auth="login_required")


def _as_json(stored: StoredAnalysis) -> JsonObject:
    status = "waiting" if stored.is_waiting else "complete" if stored.is_complete else "failed"
    return {
        "game": stored.game,
        "head": stored.hash,
        "status": status,
        "done": round(100 * stored.progress),
        "requested_at": stored.requested_at,
        "analysis": stored.state if stored.is_complete else None,
    }


@blueprint.post(
    _PATH,
    responses={
        200: response("The analysis, which was requested before and waits no more.", GameAnalysis),
        202: response("The analysis is requested.", GameAnalysis),
    },
    errors=(404, 409, 503),
    limit=limit_audits,
)
def request_analysis(game_id: str, player: str) -> Response:
    """Request the analysis of a finished game.

    A worker computes it with the settings of `cartulary analyse` without options. It follows from the game
    alone, so everybody who may see the game gets the same one. It is kept while somebody reads it now and
    then. The request can be repeated.
    """
    stored = service().analyses.request(game_id, player)
    return json_response(_as_json(stored), 202 if stored.is_waiting else 200)


@blueprint.get(_PATH, "The analysis.", GameAnalysis, auth="optional_auth", errors=(404,))
def get_analysis(game_id: str, player: str | None) -> JsonObject:
    """Get the analysis of a finished game, if somebody has requested it."""
    return _as_json(service().analyses.get(game_id, player))

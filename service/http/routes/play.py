"""Play: the position, what a seat may do, and doing it."""

from typing import Any

from flask import Response, request

from domain.errors import Malformed
from service.errors import NotFound
from service.http import auth
from service.http.blueprint import Blueprint, idempotency_key
from service.http.context import figures, service
from service.http.responses import answer
from service.http.schemas.play import Accepted, Act, AtSeq, LegalActions, Position

blueprint = Blueprint("play", __name__, description="Positions and actions.")


@blueprint.call("GET", "/games/<game_id>/position")
@blueprint.gives(200, Position(), "the position", headers={"ETag": 'its seq, as `"17"`'})
@blueprint.gives(304, None, "the position is the one that is known (only for the head)")
@blueprint.refuses(400, 401, 404)
@blueprint.header("If-None-Match", "the ETag of the position that is known")
@auth.hide_private
@auth.optional_auth
@blueprint.asks(AtSeq())
def position(game_id: str, query: dict[str, Any]) -> Response:
    """The position after an event, as the viewer may see it."""
    head = service().queries.visible_game(game_id, auth.viewer())
    seq = query["seq"] or head.seq
    game = head if seq == head.seq else service().queries.game_at(game_id, seq)
    told = game.position(_seat(head.players), ended=head.has_ended)
    if told is None:
        raise NotFound(f"there is no position at event {seq}: the game has not started there")
    # An earlier position may show more once the game is over, so only the head's is known by its seq.
    headers = {"ETag": f'"{seq}"', "Cache-Control": "private, no-cache", "Vary": "Authorization"}
    if query["seq"] is None and request.if_none_match.contains_weak(str(seq)):
        return Response(status=304, headers=headers)
    return answer(told, headers=headers)


@blueprint.call("GET", "/games/<game_id>/legal-actions")
@blueprint.gives(200, LegalActions(), "actions for every outcome; none when it is another's turn")
@blueprint.refuses(400, 403, 404, player=True)
@auth.hide_private
@auth.login_required
@auth.seated
@blueprint.asks_nothing
def legal_actions(game_id: str) -> Response:
    """What the viewer's seat may do."""
    seq, actions = service().queries.legal_actions(game_id, auth.player())
    return answer({"seq": seq, "actions": actions})


def _faults_of_action(body: dict[str, Any], game_id: str) -> dict[str, str]:
    """What the rules find wrong with the form of an action."""
    if "action" not in body:
        return {}
    game = service().queries.visible_game(game_id, auth.player())
    try:
        game.rules.parse_action(body["action"])
    except Malformed as refused:
        return _within_action(refused)
    return {}


def _within_action(refused: Malformed) -> dict[str, str]:
    return {f"action.{path}" if path else "action": what for path, what in refused.fields.items()}


@blueprint.call("POST", "/games/<game_id>/actions")
@blueprint.gives(201, Accepted(), "the events that it became, and a receipt for the first")
@blueprint.refuses(400, 403, 404, 409, 413, 415, 422, player=True)
@blueprint.header(
    "Idempotency-Key",
    "a request repeated with the same key and body is find_idempotency_record again, done once",
)
@auth.hide_private
@auth.login_required
@auth.seated
@blueprint.takes(Act(), further=_faults_of_action)
def act(game_id: str, body: dict[str, Any]) -> Response:
    """Act."""
    key = idempotency_key()
    try:
        accepted = service().commands.act(
            game_id, auth.player(), body["action"], body["expected_seq"], key
        )
    except Malformed as refused:
        raise Malformed(_within_action(refused)) from None
    figures().acknowledged(*(event["type"] for event in accepted.events))
    return answer({"events": accepted.events, "receipt": accepted.receipt}, 201)


def _seat(players: tuple[str, ...]) -> int | None:
    """The seat of the viewer, None for a spectator."""
    known = auth.viewer()
    return players.index(known) if known in players else None

"""Play: positions, legal actions, and submitting an action."""

from typing import Final

from flask import Response

from domain.errors import Malformed
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Text
from ledger.canonical import canonical, digest
from service.errors import NotFound
from service.games.repository import AcceptedAction
from service.http.blueprint import Blueprint, json_response, response, tagged_response
from service.http.context import service
from service.http.language import request_language, request_renderer, with_language
from service.http.schemas.requests import PositionQuery, SubmitAction
from service.http.schemas.responses import Hint, LegalActions, LessonList, Position

ETAG_DIGITS: Final = 16

blueprint = Blueprint("play", "Positions and actions.", auth="participants_only")


@blueprint.get(
    "/games/<game_id>/position",
    auth="optional_auth",
    query=PositionQuery(),
    request_headers={"If-None-Match": "ETag of the position that the client has."},
    responses={
        200: response(
            "The position.",
            Position,
            headers={
                "ETag": (
                    'The seq, such as `"17"`, or the seq and a digest, such as `"17.0f3c"`, if not every'
                    " viewer is shown the same."
                )
            },
        ),
        304: response("The position is still the one that the client has (without `seq` only)."),
    },
)
def get_position(game_id: str, player: str | None, query: JsonObject) -> Response:
    """Get the position after an event, as the viewer may see it."""
    head, _ = service().games.queries.visible_history(game_id, player, query["seq"])
    seq = query["seq"] or head.seq
    game = head if seq == head.seq else service().games.queries.game_at(game_id, seq)
    seat = None if player is None else head.seat_of(player)
    position = game.position(seat, ended=head.has_ended)
    if position is None:
        raise NotFound.with_message(
            "there is no position after event {seq}: the game had not started", seq=seq
        )
    body = canonical(position)
    # While the game is on, spectators get the position whose hash is in the log.
    etag = str(seq) if seat is None and not head.has_ended else _etag(game, body)
    headers = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
    return tagged_response(
        body, "application/json", etag, headers, is_conditional=query["seq"] is None
    )


def _etag(game: Game, body: bytes) -> str:
    """Return the ETag of a position: the seq, with a digest if spectators of the game got another position.

    The log has the hash of the position that spectators got (`state` in docs/formats.md). The end of a game
    shows everything to everybody, so the position at that event is public.
    """
    position_hash = digest(body)
    if position_hash == game.state_hash or game.has_ended:
        return str(game.seq)
    return f"{game.seq}.{position_hash[:ETAG_DIGITS]}"


@blueprint.get(
    "/games/<game_id>/legal-actions",
    "The legal actions, none if it is another seat's turn.",
    LegalActions,
)
def get_legal_actions(game_id: str, player: str) -> JsonObject:
    """List the legal actions of the player's seat.

    The list contains at least one action for every possible outcome. `resign` and `agree_to_end` are not
    listed.
    """
    seq, actions = service().games.queries.legal_actions(game_id, player)
    return {"seq": seq, "actions": actions}


@blueprint.post("/games/<game_id>/hints", "The hint.", Hint, status=200, errors=(409,))
def give_hint(game_id: str, player: str) -> JsonObject:
    """Get a hint for the player's turn, in a game against bots whose option `hints` is true.

    It is recorded as an event, once for each position. If another person plays, or the game is rated, or it
    is not the player's turn, the response is a 409.
    """
    game, action = service().games.commands.give_hint(game_id, player)
    rules = game.rules
    return {
        "seq": game.seq,
        "action": rules.action_to_json(action),
        "text": rules.action_text(action),
    }


@blueprint.get(
    "/games/<game_id>/lessons", "The lessons, none if it is another seat's turn.", LessonList
)
def get_lessons(game_id: str, player: str) -> Response:
    """List the lessons that are due for the player in a tutorial game.

    A lesson introduces rules at the moment when they first matter. A player who has switched lessons on, on
    the page of a game, also gets them in games against bots; other games have none.
    """
    game = service().games.queries.visible_game(game_id, player)
    seat = service().games.queries.access.require_seat(game, player)
    render = request_renderer()
    lessons = [
        {"name": lesson.name, "clauses": lesson.clauses, "text": render.sentence(lesson.message)}
        for lesson in service().games.lessons.due(game, seat)
    ]
    return with_language(json_response({"seq": game.seq, "lessons": lessons}), request_language())


def _action_errors(body: JsonObject, game_id: str, player: str) -> dict[str, Text]:
    """Return what is wrong with the form of the action, by field."""
    if "action" not in body:
        return {}
    game = service().games.queries.visible_game(game_id, player)
    try:
        game.rules.parse_action(body["action"])
    except Malformed as error:
        return _within_action(error)
    return {}


def _within_action(error: Malformed) -> dict[str, Text]:
    return {f"action.{path}" if path else "action": fault for path, fault in error.fields.items()}


@blueprint.post_action(
    "/games/<game_id>/actions",
    "The events, and a receipt for the first.",
    json_body=SubmitAction(),
    extra_validation=_action_errors,
)
def submit_action(
    game_id: str, player: str, body: JsonObject, idempotency_key: str | None
) -> AcceptedAction:
    """Submit an action.

    It applies to the position after event `expected_seq`. If the position has changed since, the response is
    a 409 with the game's seq; if the rules forbid the action, a 422 with the clause.

    With `signature`, the action can be proven to be the player's. If the key is not one of the player's in
    this game, the response is a 409; if the signature does not match, a 422 that quotes what it must cover.
    """
    try:
        return service().games.commands.act(
            game_id,
            player,
            body["action"],
            body["expected_seq"],
            idempotency_key,
            body["signature"],
        )
    except Malformed as error:
        raise Malformed(_within_action(error)) from None

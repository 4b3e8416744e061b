"""Conditional actions: what a player prepares while waiting, for this player alone."""

from typing import Final, Literal, NotRequired, TypedDict

from flask import Response
from marshmallow import fields

from domain.errors import Malformed
from domain.game import Game
from domain.json_types import JsonObject, PositiveCount, Seat
from service.conditional_actions.conditional_actions import ConditionalActionsOfPlayer, void_message
from service.http.blueprint import Blueprint, json_response
from service.http.context import service
from service.http.language import game_names, request_renderer, with_language
from service.http.responses import body_of
from service.http.schemas.requests import SignatureByKey
from service.http.schemas.responses import Action
from service.http.schemas.type_schemas import REFERENCE
from service.http.validation import AnyValue, HexText, NonNegativeInteger, StrictSchema

_CONDITIONAL_ACTIONS: Final = "/games/<game_id>/conditional-actions"
_BRANCHES: Final = "branches"


class SignatureOfTree(SignatureByKey):
    """The player's signature for conditional actions."""

    signature = HexText(
        digits=128,
        required=True,
        description="Ed25519 signature of the canonical JSON (RFC 8785) of"
        ' `{"sign": "cartulary conditional actions v1", "game": ID, "head": HASH, "root": ROOT}`. HASH is the'
        " hash of event `expected_seq`; docs/formats.md defines ROOT.",
    )
    salt = HexText(
        digits=64,
        required=True,
        description="The 32 random bytes from which the commitments in ROOT were made.",
    )


class PrepareActions(StrictSchema):
    """Conditional actions, and the event after which the player saw the position."""

    branches = AnyValue(
        required=True,
        type="array",
        items={"$ref": REFERENCE + "ConditionalBranch"},
        description="The actions that may come next; [] deletes everything.",
    )
    expected_seq = NonNegativeInteger(required=True)
    signature = fields.Nested(
        SignatureOfTree,
        load_default=None,
        metadata={
            "description": "Makes the actions that the server plays provably the player's own."
        },
    )


class ConditionalBranch(TypedDict):
    """An action that may come next.

    An action of another seat is a condition. An action of the player's own seat is taken by the server once
    the game has come there. `outcome` is left out if any outcome will do; otherwise it has fields of the
    event's data that chance decides, as strings, such as `{"refill": "forest"}`. `then` are the actions that
    may come after this one; it is left out if there are none.
    """

    seat: Seat
    action: Action
    outcome: NotRequired[dict[str, str]]
    then: NotRequired[list["ConditionalBranch"]]


class VoidConditionalActions(TypedDict):
    """Why the last conditional actions of the player are void: with event `seq` something else happened
    (`event`), or after event `seq` the rules refused the action (`refused`), by this clause. `text` is for
    people.
    """

    seq: PositiveCount
    reason: Literal["event", "refused"]
    clause: str | None
    action: Action | None
    text: str


class ConditionalActions(TypedDict):
    """What a player has prepared: the actions that may come after event `seq`, the last one of the game.

    `void` is null unless the last conditional actions of the player have become void; it stays until the
    player prepares other ones or deletes them.
    """

    seq: PositiveCount
    branches: list[ConditionalBranch]
    void: VoidConditionalActions | None


blueprint = Blueprint(
    "conditional_actions", "Actions that players prepare while they wait.", auth="participants_only"
)


@blueprint.get(_CONDITIONAL_ACTIONS, "What the player has prepared.", ConditionalActions)
def get_conditional_actions(game_id: str, player: str) -> Response:
    """Get what the player has prepared in a game.

    Nobody else can see it, or that there is anything.
    """
    return _response(game_id, service().conditional_actions.get(game_id, player))


@blueprint.put(
    _CONDITIONAL_ACTIONS,
    "What the player has prepared now.",
    ConditionalActions,
    json_body=PrepareActions(),
    errors=(409, 422),
)
def put_conditional_actions(game_id: str, player: str, body: JsonObject) -> Response:
    """Prepare actions while another player is to act.

    They replace what the player had prepared. Each entry of `branches` is an action that may come next, and
    contains those that may come after it. When the game has come to an action of the player's own seat, the
    server takes it without delay, and its event is marked as `conditional`. Everything is void when anything
    else happens.

    Each action is checked as far as it can be known what will be possible then: what the rules certainly
    refuse is a 422 with the clause. Actions that contradict each other are a 400. If the position has
    changed since event `expected_seq`, or if it is the player's own turn, the response is a 409.

    With `signature`, an event that plays one of the actions proves that the player had prepared it. The
    actions must be those of the response, in the form in which events have them.
    """
    try:
        prepared = service().conditional_actions.put(
            game_id, player, body[_BRANCHES], body["expected_seq"], body["signature"]
        )
    except Malformed as error:
        faults = {
            f"{_BRANCHES}.{path}" if path else _BRANCHES: fault
            for path, fault in error.fields.items()
        }
        raise Malformed(faults) from None
    return _response(game_id, prepared)


@blueprint.delete(_CONDITIONAL_ACTIONS, "Nothing is prepared any more.")
def delete_conditional_actions(game_id: str, player: str) -> None:
    """Delete what the player has prepared in a game.

    Nothing of it is played after the response.
    """
    service().conditional_actions.delete(game_id, player)


def _response(game_id: str, prepared: ConditionalActionsOfPlayer) -> Response:
    """Return what a player has prepared as a response."""
    game: Game = service().games.queries.game(game_id)
    renderer = request_renderer().with_names(game_names(game_id))
    void = prepared.void
    body = {
        "seq": prepared.seq,
        "branches": prepared.as_json(),
        "void": None
        if void is None
        else body_of(
            VoidConditionalActions, void, text=renderer.sentence(void_message(void, game.rules))
        ),
    }
    response = json_response(body, headers={"Cache-Control": "private, no-store"})
    return with_language(response, renderer.language)

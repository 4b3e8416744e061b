"""Sandboxes: games that go on from any event, to find out what could have happened."""

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from typing import Annotated, Any, Final, TypedDict

from flask import Response, g

from domain.json_types import JsonObject, PositiveCount, Seat, Timestamp
from domain.registry import RULES
from ledger.envelope import MAX_SEATS
from replay.language.renderer import NO_NAMES
from service.errors import Forbidden, NotFound
from service.http.blueprint import Blueprint, Endpoint, View, json_response, response
from service.http.context import client_network, login_required, service
from service.http.language import game_names, request_renderer, with_language
from service.http.schemas.responses import Action, Position
from service.http.schemas.type_schemas import REFERENCE, OneOf
from service.http.validation import (
    AnyValue,
    HexBytes,
    IntegerList,
    NonNegativeInteger,
    StrictSchema,
    String,
)
from service.sandboxes.sandboxes import OpenSandbox

SEED_BYTES: Final = 16


_MAX_SEED_BYTES: Final = 32
_AFTER: Final = {
    "description": "Number of actions that the client has seen. With another number, a 409."
}


class CreateSandbox(StrictSchema):
    """The event of a game with which a sandbox begins."""

    game = String(required=True, description="Id of the game.")
    seq = NonNegativeInteger(
        load_default=None, description="It begins after this event; default: the last one."
    )
    seed = HexBytes(
        max_bytes=_MAX_SEED_BYTES,
        load_default=None,
        description="Seed of everything random in it; default: drawn by the server.",
    )


class ActInSandbox(StrictSchema):
    """An action in a sandbox."""

    action = AnyValue(required=True, allOf=[{"$ref": REFERENCE + "Action"}])
    seat = NonNegativeInteger(
        load_default=None, description="The seat that acts; default: the one whose turn it is."
    )
    after = NonNegativeInteger(load_default=None, **_AFTER)


class LetBotsAct(StrictSchema):
    """The seats for which a bot acts in a sandbox."""

    seats = IntegerList(max_items=MAX_SEATS, required=True)
    bot = String(load_default="sensible", description="Name of a bot that does not search.")
    turns = NonNegativeInteger(
        load_default=1, description="The bot acts for at most so many turns."
    )
    after = NonNegativeInteger(load_default=None, **_AFTER)


class UndoInSandbox(StrictSchema):
    """How many actions of a sandbox to take back."""

    count = NonNegativeInteger(load_default=1)
    after = NonNegativeInteger(load_default=None, **_AFTER)


class SandboxAction(TypedDict):
    """An action in a sandbox: the seat, the action as JSON and in its short form, and what came of it, in
    sentences. `bot` is the name of the bot that chose it, or null.
    """

    seat: Seat
    action: Action
    bot: str | None
    text: str
    outcome: list[str]


# `as` is a keyword of Python.
Sandbox = TypedDict(
    "Sandbox",
    {
        "id": str,
        "game": str,
        "seq": PositiveCount,
        "as": Seat | None,
        "rules": Annotated[str, OneOf(sorted(RULES))],
        "seats": PositiveCount,
        "to_act": Seat | None,
        "position": Position,
        "legal_actions": list[Action],
        "actions": list[SandboxAction],
        "expires": Timestamp,
    },
)


blueprint = Blueprint("sandboxes", "What if: games beside their logs.", auth="login_required")


def _find(view: Endpoint) -> Endpoint:
    """Have a view find the sandbox in its URL before anything else is checked."""

    @wraps(view)
    def endpoint(sandbox_id: str, **arguments: Any) -> Response:
        g.sandbox = service().sandboxes.get(sandbox_id)
        return view(sandbox_id=sandbox_id, **arguments)

    return endpoint


def _for_its_maker(view: Endpoint) -> Endpoint:
    """Have a view refuse everybody but the maker of the sandbox, before the request's body is checked."""

    def require_maker(**arguments: Any) -> Response:
        if g.sandbox.maker != login_required():
            raise Forbidden.with_message("only the player who made a sandbox can change it")
        return view(**arguments)

    return _find(wraps(view)(require_maker))


def _shown(
    sandbox: OpenSandbox, player: str | None, status: int = 200, headers: Mapping[str, str] = {}
) -> Response:
    """Return a sandbox as a response. Players are shown by name to those who may see its game."""
    names = NO_NAMES
    with suppress(NotFound):
        names = game_names(service().games.queries.visible_game(sandbox.stored.game, player).id)
    renderer = request_renderer().with_names(names)
    response = json_response(sandbox.as_json(renderer), status, headers)
    return with_language(response, renderer.language)


def _post_change(
    change: str,
    json_body: StrictSchema,
    *,
    errors: tuple[int, ...] = (),
    is_body_required: bool = True,
) -> Callable[[View], View]:
    """Register a view with which the maker of a sandbox changes it."""
    return blueprint.post(
        f"/sandboxes/<sandbox_id>/{change}",
        json_body=json_body,
        is_body_required=is_body_required,
        responses={200: response("The sandbox after the change.", Sandbox)},
        errors=(403, 409, *errors),
        limit=_for_its_maker,
    )


@blueprint.post(
    "/sandboxes",
    json_body=CreateSandbox(),
    responses={201: response("The sandbox.", Sandbox, headers={"Location": "URL of the sandbox."})},
    errors=(403, 404, 409),
)
def create_sandbox(player: str, body: JsonObject) -> Response:
    """Make a sandbox.

    In a sandbox, a game goes on from any of its events, without a trace in the game. If the game has ended,
    the sandbox knows everything. If the game is in progress, only its players can make a sandbox, and it
    knows what their seat may see: other secrets are drawn at random among those possible. Everybody who has
    the link of a sandbox can see all of it, so it shows them the secrets of its maker's seat.
    """
    seed = secrets.token_bytes(SEED_BYTES) if body["seed"] is None else body["seed"]
    network = client_network()
    sandbox = service().sandboxes.create(player, network, body["game"], body["seq"], seed)
    location = f"/api/v1/sandboxes/{sandbox.stored.id}"
    return _shown(sandbox, player, 201, {"Location": location})


@blueprint.get(
    "/sandboxes/<sandbox_id>",
    auth="optional_auth",
    responses={200: response("The sandbox.", Sandbox)},
    limit=_find,
)
def get_sandbox(sandbox_id: str, player: str | None) -> Response:
    """Get a sandbox.

    Everybody who knows its id can see it.
    """
    return _shown(service().sandboxes.open(g.sandbox), player)


@blueprint.delete(
    "/sandboxes/<sandbox_id>", "The sandbox has been deleted.", errors=(403,), limit=_for_its_maker
)
def delete_sandbox(sandbox_id: str, player: str) -> None:
    """Delete a sandbox."""
    service().sandboxes.delete(g.sandbox)


@_post_change("actions", ActInSandbox(), errors=(422,))
def act_in_sandbox(sandbox_id: str, player: str, body: JsonObject) -> Response:
    """Let a seat act in a sandbox.

    The player who made the sandbox acts for every seat.
    """
    sandbox = service().sandboxes.act(g.sandbox, body["action"], body["seat"], body["after"])
    return _shown(sandbox, player)


@_post_change("bots", LetBotsAct())
def let_bots_act_in_sandbox(sandbox_id: str, player: str, body: JsonObject) -> Response:
    """Let a bot act in a sandbox.

    The bot acts for the seats that are named, until it is another seat's turn or its turns are over. One
    request takes a bounded number of actions.
    """
    sandbox = service().sandboxes.let_bots_act(
        g.sandbox, body["seats"], body["bot"], body["turns"], body["after"]
    )
    return _shown(sandbox, player)


@_post_change("undo", UndoInSandbox(), is_body_required=False)
def undo_in_sandbox(sandbox_id: str, player: str, body: JsonObject) -> Response:
    """Take back the last actions of a sandbox."""
    sandbox = service().sandboxes.undo(g.sandbox, body["count"], body["after"])
    return _shown(sandbox, player)

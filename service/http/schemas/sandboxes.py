"""Schemas of the requests about sandboxes, and the bodies of the responses."""

from typing import Annotated, Final, TypedDict

from domain.json_types import PositiveCount, Seat, Timestamp
from domain.registry import RULES
from ledger.envelope import MAX_SEATS
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
    after = NonNegativeInteger(load_default=None, metadata=dict(_AFTER))


class LetBotsAct(StrictSchema):
    """The seats for which a bot acts in a sandbox."""

    seats = IntegerList(max_items=MAX_SEATS, required=True)
    bot = String(load_default="sensible", description="Name of a bot that does not search.")
    turns = NonNegativeInteger(
        load_default=1, description="The bot acts for at most so many turns."
    )
    after = NonNegativeInteger(load_default=None, metadata=dict(_AFTER))


class UndoInSandbox(StrictSchema):
    """How many actions of a sandbox to take back."""

    count = NonNegativeInteger(load_default=1)
    after = NonNegativeInteger(load_default=None, metadata=dict(_AFTER))


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

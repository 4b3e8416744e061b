"""Schemas of the request with conditional actions, and the bodies of the responses."""

from typing import Literal, NotRequired, TypedDict

from marshmallow import fields

from domain.json_types import PositiveCount, Seat
from service.http.schemas.requests import SignatureByKey
from service.http.schemas.responses import Action
from service.http.schemas.type_schemas import REFERENCE
from service.http.validation import AnyValue, HexText, NonNegativeInteger, StrictSchema


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

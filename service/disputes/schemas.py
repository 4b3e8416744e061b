"""Responses about disputes and takebacks, and the body of a ruling."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias, TypedDict

from marshmallow import fields

from domain.disputes.events import Ruling as AnyRuling
from domain.json_types import PlayerId, PositiveCount, Seat, Timestamp
from service.http.schemas.type_schemas import REFERENCE, RESPONSES, Component
from service.http.validation import AnyValue, String

RULING_FIELDS: Final[Mapping[str, fields.Field[Any]]] = {
    "ruling": AnyValue(required=True, allOf=[{"$ref": REFERENCE + "Ruling"}]),
    "statement": String(
        load_default=None,
        description="The reasons, or the note with which a result stands, for which it is required.",
    ),
}
"""The fields of the body of a ruling."""

Ruling: TypeAlias = Annotated[object, Component("Ruling")]
RESPONSES.add("Ruling", RESPONSES.schema_of(AnyRuling) | {"description": "What ends a dispute."})


class Arbiter(TypedDict):
    """The player who rules disputes. `handle` is null if the account has been deleted."""

    id: PlayerId
    handle: str | None


class DisputeSummary(TypedDict):
    """A dispute, named by the seq of the event that opened it. It has lapsed if it was open when the game
    ended. `clock_stopped_until` is the latest time until which the clock stops; null in a game without one.
    """

    dispute: PositiveCount
    at: Timestamp
    seat: Seat
    about: PositiveCount
    status: Literal["open", "ruled", "withdrawn", "lapsed"]
    clock_stopped_until: Timestamp | None


Takeback = TypedDict(
    "Takeback",
    {"takeback": PositiveCount, "seat": Seat, "from": PositiveCount, "agreed_by": list[Seat]},
)
"""A takeback that waits for answers, named by the seq of the event that requested it."""


class DisputeList(TypedDict):
    """All disputes of a game, in the order of their opening. `next` is always null."""

    disputes: list[DisputeSummary]
    next: str | None


class DisputeAnswer(TypedDict):
    """A comment on a dispute. The statement is null if it was erased."""

    seq: PositiveCount
    at: Timestamp
    seat: Seat
    statement: str | None


class DisputeProposal(TypedDict):
    """A ruling that a seat has proposed; only its last proposal counts."""

    seq: PositiveCount
    at: Timestamp
    seat: Seat
    ruling: Ruling
    statement: str | None


class DisputeEnding(TypedDict):
    """How a dispute ended. `ruling` is null if it was withdrawn; `arbiter` if the seats `agreed_by` ruled."""

    seq: PositiveCount
    at: Timestamp
    ruling: Ruling | None
    arbiter: PlayerId | None
    agreed_by: list[Seat]
    statement: str | None


class DisputeDetails(DisputeSummary):
    """A dispute with everything that was written in it. A statement is null if there is none, or if it was
    erased.
    """

    statement: str | None
    answers: list[DisputeAnswer]
    proposals: list[DisputeProposal]
    ending: DisputeEnding | None

"""Requests and responses about disputes and takebacks."""

from typing import Annotated, Final, Literal, TypeAlias, TypedDict

from domain.disputes.events import Ruling as AnyRuling
from domain.json_types import PlayerId, PositiveCount, Seat, Timestamp
from service.http.schemas.requests import nonce_field, signature_field
from service.http.schemas.type_schemas import REFERENCE, RESPONSES, Component
from service.http.validation import AnyValue, Flag, PositiveInteger, StrictSchema, String

_STATEMENT: Final = {
    "minLength": 1,
    "description": "A text for everybody who may see the game; the server bounds its length.",
}


class _WithNonce(StrictSchema):
    """A request with which a player can add a nonce to a draw."""

    nonce = nonce_field(
        "Bytes that become part of the seed of what is drawn anew if play resumes. Games with"
        " seed version 1 ignore them."
    )


class OpenDispute(_WithNonce):
    """A dispute about an event."""

    seq = PositiveInteger(required=True, description="The event that the dispute is about.")
    statement = String(required=True, **_STATEMENT)
    signature = signature_field()


class AnswerDispute(_WithNonce):
    """A comment on a dispute."""

    statement = String(required=True, **_STATEMENT)
    signature = signature_field()


class GiveRuling(_WithNonce):
    """A ruling of the arbiter, or one that a player proposes."""

    ruling = AnyValue(required=True, allOf=[{"$ref": REFERENCE + "Ruling"}])
    statement = String(
        load_default=None,
        description="The reasons, or the note with which a result stands, for which it is required.",
    )
    signature = signature_field()


class RequestTakeback(_WithNonce):
    """A request to take back the last action."""

    signature = signature_field()


class AnswerTakeback(_WithNonce):
    """Whether the player agrees to a takeback."""

    agree = Flag(required=True)
    signature = signature_field()


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

"""Disputes about what happened in a game.

`python -m service.http.client_generator` has written this file.
"""

from typing import NotRequired, TypeAlias, TypedDict, Unpack

from client.groups.shared import SignatureOfStatement
from client.methods import C_co, Group, Method
from client.requests import Call, call, new_key, reader, segment
from client.results import AcceptedAction


class DisputeAnswer(TypedDict):
    """A comment on a dispute. The statement is null if it was erased."""

    seq: int
    at: str
    seat: int
    statement: str | None


class DisputesDismiss(TypedDict):
    """The dispute is dismissed; play goes on as it is."""

    type: str


DisputesResume = TypedDict("DisputesResume", {"type": str, "from": int})
"""The body of a request: DisputesResume."""


class DisputesRemoveSeat(TypedDict):
    """A seat is removed from the game, as if it had resigned."""

    type: str
    seat: int


class DisputesResultStands(TypedDict):
    """Everything stands as it is; the statement of the ruling has the note."""

    type: str


class DisputesAbandon(TypedDict):
    """The game ends without a ranking."""

    type: str


Ruling: TypeAlias = (
    DisputesDismiss | DisputesResume | DisputesRemoveSeat | DisputesResultStands | DisputesAbandon
)


class DisputeProposal(TypedDict):
    """A ruling that a seat has proposed; only its last proposal counts."""

    seq: int
    at: str
    seat: int
    ruling: Ruling
    statement: str | None


class DisputeEnding(TypedDict):
    """How a dispute ended. `ruling` is null if it was withdrawn; `arbiter` if the seats
    `agreed_by` ruled.
    """

    seq: int
    at: str
    ruling: Ruling | None
    arbiter: str | None
    agreed_by: list[int]
    statement: str | None


class DisputeDetails(TypedDict):
    """A dispute with everything that was written in it. A statement is null if there is none, or
    if it was erased.
    """

    dispute: int
    at: str
    seat: int
    about: int
    status: str
    clock_stopped_until: str | None
    statement: str | None
    answers: list[DisputeAnswer]
    proposals: list[DisputeProposal]
    ending: DisputeEnding | None


class DisputeSummary(TypedDict):
    """A dispute, named by the seq of the event that opened it. It has lapsed if it was open when
    the game ended. `clock_stopped_until` is the latest time until which the clock stops; null in
    a game without one.
    """

    dispute: int
    at: str
    seat: int
    about: int
    status: str
    clock_stopped_until: str | None


class DisputeList(TypedDict):
    """All disputes of a game, in the order of their opening. `next` is always null."""

    disputes: list[DisputeSummary]
    next: str | None


class GiveRuling(TypedDict):
    """The body of a request: GiveRuling."""

    nonce: NotRequired[str | None]
    ruling: Ruling
    statement: NotRequired[str | None]
    signature: NotRequired[SignatureOfStatement | None]


def list_disputes(game: str, /) -> Call[DisputeList]:
    """List the disputes of a game."""
    return call("GET", f"/games/{segment(game)}/disputes", reader(DisputeList))


def get_dispute(game: str, seq: int, /) -> Call[DisputeDetails]:
    """Get a dispute by the seq of the event that opened it."""
    return call("GET", f"/games/{segment(game)}/disputes/{segment(seq)}", reader(DisputeDetails))


def give_ruling(
    game: str, seq: int, /, *, idempotency_key: str | None = None, **body: Unpack[GiveRuling]
) -> Call[AcceptedAction]:
    """Rule an open dispute, as the arbiter of the game.

    In a game without an arbiter, every player proposes a ruling. It takes effect when all players
    who are still in the game propose the same. A player can propose ten times, and the last
    proposal counts.
    """
    return call(
        "POST",
        f"/games/{segment(game)}/disputes/{segment(seq)}/rulings",
        reader(AcceptedAction),
        body=body,
        key=new_key(idempotency_key),
    )


class DisputesCalls(Group[C_co]):
    """Disputes about what happened in a game."""

    list = Method(list_disputes)
    get = Method(get_dispute)
    give_ruling = Method(give_ruling)

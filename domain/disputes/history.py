"""The disputes and the pending takeback of a game, as its log records them.

Records are frozen. The functions return the records after one more event; they never refuse and never decide.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from domain.disputes.events import (
    DisputeAnswered,
    DisputeOpened,
    DisputeRuled,
    DisputeWithdrawn,
    Ruling,
    RulingProposed,
    TakebackAnswered,
    TakebackRequested,
)
from domain.event import Event, acting_seat

DisputeStatus: TypeAlias = Literal["open", "ruled", "withdrawn"]


@dataclass(frozen=True, slots=True)
class SuppliedNonce:
    """The bytes (hex) that a person has added, with event `seq`, to what is drawn if play resumes."""

    seq: int
    value: str
    seat: int | None
    """None for the arbiter."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a seat has said about a dispute; its words are the secret `statement` of event `seq`."""

    seq: int
    at: str
    seat: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """A ruling that a seat has proposed with event `seq`. The last proposal of a seat is the valid one."""

    seq: int
    at: str
    seat: int
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Ending:
    """How a dispute ended, with event `seq`. `ruling` is None if the dispute was withdrawn."""

    seq: int
    at: str
    ruling: Ruling | None = None
    arbiter: str | None = None
    agreed_by: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Dispute:
    """A dispute that a seat opened with event `seq`, about event `about`."""

    seq: int
    at: str
    seat: int
    about: int
    clock_stopped_until: str | None
    answers: tuple[Answer, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    ending: Ending | None = None
    nonces: tuple[SuppliedNonce, ...] = ()

    @property
    def status(self) -> DisputeStatus:
        """Whether it is open, or how it ended."""
        if self.ending is None:
            return "open"
        return "withdrawn" if self.ending.ruling is None else "ruled"

    def proposed_by(self, seat: int) -> Ruling | None:
        """The ruling that the seat proposes now, if any."""
        rulings = [proposal.ruling for proposal in self.proposals if proposal.seat == seat]
        return rulings[-1] if rulings else None


@dataclass(frozen=True, slots=True)
class Takeback:
    """A takeback that was requested with event `seq`. The action cannot be requested back a second time."""

    seq: int
    seat: int
    origin: int
    """The event after which play would continue."""
    agreed_by: tuple[int, ...] = ()
    declined_by: int | None = None
    nonces: tuple[SuppliedNonce, ...] = ()


class PlayedAction(NamedTuple):
    """An action that its player has taken."""

    seq: int
    seat: int
    origin: int
    """The event of play before it."""


@dataclass(frozen=True, slots=True)
class LastPlay:
    """The last event of play on the current branch of a game with takebacks, or `GameStarted`."""

    seq: int
    actions: tuple[PlayedAction, ...] = ()
    """The last action and the conditional actions that followed it; none if nobody acted last: at the start,
    after a forfeited turn and after a removal."""
    takeback: Takeback | None = None
    """The request to take one of them back, with those after it."""

    def action_of(self, seat: int | None) -> PlayedAction | None:
        """Return the last of the actions that this seat has taken; None if it has taken none of them."""
        return next((action for action in reversed(self.actions) if action.seat == seat), None)

    def followed_by(self, event: Event) -> "LastPlay":
        """The record after the next event of play, with which a request lapses."""
        by = event["by"]
        if "seat" not in by or event["action"] is None:
            return LastPlay(event["seq"])
        action = PlayedAction(event["seq"], by["seat"], self.seq)
        earlier = self.actions if "conditional" in event else ()
        return LastPlay(event["seq"], (*earlier, action))


def disputes_after(disputes: tuple[Dispute, ...], event: Event) -> tuple[Dispute, ...]:
    """The disputes of a game, in the order of their opening, after an event of one of them."""
    data: Any = event["data"]
    if event["type"] == "DisputeOpened":
        return (*disputes, _opened(event, data))
    change = _CHANGES[event["type"]]
    return tuple(
        replace(change(dispute, event, data), nonces=dispute.nonces + _nonces(event))
        if dispute.seq == data["dispute"]
        else dispute
        for dispute in disputes
    )


def last_play_after(last: LastPlay, event: Event) -> LastPlay:
    """The last event of play after `TakebackRequested` or `TakebackAnswered`."""
    data: Any = event["data"]
    if event["type"] == "TakebackRequested":
        return _requested(last, event, data)
    return _takeback_answered(last, event, data)


def _nonces(event: Event) -> tuple[SuppliedNonce, ...]:
    """The nonce that was sent with an event, if any."""
    nonce = event["data"].get("nonce")
    if nonce is None:
        return ()
    return (SuppliedNonce(event["seq"], nonce, acting_seat(event["by"])),)


def _opened(event: Event, data: DisputeOpened) -> Dispute:
    return Dispute(
        event["seq"],
        event["at"],
        data["seat"],
        data["about"],
        data["clock_stopped_until"],
        nonces=_nonces(event),
    )


def _answered(dispute: Dispute, event: Event, data: DisputeAnswered) -> Dispute:
    answer = Answer(event["seq"], event["at"], data["seat"])
    return replace(dispute, answers=(*dispute.answers, answer))


def _proposed(dispute: Dispute, event: Event, data: RulingProposed) -> Dispute:
    proposal = Proposal(event["seq"], event["at"], data["seat"], data["ruling"])
    return replace(dispute, proposals=(*dispute.proposals, proposal))


def _withdrawn(dispute: Dispute, event: Event, data: DisputeWithdrawn) -> Dispute:
    return replace(dispute, ending=Ending(event["seq"], event["at"]))


def _ruled(dispute: Dispute, event: Event, data: DisputeRuled) -> Dispute:
    ending = Ending(
        event["seq"], event["at"], data["ruling"], data["arbiter"], tuple(data["agreed_by"])
    )
    return replace(dispute, ending=ending)


def _requested(last: LastPlay, event: Event, data: TakebackRequested) -> LastPlay:
    takeback = Takeback(event["seq"], data["seat"], data["from"], nonces=_nonces(event))
    return replace(last, takeback=takeback)


def _takeback_answered(last: LastPlay, event: Event, data: TakebackAnswered) -> LastPlay:
    takeback = last.takeback
    if takeback is None or takeback.seq != data["request"]:
        return last
    takeback = replace(takeback, nonces=takeback.nonces + _nonces(event))
    if data["agree"]:
        takeback = replace(takeback, agreed_by=(*takeback.agreed_by, data["seat"]))
    else:
        takeback = replace(takeback, declined_by=data["seat"])
    return replace(last, takeback=takeback)


_CHANGES: Final[Mapping[str, Callable[[Dispute, Event, Any], Dispute]]] = {
    "DisputeAnswered": _answered,
    "RulingProposed": _proposed,
    "DisputeWithdrawn": _withdrawn,
    "DisputeRuled": _ruled,
}
"""By event type. The data is `Any` in this table alone: the type of an event determines its TypedDict."""

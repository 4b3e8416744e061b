"""The branches of a game: the histories that its log contains, with a new one each time that play resumed.

A ruling or a takeback lets play continue from an earlier event. The later events stay in the log, on an
abandoned branch. Branches are numbered from 1 in the order in which they were played, and the last one is the
current branch.
"""

from dataclasses import dataclass
from typing import Final

from domain.clock.events import CLOCK_EVENTS
from domain.disputes.events import DISPUTE_EVENTS
from domain.errors import CartularyError, Unreadable
from domain.event import Event
from domain.game import Resumption
from domain.messages import message, plural_message
from ledger.record import Record

_OF_THE_WHOLE_GAME: Final = frozenset(
    {
        *CLOCK_EVENTS,
        *DISPUTE_EVENTS,
        "AdministratorDecided",
        "EventsLost",
        "HintGiven",
        "PlayerKeyAdded",
        "PlayerKeyRevoked",
        "SeatVacated",
        "SubstituteSeated",
    }
)


@dataclass(frozen=True, slots=True)
class Branch:
    """One history of a game: the events up to `last`, except for those that had been superseded."""

    number: int
    last: int
    """The seq of the last event of the branch."""
    resumptions: tuple[Resumption, ...] = ()
    """Every event up to `last` with which play resumed."""

    def has(self, seq: int) -> bool:
        """Return whether an event belongs to this history."""
        return seq <= self.last and not any(
            resumption.has_superseded(seq) for resumption in self.resumptions
        )


class BranchNotFound(CartularyError):
    """The record does not have this branch. `message` says which ones it has."""


def branches(record: Record) -> list[Branch]:
    """Return all branches of a game, in the order in which they were played. Raises Unreadable."""
    result: list[Branch] = []
    resumptions: tuple[Resumption, ...] = ()
    for event in record.events:
        if event["type"] == "PlayResumed":
            seq, origin = event["seq"], event["data"].get("from")
            if type(origin) is not int:
                raise Unreadable(
                    message("event {seq} does not say from where play resumed", seq=seq), seq + 1
                )
            result.append(Branch(len(result) + 1, seq - 1, resumptions))
            resumptions += (Resumption(seq, origin),)
    result.append(Branch(len(result) + 1, len(record.events), resumptions))
    return result


def branch(record: Record, number: int | None = None) -> Branch:
    """Return one branch of a game; by default, the current one. Raises BranchNotFound, Unreadable."""
    all_branches = branches(record)
    if number is None:
        return all_branches[-1]
    if not 1 <= number <= len(all_branches):
        why = plural_message(
            "there is no branch {number}: the game has only branch 1",
            "there is no branch {number}: the game has branches 1 to {count}",
            count=len(all_branches),
            number=number,
        )
        raise BranchNotFound(why)
    return all_branches[number - 1]


def can_be_superseded(event: Event) -> bool:
    """Return whether an event belongs to a branch; disputes, takebacks and keys belong to the whole game."""
    return event["type"] not in _OF_THE_WHOLE_GAME


def superseded_events(record: Record) -> dict[int, int]:
    """Return the events that are not on the current branch: by seq, the seq of the first `PlayResumed` after
    which they were not. Raises Unreadable.
    """
    superseded: dict[int, int] = {}
    for resumption in branch(record).resumptions:
        for seq in range(max(resumption.origin, 0) + 1, resumption.seq):
            if can_be_superseded(record.events[seq - 1]):
                superseded.setdefault(seq, resumption.seq)
    return superseded

"""What a game's log records about its clock: holidays, pauses, and the turns that a time bank depends on.

Records are frozen. The functions return the records after one more event; they never refuse and never decide.
Times are timestamps, which sort like moments. How much time counts is computed in `ledger.clock.turn_clock`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from domain.clock.events import HolidayAnnounced, HolidayCancelled, PauseAgreed
from domain.json_types import Timestamp


@dataclass(frozen=True, slots=True)
class Holiday:
    """A holiday of a player, from `since` until just before `until`, as announced at `announced_at`."""

    player: str
    since: Timestamp
    until: Timestamp
    announced_at: Timestamp
    cancelled_at: Timestamp | None = None

    @property
    def begins(self) -> Timestamp:
        """When the holiday begins to have an effect: not before it was announced."""
        return max(self.since, self.announced_at)

    @property
    def ends(self) -> Timestamp:
        """When the holiday is over; not after `begins` if it was cancelled before."""
        return self.until if self.cancelled_at is None else min(self.until, self.cancelled_at)


@dataclass(frozen=True, slots=True)
class Pause:
    """A time in which all people in the game agreed to pause; `until` is None if they still do."""

    since: Timestamp
    until: Timestamp | None = None


_NOBODY: Final[Mapping[str, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PauseRecord:
    """The pauses of a game, in order, and who agrees to one now. Seats change hands, so players are named."""

    agreed_by: tuple[str, ...] = ()
    """The players who agree to a pause."""
    pauses: tuple[Pause, ...] = ()
    changes: Mapping[str, int] = field(default_factory=lambda: _NOBODY)
    """By player, how often they have agreed or withdrawn; never changed in place."""

    @property
    def current(self) -> Pause | None:
        """The pause to which all people in the game agree; None if they do not."""
        return self.pauses[-1] if self.pauses and self.pauses[-1].until is None else None


NO_PAUSES: Final = PauseRecord()


@dataclass(frozen=True, slots=True)
class TurnTime:
    """A turn that has ended, of the player at a seat: from when to when, and its extension in seconds."""

    seat: int
    player: str
    since: Timestamp
    until: Timestamp
    extension: int = 0


def holidays_after_announcement(
    holidays: tuple[Holiday, ...], data: HolidayAnnounced, at: Timestamp
) -> tuple[Holiday, ...]:
    """The holidays of a game after `HolidayAnnounced`."""
    return (*holidays, Holiday(data["player"], data["from"], data["to"], at))


def holidays_after_cancellation(
    holidays: tuple[Holiday, ...], data: HolidayCancelled, at: Timestamp
) -> tuple[Holiday, ...]:
    """The holidays of a game after `HolidayCancelled`."""
    cancelled = (data["player"], data["from"], None)
    return tuple(
        replace(holiday, cancelled_at=at)
        if (holiday.player, holiday.since, holiday.cancelled_at) == cancelled
        else holiday
        for holiday in holidays
    )


def pauses_after_agreement(
    record: PauseRecord, data: PauseAgreed, player: str, at: Timestamp
) -> PauseRecord:
    """The pauses after `PauseAgreed`, without its effect on the current pause (`pauses_after_event`).

    A player who agrees again, which is possible after the longest pause, begins a new agreement.
    """
    changes = {**record.changes, player: record.changes.get(player, 0) + 1}
    others = tuple(other for other in record.agreed_by if other != player)
    if not data["agree"]:
        return replace(record, agreed_by=others, changes=changes)
    if player not in record.agreed_by:
        return replace(record, agreed_by=(*others, player), changes=changes)
    return PauseRecord((player,), _closed(record.pauses, at), changes)


def pauses_after_event(record: PauseRecord, people: Collection[str], at: Timestamp) -> PauseRecord:
    """The pauses after any event: a pause begins when all these people agree, and ends when they do not."""
    is_agreed = bool(people) and all(player in record.agreed_by for player in people)
    if is_agreed == (record.current is not None):
        return record
    pauses = (*record.pauses, Pause(at)) if is_agreed else _closed(record.pauses, at)
    return replace(record, pauses=pauses)


def _closed(pauses: tuple[Pause, ...], at: Timestamp) -> tuple[Pause, ...]:
    if not pauses or pauses[-1].until is not None:
        return pauses
    return (*pauses[:-1], replace(pauses[-1], until=at))

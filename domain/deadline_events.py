"""The data of the events of deadlines and of vacant seats, which every game can have.

`domain.deadlines` and `domain.substitutes` decide these events. None of them changes the position.
"""

from collections.abc import Mapping
from typing import Final, TypedDict

from domain.json_types import PlayerId, Seat


class DeadlineExcused(TypedDict):
    """The time for a turn has run out, but this miss is excused: the turn's time begins anew."""

    seat: Seat


class SeatVacated(TypedDict):
    """A player leaves the seat to a substitute, or loses it to one; until then, the clock plays it."""

    seat: Seat
    player: PlayerId


class SubstituteSeated(TypedDict):
    """From now on, the player has the seat, which was vacant or which an administrator moves. `replaces` is
    the player who had it before.
    """

    seat: Seat
    player: PlayerId
    replaces: PlayerId


DEADLINE_EVENTS: Final[Mapping[str, type]] = {
    "DeadlineExcused": DeadlineExcused,
    "SeatVacated": SeatVacated,
    "SubstituteSeated": SubstituteSeated,
}
"""By event type."""

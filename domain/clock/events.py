"""The data of the events of a game's clock, of deadlines, and of vacant seats.

None of these events changes the position.
"""

from collections.abc import Mapping
from typing import Annotated, Final, TypedDict

from domain.json_types import PlayerId, PositiveCount, Seat, Timestamp

# `from` is a keyword of Python.
HolidayAnnounced = TypedDict(
    "HolidayAnnounced",
    {
        "player": PlayerId,
        "from": Annotated[Timestamp, "When the holiday begins."],
        "to": Annotated[Timestamp, "When the holiday is over."],
    },
)
"""A player will be away. In the turns of this player, the time of the holiday does not count; nor does the
event have an effect on the time before it.
"""

HolidayCancelled = TypedDict(
    "HolidayCancelled",
    {
        "player": PlayerId,
        "from": Annotated[Timestamp, "When the cancelled holiday begins, or began."],
    },
)
"""A player's holiday is cancelled, or ends early, with this event."""


class PauseAgreed(TypedDict):
    """A player agrees to a pause, or no longer does. The clock stops while all people in the game agree, but
    no longer than for 30 days.
    """

    seat: Seat
    agree: bool


class TimeGiven(TypedDict):
    """A player gives the player whose turn it is more time: the deadline of the turn moves by it."""

    seat: Annotated[Seat, "The seat of the player who gives the time."]
    to: Annotated[Seat, "The seat whose turn it is."]
    seconds: PositiveCount


CLOCK_EVENTS: Final[Mapping[str, type]] = {
    "HolidayAnnounced": HolidayAnnounced,
    "HolidayCancelled": HolidayCancelled,
    "PauseAgreed": PauseAgreed,
    "TimeGiven": TimeGiven,
}
"""By event type, the data of the events of clocks, which every game with a clock can have."""


class DeadlineExcused(TypedDict):
    """The deadline of a turn has passed, but it is excused: the time of the turn starts again."""

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

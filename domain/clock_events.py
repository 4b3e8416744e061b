"""The data of the events that concern only a game's clock: announced holidays, and pauses by agreement.

`domain.holidays` and `domain.pauses` decide these events, and `domain.clock_records` folds them.
"""

from collections.abc import Mapping
from typing import Annotated, Final, TypedDict

from domain.json_types import PlayerId, Seat, Timestamp

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


CLOCK_EVENTS: Final[Mapping[str, type]] = {
    "HolidayAnnounced": HolidayAnnounced,
    "HolidayCancelled": HolidayCancelled,
    "PauseAgreed": PauseAgreed,
}
"""By event type, the data of the events of clocks, which every game with a clock can have."""

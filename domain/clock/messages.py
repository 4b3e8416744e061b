"""The settings of a game's clock, and the events that concern only it, as one line each."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from domain.clock.events import HolidayAnnounced, HolidayCancelled, PauseAgreed, TimeGiven
from domain.event import Clock
from domain.messages import (
    Amount,
    Instant,
    Listing,
    Message,
    PlayerAt,
    counted,
    message,
    semicolon_list,
    term,
)

_SECOND: Final = term("second; plural: seconds; a: a second; the: the second")
_LONGER_UNITS: Final = (
    (24 * 60 * 60, term("day; plural: days; a: a day; the: the day")),
    (60 * 60, term("hour; plural: hours; a: an hour; the: the hour")),
    (60, term("minute; plural: minutes; a: a minute; the: the minute")),
)
"""Units of time with their seconds, the longest first."""


def time_amount(seconds: int) -> Amount:
    """A time in the longest unit that it is a whole number of: `1 day`, `36 hours`."""
    for length, unit in _LONGER_UNITS:
        if seconds % length == 0:
            return counted(seconds // length, unit)
    return counted(seconds, _SECOND)


def has_only_time_per_turn(clock: Clock) -> bool:
    """Whether all time counts, and there is no time bank."""
    return "per_turn" in clock and not any(
        clock.get(field) for field in ("bank", "nights", "weekends", "holidays")
    )


def clock_message(clock: Clock) -> Listing:
    """How much time a clock allows, and which time does not count, as a list of clauses."""
    return semicolon_list(_clauses(clock))


def _clauses(clock: Clock) -> Iterator[Message]:
    if "per_turn" in clock:
        yield message("{time} a turn", time=time_amount(clock["per_turn"]))
    if "bank" in clock:
        bank = time_amount(clock["bank"])
        increment = clock.get("increment", 0)
        if increment:
            yield message(
                "a time bank of {bank}, which grows by {increment} after each turn",
                bank=bank,
                increment=time_amount(increment),
            )
        else:
            yield message("a time bank of {bank}", bank=bank)
    zone = clock.get("time_zone", "UTC")
    nights = clock.get("nights")
    if nights is not None:
        start, end = nights
        yield message(
            "nights from {start} to {end} ({zone}) do not count", start=start, end=end, zone=zone
        )
    if clock.get("weekends", False):
        yield message("weekends ({zone}) do not count", zone=zone)
    if clock.get("holidays", False):
        yield message("announced holidays of the player to act do not count")


def _holiday_announced(data: HolidayAnnounced) -> Message:
    start, end = Instant(data["from"]), Instant(data["to"])
    return message("announces a holiday from {start} to {end}", start=start, end=end)


def _holiday_cancelled(data: HolidayCancelled) -> Message:
    return message("cancels the holiday from {start} on", start=Instant(data["from"]))


def _pause_agreed(data: PauseAgreed) -> Message:
    if data["agree"]:
        return message("agrees to a pause")
    return message("no longer agrees to a pause")


def _time_given(data: TimeGiven) -> Message:
    return message(
        "gives {player} more time: {time}",
        player=PlayerAt(data["to"]),
        time=time_amount(data["seconds"]),
    )


CLOCK_MESSAGES: Final[Mapping[str, Callable[[Any], Message]]] = {
    "HolidayAnnounced": _holiday_announced,
    "HolidayCancelled": _holiday_cancelled,
    "PauseAgreed": _pause_agreed,
    "TimeGiven": _time_given,
}
"""By event type, the messages for the events of clocks, which every game with a clock can have."""

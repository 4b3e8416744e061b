"""What is wrong with the settings of a game's clock that determine which time counts, and how much there is.

What happens at a deadline (`on_deadline`) is checked elsewhere.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from domain.event import Clock
from domain.messages import Text, message
from ledger.counted_time import Calendar, calendar
from ledger.time_zones import UTC_NAME, is_time_zone

MAX_SECONDS: Final = 365 * 24 * 3600
"""The longest time that a clock may allow for a turn, or in a time bank."""
MAX_NIGHT_MINUTES: Final = 23 * 60
"""The longest night: at least an hour of each day counts, so that a deadline is never far away."""
TIME_FIELDS: Final = frozenset(
    {"per_turn", "bank", "increment", "time_zone", "nights", "weekends", "holidays"}
)
"""The fields of a clock that are checked here."""
_TIME_OF_DAY: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_NOT_BOOLEAN: Final = message("must be true or false")


def time_faults(raw: Mapping[str, object]) -> dict[str, Text]:
    """Return what is wrong with the TIME_FIELDS of clock settings, by field, as `clock.NAME`."""
    return {f"clock.{name}": fault for name, fault in _faults(raw)}


def _faults(raw: Mapping[str, Any]) -> Iterator[tuple[str, Text]]:
    """Yield the names of wrong fields, each with what is wrong."""
    if "per_turn" not in raw and "bank" not in raw:
        yield "per_turn", message("is missing: a clock needs a time for each turn, or a time bank")
    for name, least in (("per_turn", 1), ("bank", 1), ("increment", 0)):
        if name in raw and not _is_integer(raw[name], least):
            yield (
                name,
                message(
                    "must be a whole number of seconds, {least} to {most}",
                    least=least,
                    most=MAX_SECONDS,
                ),
            )
    if "increment" in raw and "bank" not in raw:
        yield "increment", message("is only possible with a time bank")
    if "time_zone" in raw and not is_time_zone(raw["time_zone"]):
        yield "time_zone", message("must be the name of a time zone, such as Europe/Paris")
    if "nights" in raw and (fault := _nights_fault(raw["nights"])) is not None:
        yield "nights", fault
    for name in ("weekends", "holidays"):
        if name in raw and not isinstance(raw[name], bool):
            yield name, _NOT_BOOLEAN


def _is_integer(value: object, least: int) -> bool:
    return type(value) is int and least <= value <= MAX_SECONDS


def _nights_fault(nights: object) -> Text | None:
    if not isinstance(nights, list) or len(nights) != 2:
        return message("must be a list of two local times, such as 22:00 and 08:00")
    if not all(isinstance(time, str) and _TIME_OF_DAY.fullmatch(time) for time in nights):
        return message("must be a list of two local times, such as 22:00 and 08:00")
    start, end = map(_minutes, nights)
    if start == end:
        return message("must be two different times: no time would ever count")
    if (end - start) % (24 * 60) > MAX_NIGHT_MINUTES:
        return message("must leave at least one hour of each day")
    return None


def _minutes(time_of_day: str) -> int:
    """Return the minutes from midnight to a local time such as `22:00`."""
    hours, _, minutes = time_of_day.partition(":")
    return int(hours) * 60 + int(minutes)


def calendar_of(clock: Clock) -> Calendar | None:
    """Return the calendar of a clock; None if all hours count."""
    nights, weekends = clock.get("nights"), clock.get("weekends", False)
    if nights is None and not weekends:
        return None
    return _calendar(
        clock.get("time_zone", UTC_NAME), None if nights is None else tuple(nights), weekends
    )


@lru_cache(1_000)
def _calendar(zone: str, nights: tuple[str, ...] | None, weekends: bool) -> Calendar:  # noqa: FBT001 # lru_cache is faster with positional arguments
    night = None if nights is None else (_minutes(nights[0]), _minutes(nights[1]))
    return calendar(zone, night, weekends=weekends)

"""Counted time: how much time passes on a game's clock, where nights, weekends and other times do not count.

A moment is in a night if the clocks of the time zone show a local time in the night at that moment, and in a
weekend if they show a Saturday or Sunday. So a night is an hour shorter or longer when clocks change during
it: a local time that does not exist takes no time, and one that occurs twice is the same both times. Nothing
here reads the current time; moments are aware datetimes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import ceil, floor
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from domain.event import Clock
from ledger.clock.time_zones import UTC_NAME, time_zone

_DAY: Final = timedelta(days=1)
_NONE: Final = timedelta()
_WEEKEND: Final = (5, 6)
"""Saturday and Sunday, as `datetime.weekday` numbers them."""
_CACHED_CALENDARS: Final = 1_000


class Interval(NamedTuple):
    """The time from `start` until just before `end`."""

    start: datetime
    end: datetime


_LocalSpan = tuple[timedelta, timedelta]
"""A part of a local day: its start and its end, counted from midnight."""


@dataclass(frozen=True, slots=True, eq=False)
class Calendar:
    """The times of each week that count, in local time.

    Calendars are made by `calendar`, which returns the same one for the same times.
    """

    zone: ZoneInfo
    counted: tuple[tuple[_LocalSpan, ...], ...]
    """By weekday from Monday, the spans of a day that count, in order."""


@lru_cache(_CACHED_CALENDARS)
def calendar(zone: str, night: tuple[int, int] | None, *, weekends: bool) -> Calendar:
    """Return the calendar of a time zone without its nights, or its weekends, or both.

    `night` is the start and the end of the night in minutes after midnight, and may wrap around midnight;
    None if nights count. `weekends` states that Saturdays and Sundays do not count. Raises ValueError if
    there is no such time zone, or if no time would ever count.
    """
    day: tuple[_LocalSpan, ...] = ((_NONE, _DAY),)
    if night is not None:
        start, end = (timedelta(minutes=minutes) for minutes in night)
        if start == end:
            raise ValueError("no time would ever count")
        spans = [(end, start)] if start > end else [(_NONE, start), (end, _DAY)]
        day = tuple(span for span in spans if span[0] < span[1])
    return Calendar(
        time_zone(zone),
        tuple(() if weekends and weekday in _WEEKEND else day for weekday in range(7)),
    )


def moment_after(
    start: datetime,
    duration: timedelta,
    times: Calendar | None = None,
    stops: Iterable[Interval] = (),
) -> datetime:
    """Return the first moment at which `duration` of counted time has passed since `start`.

    `times` is the calendar, None if all hours count. Time within `stops`, which may overlap, does not count
    either. Raises OverflowError if the moment is after the year 9999.
    """
    if duration <= _NONE:
        return start
    for span in _counted_spans(start, None, times, union(stops)):
        length = span.end - span.start
        if duration <= length:
            return span.start + duration
        duration -= length
    raise OverflowError("the time ends after the year 9999")


def time_between(
    start: datetime, end: datetime, times: Calendar | None = None, stops: Iterable[Interval] = ()
) -> timedelta:
    """Return the counted time between two moments; 0 if `end` is not after `start`. See `moment_after`."""
    spans = _counted_spans(start, end, times, union(stops))
    return sum((span.end - span.start for span in spans), _NONE)


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Return disjoint intervals that cover the same moments, in order."""
    disjoint: list[Interval] = []
    for interval in sorted(intervals):
        if interval.end <= interval.start:
            continue
        if disjoint and interval.start <= disjoint[-1].end:
            disjoint[-1] = Interval(disjoint[-1].start, max(disjoint[-1].end, interval.end))
        else:
            disjoint.append(interval)
    return disjoint


def _counted_spans(
    start: datetime, end: datetime | None, times: Calendar | None, stops: Sequence[Interval]
) -> Iterator[Interval]:
    """Yield, in order, the spans between two moments that count; `end` None means without end."""
    latest = datetime.max.replace(tzinfo=UTC) if end is None else end
    for stop in stops:
        if stop.start > start:
            yield from _calendar_spans(start, min(stop.start, latest), times)
        start = max(start, stop.end)
        if start >= latest:
            return
    yield from _calendar_spans(start, latest, times)


def _calendar_spans(start: datetime, end: datetime, times: Calendar | None) -> Iterator[Interval]:
    if times is None:
        if start < end:
            yield Interval(start, end)
        return
    while start < end:
        # The difference to `end` is compared, because `start + _DAY` may be later than the last datetime.
        day_end = end if end - start <= _DAY else start + _DAY
        while start < day_end:
            offset = _offset(times.zone, start)
            piece_end = _end_of_offset(times.zone, start, day_end, offset)
            yield from _local_spans(start, piece_end, offset, times)
            start = piece_end


def _local_spans(
    start: datetime, end: datetime, offset: timedelta, times: Calendar
) -> Iterator[Interval]:
    """Yield the counted spans between two moments during which local time is UTC plus a constant offset."""
    local_start, local_end = start + offset, end + offset
    midnight = local_start.replace(hour=0, minute=0, second=0, microsecond=0)
    while midnight < local_end:
        for first, last in times.counted[midnight.weekday()]:
            since, until = max(local_start, midnight + first), min(local_end, midnight + last)
            if since < until:
                yield Interval(since - offset, until - offset)
        midnight += _DAY


def _offset(zone: ZoneInfo, moment: datetime) -> timedelta:
    offset = moment.astimezone(zone).utcoffset()
    assert offset is not None, "a ZoneInfo has an offset at every moment"
    return offset


def _end_of_offset(zone: ZoneInfo, start: datetime, end: datetime, offset: timedelta) -> datetime:
    """Return the moment before `end` at which the clocks change, or `end` if they do not.

    Clocks change in whole seconds, and not twice within a day.
    """
    if _offset(zone, end) == offset:
        return end
    before, after = floor(start.timestamp()), ceil(end.timestamp())
    while after - before > 1:
        middle = (before + after) // 2
        if _offset(zone, datetime.fromtimestamp(middle, UTC)) == offset:
            before = middle
        else:
            after = middle
    return min(datetime.fromtimestamp(after, UTC), end)


def minutes_of_day(time_of_day: str) -> int:
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
    night = None if nights is None else (minutes_of_day(nights[0]), minutes_of_day(nights[1]))
    return calendar(zone, night, weekends=weekends)

"""Counted time: nights, weekends and stops, also when clocks change."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.clock.counted_time import Calendar, Interval, calendar, moment_after, time_between
from ledger.clock.time_zones import time_zone

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
ZONES = ("UTC", "Europe/Paris", "America/New_York", "Australia/Sydney", "Australia/Lord_Howe")


def night(zone: str, start: str, end: str, *, weekends: bool = False) -> Calendar:
    times = (start.split(":"), end.split(":"))
    first, last = (int(hours) * 60 + int(minutes) for hours, minutes in times)
    return calendar(zone, (first, last), weekends=weekends)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def test_without_a_calendar_and_stops_all_time_counts() -> None:
    start = at("2027-01-01T00:00Z")
    assert moment_after(start, 90 * HOUR) == start + 90 * HOUR
    assert time_between(start, start + 90 * HOUR) == 90 * HOUR


def test_a_night_across_midnight_does_not_count() -> None:
    times = night("Europe/Paris", "22:00", "08:00")
    assert moment_after(at("2027-01-05T21:30+01:00"), HOUR, times) == at("2027-01-06T08:30+01:00")
    # A deadline is the first moment at which the time is over, so not at the end of the night.
    assert moment_after(at("2027-01-05T21:00+01:00"), HOUR, times) == at("2027-01-05T22:00+01:00")


def test_a_turn_that_begins_at_night_has_its_time_from_the_morning_on() -> None:
    times = night("Europe/Paris", "22:00", "08:00")
    for begins in ("2027-01-05T23:30+01:00", "2027-01-06T07:59+01:00", "2027-01-06T08:00+01:00"):
        assert moment_after(at(begins), HOUR, times) == at("2027-01-06T09:00+01:00")


def test_a_night_within_one_day_does_not_count() -> None:
    times = night("America/New_York", "01:00", "06:30")
    assert time_between(at("2027-01-05T00:00-05:00"), at("2027-01-06T00:00-05:00"), times) == (
        18 * HOUR + 30 * MINUTE
    )


def test_a_weekend_is_that_of_the_time_zone() -> None:
    sydney = calendar("Australia/Sydney", None, weekends=True)
    # 13:00 UTC on Friday is midnight in Sydney in its summer.
    assert moment_after(at("2027-01-08T12:00Z"), 2 * HOUR, sydney) == at("2027-01-10T14:00Z")
    assert moment_after(at("2027-01-08T12:00Z"), 2 * HOUR) == at("2027-01-08T14:00Z")


def test_nights_and_weekends_add_up() -> None:
    times = night("UTC", "18:00", "09:00", weekends=True)
    # Friday evening to Monday morning.
    assert moment_after(at("2027-01-08T17:00Z"), 2 * HOUR, times) == at("2027-01-11T10:00Z")


@pytest.mark.parametrize(
    ("zone", "noon", "hours"),
    [
        # Noon before each change of clocks in 2027, and the hours until the noon after it.
        ("Europe/Paris", "2027-03-27T12:00+01:00", 23.0),
        ("Europe/Paris", "2027-10-30T12:00+02:00", 25.0),
        ("America/New_York", "2027-03-13T12:00-05:00", 23.0),
        ("America/New_York", "2027-11-06T12:00-04:00", 25.0),
        ("Australia/Sydney", "2027-10-02T12:00+10:00", 23.0),
        ("Australia/Sydney", "2027-04-03T12:00+11:00", 25.0),
        ("Australia/Lord_Howe", "2027-10-02T12:00+10:30", 23.5),
        ("Australia/Lord_Howe", "2027-04-03T12:00+11:00", 24.5),
    ],
)
def test_the_day_counts_in_full_when_clocks_change_at_night(
    zone: str, noon: str, hours: float
) -> None:
    start = at(noon)
    next_noon = start + timedelta(hours=hours)
    assert next_noon.astimezone(time_zone(zone)).hour == 12
    times = night(zone, "22:00", "08:00")
    # From noon to 22:00 and from 08:00 to noon, whatever the length of the night is.
    assert time_between(start, next_noon, times) == 14 * HOUR
    assert moment_after(start, 14 * HOUR, times) == next_noon
    assert moment_after(start, 10 * HOUR, times) == start + 10 * HOUR
    # A night without the change leaves the change to the time that counts.
    evening = night(zone, "20:00", "22:00")
    assert time_between(start, next_noon, evening) == timedelta(hours=hours - 2)


@pytest.mark.parametrize(
    ("zone", "before", "span", "boundary", "counted"),
    [
        # 02:30 does not exist in Paris: the night to 02:30 ends when clocks are turned forward at 02:00.
        ("Europe/Paris", "2027-03-28T01:00+01:00", ("23:00", "02:30"), 2, 1),
        # The night from 02:30 on begins at that moment.
        ("Europe/Paris", "2027-03-28T01:00+01:00", ("02:30", "12:00"), 2, 1),
        # 02:00 to 02:30 occurs twice in autumn, and is night both times; 02:30 to 03:00 counts twice.
        ("Europe/Paris", "2027-10-31T02:00+02:00", ("23:00", "02:30"), 3, 2),
        # Lord Howe turns clocks back by half an hour, from 02:00 to 01:30: 01:30 to 02:00 occurs twice.
        ("Australia/Lord_Howe", "2027-04-04T01:30+11:00", ("22:00", "02:00"), 2, 1),
        ("Australia/Lord_Howe", "2027-04-04T01:30+11:00", ("02:00", "12:00"), 2, 1),
        # It turns them forward from 02:00 to 02:30, so 02:15 does not exist.
        ("Australia/Lord_Howe", "2027-10-03T01:30+10:30", ("22:00", "02:15"), 2, 1.5),
    ],
)
def test_local_times_that_do_not_exist_or_occur_twice(
    zone: str, before: str, span: tuple[str, str], boundary: float, counted: float
) -> None:
    start = at(before)
    assert time_between(start, start + boundary * HOUR, night(zone, *span)) == counted * HOUR


def test_a_day_that_a_time_zone_left_out_does_not_count() -> None:
    # Samoa changed sides of the date line: Friday, 30 December 2011, did not occur there.
    samoa = calendar("Pacific/Apia", None, weekends=True)
    start = at("2011-12-29T23:00-10:00")
    assert start + HOUR == at("2011-12-31T00:00+14:00")
    assert moment_after(start, 2 * HOUR, samoa) == at("2012-01-02T01:00+14:00")


def test_stops_count_once_where_they_overlap() -> None:
    start = at("2027-01-05T12:00Z")
    stops = [
        Interval(start + 5 * HOUR, start + 7 * HOUR),
        Interval(start + HOUR, start + 3 * HOUR),
        Interval(start + 2 * HOUR, start + 4 * HOUR),
        Interval(start + 2 * HOUR, start + 2 * HOUR),
        Interval(start + 9 * HOUR, start + 8 * HOUR),
        Interval(start - 9 * HOUR, start - 8 * HOUR),
    ]
    assert moment_after(start, HOUR, None, stops) == start + HOUR
    assert moment_after(start, 2 * HOUR, None, stops) == start + 5 * HOUR
    assert moment_after(start, 3 * HOUR, None, stops) == start + 8 * HOUR
    assert time_between(start, start + 8 * HOUR, None, stops) == 3 * HOUR


def test_a_stop_at_night_takes_no_time_away() -> None:
    times = night("UTC", "22:00", "08:00")
    start = at("2027-01-05T21:00Z")
    stop = Interval(start + 2 * HOUR, start + 5 * HOUR)
    assert moment_after(start, 2 * HOUR, times, [stop]) == at("2027-01-06T09:00Z")


def test_a_night_of_a_whole_day_is_refused() -> None:
    with pytest.raises(ValueError, match="no time would ever count"):
        calendar("UTC", (0, 0), weekends=False)


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../../etc/passwd", "europe/paris", "EST5"])
def test_a_name_that_is_not_a_time_zone_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="there is no time zone"):
        time_zone(name)


def test_the_longest_clock_with_the_longest_nights_takes_little_work() -> None:
    # One hour of each weekday counts, so a year of counted time takes more than 33 years.
    times = night("Europe/Paris", "09:00", "08:00", weekends=True)
    assert moment_after(at("2027-01-05T08:00Z"), 365 * 24 * HOUR, times).year == 2060


def test_a_time_that_is_over_after_the_last_year_is_an_overflow() -> None:
    times = night("Europe/Paris", "22:00", "08:00")
    for clock_times in (None, times):
        with pytest.raises(OverflowError):
            moment_after(at("9999-12-01T00:00Z"), 365 * 24 * HOUR, clock_times)


@st.composite
def calendars(draw: st.DrawFn) -> Calendar:
    start = draw(st.integers(0, 24 * 60 - 1))
    length = draw(st.integers(0, 23 * 60))
    span = None if length == 0 else (start, (start + length) % (24 * 60))
    return calendar(draw(st.sampled_from(ZONES)), span, weekends=draw(st.booleans()))


MOMENTS = st.integers(0, 366 * 24 * 60).map(
    lambda minutes: datetime(2027, 1, 1, tzinfo=UTC) + minutes * MINUTE
)
DURATIONS = st.integers(1, 5 * 24 * 60).map(lambda minutes: minutes * MINUTE)
STOPS = st.lists(
    st.builds(lambda start, length: Interval(start, start + length), MOMENTS, DURATIONS), max_size=4
)


@given(calendars(), MOMENTS, DURATIONS, STOPS)
@settings(max_examples=100, derandomize=True)
def test_the_deadline_is_the_inverse_of_the_time_that_has_passed(
    times: Calendar, start: datetime, duration: timedelta, stops: list[Interval]
) -> None:
    end = moment_after(start, duration, times, stops)
    assert time_between(start, end, times, stops) == duration
    # It is the first such moment.
    assert time_between(start, end - timedelta(milliseconds=1), times, stops) < duration


@given(calendars(), st.tuples(MOMENTS, MOMENTS, MOMENTS).map(sorted), STOPS)
@settings(max_examples=60, derandomize=True)
def test_counted_time_is_additive_and_never_negative(
    times: Calendar, moments: list[datetime], stops: list[Interval]
) -> None:
    first, middle, last = moments
    before = time_between(first, middle, times, stops)
    after = time_between(middle, last, times, stops)
    assert min(before, after) >= timedelta()
    assert time_between(first, last, times, stops) == before + after <= last - first
    assert time_between(first, last, times) >= before + after


@given(calendars(), MOMENTS, st.integers(1, 30 * 60), STOPS)
@settings(max_examples=30, derandomize=True)
def test_counted_time_is_the_number_of_minutes_that_count(
    times: Calendar, start: datetime, length: int, stops: list[Interval]
) -> None:
    def counts(moment: datetime) -> bool:
        local = moment.astimezone(times.zone)
        since_midnight = timedelta(hours=local.hour, minutes=local.minute)
        spans = times.counted[local.weekday()]
        is_stopped = any(stop.start <= moment < stop.end for stop in stops)
        return not is_stopped and any(first <= since_midnight < last for first, last in spans)

    minutes = sum(counts(start + minute * MINUTE) for minute in range(length))
    assert time_between(start, start + length * MINUTE, times, stops) == minutes * MINUTE

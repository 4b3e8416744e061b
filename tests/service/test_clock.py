"""The one clock: UTC, milliseconds, never back within a game."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from freezegun import freeze_time
from hypothesis import given
from hypothesis import strategies as st

from service import clock


def test_now_can_be_frozen_and_has_whole_milliseconds() -> None:
    with freeze_time("2026-11-20T09:15:00.123999Z"):
        assert clock.now() == datetime(2026, 11, 20, 9, 15, 0, 123000, UTC)
        assert clock.next_timestamp() == "2026-11-20T09:15:00.123Z"


def test_a_stamp_is_never_before_the_one_before() -> None:
    with freeze_time("2026-11-20T09:15:00Z"):
        assert clock.next_timestamp("2026-11-20T09:15:00.001Z") == "2026-11-20T09:15:00.001Z"
        assert clock.next_timestamp("2026-11-20T09:14:59.999Z") == "2026-11-20T09:15:00.000Z"


def test_other_time_zones_are_written_as_utc() -> None:
    moment = datetime(2026, 11, 20, 9, 15, tzinfo=timezone(timedelta(hours=2)))
    assert clock.format(moment) == "2026-11-20T07:15:00.000Z"


@given(st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_what_is_written_is_read_again_to_the_millisecond(moment: datetime) -> None:
    read = clock.parse(clock.format(moment))
    assert read.utcoffset() == timedelta(0)
    assert timedelta(0) <= moment - read < timedelta(milliseconds=1)


def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="noon"):
        clock.parse("noon")

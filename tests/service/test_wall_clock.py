"""The wall clock and timestamps: UTC, whole milliseconds."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from freezegun import freeze_time
from hypothesis import given
from hypothesis import strategies as st

from service import wall_clock


def test_the_current_time_has_whole_milliseconds() -> None:
    with freeze_time("2026-11-20T09:15:00.123999Z"):
        assert wall_clock.now() == datetime(2026, 11, 20, 9, 15, 0, 123000, UTC)


def test_other_time_zones_are_converted_to_utc() -> None:
    moment = datetime(2026, 11, 20, 9, 15, tzinfo=timezone(timedelta(hours=2)))
    assert wall_clock.format(moment) == "2026-11-20T07:15:00.000Z"


@given(st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_a_formatted_timestamp_is_parsed_to_the_same_millisecond(moment: datetime) -> None:
    parsed = wall_clock.parse(wall_clock.format(moment))
    assert parsed.utcoffset() == timedelta(0)
    assert timedelta(0) <= moment - parsed < timedelta(milliseconds=1)


def test_invalid_text_is_rejected() -> None:
    with pytest.raises(ValueError, match="noon"):
        wall_clock.parse("noon")

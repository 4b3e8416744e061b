"""When a delivery is sent: quiet hours, digests and deadlines, also around changes of the clocks."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest

from service.notification_subjects.table import Kind
from service.notifications.preferences import Preferences
from service.notifications.schedule import Slot, next_local_time, slot

PARIS = ZoneInfo("Europe/Paris")
NIGHT = (time(22), time(8))


def at(text: str) -> datetime:
    """Return a moment in November, when Paris is one hour ahead of UTC: `20 09:15`."""
    return datetime.fromisoformat(f"2026-11-{text}").replace(tzinfo=UTC)


def planned(
    now: str,
    preferences: Preferences,
    kind: Kind = "your_turn",
    channel: str = "email",
    planned_at: str | None = None,
    deadline: str | None = None,
) -> Slot:
    return slot(
        kind,
        channel,
        preferences,
        PARIS,
        at(now),
        planned_at=None if planned_at is None else at(planned_at),
        deadline=None if deadline is None else at(deadline),
    )


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("20 12:00", "20 12:00"),
        ("20 20:59", "20 20:59"),
        # 22:00 in Paris
        ("20 21:00", "21 07:00"),
        ("20 23:30", "21 07:00"),
        ("21 06:59", "21 07:00"),
        ("21 07:00", "21 07:00"),
    ],
)
def test_what_comes_in_quiet_hours_is_sent_after_them(now: str, expected: str) -> None:
    assert planned(now, Preferences(quiet_hours=NIGHT)) == Slot(at(expected))


def test_quiet_hours_within_a_day_end_on_the_same_day() -> None:
    siesta = Preferences(quiet_hours=(time(13), time(15)))
    assert planned("20 12:30", siesta) == Slot(at("20 14:00"))
    assert planned("20 14:00", siesta) == Slot(at("20 14:00"))


def test_webhooks_have_no_quiet_hours_and_no_digest() -> None:
    preferences = Preferences(quiet_hours=NIGHT, digest=time(8))
    assert planned("20 23:00", preferences, channel="webhook") == Slot(at("20 23:00"))


@pytest.mark.parametrize(
    ("now", "deadline", "expected"),
    [
        # The quiet hours end at 7:00 UTC, before the deadline.
        ("20 12:00", "21 09:00", "21 07:00"),
        # They end too late: the reminder comes before they begin.
        ("20 12:00", "21 06:00", "20 20:59"),
        # They have begun already, so it comes now.
        ("20 22:00", "21 06:00", "20 22:00"),
    ],
)
def test_a_reminder_is_sent_while_it_is_of_use(now: str, deadline: str, expected: str) -> None:
    sent = planned(
        now,
        Preferences(quiet_hours=NIGHT, digest=time(8)),
        kind="deadline_near",
        planned_at="21 01:00",
        deadline=deadline,
    )
    assert sent == Slot(at(expected))


def test_a_reminder_outside_quiet_hours_is_sent_at_its_time() -> None:
    preferences = Preferences(quiet_hours=NIGHT)
    times = {"planned_at": "20 15:00", "deadline": "20 19:00"}
    assert planned("20 12:00", preferences, "deadline_near", **times) == Slot(at("20 15:00"))
    assert planned("20 16:00", preferences, "deadline_near", **times) == Slot(at("20 16:00"))


def test_a_digest_takes_up_what_can_wait_for_it() -> None:
    preferences = Preferences(digest=time(8), quiet_hours=NIGHT)
    assert planned("20 12:00", preferences) == Slot(at("21 07:00"), in_digest=True)
    assert planned("20 06:59", preferences) == Slot(at("20 07:00"), in_digest=True)
    assert planned("20 12:00", preferences, deadline="21 06:00") == Slot(at("20 12:00"))
    assert planned("20 12:00", preferences, channel="push") == Slot(at("20 12:00"))


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        # In the night to 29 March 2026, clocks in Paris go from 2:00 to 3:00: 2:30 is taken as 3:30.
        ("2026-03-28T20:00Z", "2026-03-29T01:30Z"),
        ("2026-03-29T01:30Z", "2026-03-30T00:30Z"),
        # In the night to 25 October, they go back from 3:00 to 2:00: the first 2:30 is meant.
        ("2026-10-24T20:00Z", "2026-10-25T00:30Z"),
        ("2026-10-25T00:30Z", "2026-10-26T01:30Z"),
    ],
)
def test_a_local_time_occurs_once_a_day_when_the_clocks_change(after: str, expected: str) -> None:
    moment = next_local_time(datetime.fromisoformat(after), time(2, 30), PARIS)
    assert moment == datetime.fromisoformat(expected)


def test_quiet_hours_keep_to_local_time_when_the_clocks_change() -> None:
    quiet = Preferences(quiet_hours=NIGHT)
    before = datetime.fromisoformat("2026-10-24T21:00Z")
    after = slot("your_turn", "email", quiet, PARIS, before)
    assert after == Slot(datetime.fromisoformat("2026-10-25T07:00Z"))

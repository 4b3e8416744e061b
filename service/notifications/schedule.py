"""Schedules deliveries: immediately, after quiet hours, with a digest, or in time for a deadline.

Local times are in a time zone. If a change of the clocks skips a local time, it is counted from before the
change, so 02:30 stands for 03:30; if a local time occurs twice, the first one is meant.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from service.notification_subjects.table import KIND_DESCRIPTIONS, Kind
from service.notifications.preferences import Preferences

_QUIET_CHANNELS: Final = frozenset({"email", "push"})
"""Webhooks belong to programs, which do not sleep."""
_DIGEST_CHANNELS: Final = frozenset({"email"})


@dataclass(frozen=True, slots=True)
class Slot:
    """The time at which a delivery is sent, and whether it is a part of the digest at that time."""

    at: datetime
    in_digest: bool = False


def slot(
    kind: Kind,
    channel: str,
    preferences: Preferences,
    zone: ZoneInfo,
    now: datetime,
    *,
    planned_at: datetime | None = None,
    deadline: datetime | None = None,
) -> Slot:
    """Return the slot of a delivery that is created now.

    `planned_at` is the earliest time at which it is sent, None for immediately. If quiet hours would move it
    to after `deadline`, it is sent before they begin, or now if they have begun. It does not wait for a
    digest after `deadline`.
    """
    earliest = now if planned_at is None else max(now, planned_at)
    waits = channel in _DIGEST_CHANNELS and KIND_DESCRIPTIONS[kind].waits_for_digest
    if preferences.digest is not None and waits:
        at = next_local_time(earliest, preferences.digest, zone)
        if deadline is None or at < deadline:
            return Slot(at, in_digest=True)
    if preferences.quiet_hours is None or channel not in _QUIET_CHANNELS:
        return Slot(earliest)
    start, end = preferences.quiet_hours
    quiet_from, quiet_until = _quiet_period(earliest, start, end, zone)
    if not quiet_from <= earliest < quiet_until:
        return Slot(earliest)
    if deadline is None or quiet_until < deadline:
        return Slot(quiet_until)
    return Slot(max(now, quiet_from - timedelta(minutes=1)))


def next_local_time(after: datetime, local: time, zone: ZoneInfo) -> datetime:
    """Return the next moment after another one at which it is this time of day in the zone."""
    day = after.astimezone(zone).date()
    moment = _moment(datetime.combine(day, local), zone)
    while moment <= after:
        day += timedelta(days=1)
        moment = _moment(datetime.combine(day, local), zone)
    return moment


def _quiet_period(
    moment: datetime, start: time, end: time, zone: ZoneInfo
) -> tuple[datetime, datetime]:
    """Return the start and the end of the quiet hours that contain a moment, or of the next ones after it."""
    day = moment.astimezone(zone).date() - timedelta(days=1)
    while True:
        last_day = day if end > start else day + timedelta(days=1)
        until = _moment(datetime.combine(last_day, end), zone)
        if until > moment:
            return _moment(datetime.combine(day, start), zone), until
        day += timedelta(days=1)


def _moment(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the moment of a local time, in UTC."""
    return local.replace(tzinfo=zone).astimezone(UTC)

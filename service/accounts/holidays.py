"""The holidays that players have announced, and their bounds.

    cartulary:holidays:ID          hash: id of a holiday -> JSON of an `AccountHoliday`
    cartulary:holidays-to-record   hash: player id -> number of changes that are not in all logs yet

A holiday consists of whole days in the time zone that the account had when it was announced. The logs of the
player's games record it too (service/games/registries.py). A cancelled holiday stays here, because the days
that had begun count as used.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

import orjson
import redis
from redis.client import Pipeline

from domain.errors import Malformed
from domain.json_types import Timestamp
from domain.messages import Day, message, plural_message
from ledger.clock.time_zones import time_zone
from service import wall_clock
from service.bounds import Bounds
from service.cluster import ClusterClient
from service.connection import to_text, unavailable_on_error
from service.errors import HolidayNotPossible, NotFound
from service.stored_objects import decode_object, members_of
from service.wall_clock import TrustedClock

TO_RECORD_KEY: Final = "cartulary:holidays-to-record"
_DAY: Final = timedelta(days=1)
LATEST_BEGIN: Final = timedelta(days=365)
"""The longest time before its beginning at which a holiday can be announced."""
_RETENTION: Final = timedelta(days=2 * 366)
"""The time for which a holiday is kept after its end; the allowances of past years are not shown."""

_REMOVE_IF_UNCHANGED: Final = """
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  return redis.call('HDEL', KEYS[1], ARGV[1])
end
return 0
"""


@dataclass(frozen=True, slots=True)
class AccountHoliday:
    """A holiday of a player: its days (ISO dates) in a time zone, and its start and end."""

    id: str
    first_day: str
    last_day: str
    time_zone: str
    since: Timestamp
    until: Timestamp
    announced_at: Timestamp
    cancelled_at: Timestamp | None = None
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ends(self) -> Timestamp:
        """The end of the holiday; not after `since` if it was cancelled before it began."""
        return self.until if self.cancelled_at is None else min(self.until, self.cancelled_at)

    def days(self) -> Iterator[date]:
        """Yield the used days: all days, or, for a cancelled holiday, the days that had begun."""
        day, last = date.fromisoformat(self.first_day), date.fromisoformat(self.last_day)
        if self.cancelled_at is not None:
            if self.cancelled_at <= self.since:
                return
            moment = datetime.fromisoformat(self.cancelled_at)
            last = min(last, moment.astimezone(time_zone(self.time_zone)).date())
        while day <= last:
            yield day
            day += _DAY


class Holidays:
    """The holidays of all accounts. Thread-safe. Every method raises Unavailable."""

    def __init__(self, client: redis.Redis, trusted_clock: TrustedClock, bounds: Bounds) -> None:
        self._redis = client
        self._clock = trusted_clock
        self.days_per_year = bounds.holiday_days
        self.notice_hours = bounds.holiday_notice_hours
        self._max_per_year = bounds.max_holidays_per_year
        self._remove_if_unchanged = client.register_script(_REMOVE_IF_UNCHANGED)

    def of(self, player: str) -> list[AccountHoliday]:
        """Return the holidays of a player, the earliest first, cancelled and past ones included."""
        with unavailable_on_error():
            return _decode(self._redis.hvals(holidays_key(player)))

    def days_used(self, holidays: Collection[AccountHoliday]) -> dict[int, int]:
        """Return the number of days that holidays use, by calendar year."""
        return dict(Counter(day.year for holiday in holidays for day in holiday.days()))

    def announce(self, player: str, zone: str, first_day: date, last_day: date) -> AccountHoliday:
        """Announce a holiday from the beginning of one day to the end of another, in a time zone.

        Raises Malformed if it ends before it begins or begins too early or too late, and HolidayNotPossible
        if a part of it is a holiday already or the player does not have enough days or holidays left.
        """
        if last_day < first_day:
            raise Malformed({"last_day": message("must not be before the first day")})
        now = self._clock.now()
        try:
            since, until = _midnight(first_day, zone), _midnight(last_day + _DAY, zone)
        except OverflowError:
            raise Malformed({"last_day": message("is too late")}) from None
        if since < now + timedelta(hours=self.notice_hours):
            fault = plural_message(
                "must begin at least one hour from now",
                "must begin at least {count} hours from now",
                count=self.notice_hours,
            )
            raise Malformed({"first_day": fault})
        if since > now + LATEST_BEGIN:
            raise Malformed({"first_day": message("must be within a year from now")})
        if (last_day - first_day).days >= 2 * self.days_per_year + 2:
            # This comes before the days of a very long holiday are counted one by one.
            self._refuse_days(first_day.year, 0)
        holiday = AccountHoliday(
            id=secrets.token_hex(8),
            first_day=first_day.isoformat(),
            last_day=last_day.isoformat(),
            time_zone=zone,
            since=wall_clock.format(since),
            until=wall_clock.format(until),
            announced_at=wall_clock.format(now),
        )
        outdated = wall_clock.format(now - _RETENTION)
        key = holidays_key(player)

        def store(pipeline: Pipeline) -> None:
            stored = _decode(pipeline.hvals(key))
            self._require_possible(holiday, stored)
            pipeline.multi()
            for past in stored:
                if past.until < outdated:
                    pipeline.hdel(key, past.id)
            pipeline.hset(key, holiday.id, _encode(holiday))
            pipeline.expire(key, until - now + _RETENTION)

        self._change(player, store)
        return holiday

    def cancel(self, player: str, id: str) -> AccountHoliday:
        """Cancel a holiday, or end one that has begun, and return it. Idempotent.

        Raises NotFound if the player has no such holiday, or if it is over.
        """
        now = wall_clock.format(self._clock.now())
        key = holidays_key(player)
        cancelled: list[AccountHoliday] = []

        def store(pipeline: Pipeline) -> None:
            cancelled.clear()
            stored = pipeline.hget(key, id)
            holiday = None if stored is None else _decode([stored])[0]
            if holiday is None or holiday.until <= now:
                raise NotFound.with_message("the player has no such holiday to cancel")
            if holiday.cancelled_at is None:
                holiday = replace(holiday, cancelled_at=now)
            cancelled.append(holiday)
            pipeline.multi()
            pipeline.hset(key, id, _encode(holiday))

        self._change(player, store)
        return cancelled[0]

    def _change(self, player: str, store: Callable[[Pipeline], None]) -> None:
        """Change the holidays of a player in a transaction, and mark them to be recorded in the logs."""
        if isinstance(self._redis, ClusterClient):
            # The keys are in different slots. If this process dies in between, the first entry exists.
            self.require_recording(player)
            with unavailable_on_error():
                self._redis.transaction(store, holidays_key(player))
            self.require_recording(player)
            return

        def store_and_note(pipeline: Pipeline) -> None:
            store(pipeline)
            pipeline.hincrby(TO_RECORD_KEY, player, 1)

        with unavailable_on_error():
            self._redis.transaction(store_and_note, holidays_key(player))

    def current(self, player: str) -> list[AccountHoliday]:
        """Return the holidays of a player that are neither over nor cancelled, the earliest first."""
        now = wall_clock.format(self._clock.now())
        return [
            holiday
            for holiday in self.of(player)
            if holiday.cancelled_at is None and now < holiday.until
        ]

    def require_recording(self, player: str) -> None:
        """Make the next sweep compare the logs of all games of a player with the holidays."""
        with unavailable_on_error():
            self._redis.hincrby(TO_RECORD_KEY, player, 1)

    def to_record(self, player: str | None = None) -> dict[str, str]:
        """Return the players whose holidays may be missing in logs, each with the number of changes."""
        with unavailable_on_error():
            if player is None:
                stored = self._redis.hgetall(TO_RECORD_KEY)
            else:
                count = self._redis.hget(TO_RECORD_KEY, player)
                stored = {} if count is None else {player: count}
        return {to_text(id): to_text(count) for id, count in stored.items()}

    def mark_recorded(self, player: str, changes: str) -> None:
        """Note that all logs have the holidays of a player, unless they have changed since `to_record`."""
        with unavailable_on_error():
            self._remove_if_unchanged(keys=[TO_RECORD_KEY], args=[player, changes])

    def _require_possible(self, holiday: AccountHoliday, stored: Sequence[AccountHoliday]) -> None:
        """Raise HolidayNotPossible if a holiday overlaps a stored one, or exceeds the bounds."""
        for other in stored:
            if holiday.since < other.ends and other.since < min(holiday.until, other.ends):
                raise HolidayNotPossible.with_message(
                    "the days from {first} to {last} are a holiday already",
                    first=Day(other.first_day),
                    last=Day(other.last_day),
                )
        used = self.days_used([*stored, holiday])
        for year in sorted({day.year for day in holiday.days()}):
            if used[year] > self.days_per_year:
                before = self.days_used(stored).get(year, 0)
                self._refuse_days(year, self.days_per_year - before)
        announced = sum(other.announced_at[:4] == holiday.announced_at[:4] for other in stored)
        if announced >= self._max_per_year:
            raise HolidayNotPossible(
                plural_message(
                    "a player can announce one holiday in a year, cancelled ones included",
                    "a player can announce {count} holidays in a year, cancelled ones included",
                    count=self._max_per_year,
                )
            )

    def _refuse_days(self, year: int, left: int) -> None:
        raise HolidayNotPossible.with_message(
            "a player has {days} days of holidays in a year, of which {left} are left in {year}",
            days=self.days_per_year,
            left=max(0, left),
            year=year,
        )


def holidays_key(player: str) -> str:
    """Return the key in Redis of the holidays of a player."""
    return f"cartulary:holidays:{player}"


def _midnight(day: date, zone: str) -> datetime:
    """Return the moment at which a day begins in a time zone."""
    return datetime.combine(day, time(), time_zone(zone)).astimezone(UTC)


def _encode(holiday: AccountHoliday) -> bytes:
    return orjson.dumps(members_of(holiday))


def _decode(stored: Collection[bytes | str]) -> list[AccountHoliday]:
    holidays = [decode_object(AccountHoliday, text) for text in stored]
    return sorted(holidays, key=lambda holiday: (holiday.since, holiday.id))

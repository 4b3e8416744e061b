"""The wall clock, the trusted clock, and timestamps: the only place that reads the current time.

UTC throughout; tests freeze it. Timestamps are written as in the log: RFC 3339 with milliseconds and `Z`.
Decisions about games, and the times in their logs, use the trusted clock: the wall clock, unless it has
jumped.

A wall clock can jump, for example if an operator sets it wrong. The monotonic clock cannot, so a jump shows
in the difference between the two. After a jump, the trusted clock continues from the time before it, and no
turn is forfeited, until the wall clock is right again or has been steady for long enough to be trusted. Slow
corrections, such as those of NTP, are followed. Suspending the machine is not a jump, because the monotonic
clock used here includes the time in suspension. docs/recovery.md describes what an operator notices.

    cartulary:clock-jumps   number of jumps that the processes of the service have observed
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from threading import Lock
from typing import Final

import redis

from ledger.canonical import format_timestamp
from service.connection import unavailable_on_error
from service.errors import Unavailable


def now() -> datetime:
    """Return the current time: aware, in UTC, in whole milliseconds."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


format: Final = format_timestamp
"""Returns the timestamp of a moment: `2026-11-20T09:15:00.000Z`. Timestamps sort like moments."""


def parse(text: str) -> datetime:
    """Return the moment of a timestamp. Raises ValueError for any other text."""
    return datetime.fromisoformat(text)


def milliseconds(moment: datetime) -> int:
    """Return the milliseconds since 1970 at a moment, as in the scores of sorted sets."""
    return round(moment.timestamp() * 1000)


def hour() -> str:
    """Return the beginning of the current hour, as a timestamp."""
    return format(now().replace(minute=0, second=0, microsecond=0))


CLOCK_JUMPS_KEY: Final = "cartulary:clock-jumps"
SLEW: Final = 0.001
"""The fastest correction that is followed, in seconds per second. NTP corrects by 0.0005 at most."""

log = logging.getLogger(__name__)


def monotonic() -> float:
    """Return the seconds since some moment; they cannot be set, and include the time in suspension."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class TrustedClock:
    """The trusted clock of one process. Thread-safe."""

    def __init__(
        self,
        client: redis.Redis,
        *,
        max_jump: float,
        hold: float,
        wall_clock: Callable[[], datetime] = now,
        monotonic: Callable[[], float] = monotonic,
    ) -> None:
        """Trust the wall clock from now on.

        `max_jump` is the number of seconds by which it may differ from the monotonic clock, and from that of
        Redis. `hold` is the number of seconds after a jump for which it must be steady to be trusted again.
        """
        self._redis = client
        self._max_jump = max_jump
        self._hold = hold
        self._wall_clock = wall_clock
        self._monotonic = monotonic
        self._lock = Lock()
        self._seconds = monotonic()
        self._offset = wall_clock().timestamp() - self._seconds
        """The trusted difference between the wall clock and the monotonic clock."""
        self._jump: tuple[float, float] | None = None
        """After a jump, the offset since then and the monotonic time at which it was observed."""
        self._differs_from_redis = False

    def now(self) -> datetime:
        """Return the current time: aware, in UTC, in whole milliseconds."""
        moment, is_new_jump = self._observe()
        if is_new_jump:
            self._count_jump()
        return moment

    def timestamp_after(self, previous: str = "") -> str:
        """Return the timestamp for an event after another: now, but not earlier than `previous`."""
        return max(format(self.now()), previous)

    def is_reliable(self) -> bool:
        """Return whether turns may be forfeited by this clock.

        The wall clock must agree with the monotonic clock and with the clock of Redis. Raises Unavailable.
        """
        now = self.now()
        if self._jump is not None:
            return False
        with unavailable_on_error():
            seconds, microseconds = self._redis.time()
        difference = now.timestamp() - (seconds + microseconds / 1e6)
        differs = abs(difference) > self._max_jump
        with self._lock:
            is_change, self._differs_from_redis = differs != self._differs_from_redis, differs
        if is_change and differs:
            log.error(
                "this machine's clock differs from that of Redis by %+.1f s; no turn is forfeited here until"
                " they agree",
                difference,
            )
            self._count_jump()
        elif is_change:
            log.warning("this machine's clock agrees with that of Redis again")
        return not differs

    def observed_jumps(self) -> int:
        """Return the number of jumps that all processes have observed. Raises Unavailable."""
        with unavailable_on_error():
            return int(self._redis.get(CLOCK_JUMPS_KEY) or 0)

    def _observe(self) -> tuple[datetime, bool]:
        """Compare the clocks; return the current time, and whether the wall clock has just jumped."""
        with self._lock:
            is_new_jump = False
            wall, seconds = self._wall_clock(), self._monotonic()
            offset = wall.timestamp() - seconds
            elapsed, self._seconds = seconds - self._seconds, seconds
            deviation = offset - self._offset
            if abs(deviation) <= self._max_jump:
                if self._jump is not None:
                    log.warning("the clock is right again")
                    self._jump = None
                limit = min(SLEW * elapsed, self._max_jump)
                self._offset += max(-limit, min(deviation, limit))
            elif self._jump is None or abs(offset - self._jump[0]) > self._max_jump:
                self._jump = (offset, seconds)
                log.error(
                    "the clock has jumped by %+.1f s; events are dated by the time before, and no turn is"
                    " forfeited until the clock is right again or has been steady for %g s",
                    deviation,
                    self._hold,
                )
                is_new_jump = True
            elif seconds - self._jump[1] >= self._hold:
                log.warning("the clock has been steady since its jump and is trusted again")
                self._offset, self._jump = offset, None
            if self._jump is None:
                return wall, False
            moment = datetime.fromtimestamp(self._offset + seconds, UTC)
            return moment.replace(microsecond=moment.microsecond // 1000 * 1000), is_new_jump

    def _count_jump(self) -> None:
        with suppress(Unavailable), unavailable_on_error():
            self._redis.incr(CLOCK_JUMPS_KEY)

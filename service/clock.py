"""The service's clock: the only place that reads the current time. UTC throughout; tests freeze it.

Timestamps are written as in the log: RFC 3339 with milliseconds and `Z`.
"""

from datetime import UTC, datetime

from domain.game import Game
from ledger import turn_clock
from ledger.envelope import format_timestamp


def now() -> datetime:
    """Return the current time: aware, in UTC, in whole milliseconds."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def format(moment: datetime) -> str:
    """Return the timestamp of a moment: `2026-11-20T09:15:00.000Z`. Timestamps sort like moments."""
    return format_timestamp(moment)


def parse(text: str) -> datetime:
    """Return the moment of a timestamp. Raises ValueError for any other text."""
    return datetime.fromisoformat(text)


def next_timestamp(previous: str = "") -> str:
    """Return the timestamp for an event after one at `previous`: now, but never earlier than that."""
    return max(format(now()), previous)


def deadline(game: Game) -> str | None:
    """Return the deadline of the turn under way as a timestamp; None if it has none."""
    moment = turn_clock.deadline(game)
    return None if moment is None else format(moment)


def is_deadline_past(game: Game) -> bool:
    """Return whether the deadline of the turn under way has passed."""
    return turn_clock.has_passed(game, format(now()))

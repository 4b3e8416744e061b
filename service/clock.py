"""The wall clock and timestamps: the only place that reads the current time. UTC throughout; tests freeze it.

What decides about a game, or is stored in its log, uses the trusted clock (service/trusted_clock.py).
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


def deadline(game: Game) -> str | None:
    """Return the deadline of the turn under way as a timestamp; None if it has none."""
    moment = turn_clock.deadline(game)
    return None if moment is None else format(moment)

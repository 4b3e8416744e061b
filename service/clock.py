"""The one place where time comes from. UTC throughout; tests freeze it.

Here is what the time is, how it is written in a log (RFC 3339, milliseconds, `Z`) and read again.
What a game's clock makes of it is in service/deadlines.py.
"""

from datetime import UTC, datetime


def now() -> datetime:
    """The time now: aware, UTC, whole milliseconds."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def format(moment: datetime) -> str:
    """A moment as the log has it: `2026-11-20T09:15:00.000Z`; the texts sort as the moments do."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def parse(text: str) -> datetime:
    """The moment that a text of the log says. Raises ValueError for what is none."""
    return datetime.fromisoformat(text)


def next_timestamp(previous: str = "") -> str:
    """`at` of an event that follows one of `previous`: now, but never before it."""
    return max(format(now()), previous)

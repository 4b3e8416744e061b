"""Dates of tournaments: the arithmetic that needs the calendar."""

from datetime import datetime, timedelta

from domain.tournaments.change import Dates
from domain.tournaments.tournament import DrawnRound
from ledger.canonical import format_timestamp
from ledger.envelope import is_timestamp


class Calendar:
    """The dates of the calendar in UTC."""

    def is_timestamp(self, value: object) -> bool:
        """Return whether the value is a timestamp of a day in the calendar."""
        return is_timestamp(value)

    def plus(self, moment: str, seconds: int) -> str:
        """Return the timestamp so many seconds later."""
        return format_timestamp(datetime.fromisoformat(moment) + timedelta(seconds=seconds))

    def moved(self, moment: str, since: str, until: str) -> str:
        """Return the timestamp that is later by the time from `since` to `until`."""
        length = datetime.fromisoformat(until) - datetime.fromisoformat(since)
        return format_timestamp(datetime.fromisoformat(moment) + length)


CALENDAR: Dates = Calendar()


def middle_of(drawn: DrawnRound) -> str:
    """Return the time in the middle between the draw of a round and its last date."""
    begins, ends = (datetime.fromisoformat(text) for text in (drawn.drawn_at, drawn.ends))
    return format_timestamp(begins + (ends - begins) / 2)

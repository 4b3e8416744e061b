"""Requests and responses about clocks, holidays and pauses."""

from typing import Annotated, TypedDict

from domain.json_types import Count, PlayerId, Seat, Timestamp
from service.http.validation import StrictSchema, String


class AnnounceHoliday(StrictSchema):
    """The days of a holiday."""

    first_day = String(
        required=True, format="date", example="2027-07-14", description="The first day."
    )
    last_day = String(
        required=True, format="date", example="2027-07-20", description="The last day."
    )


Holiday = TypedDict(
    "Holiday",
    {
        "id": str,
        "first_day": Annotated[str, "A day, such as `2027-07-14`."],
        "last_day": Annotated[str, "A day, such as `2027-07-20`."],
        "time_zone": str,
        "from": Timestamp,
        "to": Timestamp,
        "announced_at": Timestamp,
        "cancelled_at": Timestamp | None,
    },
)
"""A holiday: whole days in a time zone, from one time until another."""


class DaysUsed(TypedDict):
    """How many days of holidays a player has used up in a calendar year."""

    year: Count
    days: Count


class HolidayList(TypedDict):
    """A player's holidays, how many days a player has in a calendar year, how many hours before it begins a
    holiday must be announced, and how many days are used up, by year.
    """

    holidays: list[Holiday]
    days_per_year: Count
    notice_hours: Count
    days_used: list[DaysUsed]
    next: str | None


class Pause(TypedDict):
    """The seats that agree to a pause. If all people agree, the clock stands still since `since`, and until
    `until` at the latest; otherwise both are null.
    """

    agreed_by: list[Seat]
    since: Timestamp | None
    until: Timestamp | None


PlayersHoliday = TypedDict(
    "PlayersHoliday", {"player": PlayerId, "from": Timestamp, "to": Timestamp}
)
"""A holiday of a player of a game, which does not count in this player's turns."""


class Timing(TypedDict):
    """The clock of a game in progress. `banks_ms` are the milliseconds left in the time bank of each seat
    when the turn under way began, and `bank_from` is the time from which on that turn uses up the bank of its
    seat; both are null without time banks. While a pause or an open dispute stops the clock, it runs again
    at `clock_stopped_until` at the latest; until that time, the `deadline` of the game is the latest one
    possible. `holidays` are those announced in the game that are not over.
    """

    banks_ms: list[Count] | None
    bank_from: Timestamp | None
    clock_stopped_until: Timestamp | None
    pause: Pause | None
    holidays: list[PlayersHoliday]

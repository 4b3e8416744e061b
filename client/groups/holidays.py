"""Holidays, and pauses by agreement.

`python -m service.http.client_generator` has written this file.
"""

from typing import TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, reader, segment


class AnnounceHoliday(TypedDict):
    """The body of a request: AnnounceHoliday."""

    first_day: str
    last_day: str


class DaysUsed(TypedDict):
    """How many days of holidays a player has used up in a calendar year."""

    year: int
    days: int


Holiday = TypedDict(
    "Holiday",
    {
        "id": str,
        "first_day": str,
        "last_day": str,
        "time_zone": str,
        "from": str,
        "to": str,
        "announced_at": str,
        "cancelled_at": str | None,
    },
)
"""The body of a request: Holiday."""


class HolidayList(TypedDict):
    """A player's holidays, how many days a player has in a calendar year, how many hours before
    it begins a holiday must be announced, and how many days are used up, by year.
    """

    holidays: list[Holiday]
    days_per_year: int
    notice_hours: int
    days_used: list[DaysUsed]
    next: str | None


def list_holidays() -> Call[HolidayList]:
    """List the player's holidays, cancelled and past ones included, and how many days are used
    up.

    `days_per_year` and `notice_hours` are settings of the server.
    """
    return call("GET", "/me/holidays", reader(HolidayList))


def announce_holiday(**body: Unpack[AnnounceHoliday]) -> Call[Holiday]:
    """Announce a holiday: whole days in the time zone of the account, the last one included.

    It is recorded in the log of every current game of the player whose clock has holidays, and of
    every such game that the player joins later. If some of the days are a holiday already, or the
    player has not so many days left, the response is a 409.
    """
    return call("POST", "/me/holidays", reader(Holiday), body=body)


def cancel_holiday(holiday: str, /) -> Call[Holiday]:
    """Cancel a holiday. One that has begun ends at once.

    The days that have not begun are given back. The request can be repeated.
    """
    return call("DELETE", f"/me/holidays/{segment(holiday)}", reader(Holiday))


class HolidaysCalls(Group[C_co]):
    """Holidays, and pauses by agreement."""

    list = Method(list_holidays)
    announce = Method(announce_holiday)
    cancel = Method(cancel_holiday)

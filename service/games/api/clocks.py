"""Holidays of the player, pauses of a game by agreement, and more time for others."""

from datetime import date
from typing import Any

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import Text, message
from ledger.statements import AgreeToPause, GiveTime
from service.accounts.holidays import AccountHoliday
from service.http.blueprint import Blueprint
from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.http.responses import body_of
from service.http.schemas.clocks import AnnounceHoliday, Holiday, HolidayList
from service.http.statements import add_statement

blueprint = Blueprint("clocks", "Holidays, and pauses by agreement.", auth="login_required")


@blueprint.get("/me/holidays", "The player's holidays, the earliest first.", HolidayList)
def list_holidays(player: str) -> JsonObject:
    """List the player's holidays, cancelled and past ones included, and how many days are used up.

    `days_per_year` and `notice_hours` are settings of the server.
    """
    holidays = service().accounts.holidays
    stored = holidays.of(player)
    return {
        "holidays": list(map(holiday_json, stored)),
        "days_per_year": holidays.days_per_year,
        "notice_hours": holidays.notice_hours,
        "days_used": [
            {"year": year, "days": days}
            for year, days in sorted(holidays.days_used(stored).items())
        ],
        "next": None,
    }


@blueprint.post(
    "/me/holidays",
    "The holiday.",
    Holiday,
    limit=limit_new_places,
    json_body=AnnounceHoliday(),
    errors=(409,),
)
def announce_holiday(player: str, body: JsonObject) -> JsonObject:
    """Announce a holiday: whole days in the time zone of the account, the last one included.

    It is recorded in the log of every current game of the player whose clock has holidays, and of every such
    game that the player joins later. If some of the days are a holiday already, or the player has not so many
    days left, the response is a 409.
    """
    first_day, last_day = parse_days(body)
    holiday = service().games.holiday_registry.announce(player, first_day, last_day)
    return holiday_json(holiday)


@blueprint.delete(
    "/me/holidays/<holiday>", "The cancelled holiday.", Holiday, limit=limit_new_places
)
def cancel_holiday(player: str, holiday: str) -> JsonObject:
    """Cancel a holiday. One that has begun ends at once.

    The days that have not begun are given back. The request can be repeated.
    """
    return holiday_json(service().games.holiday_registry.cancel(player, holiday))


add_statement(blueprint, AgreeToPause)
add_statement(blueprint, GiveTime, examples={"to": 1, "seconds": 86400})


def parse_days(body: JsonObject) -> tuple[date, date]:
    """Return the first and the last day of a holiday. Raises Malformed, which names every wrong day."""
    days: dict[str, date] = {}
    faults: dict[str, Text] = {}
    for name in ("first_day", "last_day"):
        day = _parse_day(body[name])
        if day is None:
            faults[name] = message("must be a day such as 2027-07-14")
        else:
            days[name] = day
    if faults:
        raise Malformed(faults)
    return days["first_day"], days["last_day"]


def _parse_day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.isoformat() == text else None


def holiday_json(holiday: AccountHoliday) -> dict[str, Any]:
    """Return a holiday as JSON."""
    return body_of(Holiday, holiday, **{"from": holiday.since}, to=holiday.until)

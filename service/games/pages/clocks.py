"""The page of a game's clock, with pauses and substitutes; the player's holidays and time zone."""

from typing import Final

from flask import Blueprint
from werkzeug.wrappers import Response

from domain.clock import decisions
from domain.errors import Malformed
from ledger.clock.time_zones import UTC_NAME, time_zone_names
from ledger.clock.turn_clock import clock_stop, deadline_timestamp, is_pause_over, pause_limit
from ledger.statements import AgreeToPause, GiveTime
from service import wall_clock
from service.errors import HolidayNotPossible, NotFound, TooManyGames, Unauthorised
from service.games.api.clocks import parse_days
from service.http.context import service
from service.http.ratelimits import limit_disputes, limit_new_places
from service.http.schemas.clocks import AnnounceHoliday
from service.http.validation import Choice, QueryInteger, StrictSchema, String
from service.pages import session
from service.pages.forms import (
    EMPTY_FORM,
    Form,
    read_field,
    read_form,
    see_other,
    sequence_number,
    shows_refusals,
)
from service.pages.return_addresses import next_address
from service.pages.templating import page
from service.pages.view_models.clock_view import (
    bank_rows,
    can_take_seats,
    clock_text,
    deadline_texts,
    extension_choices,
    holiday_rows,
    reason_not_to_leave,
    time_left,
)
from service.pages.view_models.game_forms import (
    REFUSALS,
    KeyedForm,
    game_viewer,
    new_key,
    request_options,
    require_player,
    state,
)

HOLIDAYS: Final = "/account/holidays"
_CLOCK: Final = "/games/<game_id>/clock"

blueprint = Blueprint("clocks", __name__, template_folder="../templates")


class PauseForm(KeyedForm):
    """Whether the player agrees to a pause."""

    answer = Choice(choices=("agree", "withdraw"), required=True)


class ExtensionForm(KeyedForm):
    """How much more time a player gives to the seat whose turn it is."""

    to = QueryInteger(required=True)
    seconds = QueryInteger(minimum=1, required=True)


class TimeZoneForm(StrictSchema):
    """A time zone; none stands for UTC."""

    time_zone = String(load_default=None)


def _clock_page(game_id: str, form: Form = EMPTY_FORM, status: int = 200) -> Response:
    current = game_viewer(game_id)
    game = current.game
    now = wall_clock.format(wall_clock.now())
    is_over = is_pause_over(game, now)
    agreed_by = [
        seat for seat in game.seats_of_people() if game.players[seat] in game.pauses.agreed_by
    ]
    return page(
        "clock.html",
        status,
        game=game,
        seat=current.seat,
        form=form,
        settings=clock_text(game.clock),
        time_left=time_left(game, now),
        deadline=deadline_timestamp(game),
        stop=clock_stop(game, now),
        banks=bank_rows(game),
        holidays=holiday_rows(game, now),
        paused_until=None if is_over else pause_limit(game),
        agreed_by=agreed_by,
        waiting_for=[seat for seat in game.seats_of_people() if seat not in agreed_by],
        agree_reason=current.reason_not_to(
            lambda seat: decisions.agree_to_pause(game, seat, agree=True, is_over=is_over)
        ),
        withdraw_reason=current.reason_not_to(
            lambda seat: decisions.agree_to_pause(game, seat, agree=False, is_over=is_over)
        ),
        extensions=extension_choices(game, current.seat),
        deadline_texts=deadline_texts(game),
        leave_reason=reason_not_to_leave(game, current.seat),
        can_take_seats=can_take_seats(game, current.player),
        key=new_key(),
    )


def _holidays_page(
    status: int = 200, *, form: Form | None = None, zone_form: Form | None = None
) -> Response:
    player = session.require_player()
    (account,) = service().accounts.players.get([player])
    if account is None:
        raise Unauthorised.with_message("the account of this token has been deleted")
    holidays = service().accounts.holidays
    stored = holidays.of(player)
    now = wall_clock.format(wall_clock.now())
    years = sorted({int(now[:4]), int(now[:4]) + 1})
    used = holidays.days_used(stored)
    zone = account.time_zone or UTC_NAME
    return page(
        "holidays.html",
        status,
        form=form or Form(),
        zone_form=zone_form or Form({"time_zone": zone}),
        time_zones=sorted(time_zone_names()),
        time_zone=zone,
        holidays=[
            (holiday, holiday.cancelled_at is None and now < holiday.until) for holiday in stored
        ],
        days_left=[(year, max(0, holidays.days_per_year - used.get(year, 0))) for year in years],
        days_per_year=holidays.days_per_year,
        notice_hours=holidays.notice_hours,
    )


@blueprint.get(_CLOCK)
def show_clock(game_id: str) -> Response:
    """Show the clock of a game: its settings, what is left, and who agrees to a pause."""
    return _clock_page(game_id)


@blueprint.post(_CLOCK)
@limit_disputes
@shows_refusals(_clock_page, *REFUSALS, keeps_entries=False)
def agree_to_pause(game_id: str) -> Response:
    """Agree to a pause, or withdraw the agreement."""
    player = require_player(game_id)
    values = read_form(PauseForm())
    state(game_id, player, AgreeToPause(agree=values["answer"] == "agree"), values)
    return see_other(next_address(f"/games/{game_id}/clock"))


@blueprint.post(f"{_CLOCK}/time")
@limit_disputes
@shows_refusals(_clock_page, *REFUSALS, keeps_entries=False)
def give_time(game_id: str) -> Response:
    """Give the player whose turn it is more time."""
    player = require_player(game_id)
    values = read_form(ExtensionForm())
    state(game_id, player, GiveTime(values["to"], values["seconds"]), values)
    return see_other(f"/games/{game_id}/clock")


@blueprint.get(HOLIDAYS)
def show_holidays() -> Response:
    """Show the player's holidays, and the forms to announce one and to choose a time zone."""
    return _holidays_page()


@blueprint.post(HOLIDAYS)
@limit_new_places
@shows_refusals(_holidays_page, Malformed, HolidayNotPossible)
def announce_holiday() -> Response:
    """Announce a holiday."""
    player = session.require_player()
    service().games.holiday_registry.announce(player, *parse_days(read_form(AnnounceHoliday())))
    return see_other(HOLIDAYS)


@blueprint.post(f"{HOLIDAYS}/cancel")
@limit_new_places
@shows_refusals(_holidays_page, Malformed, NotFound, keeps_entries=False)
def cancel_holiday() -> Response:
    """Cancel a holiday, or end one that has begun."""
    player = session.require_player()
    service().games.holiday_registry.cancel(player, read_field("holiday"))
    return see_other(HOLIDAYS)


@blueprint.post(f"{HOLIDAYS}/time-zone")
@shows_refusals(_holidays_page, Malformed, form="zone_form")
def choose_time_zone() -> Response:
    """Store the time zone of the player."""
    player = session.require_player()
    zone = read_form(TimeZoneForm())["time_zone"]
    token = session.session_token() or ""
    service().accounts.players.change_settings(player, token, {"time_zone": zone})
    return see_other(HOLIDAYS)


class SeatForm(KeyedForm):
    """The vacant seat that a player takes."""

    seat = String(required=True)


@blueprint.post("/games/<game_id>/seats/leave")
@shows_refusals(_clock_page, *REFUSALS, keeps_entries=False)
def leave_seat(game_id: str) -> Response:
    """Leave the viewer's seat to a substitute."""
    player = session.require_player()
    values = read_form(KeyedForm())
    service().games.commands.leave_seat(game_id, player, **request_options(values))
    return see_other(f"/games/{game_id}")


@blueprint.post("/games/<game_id>/substitutes")
@limit_new_places
@shows_refusals(_clock_page, *REFUSALS, TooManyGames, keeps_entries=False)
def take_seat(game_id: str) -> Response:
    """Take a vacant seat."""
    player = session.require_player()
    values = read_form(SeatForm())
    seat = sequence_number(values["seat"], "seat")
    service().games.commands.take_seat(game_id, player, seat, **request_options(values))
    return see_other(next_address(f"/games/{game_id}"))

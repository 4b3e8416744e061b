"""The agenda of a club: its meetings, and the polls for their dates."""

from flask import Blueprint, Response, g, request
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed, NotNow
from ledger.clock.time_zones import UTC_NAME
from service.clubs.agenda import MAX_DETAILS_CHARACTERS
from service.clubs.pages.clubs import PAGE_TOURNAMENTS, entered_lines, games_of_club
from service.clubs.polls import MAX_DATES
from service.games.listings import GamesOfClub
from service.http.context import service
from service.http.ratelimits import limit_messages, limit_new_places
from service.pages.forms import (
    EMPTY_FORM,
    Form,
    entered_form,
    read_field,
    see_other,
    shows_refusals,
)
from service.pages.session import current_player, require_player
from service.pages.templating import page
from service.pages.view_models.game_lists import read_lists
from service.tournaments.view_model import entered_moment, local_moment

blueprint = Blueprint("club_agenda", __name__, template_folder="../templates")


def _agenda_page(club_id: str, form: Form = EMPTY_FORM, status: int = 200, **_: str) -> Response:
    player_id, zone = current_player(), g.get("time_zone") or UTC_NAME
    entry = service().clubs.visible(club_id, player_id)
    meetings = service().club_agenda.meetings(club_id, player_id)
    is_member = player_id is not None and entry.relation(player_id) == "member"
    games = GamesOfClub(club_id, for_member=is_member)
    polls = service().club_polls.polls(club_id, player_id) if player_id and is_member else []
    service().accounts.players.handles({id for each in polls for ids in each.votes for id in ids})
    lists = {name: games_of_club(name, player_id, games) for name in ("open", "watch")}
    read_lists(*lists.values())
    tournaments, _next = service().tournaments.tournaments.page(
        ("open", "running"), viewer=player_id, limit=PAGE_TOURNAMENTS, club=club_id
    )
    return page(
        "club_agenda.html",
        status,
        club=entry.club,
        relation=entry.relation(player_id),
        may_edit=entry.has_right(player_id, "edit"),
        meetings=meetings,
        polls=polls,
        dates=MAX_DATES,
        local_times={each.id: local_moment(each.at, zone) for each in meetings},
        lists=lists,
        tournaments=tournaments,
        time_zone=zone,
        form=form,
        unfilled=EMPTY_FORM,
        max_details_characters=MAX_DETAILS_CHARACTERS,
    )


@blueprint.get("/clubs/<club_id>/agenda")
def show_agenda(club_id: str) -> Response:
    """Show the meetings of a club, and its games and tournaments that are not over."""
    return _agenda_page(club_id)


@blueprint.post("/clubs/<club_id>/agenda")
@limit_new_places
@shows_refusals(_agenda_page, Malformed, NotNow)
def enter_meeting(club_id: str) -> BaseResponse:
    """Enter a meeting, or change the one that the form names, as the owner or an officer."""
    player_id, zone = require_player(), g.get("time_zone") or UTC_NAME
    values = entered_form().values
    title, at = values.get("title", "").strip(), entered_moment(values.get("at", "").strip(), zone)
    details, meeting = entered_lines(values.get("details", "")), values.get("meeting") or None
    service().club_agenda.enter(club_id, player_id, title, at, details, meeting)
    return see_other(f"/clubs/{club_id}/agenda")


@blueprint.post("/clubs/<club_id>/agenda/cancellation")
def cancel_meeting(club_id: str) -> BaseResponse:
    """Cancel a meeting, as the owner or an officer."""
    service().club_agenda.cancel(club_id, require_player(), read_field("meeting"))
    return see_other(f"/clubs/{club_id}/agenda")


@blueprint.post("/clubs/<club_id>/polls")
@limit_new_places
@shows_refusals(_agenda_page, Malformed, NotNow)
def open_poll(club_id: str) -> BaseResponse:
    """Open a poll among the dates of a form, as the owner or an officer."""
    player_id, zone = require_player(), g.get("time_zone") or UTC_NAME
    values = entered_form().values
    entered = (values.get(f"date-{number}", "").strip() for number in range(1, MAX_DATES + 1))
    dates = [entered_moment(date, zone) for date in entered if date]
    title, details = values.get("title", "").strip(), entered_lines(values.get("details", ""))
    service().club_polls.open(club_id, player_id, title, dates, details)
    return see_other(f"/clubs/{club_id}/agenda")


@blueprint.post("/clubs/<club_id>/polls/votes")
@limit_messages
def vote(club_id: str) -> BaseResponse:
    """Vote for the dates of a poll that are ticked, as a member."""
    player_id, poll = require_player(), entered_form().values.get("poll", "")
    service().club_polls.vote(club_id, player_id, poll, request.form.getlist("date"))
    return see_other(f"/clubs/{club_id}/agenda")


@blueprint.post("/clubs/<club_id>/polls/meeting")
@limit_new_places
@shows_refusals(_agenda_page, Malformed, NotNow, keeps_entries=False)
def fix_date(club_id: str) -> BaseResponse:
    """Enter the meeting at one of the dates of a poll, as the owner or an officer."""
    player_id, values = require_player(), entered_form().values
    service().club_polls.fix(club_id, player_id, values.get("poll", ""), values.get("date", ""))
    return see_other(f"/clubs/{club_id}/agenda")


@blueprint.post("/clubs/<club_id>/polls/withdrawal")
def withdraw_poll(club_id: str) -> BaseResponse:
    """Withdraw a poll, as the owner or an officer."""
    service().club_polls.withdraw(club_id, require_player(), read_field("poll"))
    return see_other(f"/clubs/{club_id}/agenda")

"""The page on which organisers change their tournaments."""

from flask import Blueprint, Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed, NotNow
from domain.tournaments.announcements import MAX_ANNOUNCEMENT, MAX_PER_DAY
from domain.tournaments.change import MAX_REASON
from domain.tournaments.changes import can_change
from domain.tournaments.decisions import MAX_CONTACT, MAX_DESCRIPTION
from domain.tournaments.tournament import Tournament
from service.errors import Forbidden
from service.http.context import service
from service.http.problems import status_of
from service.pages.forms import EMPTY_FORM, Form, entered_form, see_other
from service.pages.session import require_player
from service.pages.templating import page
from service.tournaments.pages.organiser_view import (
    SEEDING_NAMES,
    change_rows,
    drawn_tables,
    entered_change,
    possible_changes,
    table_to_rule,
)
from service.tournaments.pages.tournaments import TOURNAMENTS, visitor_time_zone
from service.tournaments.view_model import round_view

blueprint = Blueprint("organiser", __name__, template_folder="../templates")


@blueprint.get(f"{TOURNAMENTS}/<tournament_id>/organise")
def show_changes(tournament_id: str) -> Response:
    """Show the forms for everything that an organiser can change now."""
    player = require_player()
    tournament = service().tournaments.tournaments.get(tournament_id, player)
    if not can_change(tournament, player):
        raise Forbidden.with_message("only the organiser of the tournament can do this")
    return _page(tournament, EMPTY_FORM)


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/organise")
def make_change(tournament_id: str) -> BaseResponse:
    """Make a change, and show the tournament; show the form again with what is wrong if it is refused."""
    player = require_player()
    type = request.form.get("type", "")
    data = entered_change(type, request.form, visitor_time_zone())
    try:
        service().tournaments.changes.make(
            tournament_id, player, type, request.form.get("reason", ""), data
        )
    except (NotNow, Malformed) as error:
        tournament = service().tournaments.tournaments.get(tournament_id, player)
        return _page(tournament, entered_form().refused(error), status_of(error))
    return see_other(f"{TOURNAMENTS}/{tournament_id}")


def _page(tournament: Tournament, form: Form, status: int = 200) -> Response:
    chosen = {**request.args, **form.values}
    round, table = chosen.get("round", ""), chosen.get("table", "")
    drawn = tournament.rounds if tournament.status == "running" else ()
    possible = possible_changes(tournament)
    draw = None
    if "draw" in request.args and "RoundReleased" in possible:
        draw = drawn_tables(tournament)
    prohibited = {player for group in tournament.prohibitions for player in group}
    handles = service().accounts.players.handles(prohibited | {*tournament.entrants})
    return page(
        "organise.html",
        status,
        tournament=tournament,
        form=form,
        empty=EMPTY_FORM,
        rounds=[
            view
            for view in (round_view(tournament, each) for each in reversed(drawn))
            if view.can_be_ruled
        ],
        round=round,
        table=table_to_rule(tournament, round, table),
        possible=possible,
        draw=draw,
        by_hand="\n".join(
            ", ".join(handles[player] or "" for player in players) for players in draw or ()
        ),
        clubs=[each.club for each in service().clubs.of(require_player())],
        seedings=SEEDING_NAMES,
        handles=handles,
        changes=change_rows(tournament),
        time_zone=visitor_time_zone(),
        most_description=MAX_DESCRIPTION,
        most_contact=MAX_CONTACT,
        most_reason=MAX_REASON,
        most_announcement=MAX_ANNOUNCEMENT,
        most_per_day=MAX_PER_DAY,
    )

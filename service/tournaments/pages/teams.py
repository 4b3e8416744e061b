"""The pages of teams: a team with its line-up, and the forms of its captain and of its players."""

from collections.abc import Mapping

from flask import Blueprint, Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed, NotNow
from domain.messages import message
from domain.options import MAX_NAME_CHARACTERS
from domain.tournaments.changes import can_change
from domain.tournaments.team_entries import line_up_round
from domain.tournaments.teams import MAX_PLAYERS_PER_BOARD, Team
from domain.tournaments.tournament import Tournament
from service import wall_clock
from service.errors import Forbidden, NotFound
from service.http.context import service
from service.http.problems import status_of
from service.http.ratelimits import limit_new_places
from service.http.validation import validate
from service.pages.forms import EMPTY_FORM, Form, entered_form, read_form, see_other
from service.pages.session import current_player, require_player
from service.pages.templating import page
from service.pages.view_models.game_forms import NonceForm
from service.pages.view_models.new_game_form import entered_handles
from service.tournaments.pages.tournaments import TOURNAMENTS
from service.tournaments.view_model import entered_number, individual_rows, registration_has_closed

blueprint = Blueprint("teams", __name__, template_folder="../templates")

_REFUSALS = (Forbidden, NotNow, Malformed)


@blueprint.get(f"{TOURNAMENTS}/<tournament_id>/team")
def show_entry(tournament_id: str) -> Response:
    """Show the form with which the visitor enters a team, or changes the own one."""
    player = require_player()
    tournament = _get(tournament_id, player)
    return _entry_page(tournament, player, EMPTY_FORM)


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/team")
@limit_new_places
def enter_team(tournament_id: str) -> BaseResponse:
    """Enter a team as its captain, or change it, and show it."""
    player = require_player()
    name = request.form.get("name", "").strip()
    try:
        nonce = validate(NonceForm(), {"nonce": request.form.get("nonce", "")})["nonce"]
        members = entered_handles(request.form.get("members", ""))
        service().tournaments.teams.enter(tournament_id, player, name, members, nonce or b"")
    except _REFUSALS as error:
        tournament = _get(tournament_id, player)
        return _entry_page(tournament, player, entered_form().refused(error), status_of(error))
    return see_other(_address(tournament_id, player))


@blueprint.get(f"{TOURNAMENTS}/<tournament_id>/teams/<handle>")
def show_team(tournament_id: str, handle: str) -> Response:
    """Show the team of the captain with this handle: its players, its line-up and its results."""
    tournament = _get(tournament_id, current_player())
    return _team_page(tournament, _team_of(tournament, handle), EMPTY_FORM)


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/teams/<handle>/join")
@limit_new_places
def join_team(tournament_id: str, handle: str) -> BaseResponse:
    """Let the visitor join a team whose captain has named them."""
    player = require_player()
    nonce = read_form(NonceForm())["nonce"] or b""
    try:
        service().tournaments.teams.join(tournament_id, player, handle, nonce)
    except _REFUSALS as error:
        tournament = _get(tournament_id, player)
        team = _team_of(tournament, handle)
        return _team_page(tournament, team, EMPTY_FORM.refused(error), status_of(error))
    return see_other(f"{TOURNAMENTS}/{tournament_id}/teams/{handle}")


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/teams/<handle>/line-up")
@limit_new_places
def set_line_up(tournament_id: str, handle: str) -> BaseResponse:
    """Set the line-up of a team, as its captain or an organiser, and show the team."""
    player = require_player()
    tournament = _get(tournament_id, player)
    team = _team_of(tournament, handle)
    round = entered_number(request.form.get("round", ""))
    boards = min(tournament.format.boards, len(team.players))
    players = [request.form.get(f"board-{board}", "") for board in range(1, boards + 1)]
    try:
        if not isinstance(round, int):
            raise Malformed({"round": message("must be a whole number")})
        service().tournaments.teams.set_line_up(tournament_id, player, handle, round, players)
    except _REFUSALS as error:
        tournament = _get(tournament_id, player)
        form = entered_form().refused(error)
        return _team_page(tournament, _team_of(tournament, handle), form, status_of(error))
    return see_other(f"{TOURNAMENTS}/{tournament_id}/teams/{handle}")


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/teams/<handle>/captain")
@limit_new_places
def name_captain(tournament_id: str, handle: str) -> BaseResponse:
    """Hand a team on to another of its players, as its captain or an organiser, and show it."""
    player, successor = require_player(), request.form.get("handle", "")
    try:
        service().tournaments.teams.hand_on(tournament_id, player, handle, successor)
    except _REFUSALS as error:
        tournament = _get(tournament_id, player)
        form = entered_form().refused(error)
        return _team_page(tournament, _team_of(tournament, handle), form, status_of(error))
    return see_other(f"{TOURNAMENTS}/{tournament_id}/teams/{successor}")


def _get(tournament_id: str, viewer: str | None) -> Tournament:
    """Return a tournament of teams. Raises NotFound for one of single players, too."""
    tournament = service().tournaments.tournaments.get(tournament_id, viewer)
    if not tournament.format.boards:
        raise NotFound.with_message("no teams take part in this tournament")
    return tournament


def _team_of(tournament: Tournament, handle: str) -> Team:
    """Return the team of a captain by the handle, of one who was erased by the id. Raises NotFound."""
    captain = service().accounts.players.by_handle(handle)
    team = tournament.teams.get(handle if captain is None else captain.id)
    if team is not None and captain is None and _handles(tournament)[team.captain] is not None:
        team = None
    if team is None:
        raise NotFound.with_message("there is no such team in this tournament")
    return team


def _handles(tournament: Tournament) -> Mapping[str, str | None]:
    """Return the handles of all who are named in the teams; None for one who was erased."""
    named = [player for team in tournament.teams.values() for player in team.roster]
    return service().tournaments.tournaments.handles(named)


def _entry_page(tournament: Tournament, player: str, form: Form, status: int = 200) -> Response:
    team = tournament.teams.get(player)
    own = service().accounts.players.handles({player})[player] or ""
    handles = _handles(tournament)
    roster = [] if team is None else [handles[each] for each in team.roster]
    # Who was erased is left out.
    members = " ".join(filter(None, roster))
    boards = tournament.format.boards
    return page(
        "enter_team.html",
        status,
        tournament=tournament,
        team=team,
        form=form,
        default_members=members or own,
        is_possible=tournament.status == "open"
        and not registration_has_closed(tournament)
        and (team is not None or not tournament.takes_part(player)),
        boards=boards,
        club_names=_club_names(tournament, team, player),
        most_members=MAX_PLAYERS_PER_BOARD * boards,
        most_name=MAX_NAME_CHARACTERS,
    )


def _club_names(tournament: Tournament, team: Team | None, player: str) -> list[str]:
    """Return the clubs of a match for which a player may enter a team; for a captain, that of the team."""
    if team is not None:
        return [team.name]
    taken = {each.name for each in tournament.teams.values()}
    return [
        name
        for club, name in tournament.clubs.items()
        if name not in taken and _may_edit(club, player)
    ]


def _may_edit(club_id: str, player: str) -> bool:
    """Return whether a player may edit a club; False if it was closed."""
    try:
        return service().clubs.visible(club_id, player).has_right(player, "edit")
    except NotFound:
        return False


def _team_page(tournament: Tournament, team: Team, form: Form, status: int = 200) -> Response:
    player = current_player()
    handles = _handles(tournament)
    round = line_up_round(tournament, wall_clock.format(wall_clock.now()))
    boards = tournament.format.boards
    takes_part = tournament.team_of(team.captain) is not None
    may_set = player is not None and (player == team.captain or can_change(tournament, player))
    next_round = round or len(tournament.rounds) + 1
    return page(
        "team.html",
        status,
        tournament=tournament,
        team=team,
        captain=handles[team.captain] or team.captain,
        form=form,
        handles=handles,
        takes_part=takes_part,
        waiting=[each for each in team.roster if each not in team.joined]
        if tournament.status == "open"
        else [],
        has_named_viewer=player is not None
        and team in tournament.teams_that_ask(player)
        and not tournament.takes_part(player),
        next_round=next_round if takes_part and not tournament.is_over else None,
        line_up=team.line_up(next_round, boards),
        can_set=round is not None and takes_part and may_set and bool(team.players),
        successors=[
            handles[each] or "" for each in team.players if may_set and each != team.captain
        ]
        if takes_part and not tournament.is_over
        else [],
        handle_choices=[handles[each] or "" for each in team.players],
        boards=boards,
        rows=[
            row
            for row in individual_rows(tournament)
            if row.number == tournament.places.get(team.captain)
        ],
    )


def _address(tournament_id: str, player: str) -> str:
    handle = service().accounts.players.handles({player})[player]
    return f"{TOURNAMENTS}/{tournament_id}/teams/{handle}"

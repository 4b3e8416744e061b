"""Tournaments: the list, the page of each, registering, what organisers decide, a calendar of the rounds."""

from collections.abc import Callable, Mapping
from typing import Final

from flask import Blueprint, Response, g, request
from werkzeug.wrappers import Response as BaseResponse

from domain.clock.messages import time_amount
from domain.errors import Malformed, NotNow
from domain.registry import RegisteredRuleSystem, rule_system_for, rule_systems
from domain.tournaments.byes import bye_rounds, has_bye_left
from domain.tournaments.changes import can_change
from domain.tournaments.decisions import ABSENT_AFTER, MAX_CONTACT, MAX_DESCRIPTION
from domain.tournaments.entry_rules import MAX_HALF_POINT_BYES
from domain.tournaments.format_settings import (
    BOUNDS,
    FORMATS,
    FORMATS_WITH_FREE_PAIRING,
    MAX_BOARDS,
    MAX_IN_ARENA,
    MAX_PLAYERS,
    Format,
)
from domain.tournaments.pairing import MIN_TABLE
from domain.tournaments.teams import Team
from domain.tournaments.tournament import TOURNAMENT_STATUSES, Tournament
from ledger.clock.time_zones import UTC_NAME
from service import wall_clock
from service.clubs.model import Club
from service.errors import Forbidden
from service.http.blueprint import ApiResponse
from service.http.context import service
from service.http.language import request_renderer
from service.http.problems import status_of
from service.http.ratelimits import limit_new_places
from service.http.validation import QueryInteger, StrictSchema, String
from service.pages.forms import Form, entered_form, read_field, read_form, see_other
from service.pages.session import current_player, require_player
from service.pages.templating import absolute_url, page
from service.pages.view_models.clock_form import ClockForm
from service.pages.view_models.clock_view import clock_text
from service.pages.view_models.game_forms import NonceForm, require_sure
from service.pages.view_models.game_lists import filter_query
from service.pages.view_models.new_game_form import CLOCKS, CLUB_OPTION, USUAL_CLOCK, time_per_turn
from service.tournaments.arena_view import arena_place, shown_rounds
from service.tournaments.pages.new_tournament_form import (
    game_option_fields,
    setting_fields,
    tournament_body,
    tournament_faults,
)
from service.tournaments.pages.organiser_view import SEEDING_NAMES, change_rows
from service.tournaments.tournaments import ONLY_ORGANISERS, Tournaments
from service.tournaments.view_model import (
    FORMAT_DESCRIPTIONS,
    FORMAT_NAMES,
    MOST_AFTER,
    MOST_DAYS,
    SCORING_TEXTS,
    STATUS_NAMES,
    USUAL_AFTER,
    USUAL_DAYS,
    USUAL_MOST,
    USUAL_REGISTRATION,
    absence_texts,
    entered_moment,
    entry_of,
    entry_rule_rows,
    group_views,
    individual_rows,
    local_moment,
    own_game,
    pairing_text,
    registration_has_closed,
    round_view,
    settings_rows,
    title_of_round,
)

blueprint = Blueprint("tournaments", __name__, template_folder="../templates")

TOURNAMENTS: Final = "/tournaments"
_PAGE_TOURNAMENTS: Final = 20
FAST_CLOCKS: Final = (20, 60)
"""The times for a turn that the form offers for an arena besides the usual ones, in seconds."""
_REFUSALS: Final = (Forbidden, NotNow, Malformed)


class Replacement(StrictSchema):
    """The handles of an entrant and of the substitute who takes the place."""

    entrant = String(required=True)
    substitute = String(required=True)


class ByeForm(StrictSchema):
    """A half-point bye, or its end."""

    round = QueryInteger(required=True)
    cancel = String(load_default="")


@blueprint.get(TOURNAMENTS)
def list_tournaments() -> Response:
    """Show a page of the tournaments that the visitor may see, of one status or all."""
    status = request.args.get("status", "")
    statuses = tuple(each for each in TOURNAMENT_STATUSES if each == status)
    player = current_player()
    tournaments, following = _tournaments().page(
        statuses, player, None, request.args.get("cursor"), _PAGE_TOURNAMENTS
    )
    return page(
        "tournaments.html",
        tournaments=tournaments,
        next=following,
        chosen=status if statuses else "",
        statuses=STATUS_NAMES,
        can_create=player is not None and _can_create(player),
    )


@blueprint.get(f"{TOURNAMENTS}/new")
def show_new_tournament() -> Response:
    """Show the form for a new tournament of one of the formats, in one of the rule systems."""
    player = require_player()
    if not _can_create(player):
        raise Forbidden(ONLY_ORGANISERS)
    club = {CLUB_OPTION: request.args["club"]} if request.args.get("club") else {}
    zone = visitor_time_zone()
    closing = wall_clock.now().replace(minute=0) + USUAL_REGISTRATION
    closes = local_moment(wall_clock.format(closing), zone)
    return _new_tournament_page(Form({"days": str(USUAL_DAYS), "closes": closes, **club}))


@blueprint.post(TOURNAMENTS)
@limit_new_places
def create_tournament() -> BaseResponse:
    """Create a tournament, and show it."""
    player = require_player()
    form = entered_form()
    entry, format = _chosen(form.values)
    body = tournament_body(entry, format, form.values, visitor_time_zone())
    chosen_club = body["options"].get("club")
    if any(club.is_private and club.id == chosen_club for club in _clubs(player)):
        body["private"] = True
    try:
        tournament = _tournaments().create(player, body)
    except Malformed as error:
        refused = form.refused(Malformed(tournament_faults(error.fields, format)))
        return _new_tournament_page(refused, 400)
    return see_other(_address(tournament.id))


@blueprint.get(f"{TOURNAMENTS}/<tournament_id>")
def show_tournament(tournament_id: str) -> Response:
    """Show a tournament: how to take part, its tables, its standings, and how to check its draws."""
    return _tournament_page(_tournaments().get(tournament_id, current_player()))


@blueprint.get(f"{TOURNAMENTS}/<tournament_id>/calendar.ics")
def get_calendar(tournament_id: str) -> Response:
    """Return the dates of a tournament as a calendar (RFC 5545)."""
    tournament = _tournaments().get(tournament_id, current_player())
    document = service().notifications.feeds.tournament_calendar(tournament, request_renderer())
    return ApiResponse(document, content_type="text/calendar; charset=utf-8")


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/players")
@limit_new_places
def register_player(tournament_id: str) -> BaseResponse:
    """Register the visitor, as a substitute once the tournament is in progress."""
    player = require_player()
    nonce = read_form(NonceForm())["nonce"] or b""
    return _decide(tournament_id, lambda: _tournaments().register(tournament_id, player, nonce))


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/withdraw")
def withdraw_player(tournament_id: str) -> BaseResponse:
    """Let the visitor withdraw."""
    player = require_player()
    return _decide(tournament_id, lambda: _tournaments().withdraw(tournament_id, player))


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/byes")
@limit_new_places
def change_byes(tournament_id: str) -> BaseResponse:
    """Give the visitor half a point instead of a table in a round, or let them play in it after all."""
    player = require_player()

    def change() -> object:
        fields = read_form(ByeForm())
        if fields["cancel"]:
            return _tournaments().cancel_bye(tournament_id, player, fields["round"])
        return _tournaments().request_bye(tournament_id, player, fields["round"])

    return _decide(tournament_id, change)


@blueprint.get(f"{TOURNAMENTS}/<tournament_id>/table")
def show_own_table(tournament_id: str) -> Response:
    """Show where the visitor sits in an arena. Players request it often, so it has no standings."""
    player = require_player()
    tournament = _tournaments().get(tournament_id, player)
    return page(
        "own_table.html",
        tournament=tournament,
        own_game=own_game(tournament, player),
        arena_place=arena_place(tournament, player, wall_clock.format(wall_clock.now())),
    )


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/break")
@limit_new_places
def change_break(tournament_id: str) -> BaseResponse:
    """Let the visitor take a break in an arena, or go on."""
    player, breaks = require_player(), service().tournaments.breaks
    change = breaks.end if request.form.get("end") else breaks.take
    return _decide(tournament_id, lambda: change(tournament_id, player))


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/exclude")
def exclude_player(tournament_id: str) -> BaseResponse:
    """Exclude a player, as the organiser."""
    player = require_player()
    return _decide(
        tournament_id,
        lambda: _tournaments().exclude(tournament_id, player, read_field("exclude")),
        "exclude",
    )


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/invite")
def invite_player(tournament_id: str) -> BaseResponse:
    """Invite a player to a private tournament, as the organiser."""
    player = require_player()
    return _decide(
        tournament_id,
        lambda: _tournaments().invite(tournament_id, player, read_field("invite")),
        "invite",
    )


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/replace")
def replace_player(tournament_id: str) -> BaseResponse:
    """Give the place of an entrant to a substitute, as the organiser."""
    player = require_player()

    def replace() -> object:
        fields = read_form(Replacement())
        return _tournaments().replace(
            tournament_id, player, fields["entrant"], fields["substitute"]
        )

    return _decide(tournament_id, replace)


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/again")
@limit_new_places
def organise_again(tournament_id: str) -> BaseResponse:
    """Create a tournament with the settings of another one, as its organiser, and show it."""
    player = require_player()
    name = request.form.get("name", "").strip()
    closes = entered_moment(request.form.get("closes", ""), visitor_time_zone())
    try:
        created = _tournaments().organise_again(tournament_id, player, name, closes)
    except _REFUSALS as error:
        form = entered_form().refused(error)
        tournament = _tournaments().get(tournament_id, player)
        return _tournament_page(tournament, form, status_of(error))
    return see_other(_address(created.id))


@blueprint.post(f"{TOURNAMENTS}/<tournament_id>/cancel")
def cancel_tournament(tournament_id: str) -> BaseResponse:
    """Cancel a tournament, as the organiser."""
    player = require_player()

    def cancel() -> object:
        require_sure()
        return _tournaments().cancel(tournament_id, player)

    return _decide(tournament_id, cancel)


def _decide(
    tournament_id: str, command: Callable[[], object], field: str | None = None
) -> BaseResponse:
    """Run a command, and show the tournament: again with what is wrong if it is refused.

    `field` is the field of the form that a fault is about which names another one.
    """
    try:
        command()
    except _REFUSALS as error:
        refused = Form(request.form.to_dict()).refused(error, field)
        if isinstance(error, Malformed) and field is not None:
            refused = Form(refused.values, {field: next(iter(error.fields.values()))})
        tournament = _tournaments().get(tournament_id, current_player())
        return _tournament_page(tournament, refused, status_of(error))
    return see_other(_address(tournament_id))


def _tournament_page(
    tournament: Tournament, form: Form | None = None, status: int = 200
) -> Response:
    player = current_player()
    at = wall_clock.format(wall_clock.now())
    drawn = [round_view(tournament, each) for each in reversed(shown_rounds(tournament))]
    tables = [table for each in drawn for table in each.tables] if tournament.arena else []
    system = rule_system_for(tournament.rules, tournament.options)
    handles = service().accounts.players.handles({*tournament.members, *tournament.organisers})
    entry = next(entry for entry in rule_systems().values() if entry.system is system)
    return page(
        "tournament.html",
        status,
        tournament=tournament,
        form=form or Form(),
        system=system,
        rounds=drawn,
        playing=[table for table in tables if not table.has_result],
        played=[table for table in tables if table.has_result],
        arena_place=arena_place(tournament, player, at),
        is_seating=tournament.arena is not None and at < tournament.arena.ends,
        is_resting=tournament.arena is not None
        and player is not None
        and tournament.number_of(player) in tournament.arena.resting,
        groups=group_views(tournament),
        format_description=FORMAT_DESCRIPTIONS[tournament.format.format],
        settings=settings_rows(tournament),
        option_fields=[
            field for field in game_option_fields(entry) if field.name in tournament.options
        ],
        clock_text=clock_text,
        round_length=time_amount(tournament.round_seconds),
        is_organiser=_tournaments().is_organiser(tournament, player),
        can_organise_again=player is not None
        and player in tournament.organisers
        and not tournament.clubs
        and _tournaments().can_create(player, tournament.club),
        time_zone=visitor_time_zone(),
        own_game=own_game(tournament, player),
        teams=_teams_in_order(tournament),
        handles=handles,
        own_team=None if player is None else tournament.team_of(player),
        asking=() if player is None else tournament.teams_that_ask(player),
        individuals=individual_rows(tournament),
        entry=entry_of(tournament, player),
        entry_rules=entry_rule_rows(tournament),
        bye_rounds=bye_rounds(tournament, at),
        own_byes=sorted(tournament.requested_byes.get(player or "", ())),
        can_have_bye=player is not None and has_bye_left(tournament, player),
        pairing=pairing_text(tournament),
        seeding=None if tournament.seeding == "lots" else SEEDING_NAMES[tournament.seeding],
        absence=absence_texts(tournament),
        changes=change_rows(tournament),
        announcement=next(
            (said.text for said in reversed(tournament.announcements) if said.table is None), None
        ),
        can_change=player is not None and can_change(tournament, player),
        replacements=[
            (each, title_of_round(tournament, each.round)) for each in tournament.replacements
        ],
        takes_part=player is not None and tournament.takes_part(player),
        can_register=player is not None and _tournaments().can_register(tournament, player),
        has_closed=registration_has_closed(tournament),
        is_member=player is not None and _tournaments().is_for(tournament, player),
        club=None
        if tournament.club is None
        else service().clubs.visible_name(tournament.club, player),
        record_address=absolute_url(f"/api/v1/tournaments/{tournament.id}/record"),
    )


def _teams_in_order(tournament: Tournament) -> list[Team]:
    """Return the teams in the order of the lots; those that are not drawn, in that of the log."""
    last = len(tournament.entrants)
    return sorted(
        tournament.teams.values(), key=lambda team: tournament.places.get(team.captain, last)
    )


def _can_create(player: str) -> bool:
    """Return whether a player may create tournaments at all, or for a club."""
    return _tournaments().can_create(player) or bool(_clubs(player))


def _clubs(player: str) -> list[Club]:
    """Return the clubs for which a player may create a tournament."""
    has_role = _tournaments().can_create(player)
    return [
        each.club
        for each in service().clubs.of(player)
        if each.club.owner == player or (has_role and each.relation == "member")
    ]


def _new_tournament_page(form: Form, status: int = 200) -> Response:
    entry, format = _chosen({**request.args.to_dict(), **form.values})
    return page(
        "new_tournament.html",
        status,
        entry=entry,
        format=format,
        form=form,
        clubs=_clubs(require_player()),
        club_query=filter_query({"club": form.values[CLUB_OPTION]})
        if form.values.get(CLUB_OPTION)
        else "",
        has_role=_tournaments().can_create(require_player()),
        rule_systems=rule_systems().values(),
        formats=FORMAT_NAMES,
        descriptions=FORMAT_DESCRIPTIONS,
        setting_fields=setting_fields(format),
        option_fields=game_option_fields(entry),
        clocks=(*FAST_CLOCKS, *CLOCKS) if format == "arena" else CLOCKS,
        usual_clock=FAST_CLOCKS[-1] if format == "arena" else USUAL_CLOCK,
        is_arena=format == "arena",
        most_after=MOST_AFTER,
        usual_after=USUAL_AFTER,
        clock_form=ClockForm(
            time_zone=visitor_time_zone(), usual_excused=0, usual_remove_after=ABSENT_AFTER
        ),
        absent_after=ABSENT_AFTER,
        time_per_turn=time_per_turn,
        time_zone=visitor_time_zone(),
        most_description=MAX_DESCRIPTION,
        most_contact=MAX_CONTACT,
        has_free_pairing=format in FORMATS_WITH_FREE_PAIRING,
        most_byes=MAX_HALF_POINT_BYES,
        most_boards=MAX_BOARDS,
        scorings=SCORING_TEXTS,
        most_late=BOUNDS["rounds"][1] - 1,
        least_players=MIN_TABLE,
        most_players=MAX_IN_ARENA if format == "arena" else MAX_PLAYERS,
        usual_most=USUAL_MOST,
        most_days=MOST_DAYS,
    )


def _chosen(values: Mapping[str, str]) -> tuple[RegisteredRuleSystem, Format]:
    """Return the rule system and the format that values name, by default the first ones."""
    systems = rule_systems()
    entry = systems.get(values.get("rules", "")) or next(iter(systems.values()))
    format = next((each for each in FORMATS if each == values.get("format")), FORMATS[0])
    return entry, format


def _address(tournament_id: str) -> str:
    return f"{TOURNAMENTS}/{tournament_id}"


def _tournaments() -> Tournaments:
    return service().tournaments.tournaments


def visitor_time_zone() -> str:
    """Return the time zone of the visitor."""
    zone: str | None = g.get("time_zone")
    return zone or UTC_NAME

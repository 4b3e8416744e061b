"""Watching a tournament: the page of a round in progress, the standings as CSV, the bracket."""

import csv
from dataclasses import dataclass, replace
from io import StringIO
from typing import Final

from flask import Blueprint, Response, request
from markupsafe import Markup

from domain.tournaments.tournament import DrawnRound, Tournament
from service import wall_clock
from service.errors import NotFound
from service.games.summary import Summary
from service.http.blueprint import ApiResponse
from service.http.context import service
from service.http.language import request_renderer
from service.http.responses import current_standings
from service.pages.session import current_player
from service.pages.templating import page
from service.pages.view_models.game_lists import ListedGame
from service.tournaments.arena_view import shown_rounds
from service.tournaments.bracket import bracket_svg
from service.tournaments.pages.tournaments import TOURNAMENTS
from service.tournaments.tournaments import Tournaments
from service.tournaments.view_model import (
    BRACKET_TITLE,
    TableView,
    entered_number,
    group_views,
    round_view,
    title_of_round,
)

blueprint = Blueprint("live_tournament", __name__, template_folder="../templates")

REFRESH_SECONDS: Final = 20
"""The time after which the page of a round in progress is requested again."""
MAX_LIVE_TABLES: Final = 64
"""The most tables of an arena on its page."""
_FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")
"""With what a text begins that a spreadsheet would take for a formula."""


@dataclass(frozen=True, slots=True)
class LiveTable:
    """A table of the round, with its game as far as the viewer may see it."""

    table: TableView
    game: ListedGame | None


@blueprint.get(f"{TOURNAMENTS}/<tournament_id>/live")
def show_live(tournament_id: str) -> Response:
    """Show a round, by default the current one: the board of each table, whose turn it is, the time left and
    the results, with the standings and the bracket.
    """
    viewer = current_player()
    tournament = _tournaments().get(tournament_id, viewer)
    service().accounts.players.handles({*tournament.members, *tournament.organisers})
    drawn = _chosen_round(tournament)
    tables = [] if drawn is None else live_tables(tournament, drawn, viewer)
    if tournament.format.is_arena:
        # Those in progress come first.
        shown = sorted(shown_rounds(tournament), key=lambda each: (each.is_closed, -each.number))
        tables = [table for each in shown for table in live_tables(tournament, each, viewer)][
            :MAX_LIVE_TABLES
        ]
    return page(
        "live_tournament.html",
        tournament=tournament,
        drawn=drawn,
        round=None if drawn is None else round_view(tournament, drawn),
        tables=tables,
        titles=[
            (each.number, title_of_round(tournament, each.number))
            for each in (() if tournament.format.is_arena else tournament.rounds)
        ],
        groups=group_views(tournament),
        bracket=_bracket(tournament),
        refresh=REFRESH_SECONDS,
        shown_at=wall_clock.format(wall_clock.now()),
    )


@blueprint.get(f"{TOURNAMENTS}/<tournament_id>/standings.csv")
def get_standings_table(tournament_id: str) -> Response:
    """Return the standings as comma-separated values (RFC 4180), one player a line."""
    tournament = _tournaments().get(tournament_id, current_player())
    handles = _tournaments().handles(tournament.entrants)
    tie_breaks = [name for name in tournament.tie_breaks if name not in ("points", "wins")]
    text = StringIO()
    table = csv.writer(text)
    has_teams = bool(tournament.format.boards)
    of_team = ["team"] if has_teams else []
    columns = ["group", "place", *of_team, "player", "points", *tie_breaks, "wins", "played"]
    table.writerow(columns)
    for number, group in enumerate(current_standings(tournament, request_renderer()), 1):
        for row in group:
            values = [row["tie_breaks"].get(name, "") for name in tie_breaks]
            names = [row["team"]] if has_teams else []
            names.append(handles[row["player"]] or "")
            safe = [f"'{name}" if name.startswith(_FORMULA_SIGNS) else name for name in names]
            table.writerow(
                [number, row["place"], *safe, row["points"], *values, row["wins"], row["played"]]
            )
    response = ApiResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{tournament.id}.csv"'
    return response


@blueprint.get(f"{TOURNAMENTS}/<tournament_id>/bracket.svg")
def get_bracket(tournament_id: str) -> Response:
    """Return the picture of the bracket of a knockout."""
    tournament = _tournaments().get(tournament_id, current_player())
    if (picture := _bracket(tournament)) is None:
        raise NotFound.with_message("there is no bracket of this tournament")
    return ApiResponse(picture, content_type="image/svg+xml")


def live_tables(tournament: Tournament, drawn: DrawnRound, viewer: str | None) -> list[LiveTable]:
    """Return the tables of a round.

    The games of a private tournament are seen by their players, and those of a club by its members; of other
    tables, the viewer reads the result only.
    """
    tables = round_view(tournament, drawn).tables
    is_member = tournament.club is not None and (
        viewer is not None and _tournaments().is_for(tournament, viewer)
    )
    games = {
        table.game
        for table in tables
        if table.game and (not tournament.private or is_member or viewer in table.players)
    }
    found = {
        summary.id: _listed(summary, viewer)
        for summary in service().games.queries.summaries(sorted(games))
        if summary is not None
    }
    return [LiveTable(table, found.get(table.game or "")) for table in tables]


def _listed(summary: Summary, viewer: str | None) -> ListedGame:
    game = ListedGame(summary, is_viewers_turn=False)
    return replace(game, is_viewers_turn=viewer is not None and game.player_to_act == viewer)


def _chosen_round(tournament: Tournament) -> DrawnRound | None:
    number = entered_number(request.args.get("round", ""))
    if isinstance(number, int) and 1 <= number <= len(tournament.rounds):
        return tournament.rounds[number - 1]
    return tournament.current_round


def _bracket(tournament: Tournament) -> Markup | None:
    players = {player for drawn in tournament.rounds for table in drawn.players for player in table}
    title = request_renderer()(BRACKET_TITLE)
    picture = bracket_svg(tournament, _tournaments().handles(sorted(players)), title)
    return None if picture is None else Markup(picture)  # noqa: S704 # the drawing escapes its texts


def _tournaments() -> Tournaments:
    return service().tournaments.tournaments

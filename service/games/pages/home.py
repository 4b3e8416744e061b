"""The first page and the lists of games, with the pictures of rule systems and of boards on them."""

from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Final

from flask import Blueprint, Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.chance import Chance
from domain.contract import evolve
from domain.game import Game
from domain.lifecycle import seat_counts
from domain.messages import Value, message, plural_message
from domain.registry import rule_systems
from domain.tournaments.tournament import Tournament
from replay.language.renderer import Renderer
from replay.render.embedded_map import board_svg, thumbnail_svg
from service import wall_clock
from service.errors import NotFound
from service.games.access import game_not_found
from service.games.api.games import games_of_club
from service.games.game_settings import DEFAULT_BOT
from service.games.pages.quick_play import systems_with_lessons
from service.games.statistics import KindStatistics
from service.http.blueprint import ApiResponse
from service.http.context import service
from service.http.event_streams import player_stream_response
from service.http.language import game_names, request_renderer
from service.pages.forms import Form, number_parameter, see_other
from service.pages.session import current_player, require_player, session_token
from service.pages.table_page import Column, table_page
from service.pages.templating import page
from service.pages.view_models import game_lists
from service.pages.view_models.game_lists import (
    FIRST_PAGE_GAMES,
    LISTS,
    PAGE_GAMES,
    STATUSES,
    GameList,
    filtered_list,
    games_over,
    read_lists,
)
from service.pages.view_models.new_game_form import usual_seats
from service.ratings.ratings import ALL

blueprint = Blueprint("home", __name__, template_folder="../templates")

_PICTURE_SECONDS: Final = 24 * 3600
_THUMBNAIL_SECONDS: Final = 30 * 24 * 3600
_ETAG_DIGITS: Final = 32
_STATISTICS_COLUMNS: Final = (
    Column(message("Game")),
    Column(message("Seats"), has_numbers=True),
    Column(message("Not started"), has_numbers=True),
    Column(message("In progress"), has_numbers=True),
    Column(message("Finished"), has_numbers=True),
    Column(message("… when a player resigned"), has_numbers=True),
    Column(message("… when a player was removed"), has_numbers=True),
    Column(message("Abandoned"), has_numbers=True),
    Column(message("Wins of each seat, in order")),
)


@blueprint.get("/")
def show_home() -> Response:
    """Show the games that can be played, and the first games of each list."""
    player = current_player()
    lists = {name: read(player, None, FIRST_PAGE_GAMES) for name, read in LISTS.items()}
    clubs = [] if player is None else service().clubs.of(player)
    ended = games_over(player)
    others = [game for game in lists["finished"].games if player not in game.players]
    lists["finished"] = replace(lists["finished"], games=others)
    read_lists(*lists.values(), ended)
    return page(
        "home.html",
        rule_systems=rule_systems().values(),
        tutorial=next(iter(systems_with_lessons().values()), None),
        lists=lists,
        ended=ended,
        club_invitations=[
            (each.club, each.inviter) for each in clubs if each.relation == "invited"
        ],
        tournaments=own_tournaments(player),
        seat_counts=seat_counts,
        live=_live_game(lists["watch"]),
        live_board=_live_board,
    )


@blueprint.get("/statistics")
def show_statistics() -> Response:
    """Show how many public games there are and were, and how they ended."""
    statistics = service().games.public_statistics.read()
    return table_page(
        message("Statistics"),
        _STATISTICS_COLUMNS,
        [_statistics_row(entry) for entry in statistics.kinds if entry.has_games],
        heading=message("Statistics of the public games"),
        if_empty=message("There are no public games yet."),
        remarks=[
            plural_message(
                "{count} event of public games has been recorded.",
                "{count} events of public games have been recorded.",
                count=statistics.events,
            ),
            message(
                "Private games are never counted. A shared first place counts for each seat that has it."
            ),
            *(
                [message("What happened in the last moments is not counted yet.")]
                if statistics.lag
                else ()
            ),
        ],
    )


def _statistics_row(entry: KindStatistics) -> list[Value]:
    return [
        rule_systems()[entry.kind.system].system.TITLE,
        entry.kind.seats,
        entry.open,
        entry.playing,
        entry.finished,
        entry.ended["resignation"],
        entry.ended["removal"],
        entry.ended["abandonment"],
        ", ".join(map(str, entry.wins)),
    ]


@blueprint.get("/leaderboards")
def show_leaderboards() -> Response:
    """Show a page of the leaderboard of a rule system and a period."""
    systems = rule_systems()
    system = systems.get(request.args.get("system", "")) or next(iter(systems.values()))
    period, after = request.args.get("period", ALL), number_parameter("after") or 0
    places, following = service().games.ratings.leaderboard(system.name, period, after)
    today = wall_clock.now()
    last_month = today.replace(day=1) - timedelta(days=1)
    periods = {f"{today:%Y-%m}", f"{last_month:%Y-%m}", f"{today:%Y}", f"{today.year - 1}", period}
    return page(
        "leaderboards.html",
        title=system.system.TITLE,
        form=Form({"system": system.name, "period": period}),
        rule_systems=systems.values(),
        periods=sorted(periods - {ALL}, reverse=True),
        places=places,
        next=following,
        exclusions=service().games.ratings.exclusions(),
    )


@blueprint.get("/games")
def list_games() -> Response:
    """Show a page of one of the lists, filtered by the values of its form."""
    name = request.args.get("list", "open")
    if name not in LISTS and name not in STATUSES:
        name = "open"
    cursor = request.args.get("cursor")
    values = game_lists.chosen_values(name, request.args) if name in STATUSES else {}
    player = None
    if handle := values.get(game_lists.PLAYER):
        player = service().accounts.players.by_handle(handle)
    club = None
    if club_id := values.get(game_lists.CLUB):
        club = games_of_club(club_id, current_player())
    if name not in STATUSES:
        game_list = LISTS[name](current_player(), cursor, PAGE_GAMES)
    elif (handle and player is None) or (club_id and club is None):
        game_list = GameList(name, (), None)
    else:
        game_list = filtered_list(
            name,
            current_player(),
            cursor,
            PAGE_GAMES,
            game_lists.filter_of(values),
            None if player is None else player.id,
            club,
        )
    read_lists(game_list)
    return page(
        "games.html",
        game_list=game_list,
        has_filter=name in STATUSES,
        form=Form(values),
        player=player,
        club=None
        if club is None
        else (club.club, service().clubs.visible_name(club.club, current_player())),
        query=game_lists.filter_query(values),
        rule_systems=rule_systems().values(),
        seat_counts=game_lists.all_seat_counts(),
        pace_labels=game_lists.PACE_LABELS,
    )


@blueprint.get("/turns/next")
def show_next_game() -> BaseResponse:
    """Lead to the game with the nearest deadline in which it is the player's turn, other than `after`.

    Leads to the list of these games if there is none.
    """
    games = game_lists.games_to_act_in(require_player(), request.args.get("after"))
    return see_other(f"/games/{games[0]}" if games else "/games?list=turn")


@blueprint.get("/games/<game_id>/thumbnail.svg")
def get_thumbnail(game_id: str) -> BaseResponse:
    """Return a small picture of the board of a game, which a list shows after the event `seq`.

    If the game has gone on since, the picture may be the current one, which browsers do not keep.
    """
    seq = number_parameter("seq")
    thumbnail = service().games.thumbnails.get(game_id, current_player(), seq)
    response = ApiResponse(thumbnail.compressed_svg, content_type="image/svg+xml")
    response.set_etag(sha256(thumbnail.compressed_svg).hexdigest()[:_ETAG_DIGITS])
    if request.accept_encodings["br"]:
        response.content_encoding = "br"
    else:
        response.data = thumbnail.svg
    response.vary.add("Accept-Encoding")
    if not thumbnail.is_public:
        response.headers["Cache-Control"] = "private, no-cache"
        response.vary.add("Cookie")
    elif thumbnail.seq == seq:
        response.headers["Cache-Control"] = f"public, max-age={_THUMBNAIL_SECONDS}, immutable"
    else:
        response.headers["Cache-Control"] = "public, no-cache"
    return response.make_conditional(request)


@blueprint.get("/stream")
def stream_own_games() -> Response:
    """Stream the events of all games of the viewer, and report chat messages in them, to the first page."""
    return player_stream_response(require_player(), session_token(), has_messages=True)


@blueprint.get("/games/<game_id>/live")
def show_live_board(game_id: str) -> Response:
    """Return the part of the first page that shows a game as it is played, as a spectator sees it."""
    game = service().games.queries.visible_game(game_id, None)
    if game.state is None:
        raise game_not_found(game_id)
    return page("live_board.html", live=game, live_board=_live_board)


@blueprint.get("/pictures/<name>.svg")
def get_picture(name: str) -> BaseResponse:
    """Return a picture of a rule system."""
    response = ApiResponse(example_picture(name), content_type="image/svg+xml")
    response.headers["Cache-Control"] = f"public, max-age={_PICTURE_SECONDS}"
    return response


def own_tournaments(player: str | None) -> list[Tournament]:
    """Return the tournaments of a player that are not over, the newest first."""
    if player is None:
        return []
    found, _ = service().tournaments.tournaments.page(
        ("open", "running"), player, player, None, FIRST_PAGE_GAMES
    )
    return found


def _live_game(watched: GameList) -> Game | None:
    """Return the game that the first page shows live: the newest one that everybody may watch."""
    for listed in watched.games:
        if not listed.summary.options["private"]:
            try:
                return service().games.queries.visible_game(listed.summary.id, None)
            except NotFound:
                continue
    return None


def _live_board(game: Game) -> str:
    """Return the board of a game in progress, as a spectator sees it, as SVG."""
    names = game_names(game.id)
    renderer: Renderer = request_renderer().with_names(names)
    position = game.position(None)
    return board_svg(game.rules.scene(position, None), renderer, prefix="live-")


_SEED: Final = b"a picture for the first page"
_ACTIONS: Final = 30


@lru_cache(maxsize=32)
def example_picture(name: str) -> str:
    """Return the picture of the rule system with this name in the registry, as SVG. Raises NotFound."""
    entry = rule_systems().get(name)
    if entry is None:
        raise NotFound.with_message("there is no such picture")
    rules = entry.system
    options = rules.check_options(usual_seats(rules), entry.options)
    chance = Chance(_SEED)
    opening = rules.set_up(usual_seats(rules), options, chance)
    state = rules.initial_state(usual_seats(rules), options, opening.data, opening.secrets)
    bot = rules.BOTS[DEFAULT_BOT]
    for _ in range(_ACTIONS):
        seat = state.to_act
        if seat is None:
            break
        action = bot(rules.position(state, seat), rules.legal_actions(state, seat), seat, chance)
        state = evolve(rules, state, [rules.decide(state, seat, action)])
    scene = replace(rules.scene(rules.position(state, None), None), room=())
    return thumbnail_svg(scene)

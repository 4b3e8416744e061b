"""The first page: the games that can be played, each with a picture, and the lists of games."""

from functools import lru_cache
from typing import Final

from flask import Blueprint, Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.chance import Chance
from domain.contract import evolve
from domain.game import Game
from domain.messages import message
from domain.registry import rule_systems
from replay.language.catalogue import ENGLISH
from replay.language.renderer import Renderer, renderer
from replay.render.embedded_map import board_svg
from service.errors import NotFound
from service.games.access import game_not_found
from service.games.game_settings import DEFAULT_BOT
from service.http.context import service
from service.http.language import game_names, request_renderer
from service.http.responses import ApiResponse
from service.pages.forms import Form
from service.pages.session import viewer
from service.pages.templating import page
from service.pages.view_models import game_lists
from service.pages.view_models.concern_lines import read_badges
from service.pages.view_models.game_lists import (
    FIRST_PAGE_GAMES,
    LISTS,
    PAGE_GAMES,
    GameList,
    open_games,
)
from service.pages.view_models.new_game_form import usual_seats
from service.pages.views.quick_play import systems_with_lessons

blueprint = Blueprint("home", __name__)

_PICTURE_SECONDS: Final = 24 * 3600


@blueprint.get("/")
def show_home() -> Response:
    """Show the games that can be played, and the first games of each list."""
    player = viewer()
    lists = {name: read(player, None, FIRST_PAGE_GAMES) for name, read in LISTS.items()}
    _read_all(*lists.values())
    return page(
        "home.html",
        rule_systems=rule_systems().values(),
        tutorial=next(iter(systems_with_lessons().values()), None),
        lists=lists,
        live=_live_game(lists["watch"]),
        live_board=_live_board,
    )


@blueprint.get("/games")
def list_games() -> Response:
    """Show a page of one of the lists; that of open games can be filtered."""
    name = request.args.get("list", "open")
    if name not in LISTS:
        name = "open"
    cursor = request.args.get("cursor")
    values = game_lists.chosen_values(request.args) if name == "open" else {}
    if values:
        game_filter = game_lists.filter_of(values)
        game_list = open_games(viewer(), cursor, PAGE_GAMES, game_filter)
    else:
        game_list = LISTS[name](viewer(), cursor, PAGE_GAMES)
    _read_all(game_list)
    return page(
        "games.html",
        game_list=game_list,
        form=Form(values),
        query=game_lists.filter_query(values),
        rule_systems=rule_systems().values(),
        seat_counts=game_lists.all_seat_counts(),
        pace_labels=game_lists.PACE_LABELS,
    )


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


def _read_all(*lists: GameList) -> None:
    """Read at once the handles of all players of some lists, and what concerns the viewer in their games.

    Showing a name then finds it in the cache.
    """
    games = [game for game_list in lists for game in game_list.games]
    service().accounts.players.handles({player for game in games for player in game.players})
    read_badges(game.summary for game in games)


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
        raise NotFound(message("there is no such picture"))
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
    return board_svg(rules.scene(rules.position(state, None), None), renderer(ENGLISH))

"""The page of the people of a game, and the form with which a player says that they are ready."""

from flask import Blueprint, Response
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed
from domain.json_fields import one_of
from service.games.access import require_correspondent
from service.http.context import service
from service.http.ratelimits import limit_messages
from service.pages.forms import read_field, see_other
from service.pages.session import require_player
from service.pages.templating import page
from service.pages.view_models.alert_lines import people_on_page
from service.pages.view_models.game_forms import require_player as require_viewer

blueprint = Blueprint("people", __name__, template_folder="../templates")


@blueprint.get("/games/<game_id>/people")
def show_people(game_id: str) -> Response:
    """Show the players of a game and its arbiter who of them is there; other pages read it again."""
    player_id = require_viewer(game_id)
    game = service().games.queries.visible_game(game_id, player_id)
    require_correspondent(game, player_id)
    return page("people.html", game=game, people=people_on_page(game))


@blueprint.post("/games/<game_id>/ready")
@limit_messages
def change_ready(game_id: str) -> BaseResponse:
    """Keep whether the player is ready to begin, and show the game."""
    player_id, answer = require_player(), read_field("ready")
    if answer not in {"yes", "no"}:
        raise Malformed({"ready": one_of(["yes", "no"])})
    service().games.people.set_ready(game_id, player_id, is_ready=answer == "yes")
    return see_other(f"/games/{game_id}")

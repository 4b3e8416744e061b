"""Playing against bots at once, also without an account."""

from typing import Final

from flask import Blueprint
from werkzeug.wrappers import Response

from domain.errors import Malformed
from domain.json_fields import one_of
from domain.registry import rule_systems
from service.games.bot_names import DEFAULT_BOT
from service.http import places
from service.http.ratelimits import limit_account_attempts, limit_new_places
from service.http.schemas.fields import StrictSchema, String
from service.http.schemas.requests import CreateGame
from service.pages.forms import read_form, see_other
from service.pages.guests import require_player_or_guest
from service.pages.view_models.new_game_form import usual_seats

blueprint = Blueprint("quick_play", __name__)


class QuickPlay(StrictSchema):
    """The rule system to play, by its name in the registry."""

    rules = String(required=True)


_QUICK_PLAY: Final = QuickPlay()
_CREATE_GAME: Final = CreateGame()


@blueprint.post("/play")
@limit_account_attempts
@limit_new_places
def play_against_bots() -> Response:
    """Create a game in which bots take all other places, so that it starts at once, and show it.

    A visitor who has not logged in gets the account of a guest, which they can name later.
    """
    entry = rule_systems().get(read_form(_QUICK_PLAY)["rules"])
    if entry is None:
        raise Malformed({"rules": one_of(sorted(rule_systems()))})
    player_id = require_player_or_guest()
    seats = usual_seats(entry.system)
    body = _CREATE_GAME.load(
        {
            "rules": entry.rules,
            "seats": seats,
            "options": entry.options,
            "bots": [DEFAULT_BOT] * (seats - 1),
        }
    )
    game = places.create_game(player_id, body)
    return see_other(f"/games/{game.id}")

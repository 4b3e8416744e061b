"""The page from which a newcomer begins a tutorial game, also without an account."""

from typing import Final

from flask import Blueprint, Response
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed
from domain.json_fields import one_of
from domain.lifecycle import TUTORIAL_SEATS
from domain.registry import RegisteredRuleSystem, rule_systems
from service.games.bot_names import DEFAULT_BOT
from service.http import places
from service.http.ratelimits import limit_account_attempts, limit_new_places
from service.http.schemas.fields import StrictSchema, String
from service.http.schemas.requests import CreateGame
from service.pages.forms import read_form, see_other
from service.pages.guests import require_player_or_guest
from service.pages.templating import page

blueprint = Blueprint("tutorial", __name__)


class BeginTutorial(StrictSchema):
    """The rule system to learn, by its name in the registry."""

    rules = String(required=True)


_BEGIN_TUTORIAL: Final = BeginTutorial()
_CREATE_GAME: Final = CreateGame()


def systems_with_lessons() -> dict[str, RegisteredRuleSystem]:
    """Return the rule systems that have lessons, by their names."""
    return {name: entry for name, entry in rule_systems().items() if entry.system.LESSONS}


@blueprint.get("/tutorial")
def show_tutorials() -> Response:
    """Show the games that can be learned by playing."""
    return page("tutorial.html", rule_systems=systems_with_lessons().values())


@blueprint.post("/tutorial")
@limit_account_attempts
@limit_new_places
def begin_tutorial() -> BaseResponse:
    """Create a tutorial game against a bot, and show it.

    A visitor who has not logged in gets the account of a guest, which they can name later.
    """
    systems = systems_with_lessons()
    entry = systems.get(read_form(_BEGIN_TUTORIAL)["rules"])
    if entry is None:
        raise Malformed({"rules": one_of(sorted(systems))})
    player_id = require_player_or_guest()
    body = _CREATE_GAME.load(
        {
            "rules": entry.rules,
            "seats": TUTORIAL_SEATS,
            "options": {**entry.options, "tutorial": True},
            "bots": [DEFAULT_BOT] * (TUTORIAL_SEATS - 1),
        }
    )
    game = places.create_game(player_id, body)
    return see_other(f"/games/{game.id}")

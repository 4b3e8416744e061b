"""Quick games against bots, and tutorials for newcomers, both also without an account."""

from collections.abc import Mapping
from typing import Final

from flask import Blueprint, request
from werkzeug.wrappers import Response

from domain.errors import Malformed
from domain.json_fields import one_of
from domain.lifecycle import TUTORIAL_SEATS, seat_counts
from domain.registry import RegisteredRuleSystem, rule_systems
from service.games.game_settings import DEFAULT_BOT
from service.http.context import service
from service.http.ratelimits import limit_account_attempts, limit_new_places
from service.http.schemas.requests import CreateGame
from service.http.validation import StrictSchema, String
from service.pages.forms import read_form, see_other
from service.pages.session import require_player_or_guest
from service.pages.templating import page
from service.pages.view_models.new_game_form import new_game_address, take_last_bot, usual_seats

blueprint = Blueprint("quick_play", __name__, template_folder="../templates")


_CREATE_GAME: Final = CreateGame()


class ChosenGame(StrictSchema):
    """The rules of the game, whether the script of the page adds the last bot (`take_last_bot`), and whom to
    invite, a handle.
    """

    rules = String(required=True)
    last_bot = String(load_default=None)
    invite = String(load_default=None)


@blueprint.post("/play")
@limit_account_attempts
@limit_new_places
def play_against_bots() -> Response:
    """Create a game in which bots take all other places, so that it starts immediately, and show it.

    A visitor who has not logged in gets the account of a guest, which they can name later.
    """
    entry = _chosen_system(rule_systems())
    return _begin_game(entry, usual_seats(entry.system), entry.options)


@blueprint.post("/play/friends")
@limit_account_attempts
@limit_new_places
def play_with_friends() -> Response:
    """Create a private game with a link for a friend, and show it; the player of `invite` is invited.

    A visitor who has not logged in gets the account of a guest, which they can name later.
    """
    entry = _chosen_system(rule_systems())
    player_id = require_player_or_guest()
    invited = request.form.get("invite", "")
    body = {
        "rules": entry.rules,
        "seats": seat_counts(entry.system)[0],
        "options": {**entry.options, "private": True},
        "invite": [invited] if invited else [],
    }
    game = service().games.lobby.create(player_id, _CREATE_GAME.load(body))
    service().games.invitations.create(game.id, player_id)
    return see_other(f"/games/{game.id}")


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
def begin_tutorial() -> Response:
    """Create a tutorial game against a bot, and show it.

    A visitor who has not logged in gets the account of a guest, which they can name later.
    """
    entry = _chosen_system(systems_with_lessons())
    player_id = require_player_or_guest()
    if service().accounts.players.lessons_setting(player_id) is not None:
        # A player who had switched lessons off wants them again.
        service().accounts.players.switch_lessons(player_id, is_on=True)
    return _begin_game(entry, TUTORIAL_SEATS, {**entry.options, "tutorial": True})


def _chosen_system(systems: Mapping[str, RegisteredRuleSystem]) -> RegisteredRuleSystem:
    """Return the one of these rule systems that the form names. Raises Malformed."""
    entry = systems.get(read_form(ChosenGame())["rules"])
    if entry is None:
        raise Malformed({"rules": one_of(sorted(systems))})
    return entry


def _begin_game(entry: RegisteredRuleSystem, seats: int, options: Mapping[str, bool]) -> Response:
    """Create a game of the visitor and of bots that take all other places, and show it."""
    player_id = require_player_or_guest()
    bots = [DEFAULT_BOT] * (seats - 1)
    body = {"rules": entry.rules, "seats": seats, "options": options, "bots": bots}
    last_bot = take_last_bot(body, request.form)
    game = service().games.lobby.create(player_id, _CREATE_GAME.load(body))
    return see_other(new_game_address(game.id, last_bot))

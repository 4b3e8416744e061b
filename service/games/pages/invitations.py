"""Invitations: of players by their handles, their answers, and the links that let others join; rematches."""

from contextlib import suppress

from flask import Blueprint, Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed, NotNow
from domain.json_fields import one_of
from service.errors import Forbidden, NotFound
from service.games.invitations import game_of_token
from service.games.pages.lobby import show_open_game
from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.pages.forms import Form, read_field, see_other, shows_refusals
from service.pages.return_addresses import next_address
from service.pages.session import current_player, require_player
from service.pages.templating import absolute_url, page
from service.pages.view_models.new_game_form import LAST_BOT, new_game_address

blueprint = Blueprint("invitation_links", __name__, template_folder="../templates")


def _open_game(game_id: str, form: Form, status: int) -> Response:
    game = service().games.queries.visible_game(game_id, current_player())
    return show_open_game(game, form=form, status=status)


@blueprint.post("/games/<game_id>/invited")
@limit_new_places
@shows_refusals(_open_game, Malformed, NotNow, Forbidden, field="handle")
def invite_player(game_id: str) -> BaseResponse:
    """Invite a player by their handle, and show the game."""
    player_id = require_player()
    service().games.queries.visible_game(game_id, player_id)
    service().games.lobby.invite(game_id, player_id, read_field("handle"))
    return see_other(f"/games/{game_id}")


@blueprint.post("/games/<game_id>/uninvited")
def uninvite_player(game_id: str) -> BaseResponse:
    """Revoke the invitation of a player, and show the game."""
    player_id = require_player()
    service().games.queries.visible_game(game_id, player_id)
    invited = read_field("player")
    service().games.invitation_commands.revoke(game_id, player_id, invited)
    return see_other(f"/games/{game_id}")


@blueprint.post("/games/<game_id>/decline")
def decline_invitation(game_id: str) -> BaseResponse:
    """Decline the invitation to a game."""
    service().games.invitation_commands.decline(game_id, require_player())
    return see_other("/")


@blueprint.post("/games/<game_id>/rematch")
@limit_new_places
def request_rematch(game_id: str) -> BaseResponse:
    """Ask for a rematch of a game that has ended, and show it."""
    player_id = require_player()
    game = service().games.queries.visible_game(game_id, player_id)
    is_last_bot_later = request.form.get(LAST_BOT) == "later"
    rematch = service().games.rematches.request(
        game, player_id, is_last_bot_later=is_last_bot_later
    )
    bots = [bot for other in game.players if (bot := game.bot_of(other)) is not None]
    is_bot_missing = is_last_bot_later and rematch.seats - len(rematch.places) == 1 and bots
    return see_other(new_game_address(rematch.id, bots[-1] if is_bot_missing else None))


@blueprint.get("/games/<game_id>/invitation")
def show_invitation(game_id: str) -> Response:
    """Show the player's invitation link to a game."""
    player_id = require_player()
    game = service().games.queries.visible_game(game_id, player_id)
    token = service().games.invitations.token_of(game_id, player_id)
    link = None if token is None else absolute_url(f"/invitations/{token}")
    return page("invitation.html", game=game, link=link)


@blueprint.post("/games/<game_id>/invitation")
@limit_new_places
def change_invitation(game_id: str) -> BaseResponse:
    """Make a new invitation link, which replaces the player's former one, or revoke it."""
    player_id = require_player()
    match read_field("change"):
        case "create":
            service().games.invitations.create(game_id, player_id)
        case "revoke":
            service().games.invitations.revoke(game_id, player_id)
        case _:
            raise Malformed({"change": one_of(("create", "revoke"))})
    return see_other(next_address(f"/games/{game_id}/invitation"))


@blueprint.get("/invitations/<token>")
def open_invitation(token: str) -> BaseResponse:
    """Show the game to which an invitation link invites; a player of the game sees its own page.

    A link that is no longer valid leads those on who see the game without it, such as its players.
    """
    player_id = current_player()
    try:
        invitation = service().games.invitations.get(token)
    except NotFound:
        game_id = game_of_token(token)
        with suppress(NotFound):
            service().games.queries.visible_game(game_id, player_id)
            return see_other(f"/games/{game_id}")
        raise
    if player_id is not None and invitation.game.has_joined(player_id):
        return see_other(f"/games/{invitation.game.id}")
    is_needed = not service().games.queries.access.can_see(invitation.game, player_id)
    return show_open_game(
        invitation.game, token if is_needed else None, invited_by=invitation.inviter
    )

"""Invitation links: making one, and what it opens."""

from flask import Blueprint, Response
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed
from domain.json_fields import one_of
from service.games.access import can_see
from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.http.schemas.fields import StrictSchema, String
from service.pages.forms import read_form, see_other
from service.pages.session import require_player, viewer
from service.pages.templating import page
from service.pages.view_models.open_graph import absolute_url
from service.pages.views.lobby import show_open_game

blueprint = Blueprint("invitation_links", __name__)


class ChangeInvitation(StrictSchema):
    """What to do with the player's invitation: `create` replaces it, `revoke` deletes it."""

    change = String(required=True)


@blueprint.get("/games/<game_id>/invitation")
def show_invitation(game_id: str) -> Response:
    """Show the player's invitation link to a game."""
    player_id = require_player()
    game = service().queries.visible_game(game_id, player_id)
    token = service().invitations.token_of(game_id, player_id)
    link = None if token is None else absolute_url(f"/invitations/{token}")
    return page("invitation.html", game=game, link=link)


@blueprint.post("/games/<game_id>/invitation")
@limit_new_places
def change_invitation(game_id: str) -> BaseResponse:
    """Make a new invitation link, which replaces the player's former one, or revoke it."""
    player_id = require_player()
    match read_form(ChangeInvitation())["change"]:
        case "create":
            service().invitations.create(game_id, player_id)
        case "revoke":
            service().invitations.revoke(game_id, player_id)
        case _:
            raise Malformed({"change": one_of(("create", "revoke"))})
    return see_other(f"/games/{game_id}/invitation")


@blueprint.get("/invitations/<token>")
def open_invitation(token: str) -> BaseResponse:
    """Show the game to which an invitation invites; a player of the game sees its own page."""
    invitation = service().invitations.get(token)
    player_id = viewer()
    if player_id is not None and invitation.game.has_joined(player_id):
        return see_other(f"/games/{invitation.game.id}")
    is_needed = not can_see(invitation.game, player_id)
    return show_open_game(
        invitation.game, token if is_needed else None, invited_by=invitation.inviter
    )

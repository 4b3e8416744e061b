"""Invitations by link to games that have not started."""

from flask import Response

from service.http.blueprint import NO_QUERY, Blueprint, response
from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.http.responses import game_summary, json_response, no_content
from service.http.schemas.account_responses import Invitation
from service.http.schemas.responses import InvitedGame

blueprint = Blueprint("invitations", __name__, description="Invitations by link.")


@blueprint.route(
    "POST",
    "/games/<game_id>/invitations",
    auth="participants_only",
    limit=limit_new_places,
    responses={201: response("The invitation.", Invitation)},
    error_responses=(409,),
)
def create_invitation(game_id: str, player: str) -> Response:
    """Make an invitation to a game that has not started.

    Players who have its token can see the game and join it, also a private one, until the game starts, but
    not longer than 30 days. A player has one invitation to a game: another one replaces it.
    """
    token = service().invitations.create(game_id, player)
    return json_response({"token": token}, 201)


@blueprint.route(
    "DELETE",
    "/games/<game_id>/invitations/mine",
    auth="participants_only",
    responses={204: response("The player has no invitation to this game.")},
)
def revoke_invitation(game_id: str, player: str) -> Response:
    """Revoke the player's invitation to a game.

    The request can be repeated.
    """
    service().invitations.revoke(game_id, player)
    return no_content()


@blueprint.route(
    "GET",
    "/invitations/<token>",
    auth="public",
    query=NO_QUERY,
    responses={200: response("The game, and the id of the player who invites.", InvitedGame)},
    error_responses=(404,),
)
def get_invitation(token: str) -> Response:
    """Get the game to which an invitation invites.

    Everybody who has the token can see it.
    """
    invitation = service().invitations.get(token)
    return json_response({"game": game_summary(invitation.game), "invited_by": invitation.inviter})

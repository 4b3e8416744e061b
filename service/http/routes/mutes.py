"""The players whom a player has muted."""

from flask import Response

from service.http import places
from service.http.blueprint import NO_QUERY, Blueprint, response
from service.http.context import service
from service.http.ratelimits import limit_messages
from service.http.responses import json_response, no_content
from service.http.schemas.lobby_responses import MuteList

blueprint = Blueprint("mutes", __name__, description="Muting players.")


@blueprint.route(
    "GET",
    "/me/mutes",
    auth="login_required",
    query=NO_QUERY,
    responses={200: response("The muted players, the last one first.", MuteList)},
)
def list_mutes(player: str) -> Response:
    """List the players whom the player has muted."""
    handles = service().players.handles(ids := service().mutes.of(player))
    players = [{"id": id, "handle": handles[id]} for id in ids if id in handles]
    return json_response({"players": players, "next": None})


@blueprint.route(
    "PUT",
    "/me/mutes/<handle>",
    auth="login_required",
    limit=limit_messages,
    responses={204: response("The player is muted.")},
    error_responses=(400, 404, 409),
)
def mute_player(player: str, handle: str) -> Response:
    """Mute a player: their messages are hidden from the player, and their invitations are not shown.

    Nobody else learns of it. The request can be repeated.
    """
    service().mutes.add(player, places.person_in_path(handle).id)
    return no_content()


@blueprint.route(
    "DELETE",
    "/me/mutes/<handle>",
    auth="login_required",
    responses={204: response("The player is not muted.")},
    error_responses=(404,),
)
def unmute_player(player: str, handle: str) -> Response:
    """Stop muting a player. The request can be repeated."""
    service().mutes.remove(player, places.person_in_path(handle).id)
    return no_content()

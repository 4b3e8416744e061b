"""What players manage in their account: the keys with which they sign actions."""

from flask import Response

from domain.json_types import JsonObject
from service.http.blueprint import NO_QUERY, Blueprint, response
from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.http.responses import json_response, no_content
from service.http.schemas.requests import AddKey
from service.http.schemas.responses import Key, PlayerKeyList

blueprint = Blueprint("account", __name__, description="The player's own keys.")


@blueprint.route(
    "GET",
    "/me/keys",
    auth="login_required",
    query=NO_QUERY,
    responses={200: response("All keys of the player, the oldest first.", PlayerKeyList)},
)
def list_my_keys(player: str) -> Response:
    """List the player's public keys, including revoked ones.

    `until` is the time at which a key was revoked, or null.
    """
    return json_response({"keys": service().player_keys.of(player), "next": None})


@blueprint.route(
    "POST",
    "/me/keys",
    auth="login_required",
    limit=limit_new_places,
    json_body=AddKey(),
    responses={201: response("The key.", Key)},
    error_responses=(409, 422),
)
def add_key(player: str, body: JsonObject) -> Response:
    """Register a public key with which the player signs actions.

    The key is added to the log of every open game and game in progress in which the player has a place, and
    of every game that the player joins later. The request can be repeated: it adds what is missing. If the
    key was revoked, or the player has too many keys, the response is a 409; if the proof does not match, a
    422 that quotes what it must cover.
    """
    public, proof = bytes.fromhex(body["public"]), bytes.fromhex(body["proof"])
    return json_response(service().key_registry.add(player, public, proof), 201)


@blueprint.route(
    "DELETE",
    "/me/keys/<key>",
    auth="login_required",
    limit=limit_new_places,
    responses={204: response("The key is revoked.")},
    error_responses=(404,),
)
def revoke_key(player: str, key: str) -> Response:
    """Revoke a key.

    From now on, no action can be signed with it, and it cannot be registered again. The logs of the player's
    current games record the revocation. The request can be repeated.
    """
    service().key_registry.revoke(player, key)
    return no_content()

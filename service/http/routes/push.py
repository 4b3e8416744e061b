"""The push subscriptions of a player: browsers that show notifications."""

from flask import Response

from domain.json_types import JsonObject
from service.http.blueprint import NO_QUERY, Blueprint, response
from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.http.responses import json_response, no_content
from service.http.schemas.push import AddPushSubscription, PushState, PushSubscriptionResponse

blueprint = Blueprint("push", __name__, description="The player's own push subscriptions.")


@blueprint.route(
    "GET",
    "/me/push",
    auth="login_required",
    query=NO_QUERY,
    responses={200: response("The public key, and all subscriptions.", PushState)},
)
def list_push_subscriptions(player: str) -> Response:
    """List the player's push subscriptions, with the key that a browser needs to subscribe."""
    subscriptions = [item.as_json() for item in service().push_subscriptions.of(player)]
    state = {"public_key": service().vapid_key.public, "subscriptions": subscriptions}
    return json_response(state)


@blueprint.route(
    "POST",
    "/me/push",
    auth="login_required",
    limit=limit_new_places,
    json_body=AddPushSubscription(),
    responses={201: response("The subscription.", PushSubscriptionResponse)},
)
def add_push_subscription(player: str, body: JsonObject) -> Response:
    """Add a push subscription, or replace its keys. One too many replaces the oldest."""
    return json_response(service().push_subscriptions.add(player, **body).as_json(), 201)


@blueprint.route(
    "DELETE",
    "/me/push/<subscription>",
    auth="login_required",
    responses={204: response("The subscription is removed.")},
    error_responses=(404,),
)
def remove_push_subscription(player: str, subscription: str) -> Response:
    """Remove a push subscription."""
    service().push_subscriptions.find(player, subscription)
    service().push_subscriptions.remove(player, subscription)
    return no_content()

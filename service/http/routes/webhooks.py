"""The webhooks of a player: URLs to which notifications are posted."""

from flask import Response

from domain.json_types import JsonObject
from service.http.blueprint import NO_QUERY, Blueprint, response
from service.http.context import service
from service.http.language import request_renderer
from service.http.ratelimits import limit_new_places, limit_webhook_tests
from service.http.responses import json_response, no_content
from service.http.schemas.webhooks import AddWebhook, WebhookList, WebhookResponse
from service.notifications.stored_messages import decode_message
from service.notifications.webhooks.webhooks import Webhook

blueprint = Blueprint("webhooks", __name__, description="The player's own webhooks.")


@blueprint.route(
    "GET",
    "/me/webhooks",
    auth="login_required",
    query=NO_QUERY,
    responses={200: response("All webhooks of the player, the oldest first.", WebhookList)},
)
def list_webhooks(player: str) -> Response:
    """List the player's webhooks, without their secrets."""
    webhooks = service().webhooks.of(player)
    paused_until = service().webhooks.paused_until(player, webhooks)
    listed = [_webhook_json(*item) for item in zip(webhooks, paused_until, strict=True)]
    return json_response({"webhooks": listed, "next": None})


@blueprint.route(
    "POST",
    "/me/webhooks",
    auth="login_required",
    limit=limit_new_places,
    json_body=AddWebhook(),
    responses={201: response("The webhook, with its secret.", WebhookResponse)},
    error_responses=(409,),
)
def add_webhook(player: str, body: JsonObject) -> Response:
    """Register a webhook, to which notifications are posted from now on.

    `secret` is shown only in this response; each request is signed with it. If the player has too many
    webhooks, the response is a 409.
    """
    webhook = service().webhooks.add(player, body["url"])
    return json_response({**_webhook_json(webhook), "secret": webhook.secret}, 201)


@blueprint.route(
    "DELETE",
    "/me/webhooks/<webhook>",
    auth="login_required",
    responses={204: response("The webhook is removed.")},
    error_responses=(404,),
)
def remove_webhook(player: str, webhook: str) -> Response:
    """Remove a webhook. What has not been posted to it yet is dropped."""
    service().webhooks.remove(player, webhook)
    return no_content()


@blueprint.route(
    "POST",
    "/me/webhooks/<webhook>/test",
    auth="login_required",
    limit=limit_webhook_tests,
    responses={204: response("A test is posted to the webhook.")},
    error_responses=(404,),
)
def test_webhook(player: str, webhook: str) -> Response:
    """Have a test posted to a webhook. `GET /me/webhooks` shows the result a moment later.

    A player can have 20 tests posted in an hour, unless the operator has chosen another rate. Further ones
    are refused with 429 and `Retry-After`.
    """
    service().webhooks.request_test(player, webhook)
    return no_content()


@blueprint.route(
    "POST",
    "/me/webhooks/<webhook>/enable",
    auth="login_required",
    limit=limit_new_places,
    responses={200: response("The webhook, which is enabled.", WebhookResponse)},
    error_responses=(404,),
)
def enable_webhook(player: str, webhook: str) -> Response:
    """Enable a webhook again that was disabled after repeated failures."""
    return json_response(_webhook_json(service().webhooks.enable(player, webhook)))


def _webhook_json(webhook: Webhook, paused_until: str | None = None) -> JsonObject:
    result = webhook.result
    text = None if result is None else request_renderer()(decode_message(result))
    return {**webhook.as_json(), "paused_until": paused_until, "result": text}

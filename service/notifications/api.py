"""What a player is notified of, the deliveries to the player, and where they go: feeds, push, webhooks."""

from collections.abc import Callable
from hashlib import sha256
from typing import Final

from flask import Response, request

from domain.json_types import JsonObject
from service.accounts.personal_tokens import digest_of
from service.games.access import require_correspondent
from service.http.api_docs import PREFIX
from service.http.blueprint import Blueprint, View, json_response, response, tagged_response
from service.http.context import bearer_token, personal_token_digest, service
from service.http.event_streams import player_stream_response
from service.http.language import request_renderer
from service.http.ratelimits import limit_new_places, limit_webhook_tests
from service.http.responses import body_of, webhook_json
from service.notifications.schemas import (
    AddPushSubscription,
    AddWebhook,
    ChangeNotifications,
    ChooseGameNotifications,
    DeliveriesQuery,
    DeliveryList,
    FeedEntry,
    FeedList,
    GameNotifications,
    MyNotifications,
    NewFeeds,
    PushState,
    PushSubscriptionResponse,
    WebhookList,
    WebhookResponse,
)

MAX_PAGE_SIZE: Final = 100
_ETAG_DIGITS: Final = 32

blueprint = Blueprint("notifications", "Notifications and feeds.", auth="login_required")
push = Blueprint("push", "The player's own push subscriptions.", auth="login_required")
webhooks = Blueprint("webhooks", "The player's own webhooks.", auth="login_required")


@blueprint.get("/me/notifications", "The preferences of the player.", MyNotifications)
def get_notifications(player: str) -> Response:
    """Get what the player wants to be notified of, and the channels by which they can be reached now."""
    return _preferences(player)


@blueprint.get("/games/<game_id>/notifications", "What the player has chosen.", GameNotifications)
def get_game_notifications(game_id: str, player: str) -> JsonObject:
    """Get which notifications of a game the player wants."""
    require_correspondent(service().games.queries.visible_game(game_id, player), player)
    (choice,) = service().notifications.preferences.choices_in_game(game_id, [player])
    return {"notify": choice}


@blueprint.put(
    "/games/<game_id>/notifications",
    "What the player has chosen.",
    GameNotifications,
    json_body=ChooseGameNotifications(),
)
def choose_game_notifications(game_id: str, player: str, body: JsonObject) -> JsonObject:
    """Choose which notifications of a game come by e-mail and push.

    Deliveries that exist already are sent as planned.
    """
    require_correspondent(service().games.queries.visible_game(game_id, player), player)
    store = service().notifications.preferences
    return {"notify": store.choose_in_game(game_id, player, body["notify"])}


@blueprint.patch(
    "/me/notifications",
    "The preferences after the change.",
    MyNotifications,
    json_body=ChangeNotifications(),
)
def change_notifications(player: str, body: JsonObject) -> Response:
    """Change what the player wants to be notified of.

    Fields that are left out stay as they are, as do the channels that `kinds` does not name. Local times are
    in the time zone of the account. Deliveries that exist already are sent as planned.
    """
    service().notifications.preferences.change(player, body)
    return _preferences(player)


def _preferences(player: str) -> Response:
    channels = dict.fromkeys(
        endpoint.channel for endpoint in service().notifications.endpoints.of(player)
    )
    preferences = service().notifications.preferences.of(player).as_json()
    return json_response({"preferences": preferences, "channels": list(channels)})


@blueprint.get(
    "/me/deliveries", "A page of deliveries, newest first.", DeliveryList, query=DeliveriesQuery()
)
def list_deliveries(player: str, query: JsonObject) -> JsonObject:
    """List the deliveries of notifications to the player, with their status and the result of their attempts.

    Deliveries are kept for 90 days after they have ended, and at most a number that the server sets.
    """
    limit = min(query["limit"], MAX_PAGE_SIZE)
    deliveries, cursor = service().notifications.deliveries.of_player(
        player, limit, query["cursor"]
    )
    render = request_renderer()
    return {"deliveries": [delivery.as_json(render) for delivery in deliveries], "next": cursor}


@blueprint.get(
    "/me/stream",
    request_headers={"Last-Event-ID": "Id of the last event that the client has."},
    responses={200: response("One server-sent event per event.", content_type="text/event-stream")},
)
def stream_my_games(player: str) -> Response:
    """Stream the events of all games in which the player has a place, as they are appended.

    The first server-sent event is named `games` and has the last seq of each game. Each `id` names the last
    event of each game: after `Last-Event-ID`, the stream continues with exactly what the client has missed.
    A game that the player joins later is streamed from its first event on, a few seconds later. If the client
    has events that are not in the log, the stream ends with an event named `reset`. It also ends when its
    token is revoked.
    """
    return player_stream_response(player, bearer_token())


@blueprint.get("/me/feeds", "All feeds of the player, the oldest first.", FeedList)
def list_feeds(player: str) -> JsonObject:
    """List the player's feeds, without their addresses."""
    feeds = service().notifications.feed_tokens.of(player)
    return {"feeds": [body_of(FeedEntry, feed) for feed in feeds], "next": None}


@blueprint.post(
    "/me/feeds", "The addresses of the feeds.", NewFeeds, limit=limit_new_places, errors=(409,)
)
def create_feeds(player: str) -> JsonObject:
    """Create the secret addresses of two feeds.

    `atom` is an Atom feed of what happened in the player's games, `calendar` a calendar of their deadlines.
    Everybody who knows an address can read the feed, without a token. If the player has too many of them, the
    response is a 409.
    """
    feed, token = service().notifications.feed_tokens.create(player)
    return {"id": feed.id, "created": feed.created, **feed_addresses(token)}


def feed_addresses(token: str) -> dict[str, str]:
    """Return the addresses of the feeds of a token, by kind."""
    address = f"{service().settings.public_url}{PREFIX}/feeds/{token}"
    return {"atom": f"{address}/games.atom", "calendar": f"{address}/deadlines.ics"}


@blueprint.delete("/me/feeds/<feed>", "The addresses are not valid any more.")
def revoke_feeds(player: str, feed: str) -> None:
    """Revoke the two addresses of feeds."""
    service().notifications.feed_tokens.revoke(player, feed)


def _get_document(name: str, noun: str, content_type: str) -> Callable[[View], View]:
    """Register a view that returns a document with an ETag to everybody who knows its address."""
    headers = {"ETag": "A digest of the document."}
    return blueprint.get(
        f"/feeds/<token>/{name}",
        auth="public",
        request_headers={"If-None-Match": "ETag of the document that the client has."},
        responses={
            200: response(f"The {noun}.", content_type=content_type, headers=headers),
            304: response(f"The client has this {noun}."),
        },
    )


@_get_document("games.atom", "feed", "application/atom+xml")
def get_atom_feed(token: str) -> Response:
    """Get the Atom feed of what happened in a player's games, in the language of the account.

    It has the last events of the games that were created last, at most 100.
    """
    address = f"{service().settings.public_url}{request.path}"
    feed = service().notifications.feeds.atom(
        service().notifications.feed_tokens.owner(token), address
    )
    return _document(feed, "application/atom+xml; charset=utf-8")


@_get_document("deadlines.ics", "calendar", "text/calendar")
def get_calendar(token: str) -> Response:
    """Get the calendar of a player's deadlines: one event for each turn that waits for the player.

    The UID of a turn stays the same when its deadline moves.
    """
    calendar = service().notifications.feeds.calendar(
        service().notifications.feed_tokens.owner(token)
    )
    return _document(calendar, "text/calendar; charset=utf-8")


def _document(content: bytes, content_type: str) -> Response:
    """Return the response with a feed; 304 if the client has it."""
    etag = sha256(content).hexdigest()[:_ETAG_DIGITS]
    headers = {
        "Cache-Control": "private, max-age=60",
        # A link in a feed must not reveal the address of the feed.
        "Referrer-Policy": "no-referrer",
    }
    return tagged_response(content, content_type, etag, headers)


@push.get("/me/push", "The public key, and all subscriptions.", PushState)
def list_push_subscriptions(player: str) -> JsonObject:
    """List the player's push subscriptions, with the key that a browser needs to subscribe."""
    session = digest_of(bearer_token() or "")
    subscriptions = [
        item.as_json(session) for item in service().notifications.push_subscriptions.of(player)
    ]
    return {"public_key": service().notifications.vapid_key.public, "subscriptions": subscriptions}


@push.post(
    "/me/push",
    "The subscription.",
    PushSubscriptionResponse,
    limit=limit_new_places,
    json_body=AddPushSubscription(),
)
def add_push_subscription(player: str, body: JsonObject) -> JsonObject:
    """Add a push subscription, or replace its keys. One too many replaces the oldest.

    It ends with the session of the token. If another player has added the same endpoint before, it no longer
    belongs to them.
    """
    session = digest_of(bearer_token() or "")
    added = service().notifications.push_subscriptions.add(player, **body, session=session)
    return added.as_json(session)


@push.delete("/me/push/<subscription>", "The subscription is removed.")
def remove_push_subscription(player: str, subscription: str) -> None:
    """Remove a push subscription."""
    service().notifications.push_subscriptions.find(player, subscription)
    service().notifications.push_subscriptions.remove(player, subscription)


@webhooks.get("/me/webhooks", "All webhooks of the player, the oldest first.", WebhookList)
def list_webhooks(player: str) -> JsonObject:
    """List the player's webhooks, without their secrets."""
    webhooks = service().notifications.webhooks.of(player)
    paused_until = service().notifications.webhooks.paused_until(player, webhooks)
    listed = [webhook_json(*item) for item in zip(webhooks, paused_until, strict=True)]
    return {"webhooks": listed, "next": None}


@webhooks.post(
    "/me/webhooks",
    "The webhook, with its secret.",
    WebhookResponse,
    limit=limit_new_places,
    json_body=AddWebhook(),
    errors=(409,),
)
def add_webhook(player: str, body: JsonObject) -> JsonObject:
    """Register a webhook, to which notifications are posted from now on.

    One that is registered with a personal token is removed when the token is revoked or ends.

    `secret` is shown only in this response; each request is signed with it. If the player has too many
    webhooks, the response is a 409.
    """
    webhook = service().notifications.webhooks.add(player, body["url"], personal_token_digest())
    return {**webhook_json(webhook), "secret": webhook.secret}


@webhooks.delete("/me/webhooks/<webhook>", "The webhook is removed.")
def remove_webhook(player: str, webhook: str) -> None:
    """Remove a webhook. What has not been posted to it yet is dropped."""
    service().notifications.webhooks.remove(player, webhook)


@webhooks.post(
    "/me/webhooks/<webhook>/test", "A test is posted to the webhook.", limit=limit_webhook_tests
)
def test_webhook(player: str, webhook: str) -> None:
    """Have a test posted to a webhook. `GET /me/webhooks` shows the result a moment later.

    A player can have 20 tests posted in an hour, unless the operator has chosen another rate. Further ones
    are refused with 429 and `Retry-After`.
    """
    service().notifications.webhooks.request_test(player, webhook)


@webhooks.post(
    "/me/webhooks/<webhook>/enable",
    "The webhook, which is enabled.",
    WebhookResponse,
    status=200,
    limit=limit_new_places,
)
def enable_webhook(player: str, webhook: str) -> JsonObject:
    """Enable a webhook again that was disabled after repeated failures."""
    return webhook_json(service().notifications.webhooks.enable(player, webhook))

"""What the visitor is notified of, what became of the latest notifications, and where they go: feeds, push
notifications in the visitor's browser, and webhooks.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Blueprint, request
from flask import Response as FlaskResponse
from flask_wtf.csrf import generate_csrf  # type: ignore[import-untyped] # has no annotations
from werkzeug.wrappers import Response

from domain.errors import Malformed
from domain.messages import Message, message, message_in
from service.accounts.personal_tokens import digest_of
from service.errors import TooManyFeeds, TooManyWebhooks
from service.games.access import require_correspondent
from service.http.blueprint import json_response
from service.http.context import service
from service.http.ratelimits import limit_new_places, limit_webhook_tests
from service.notification_subjects.table import KIND_DESCRIPTIONS, KINDS
from service.notifications.api import feed_addresses
from service.notifications.channels import PLAYER_CHANNELS, PlayerChannel
from service.notifications.delivery import Status
from service.notifications.preferences import GameChoice
from service.notifications.schemas import AddPushSubscription, AddWebhook
from service.notifications.stored_messages import decode_message
from service.notifications.webhooks.webhooks import Webhook
from service.pages import session
from service.pages.forms import Form, read_field, read_form, see_other, shows_refusals
from service.pages.templating import page, push_subscriptions

blueprint = Blueprint("notifications", __name__, template_folder="templates")

NOTIFICATIONS: Final = "/account/notifications"
SHOWN_DELIVERIES: Final = 20

_GAME_CHOICES: Final[Mapping[GameChoice, Message]] = {
    "all": message("All that you have chosen in your account"),
    "turns": message("Of these, only those about your turn"),
    "none": message("None: this game is muted"),
}
_CHANNELS: Final[Mapping[PlayerChannel, Message]] = {
    "email": message_in("channel", "E-mail"),
    "webhook": message_in("channel", "Webhook"),
    "push": message_in("channel", "Push"),
}
_STATUSES: Final[Mapping[Status, Message]] = {
    "pending": message_in("delivery", "waits"),
    "retrying": message_in("delivery", "is tried again"),
    "sent": message_in("delivery", "sent"),
    "given_up": message_in("delivery", "given up"),
    "bounced": message_in("delivery", "refused"),
    "cancelled": message_in("delivery", "cancelled"),
}


def _notifications_page(
    status: int = 200,
    *,
    form: Form | None = None,
    feed_form: Form | None = None,
    addresses: Mapping[str, str] | None = None,
) -> Response:
    player = session.require_player()
    deliveries, _ = service().notifications.deliveries.of_player(player, SHOWN_DELIVERIES)
    preferences = service().notifications.preferences.of(player)
    stored = preferences.as_json()
    quiet_from, quiet_to = stored["quiet_hours"] or ("", "")
    channels: Sequence[str] = [
        endpoint.channel for endpoint in service().notifications.endpoints.of(player)
    ]
    return page(
        "notifications.html",
        status,
        kinds={kind: description.label for kind, description in KIND_DESCRIPTIONS.items()},
        channels=_CHANNELS,
        statuses=_STATUSES,
        reachable=frozenset(channels),
        preferences=preferences,
        times={"digest": stored["digest"] or "", "from": quiet_from, "to": quiet_to},
        deliveries=deliveries,
        feeds=service().notifications.feed_tokens.of(player),
        addresses=addresses,
        form=form or Form(),
        feed_form=feed_form or Form(),
    )


@blueprint.get(NOTIFICATIONS)
def show_notifications() -> Response:
    """Show what the visitor is notified of, and the latest deliveries."""
    return _notifications_page()


@blueprint.post(NOTIFICATIONS)
@shows_refusals(_notifications_page, Malformed)
def change_notifications() -> Response:
    """Store what the visitor wants to be notified of."""
    player = session.require_player()
    try:
        service().notifications.preferences.change(player, _changes())
    except Malformed as error:
        faults = {
            "quiet_from" if name.startswith("quiet_hours") else name: fault
            for name, fault in error.fields.items()
        }
        raise Malformed(faults) from None
    return see_other(NOTIFICATIONS)


@blueprint.get("/games/<game_id>/notifications")
def show_game_notifications(game_id: str) -> Response:
    """Show which notifications of a game the visitor wants."""
    player = session.require_player()
    game = service().games.queries.visible_game(game_id, player)
    require_correspondent(game, player)
    (choice,) = service().notifications.preferences.choices_in_game(game_id, [player])
    return page("game_notifications.html", game=game, choice=choice, choices=_GAME_CHOICES)


@blueprint.post("/games/<game_id>/notifications")
def choose_game_notifications(game_id: str) -> Response:
    """Store which notifications of a game the visitor wants."""
    player = session.require_player()
    require_correspondent(service().games.queries.visible_game(game_id, player), player)
    choice = read_field("notify")
    service().notifications.preferences.choose_in_game(game_id, player, choice)
    return see_other(f"/games/{game_id}/notifications")


@blueprint.post(f"{NOTIFICATIONS}/feeds")
@limit_new_places
@shows_refusals(_notifications_page, TooManyFeeds, form="feed_form", keeps_entries=False)
def create_feeds() -> Response:
    """Create the addresses of feeds, and show them once."""
    _, token = service().notifications.feed_tokens.create(session.require_player())
    return _notifications_page(201, addresses=feed_addresses(token))


@blueprint.post(f"{NOTIFICATIONS}/feeds/revoke")
def revoke_feeds() -> Response:
    """Revoke the addresses of feeds."""
    player = session.require_player()
    service().notifications.feed_tokens.revoke(player, read_field("feed"))
    return see_other(NOTIFICATIONS)


def _changes() -> dict[str, Any]:
    """Return the changes that the form asks for. Raises Malformed.

    A browser leaves out the boxes that are not ticked, so every channel is replaced.
    """
    chosen = {
        channel: [kind for kind in KINDS if f"{channel}.{kind}" in request.form]
        for channel in PLAYER_CHANNELS
    }
    names = ("digest", "quiet_from", "quiet_to")
    times = {name: request.form.get(name) or None for name in names}
    quiet_hours = [times["quiet_from"], times["quiet_to"]]
    return {
        "kinds": chosen,
        "digest": times["digest"],
        "quiet_hours": None if quiet_hours == [None, None] else quiet_hours,
    }


PUSH: Final = "/account/notifications/push"


@blueprint.get(PUSH)
def get_push_state() -> Response:
    """Return what the service worker needs to judge and renew the subscription of its browser.

    `player` is the id of the visitor; without one, it is null, and there are no subscriptions.
    """
    player_id = session.current_player()
    response = json_response(
        {
            "player": player_id,
            "public_key": service().notifications.vapid_key.public,
            "subscriptions": push_subscriptions(),
            "csrf_token": None if player_id is None else generate_csrf(),
        }
    )
    response.cache_control.no_store = True
    return response


@blueprint.post(PUSH)
@limit_new_places
def add_push() -> Response:
    """Add the subscription of the visitor's browser, in place of an earlier one of its session."""
    player_id, token = session.require_player(), session.session_token() or ""
    service().notifications.push_subscriptions.add(
        player_id, **read_form(AddPushSubscription()), session=digest_of(token), is_only=True
    )
    return FlaskResponse(status=204)


@blueprint.post(f"{PUSH}/remove")
def remove_push() -> Response:
    """Remove one of the visitor's subscriptions."""
    player_id = session.require_player()
    service().notifications.push_subscriptions.remove(player_id, read_field("subscription"))
    return see_other("/account/notifications")


WEBHOOKS: Final = "/account/webhooks"


def _webhooks_page(
    status: int = 200, *, form: Form | None = None, added: Webhook | None = None
) -> Response:
    player_id = session.require_player()
    webhooks = service().notifications.webhooks.of(player_id)
    paused_until = service().notifications.webhooks.paused_until(player_id, webhooks)
    return page(
        "webhooks.html",
        status,
        webhooks=list(zip(webhooks, paused_until, strict=True)),
        decode_message=decode_message,
        form=form or Form(),
        added=added,
    )


@blueprint.get(WEBHOOKS)
def show_webhooks() -> Response:
    """Show the visitor's webhooks."""
    return _webhooks_page()


@blueprint.post(WEBHOOKS)
@limit_new_places
@shows_refusals(_webhooks_page, Malformed, TooManyWebhooks, field="url")
def add_webhook() -> Response:
    """Register a webhook, and show its secret, once."""
    player_id = session.require_player()
    webhook = service().notifications.webhooks.add(player_id, read_form(AddWebhook())["url"])
    return _webhooks_page(201, added=webhook)


@blueprint.post(f"{WEBHOOKS}/test")
@limit_webhook_tests
def test_webhook() -> Response:
    """Have a test posted to a webhook."""
    service().notifications.webhooks.request_test(session.require_player(), _chosen())
    return see_other(WEBHOOKS)


@blueprint.post(f"{WEBHOOKS}/enable")
@limit_new_places
def enable_webhook() -> Response:
    """Enable a webhook that was disabled."""
    service().notifications.webhooks.enable(session.require_player(), _chosen())
    return see_other(WEBHOOKS)


@blueprint.post(f"{WEBHOOKS}/remove")
def remove_webhook() -> Response:
    """Remove a webhook."""
    service().notifications.webhooks.remove(session.require_player(), _chosen())
    return see_other(WEBHOOKS)


def _chosen() -> str:
    return str(read_field("webhook"))

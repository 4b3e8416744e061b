"""The page of the visitor's webhooks."""

from typing import Final

from flask import Blueprint
from werkzeug.wrappers import Response

from domain.errors import Malformed
from service.errors import TooManyWebhooks
from service.http import problems
from service.http.context import service
from service.http.ratelimits import limit_new_places, limit_webhook_tests
from service.http.schemas.fields import StrictSchema, String
from service.http.schemas.webhooks import AddWebhook
from service.notifications.stored_messages import decode_message
from service.notifications.webhooks.webhooks import Webhook
from service.pages import session
from service.pages.forms import Form, entered_form, read_form, see_other
from service.pages.templating import page

blueprint = Blueprint("webhooks", __name__)

WEBHOOKS: Final = "/account/webhooks"


class ChosenWebhook(StrictSchema):
    """A webhook that is to be tested, enabled or removed."""

    webhook = String(required=True)


@blueprint.get(WEBHOOKS)
def show_webhooks() -> Response:
    """Show the visitor's webhooks."""
    return _webhooks_page()


@blueprint.post(WEBHOOKS)
@limit_new_places
def add_webhook() -> Response:
    """Register a webhook, and show its secret, once."""
    player_id = session.require_player()
    form = entered_form()
    try:
        webhook = service().webhooks.add(player_id, read_form(AddWebhook())["url"])
    except (Malformed, TooManyWebhooks) as error:
        return _webhooks_page(problems.status_of(error), form=form.refused(error, "url"))
    return _webhooks_page(201, added=webhook)


@blueprint.post(f"{WEBHOOKS}/test")
@limit_webhook_tests
def test_webhook() -> Response:
    """Have a test posted to a webhook."""
    service().webhooks.request_test(session.require_player(), _chosen())
    return see_other(WEBHOOKS)


@blueprint.post(f"{WEBHOOKS}/enable")
@limit_new_places
def enable_webhook() -> Response:
    """Enable a webhook that was disabled."""
    service().webhooks.enable(session.require_player(), _chosen())
    return see_other(WEBHOOKS)


@blueprint.post(f"{WEBHOOKS}/remove")
def remove_webhook() -> Response:
    """Remove a webhook."""
    service().webhooks.remove(session.require_player(), _chosen())
    return see_other(WEBHOOKS)


def _chosen() -> str:
    return str(read_form(ChosenWebhook())["webhook"])


def _webhooks_page(
    status: int = 200, *, form: Form | None = None, added: Webhook | None = None
) -> Response:
    player_id = session.require_player()
    webhooks = service().webhooks.of(player_id)
    paused_until = service().webhooks.paused_until(player_id, webhooks)
    return page(
        "webhooks.html",
        status,
        webhooks=list(zip(webhooks, paused_until, strict=True)),
        decode_message=decode_message,
        form=form or Form(),
        added=added,
    )

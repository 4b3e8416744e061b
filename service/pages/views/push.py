"""Push notifications in the visitor's browser: what its script sends, and the script that shows them."""

from typing import Final

from flask import Blueprint, Response
from werkzeug.wrappers import Response as BaseResponse

from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.http.schemas.fields import StrictSchema, String
from service.http.schemas.push import AddPushSubscription
from service.pages import session
from service.pages.assets import files
from service.pages.forms import read_form, see_other

blueprint = Blueprint("push", __name__)

PUSH: Final = "/account/notifications/push"


class RemovePush(StrictSchema):
    """A subscription to remove."""

    subscription = String(required=True)


@blueprint.post(PUSH)
@limit_new_places
def add_push() -> Response:
    """Add the subscription of the visitor's browser, which its script has sent."""
    player_id = session.require_player()
    service().push_subscriptions.add(player_id, **read_form(AddPushSubscription()))
    return Response(status=204)


@blueprint.post(f"{PUSH}/remove")
def remove_push() -> BaseResponse:
    """Remove one of the visitor's subscriptions."""
    player_id = session.require_player()
    service().push_subscriptions.remove(player_id, read_form(RemovePush())["subscription"])
    return see_other("/account/notifications")


@blueprint.get("/push-worker.js")
def get_push_worker() -> Response:
    """Return the service worker. Its address is at the root, so that it may show any page."""
    response = Response(files()["js/push-worker.js"], mimetype="text/javascript")
    response.cache_control.no_cache = True
    return response

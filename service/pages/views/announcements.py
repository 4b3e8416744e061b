"""Dismissing an announcement, in the browser that dismisses it."""

from flask import Blueprint, request
from werkzeug.wrappers import Response

from service.administration.announcements import MAX_DAYS
from service.http.context import service
from service.pages.forms import see_other
from service.pages.return_addresses import next_address
from service.pages.view_models.announcements import COOKIE, SEPARATOR, dismissed_announcements

blueprint = Blueprint("announcements", __name__)


@blueprint.post("/announcements/dismissals")
def dismiss_announcement() -> Response:
    """Do not show an announcement in this browser any more."""
    response = see_other(next_address())
    dismissed = {*dismissed_announcements(), request.form.get("announcement", "")}
    # Only ids of current announcements are kept, so that the cookie stays short.
    kept = [one.id for one in service().announcements.current() if one.id in dismissed]
    response.set_cookie(
        COOKIE,
        SEPARATOR.join(kept),
        max_age=MAX_DAYS * 24 * 3600,
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )
    return response

"""The announcements that a page shows: the current ones, without those that the browser has dismissed.

A cookie keeps the ids of the latter. It concerns nobody but this browser, so it is not signed.
"""

from typing import Final

from flask import Blueprint, request
from werkzeug.wrappers import Response

from service.administration.announcements import MAX_DAYS, Announcement
from service.errors import Unavailable
from service.http.context import service
from service.pages.forms import see_other
from service.pages.return_addresses import next_address

COOKIE: Final = "cartulary-dismissed"
SEPARATOR: Final = "."

blueprint = Blueprint("announcements", __name__)


def announcements_to_show() -> list[Announcement]:
    """Return the current announcements that were not dismissed; none if they cannot be read.

    Pages about errors show them too.
    """
    try:
        current = service().announcements.current()
    except Unavailable:
        return []
    dismissed = dismissed_announcements()
    return [announcement for announcement in current if announcement.id not in dismissed]


def dismissed_announcements() -> frozenset[str]:
    """Return the ids of the announcements that this browser has dismissed."""
    return frozenset(request.cookies.get(COOKIE, "").split(SEPARATOR))


@blueprint.post("/announcements/dismissals")
def dismiss_announcement() -> Response:
    """Stop showing an announcement in this browser."""
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

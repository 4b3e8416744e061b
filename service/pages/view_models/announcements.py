"""The announcements that a page shows: the current ones, without those that the browser has dismissed.

A cookie keeps the ids of the latter. It concerns nobody but this browser, so it is not signed.
"""

from typing import Final

from flask import request

from service.administration.announcements import Announcement
from service.errors import Unavailable
from service.http.context import service

COOKIE: Final = "cartulary-dismissed"
SEPARATOR: Final = "."


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

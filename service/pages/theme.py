"""The theme of the pages: light, dark, or that of the visitor's system.

A browser remembers it in a cookie of its own: the same player may want another one on another device.
"""

from typing import Final

from flask import Blueprint, request
from werkzeug.wrappers import Response

from domain.errors import Malformed
from domain.json_fields import one_of
from service.pages.forms import read_field, see_other
from service.pages.return_addresses import next_address

blueprint = Blueprint("theme", __name__)

COOKIE: Final = "cartulary-theme"
SYSTEM: Final = "system"
THEMES: Final = ("light", "dark", SYSTEM)
_YEAR_SECONDS: Final = 365 * 24 * 3600


def chosen_theme() -> str:
    """Return the theme that the browser of the request has chosen, one of `THEMES`."""
    theme = request.cookies.get(COOKIE)
    return theme if theme in THEMES else SYSTEM


@blueprint.post("/theme")
def choose_theme() -> Response:
    """Store the theme of the pages in a cookie of the browser."""
    theme = read_field("theme")
    if theme not in THEMES:
        raise Malformed({"theme": one_of(THEMES)})
    response = see_other(next_address())
    response.set_cookie(
        COOKIE,
        theme,
        max_age=_YEAR_SECONDS,
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )
    return response

"""Submits the forms of pages as a browser without scripts does, with the token of the page."""

import re
from html import unescape

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.bootstrap import Service

PASSWORD = "correct horse"


_TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


def without_csrf_tokens(text: str) -> str:
    """Return the text of a page without the tokens in its forms, which differ from second to second."""
    return _TOKEN.sub("", text)


def csrf_token(browser: FlaskClient, page: str) -> str:
    """Return the token against cross-site requests in the forms of a page."""
    match = _TOKEN.search(browser.get(page).text)
    assert match is not None, page
    return unescape(match.group(1))


def post(browser: FlaskClient, path: str, page: str = "/verify", /, **fields: str) -> TestResponse:
    """Submit a form with the token of a page, and return the response."""
    return browser.post(path, data={"csrf_token": csrf_token(browser, page), **fields})


def log_in(browser: FlaskClient, service: Service, handle: str = "ada") -> str:
    """Register a player, log them in, and return the player's id."""
    player, token = service.accounts.players.register(handle, PASSWORD)
    with browser.session_transaction() as session:
        session["token"] = token
    return player.id

"""Recognises the player who sends a request, by its token or its session cookie, without reading the store.

It authenticates nobody: it decides as whose a request is queued, and in which language it is refused. A token
counts if it was valid when this process looked it up last, and a session cookie if this service has signed it
and its token has not been refused since. So nobody is recognised as a player whose token they never had.
"""

from flask import Flask

from service.accounts.tokens import TokenOwner, Tokens
from service.pages.session import COOKIE_NAME, PageSessions
from service.server.http_request import HttpRequest


class RequestOwners:
    """Finds the players who send requests to a web process."""

    def __init__(self, tokens: Tokens, app: Flask) -> None:
        self._tokens = tokens
        self._app = app

    def __call__(self, request: HttpRequest) -> TokenOwner | None:
        """Return the player who sends a request; None for a visitor of whom only the network is known."""
        token = request.bearer_token
        if token is not None:
            return self._tokens.last_owner(token)
        cookie = request.cookie(COOKIE_NAME)
        sessions = self._app.session_interface
        if cookie is None or not isinstance(sessions, PageSessions):
            return None
        session = sessions.session_of_cookie(self._app, cookie)
        if session is None or self._tokens.was_refused(session.token):
            return None
        return TokenOwner(session.player, session.language)

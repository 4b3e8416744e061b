"""The request queues of a process, and the visitors to whom requests are attributed.

Expensive requests have separate queues and threads.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flask import Flask

from service.accounts.tokens import TokenOwner, Tokens
from service.bounds import Bounds
from service.http.validation import UPLOAD_PATHS
from service.pages.session import COOKIE_NAME, PageSessions
from service.server.http_request import HttpRequest
from service.server.request_queue import Job, RequestQueue

_ACCOUNT_REQUESTS: Final = frozenset(
    {
        ("POST", b"/api/v1/players"),
        ("POST", b"/api/v1/tokens"),
        ("PUT", b"/api/v1/me/password"),
        ("PUT", b"/api/v1/me/handle"),
        ("DELETE", b"/api/v1/me"),
        ("POST", b"/api/v1/me/email"),
        ("DELETE", b"/api/v1/me/email"),
        ("PUT", b"/api/v1/password-resets"),
        ("POST", b"/password/new"),
        ("POST", b"/login"),
        ("POST", b"/register"),
        ("POST", b"/account/name"),
        ("POST", b"/account/password"),
        ("POST", b"/account/email"),
        ("POST", b"/account/email/remove"),
        ("POST", b"/account/erase"),
    }
)
"""Requests that hash a password."""
_PICTURE: Final = b"/position.png"
"""The end of the paths of requests that draw a PNG."""
_AUDIT: Final = b"/audit"
"""The end of the paths of requests for an audit."""
_UPLOADS: Final = frozenset(path.encode() for path in UPLOAD_PATHS)
"""The paths to which records are uploaded, which are audited."""


class RequestQueues:
    """The queue of requests, and those of requests that hash a password, of pictures and of audits."""

    def __init__(self, bounds: Bounds) -> None:
        waiting = (bounds.max_waiting, bounds.max_waiting_per_visitor)
        self._requests = RequestQueue("request", bounds.request_threads, *waiting)
        self._accounts = RequestQueue("account", bounds.account_threads, *waiting)
        self._pictures = RequestQueue(
            "picture",
            bounds.picture_threads,
            bounds.max_waiting_pictures,
            bounds.max_waiting_per_visitor,
        )
        self._audits = RequestQueue("audit", bounds.max_audits, *waiting)
        self._max_wait_seconds = bounds.max_wait_seconds

    def __iter__(self) -> Iterator[RequestQueue]:
        return iter((self._requests, self._accounts, self._pictures, self._audits))

    def __len__(self) -> int:
        """Return the number of requests that wait for a thread."""
        return sum(map(len, self))

    def queue_for(self, request: HttpRequest) -> RequestQueue:
        """Return the queue in which a request waits for a thread."""
        if (request.method, request.raw_path) in _ACCOUNT_REQUESTS:
            return self._accounts
        path = request.raw_path
        if request.method == "POST" and (path.endswith(_AUDIT) or path in _UPLOADS):
            return self._audits
        return self._pictures if path.endswith(_PICTURE) else self._requests

    def remove_expired(self) -> Iterator[Job]:
        """Remove and yield the jobs that have waited too long for a thread."""
        for queue in self:
            yield from queue.remove_expired(self._max_wait_seconds)

    def close(self, seconds: float) -> None:
        """End the threads of all queues. The threads of each queue have this time to finish a request."""
        for queue in self:
            queue.close(seconds)


@dataclass(eq=False, repr=False)
class RequestOwners:
    """Finds the players who send requests to a web process."""

    _tokens: Tokens
    _app: Flask

    def __call__(self, request: HttpRequest) -> TokenOwner | None:
        """Return the player who sends a request; None if only the network of the visitor is known."""
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

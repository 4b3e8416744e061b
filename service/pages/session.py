"""The session of a visitor: a signed cookie with the token of the player who has logged in.

The cookie is signed with a key that all web processes share through Redis:

    cartulary:session-key    random bytes, created by the first process that needs them

The cookie also has the id of the player, so that the front of the web server recognises the player before it
has read anything from Redis (service/server/request_queues.py).

The token is one of the HTTP API, so that ending all sessions and erasing an account end the sessions of
browsers too. A cookie whose signature or token is not valid counts as none. Only pages have sessions; the
HTTP API ignores cookies.
"""

import secrets
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final, NamedTuple

import redis
from flask import Flask, Request, g, request, session
from flask.sessions import NullSession, SecureCookieSession, SecureCookieSessionInterface
from flask_wtf.csrf import generate_csrf  # type: ignore[import-untyped] # has no annotations
from itsdangerous import BadSignature
from typing_extensions import override

from ledger.clock.time_zones import is_time_zone
from replay.language.catalogue import languages
from service.accounts.password_guesses import LoginSource
from service.accounts.tokens import TOKEN_DAYS
from service.errors import Unauthorised, Unavailable
from service.http.context import client_name, client_network, player_locale, service
from service.shared_secret import shared_secret

SESSION_KEY: Final = "cartulary:session-key"
COOKIE_NAME: Final = "cartulary"
_TOKEN: Final = "token"  # noqa: S105 # the name of a value, not a secret
_PLAYER: Final = "player"
_LANGUAGE: Final = "language"
_BROWSER: Final = "browser"
"""An id of the browser, and the players who have logged in with it; see `LoginSource`."""
_BROWSER_BYTES: Final = 16
_MAX_PLAYERS_PER_BROWSER: Final = 5
TIME_ZONE_COOKIE: Final = "cartulary-time-zone"
"""The cookie in which the script of the pages keeps the time zone of the browser."""
MAX_COOKIE_CHARACTERS: Final = 1000
"""Length of the longest cookie that `session_of_cookie` reads: several times that of the longest session."""


class CookieSession(NamedTuple):
    """What a session cookie says. It does not authenticate: the token may have been revoked."""

    player: str
    token: str
    language: str | None


class NoSession(NullSession):
    """The session of a request that has none; nothing can be written to it."""


class PageSessions(SecureCookieSessionInterface):
    """Reads and writes the sessions of pages. `prefix` begins the paths of requests that have no session."""

    session_class = SecureCookieSession

    def __init__(self, client: redis.Redis, prefix: str) -> None:
        self._redis = client
        self._prefix = prefix

    @override
    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        if request.path.startswith(self._prefix):
            return NoSession()
        try:
            self.load_key(app)
            page_session = super().open_session(app, request)
            return NoSession() if page_session is None else page_session
        except Unavailable:
            # The hook of the pages responds to this with an error (blueprint.py).
            return NoSession()

    @override
    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure

    def load_key(self, app: Flask) -> None:
        """Let the application have the key that signs cookies. Raises Unavailable."""
        if app.secret_key is None:
            app.secret_key = shared_secret(self._redis, SESSION_KEY)

    def session_of_cookie(self, app: Flask, cookie: str) -> CookieSession | None:
        """Return what a session cookie says; None if this service has not signed it, or nobody is logged in.

        Does not read the store. So it returns None before the first call of `load_key`.
        """
        if app.secret_key is None or len(cookie) > MAX_COOKIE_CHARACTERS:
            return None
        serializer = self.get_signing_serializer(app)
        assert serializer is not None, "the application has a key"
        try:
            values: Any = serializer.loads(
                cookie, max_age=int(app.permanent_session_lifetime.total_seconds())
            )
        except BadSignature:
            return None
        player, token, language = (values.get(name) for name in (_PLAYER, _TOKEN, _LANGUAGE))
        if not isinstance(player, str) or not isinstance(token, str):
            return None
        return CookieSession(player, token, language)


def register(app: Flask, client: redis.Redis, prefix: str) -> None:
    """Have the application keep sessions for all requests but those whose path begins with `prefix`."""
    app.session_interface = PageSessions(client, prefix)
    app.config.update(
        SESSION_COOKIE_NAME=COOKIE_NAME,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=timedelta(days=TOKEN_DAYS),
    )


def load_key(app: Flask) -> None:
    """Load the key that signs cookies, so that players are recognised from their first request on.

    If Redis does not respond, the first request for a page loads it.
    """
    sessions = app.session_interface
    if isinstance(sessions, PageSessions):
        with suppress(Unavailable):
            sessions.load_key(app)


def can_write_session() -> bool:
    """Return whether the request has a session: not if Redis did not respond with the key."""
    return not isinstance(session, NoSession)


def load_visitor() -> None:
    """Identify the visitor of a page by the session, as `service.http.context` does by a header.

    A token that is no longer valid is removed from the session. An account without a time zone gets that of
    the browser.
    """
    g.player_id, g.player_locale = None, session.get(_LANGUAGE)
    browser_zone = request.cookies.get(TIME_ZONE_COOKIE)
    g.time_zone = browser_zone = browser_zone if is_time_zone(browser_zone) else None
    token = session_token()
    if token is None:
        return
    owner = service().accounts.players.tokens.owner(token)
    if owner is None or owner.scopes is not None:
        del session[_TOKEN]
        session.pop(_PLAYER, None)
    else:
        if session.get(_PLAYER) != owner.id:
            session[_PLAYER] = owner.id
        g.player_id, g.player_locale = owner.id, owner.locale or session.get(_LANGUAGE)
        if owner.time_zone is not None:
            g.time_zone = owner.time_zone
        elif browser_zone is not None:
            service().accounts.players.adopt_time_zone(owner.id, token, browser_zone)


def current_player() -> str | None:
    """Return the id of the player who views the page; None for a visitor who has not logged in."""
    player_id: str | None = g.get("player_id")
    return player_id


def require_player() -> str:
    """Return the id of the player who views the page. Raises Unauthorised for a visitor."""
    player_id = current_player()
    if player_id is None:
        raise Unauthorised.with_message("log in to do this")
    return player_id


def session_token() -> str | None:
    """Return the token of the player who has logged in; None for a visitor who has not."""
    token = session.get(_TOKEN)
    return token if isinstance(token, str) else None


def login_source() -> LoginSource:
    """Return where the visitor logs in. The browser is identified by the session, also after logging out."""
    browser = session.get(_BROWSER)
    if not isinstance(browser, dict):
        return LoginSource(client_network())
    return LoginSource(client_network(), browser["id"], frozenset(browser["players"]))


def log_in(token: str) -> None:
    """Begin a session with the token of a player. The former one ends, but the browser stays known."""
    _revoke_token(except_token=token)
    _clear_session()
    session.permanent = True
    session[_TOKEN] = token
    g.pop("player_id", None)
    load_visitor()
    source, player_id = login_source(), current_player()
    others = [
        player for player in session.get(_BROWSER, {}).get("players", []) if player != player_id
    ]
    session[_BROWSER] = {
        "id": source.browser or secrets.token_hex(_BROWSER_BYTES),
        "players": [*others, player_id][-_MAX_PLAYERS_PER_BROWSER:],
    }
    # Otherwise, each of the first pages that are loaded at the same time would give the session its own.
    g.pop("csrf_token", None)
    generate_csrf()


def log_out() -> None:
    """End the session: its token is revoked, and the cookie is emptied."""
    _revoke_token()
    _clear_session()


def _revoke_token(except_token: str | None = None) -> None:
    """Revoke the token of the session, if it has one, unless it is this one."""
    token = session_token()
    if token is not None and token != except_token:
        service().accounts.players.tokens.revoke(token)


def _clear_session() -> None:
    """Empty the session, except for what concerns the browser."""
    kept = {name: session[name] for name in (_LANGUAGE, _BROWSER) if name in session}
    session.clear()
    if kept:
        session.permanent = True
        session.update(kept)


def set_language(language: str | None) -> None:
    """Remember the language for this browser, or none. The caller stores it for a player.

    A language in which there are no pages is ignored.
    """
    if language is None:
        session.pop(_LANGUAGE, None)
    elif language in languages():
        session.permanent = True
        session[_LANGUAGE] = language


def require_player_or_guest() -> str:
    """Return the id of the player who views the page; a visitor becomes a guest, and is logged in.

    Views that call this need the rate limit of registrations, `limit_account_attempts`.
    """
    player_id = current_player()
    if player_id is None:
        guest, token = service().accounts.players.create_guest(
            player_locale(), client=client_name()
        )
        log_in(token)
        player_id = guest.id
    return player_id

"""Errors as pages: what went wrong in the visitor's language, the clause that refuses, and a way forward.

The status of an error is the same as in the HTTP API (service/http/problems.py).
"""

import logging
from typing import Final

import redis
from flask import Blueprint, Flask, Response, g, redirect, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import CartularyError, Malformed, Refused, Unreadable
from domain.messages import Message, Text, message
from service.connection import unavailable_on_error
from service.errors import (
    GameDamaged,
    ServiceError,
    TooManyRequests,
    Unauthorised,
    Unavailable,
    log_text,
)
from service.http import problems
from service.http.api_docs import PREFIX
from service.http.validation import form_too_large
from service.pages.blueprint import add_page_headers
from service.pages.forms import see_other
from service.pages.return_addresses import login_address, page_address
from service.pages.session import current_player, load_visitor
from service.pages.templating import page

log = logging.getLogger(__name__)

TITLES: Final[dict[int, Message]] = {
    400: message("This request is not complete or not correct"),
    401: message("Log in first"),
    403: message("This is not allowed"),
    404: message("There is no such page"),
    405: message("This page does not accept such a request"),
    409: message("This is not possible now"),
    413: message("This is too large"),
    422: message("The rules do not allow this"),
    429: message("Too many requests"),
    500: message("Something went wrong on the server"),
    503: message("The server is busy or cannot reach its data"),
}
"""The heading of the page for each status."""
_READING: Final = frozenset({"GET", "HEAD"})
_LOGIN_STATUSES: Final = frozenset({401, 403, 404})
"""Errors that a visitor may not meet after logging in."""
_INTERNAL: Final = message("The error has been logged, and nothing has been changed by this page.")
_NO_PAGE: Final = message("There is no page at this address.")


def register(app: Flask, pages: Blueprint) -> None:
    """Have the application respond to errors with pages, except for the requests of the HTTP API."""
    pages.register_error_handler(CartularyError, handle_error)
    pages.register_error_handler(HTTPException, _handle_http_exception)
    pages.register_error_handler(redis.RedisError, _handle_redis_error)
    pages.register_error_handler(Exception, _handle_unexpected_error)
    app.register_error_handler(NotFound, _handle_unknown_address)
    app.register_error_handler(MethodNotAllowed, _handle_unknown_address)


def handle_error(error: CartularyError) -> BaseResponse:
    """Return the page for an error. A visitor who has to log in is led to the page for it, and back."""
    status = problems.status_of(error)
    if status == 500:
        return _handle_unexpected_error(error)
    if isinstance(error, Unauthorised) and current_player() is None and _is_navigation():
        if request.method in _READING:
            return redirect(login_address())
        return see_other(login_address(is_interrupted=True))
    headers: dict[str, str] = {}
    if isinstance(error, TooManyRequests | Unavailable):
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, Unreadable):
        headers["Retry-After"] = str(problems.SECONDS_TO_REPAIR)
        damage = error if isinstance(error, GameDamaged) else None
        if damage is None:
            log.error("stored data is damaged: %s", log_text(error))
        title = problems.DAMAGED.title
        return error_page(status, error.message, title=title, headers=headers, damage=damage)
    return error_page(
        status,
        error.why if isinstance(error, Refused | ServiceError) else error.message,
        headers=headers,
        clause=error.clause if isinstance(error, Refused) else None,
        faults=list(error.fields.items()) if isinstance(error, Malformed) else [],
    )


def error_page(
    status: int,
    detail: Text,
    *,
    title: Message | None = None,
    headers: dict[str, str] | None = None,
    clause: str | None = None,
    faults: list[tuple[str, Text]] | None = None,
    damage: GameDamaged | None = None,
) -> Response:
    """Return a page about an error: a sentence, the clause, the faults by field, and where to read on.

    The title is by default that of the status.
    """
    game_id = (request.view_args or {}).get("game_id") if status not in (404, 503) else None
    # A private game must look like one that does not exist, so both lead to the page to log in.
    is_login_offered = (
        current_player() is None and request.url_rule is not None and status in _LOGIN_STATUSES
    )
    return page(
        "error.html",
        status,
        headers,
        title=title or TITLES.get(status, TITLES[400]),
        error_status=status,
        detail=detail,
        clause=clause,
        faults=faults or [],
        damage=damage,
        game_id=game_id,
        login=login_address() if is_login_offered else None,
        form_page=None if request.method in _READING else page_address(),
        request_id=g.request_id,
    )


def _handle_http_exception(error: HTTPException) -> Response:
    status = error.code if error.code in TITLES else 400
    headers: dict[str, str] = {}
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    details = {404: _NO_PAGE, 413: form_too_large(request)}
    return error_page(status, details.get(status, TITLES[status]), headers=headers)


def _handle_unknown_address(error: HTTPException) -> Response:
    """Respond to a request that matches no route: with a page, unless it is one of the API."""
    if request.path.startswith(f"{PREFIX}/") or request.method not in ("GET", "HEAD"):
        return problems.handle_http_exception(error)
    try:
        load_visitor()
    except Unavailable:
        g.player_id, g.player_locale = None, None
    return add_page_headers(_handle_http_exception(error))


def _handle_redis_error(error: redis.RedisError) -> BaseResponse:
    try:
        with unavailable_on_error():
            raise error
    except Unavailable as unavailable:
        return handle_error(unavailable)
    except redis.RedisError:
        return _handle_unexpected_error(error)


def _handle_unexpected_error(error: Exception) -> Response:
    log.error("unexpected error while making a page", exc_info=error)
    return error_page(500, _INTERNAL)


def _is_navigation() -> bool:
    """Return whether the browser shows the response as a page: not if a script asked for it by itself."""
    mode = request.headers.get("Sec-Fetch-Mode", "navigate")
    return mode == "navigate" or "HX-Request" in request.headers

"""Errors as problem details (RFC 9457), and the HTTP status of each error.

Errors of service/errors.py carry their status; the statuses of the errors in domain/errors.py are
set here and nowhere else. Any other exception is a fault of the server: the response is a 500
without details, and the log has the traceback under the request's id.

`title` and `detail` are in the language of the request (language.py); everything else is the same in every
language.
"""

import logging
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple

import orjson
import redis
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from domain.errors import CartularyError, Malformed, NotNow, Refused, Unreadable
from domain.messages import Message, Text, comma_list, message
from replay.language.renderer import Renderer, renderer
from service.connection import unavailable_on_error
from service.errors import (
    GameDamaged,
    InsufficientScope,
    ServiceError,
    Stale,
    TooManyRequests,
    Unauthorised,
    Unavailable,
    log_text,
)
from service.http.blueprint import ApiResponse
from service.http.language import language_headers, request_renderer
from service.http.validation import form_too_large
from service.store.event_store import HeadMoved

log = logging.getLogger(__name__)

CONTENT_TYPE: Final = "application/problem+json"
MAX_ERRORS: Final = 100
"""The most wrong fields that one problem names."""
_INTERNAL: Final = message("the error has been logged under the id of this request")
NO_RESOURCE: Final = message("there is no resource at this address")


class ProblemType(NamedTuple):
    """The name of a problem, which ends its `type`, and its title."""

    name: str
    title: Message


PROBLEM_TYPES: Final[Mapping[int, ProblemType]] = {
    400: ProblemType("malformed", message("The request is malformed")),
    401: ProblemType("unauthorised", message("A valid token is required")),
    403: ProblemType("forbidden", message("Not allowed to see or do this")),
    404: ProblemType("not-found", message("No such resource")),
    405: ProblemType("method-not-allowed", message("The resource does not support this method")),
    408: ProblemType("too-slow", message("The request did not arrive in time")),
    409: ProblemType("conflict", message("Not possible in the current state")),
    413: ProblemType("too-large", message("The body is too large")),
    415: ProblemType("not-json", message("The body is not JSON")),
    422: ProblemType("refused", message("The request is refused")),
    429: ProblemType("too-many-requests", message("Too many requests")),
    431: ProblemType("headers-too-large", message("The headers are too large")),
    500: ProblemType("internal", message("Internal server error")),
    503: ProblemType("unavailable", message("Temporarily unavailable")),
}
"""The problem type of every status that the API returns for an error."""
DAMAGED: Final = ProblemType("damaged", message("Stored data is damaged"))
"""The problem type of stored data that cannot be read, whose status is 503."""
_TITLES: Final = dict((*PROBLEM_TYPES.values(), DAMAGED))
SECONDS_TO_REPAIR: Final = 3600
"""The time after which a client may check whether damaged data has been repaired."""


def status_of(error: CartularyError) -> int:
    """Return the HTTP status of an error."""
    match error:
        case Malformed():
            return 400
        case NotNow():
            return 409
        case Refused():
            return 422
        case ServiceError():
            return error.status
        case Unreadable():
            return 503
        case _:
            return 500


def encoded_problem(
    status: int,
    detail: Text,
    request_id: str,
    render: Renderer,
    problem_type: ProblemType | None = None,
    **members: Any,
) -> tuple[bytes, dict[str, str]]:
    """Return the body of a problem, and the headers about it. `members` are added to what problems have.

    `problem_type` is by default that of the status.
    """
    name = (problem_type or PROBLEM_TYPES[status]).name
    document = {
        "type": f"urn:cartulary:problem:{name}",
        "title": _title(name, render.language),
        "status": status,
        "detail": render(detail),
        "instance": f"urn:cartulary:request:{request_id}",
        **members,
    }
    return orjson.dumps(document), {
        "Content-Type": CONTENT_TYPE,
        **language_headers(render.language),
    }


@lru_cache(maxsize=512)
def _title(name: str, language: str) -> str:
    return renderer(language)(_TITLES[name])


def _problem(
    status: int,
    detail: Text,
    render: Renderer,
    headers: Mapping[str, str],
    problem_type: ProblemType | None = None,
    **members: Any,
) -> Response:
    """Return a problem as a response. `members` are added to its body."""
    body, own_headers = encoded_problem(
        status, detail, g.request_id, render, problem_type, **members
    )
    return ApiResponse(body, status, {**headers, **own_headers})


def register(app: Flask) -> None:
    """Make the application respond to every error with a problem."""
    app.register_error_handler(CartularyError, _handle_cartulary_error)
    app.register_error_handler(HTTPException, handle_http_exception)
    app.register_error_handler(redis.RedisError, _handle_redis_error)
    app.register_error_handler(Exception, _handle_unexpected_error)


def _handle_cartulary_error(error: CartularyError) -> Response:
    status = status_of(error)
    if status == 500:
        return _handle_unexpected_error(error)
    if isinstance(error, Unavailable):
        # The token is not looked up for the language, because the store may not respond.
        g.setdefault("player_locale", None)
    render = request_renderer()
    detail = error.why if isinstance(error, Refused | ServiceError) else error.message
    members: dict[str, Any] = {}
    headers: dict[str, str] = {}
    problem_type = None
    match error:
        case Unreadable():
            problem_type = DAMAGED
            headers["Retry-After"] = str(SECONDS_TO_REPAIR)
            if isinstance(error, GameDamaged):
                members |= {"game": error.game_id, "event": error.event}
            else:
                log.error("stored data is damaged: %s", log_text(error))
        case Malformed():
            if len(error.fields) > MAX_ERRORS:
                error = Malformed(dict(islice(error.fields.items(), MAX_ERRORS)))
                detail = error.why
            members["errors"] = [
                {"field": field or "body", "detail": render(fault)}
                for field, fault in error.fields.items()
            ]
            if any(field.split(".")[0] == "action" for field in error.fields):
                members["clause"] = error.clause
        case Refused():
            if error.clause is not None:
                members["clause"] = error.clause
            if status == 409 and "game_seq" in g:
                members["seq"] = g.game_seq
        case Stale() | HeadMoved():
            members["seq"] = error.head
        case InsufficientScope():
            members["scope"] = error.scope
            described = "" if error.scope is None else f', scope="{error.scope}"'
            headers["WWW-Authenticate"] = f'Bearer error="insufficient_scope"{described}'
        case Unauthorised():
            has_token = "Authorization" in request.headers
            headers["WWW-Authenticate"] = "Bearer" + (' error="invalid_token"' if has_token else "")
        case TooManyRequests() | Unavailable():
            headers["Retry-After"] = str(error.retry_after)
        case _:
            pass
    return _problem(status, detail, render, headers, problem_type, **members)


def handle_http_exception(error: HTTPException) -> Response:
    """Respond to the errors of Flask itself, such as unknown routes and methods."""
    status = error.code if error.code is not None and error.code in PROBLEM_TYPES else 400
    headers: dict[str, str] = {}
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
    match status:
        case 404:
            detail = NO_RESOURCE
        case 405:
            methods = comma_list(sorted(getattr(error, "valid_methods", None) or ()))
            detail = message(
                "{method} is not one of the methods that this resource supports: {methods}",
                method=request.method,
                methods=methods,
            )
        case 413:
            detail = form_too_large(request)
        case 500:
            detail = _INTERNAL
        case _:
            detail = PROBLEM_TYPES[status].title
    return _problem(status, detail, request_renderer(), headers)


def _handle_redis_error(error: redis.RedisError) -> Response:
    """Respond to an error of Redis that was not translated, such as one of Flask-Limiter."""
    try:
        with unavailable_on_error():
            raise error
    except Unavailable as unavailable:
        return _handle_cartulary_error(unavailable)
    except redis.RedisError:
        return _handle_unexpected_error(error)


def _handle_unexpected_error(error: Exception) -> Response:
    log.error("unexpected error while handling a request", exc_info=error)
    return _problem(500, _INTERNAL, request_renderer(), {})

"""Refusals: what went wrong as problem details (RFC 9457), and which HTTP status it is.

This is the one place that says which status an error of domain/errors.py has; those of service/errors.py
bring theirs along. Whatever is not of that tree is a fault of the server: a 500 that says nothing, and a
line in the log that says all, found again by the request's id.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

import orjson
import redis
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from domain.errors import CartularyError, Malformed, NotNow, Refused
from service.connection import AWAY
from service.errors import ServiceError, Stale, TooMany, Unauthorised, Unavailable
from service.store.event_store import HeadMoved

log = logging.getLogger(__name__)

CONTENT_TYPE: Final = "application/problem+json"
NAMES: Final[Mapping[int, tuple[str, str]]] = {
    400: ("malformed", "The request is not of the form"),
    401: ("unauthorised", "No valid token"),
    403: ("forbidden", "Not allowed to see or do this"),
    404: ("not-found", "No such thing"),
    405: ("method-not-allowed", "Nothing answers to this method here"),
    408: ("too-slow", "The request did not arrive in time"),
    409: ("conflict", "Not as things stand now"),
    413: ("too-large", "The body is too large"),
    415: ("not-json", "The body is not JSON"),
    422: ("refused", "The rules forbid it"),
    429: ("too-many-requests", "Too many requests"),
    500: ("internal", "A fault of the server"),
    503: ("unavailable", "Not able to serve for the moment"),
}
"""The problem `type` (after `urn:cartulary:problem:`) and title of every status there is."""


def status_of(error: CartularyError) -> int:
    """The HTTP status of an error of our own."""
    match error:
        case Malformed():
            return 400
        case NotNow():
            return 409
        case Refused():
            return 422
        case ServiceError():
            return error.status
        case _:
            return 500


def problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None, **members: Any
) -> Response:
    """A problem as an answer."""
    name, title = NAMES[status]
    body = {
        "type": f"urn:cartulary:problem:{name}",
        "title": title,
        "status": status,
        "detail": detail,
        "instance": f"urn:cartulary:request:{g.request_id}",
        **members,
    }
    return Response(orjson.dumps(body), status, headers, content_type=CONTENT_TYPE)


def register(app: Flask) -> None:
    """Have every error of this application answered by a problem."""
    app.register_error_handler(CartularyError, _refused)
    app.register_error_handler(HTTPException, _not_served)
    app.register_error_handler(Exception, _fault)
    for kind in AWAY:
        app.register_error_handler(kind, _away)


def _refused(error: CartularyError) -> Response:
    status = status_of(error)
    if status == 500:
        return _fault(error)
    members: dict[str, Any] = {}
    headers: dict[str, str] = {}
    match error:
        case Malformed():
            members["errors"] = [
                {"field": field or "body", "detail": what} for field, what in error.fields.items()
            ]
            if any(field.split(".")[0] == "action" for field in error.fields):
                members["clause"] = error.clause
        case Refused():
            if error.clause is not None:
                members["clause"] = error.clause
            if status == 409 and "head" in g:
                members["seq"] = g.head
        case Stale() | HeadMoved():
            members["seq"] = error.head
        case Unauthorised():
            sent = "Authorization" in request.headers
            headers["WWW-Authenticate"] = "Bearer" + (' error="invalid_token"' if sent else "")
        case TooMany() | Unavailable():
            headers["Retry-After"] = str(error.retry_after)
        case _:
            pass
    return problem(status, _sentence(error), headers, **members)


def _not_served(error: HTTPException) -> Response:
    """What Flask refuses by itself: routes, methods, sizes, types."""
    status = error.code if error.code is not None and error.code in NAMES else 400
    headers: dict[str, str] = {}
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
    match status:
        case 404:
            detail = "there is nothing at this address"
        case 405:
            detail = f"{request.method} is not among {headers.get('Allow', 'what it takes')}"
        case 500:
            detail = "it has been noted under this request's id"
        case _:
            detail = error.description or NAMES[status][1]
    return problem(status, detail, headers)


def _away(error: redis.RedisError) -> Response:
    return _refused(Unavailable("the store does not answer"))


def _fault(error: Exception) -> Response:
    log.error("a fault while serving a request", exc_info=error)
    return problem(500, "it has been noted under this request's id")


def _sentence(error: CartularyError) -> str:
    return error.why if isinstance(error, Refused | ServiceError) else str(error)

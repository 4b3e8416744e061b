"""The access log: an id for every request, and one log line and the metrics for its response."""

import logging
import re
import secrets
import time
from functools import cache
from typing import Final

from flask import Flask, Response, g, has_request_context, request

from service import json_logging
from service.http.context import metrics, service

log = logging.getLogger(__name__)

REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""The form of an `X-Request-ID` that is accepted from a client."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def configure() -> None:
    """Log JSON lines (service/json_logging.py), those about a request with its id. For web processes."""
    json_logging.configure(request_id=current_request_id)


def register(app: Flask) -> None:
    """Give every request of the application an id, and log and count its response."""
    app.before_request(_start_request)
    app.after_request(_finish_request)


def current_request_id() -> str | None:
    """Return the id of the request that this thread handles; None outside a request."""
    return g.get("request_id") if has_request_context() else None


def _start_request() -> None:
    g.started = time.perf_counter()
    client_id = request.headers.get("X-Request-ID", "")
    g.request_id = client_id if REQUEST_ID.fullmatch(client_id) else secrets.token_hex(8)


def _finish_request(response: Response) -> Response:
    seconds = time.perf_counter() - g.started
    # The template of the route and not the URL: metrics must not grow with what clients send.
    route = "none" if request.url_rule is None else _template(request.url_rule.rule)
    method = request.method if request.method in _METHODS else "other"
    response.headers.add("X-Request-ID", g.request_id)
    counts = metrics()
    counts.count_request(method, route, response.status_code, seconds)
    counts.cached_games.set(service().repository.cached_games)
    if log.isEnabledFor(logging.INFO):
        log.info(
            "request answered",
            extra={
                "method": method,
                "route": route,
                "status": response.status_code,
                "ms": round(seconds * 1000, 2),
                "player": g.get("player_id"),
            },
        )
    return response


@cache
def _template(rule: str) -> str:
    """Return a Flask rule in the form of the OpenAPI document: `/games/{game_id}`."""
    return re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule)

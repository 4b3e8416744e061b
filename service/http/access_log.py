"""The server's log: JSON lines on standard error, each with the id of the request it belongs to.

Nothing that is secret gets in: no bodies, no headers, no tokens, no queries; a player is named by their id,
which is a pseudonym. What one line says of a request is written here too.
"""

import logging
import re
import secrets
import sys
import time
from functools import cache
from typing import Final

import orjson
from flask import Flask, Response, g, has_request_context, request

from service import clock
from service.http.context import figures, service

access = logging.getLogger("service.http.access")

SANE: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Lines(logging.Formatter):
    """One JSON object a line: `at`, `level`, `logger`, `message`, and what the call gave as `extra`."""

    def format(self, record: logging.LogRecord) -> str:  # type: ignore[explicit-override]
        """The line for a record."""
        line = {
            "at": clock.format(clock.now()),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if has_request_context() and "request_id" in g:
            line["request"] = g.request_id
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


def configure(level: int = logging.INFO) -> None:
    """Have everything logged as JSON lines on standard error. For a process of our own, once."""
    # What no line says is not worked out for every line: that alone is half of what a line costs.
    logging._srcfile = None  # noqa: SLF001 - documented for just this
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    logging.basicConfig(level=level, handlers=[handler], force=True)


def register(app: Flask) -> None:
    """Give every request an id, and write a line about its answer."""
    app.before_request(_arrived)
    app.after_request(_answered)


def _arrived() -> None:
    g.began = time.perf_counter()
    sent = request.headers.get("X-Request-ID", "")
    g.request_id = sent if SANE.fullmatch(sent) else secrets.token_hex(8)


@cache
def _template(rule: str) -> str:
    """A rule of Flask's as the OpenAPI document has it: `/games/{game_id}`."""
    return re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule)


def _answered(response: Response) -> Response:
    seconds = time.perf_counter() - g.began
    # The route's template, never the address itself: figures must not grow with what people type.
    route = "none" if request.url_rule is None else _template(request.url_rule.rule)
    method = request.method if request.method in _METHODS else "other"
    response.headers["X-Request-ID"] = g.request_id
    counted = figures()
    counted.find_idempotency_record(method, route, response.status_code, seconds)
    counted.cached.set(service().repository.cached_games)
    if access.isEnabledFor(logging.INFO):
        told = {
            "method": method,
            "route": route,
            "status": response.status_code,
            "ms": round(seconds * 1000, 2),
            "player": g.get("viewer"),
        }
        access.info("find_idempotency_record", extra={"told": told})
    return response

"""The access log: an id for every request, and one log line and the metrics for its response.

A thread of its own logs and counts the responses of the last 0.1 s together, so that no request waits for the
log, and each costs little. If a process is killed, those of its last 0.1 s are missing.
"""

import logging
import re
import secrets
import threading
import time
from collections import deque
from datetime import datetime, timedelta
from functools import cache
from typing import Final, NamedTuple

import orjson
from flask import Flask, Response, g, has_request_context, request

from service import clock
from service.games.repository import GameRepository
from service.http.metrics import Metrics
from service.operation import json_logging

log = logging.getLogger(__name__)

REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""The form of an `X-Request-ID` that is accepted from a client."""
BATCH_SECONDS: Final = 0.1
MAX_BATCH: Final = 10_000
"""Responses in a batch. If the log cannot be written as quickly, further ones are counted but not logged."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def configure() -> None:
    """Log JSON lines (`json_logging`), those about a request with its id. For web processes."""
    json_logging.configure(request_id=current_request_id)


def current_request_id() -> str | None:
    """Return the id of the request that this thread handles; None outside a request."""
    return g.get("request_id") if has_request_context() else None


def request_id(client_id: str) -> str:
    """Return the id that a client has chosen for its request, if it is a valid one, or a new id."""
    return client_id if REQUEST_ID.fullmatch(client_id) else secrets.token_hex(8)


class _Answer(NamedTuple):
    """A response to log and to count; `finished` is the value of `perf_counter` at its end."""

    finished: float
    method: str
    route: str
    status: int
    seconds: float
    player: str | None
    request_id: str


class AccessLog:
    """Gives every request of an application an id, and logs and counts its response. Thread-safe."""

    def __init__(self, app: Flask, metrics: Metrics, repository: GameRepository) -> None:
        self._metrics = metrics
        self._repository = repository
        self._answers: deque[_Answer] = deque()
        self._unlogged = 0
        self._flushing = threading.Lock()
        self._has_answers = threading.Event()
        app.before_request(_start_request)
        app.after_request(self._add)
        threading.Thread(target=self._run, name="access-log", daemon=True).start()

    def flush(self) -> None:
        """Log and count the responses since the last batch."""
        with self._flushing:
            answers = [self._answers.popleft() for _ in range(len(self._answers))]
            for answer in answers:
                self._metrics.count_request(
                    answer.method, answer.route, answer.status, answer.seconds
                )
            self._metrics.cached_games.set(self._repository.cached_games)
            if answers and log.isEnabledFor(logging.INFO):
                now, elapsed = clock.now(), time.perf_counter()
                lines = (
                    _line(answer, now - timedelta(seconds=elapsed - answer.finished))
                    for answer in answers
                )
                json_logging.write_lines(b"".join(lines).decode())
            unlogged, self._unlogged = self._unlogged, 0
        if unlogged:
            log.error("%d responses were not logged: writing the log takes too long", unlogged)

    def _run(self) -> None:
        while True:
            self._has_answers.wait()
            time.sleep(BATCH_SECONDS)
            self._has_answers.clear()
            try:
                self.flush()
            except Exception:
                log.exception("a part of the access log or of the metrics is lost")

    def _add(self, response: Response) -> Response:
        finished = time.perf_counter()
        seconds = finished - g.started
        request_id: str = g.request_id
        response.headers.add("X-Request-ID", request_id)
        rule, method = request.url_rule, request.method
        answer = _Answer(
            finished,
            method if method in _METHODS else "other",
            # The template of the route and not the URL: metrics must not grow with what clients send.
            "none" if rule is None else _template(rule.rule),
            response.status_code,
            seconds,
            g.get("player_id"),
            request_id,
        )
        if len(self._answers) < MAX_BATCH:
            self._answers.append(answer)
        else:
            self._metrics.count_request(answer.method, answer.route, answer.status, seconds)
            self._unlogged += 1
        if not self._has_answers.is_set():
            self._has_answers.set()
        return response


def _start_request() -> None:
    g.started = time.perf_counter()
    g.request_id = request_id(request.headers.get("X-Request-ID", ""))


def _line(answer: _Answer, at: datetime) -> bytes:
    """Return the log line of a response."""
    fields = {
        "at": clock.format(at),
        "level": "info",
        "logger": __name__,
        "message": "request answered",
        "method": answer.method,
        "route": answer.route,
        "status": answer.status,
        "ms": round(answer.seconds * 1000, 2),
        "player": answer.player,
        "request": answer.request_id,
    }
    return orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE)


@cache
def _template(rule: str) -> str:
    """Return a Flask rule in the form of the OpenAPI document: `/games/{game_id}`."""
    return re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule)

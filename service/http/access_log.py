"""The access log and the metrics of the web processes: an id, a log line and counts for every request.

A separate thread logs and counts the responses of the last 0.1 s together, so no request waits for the log,
and each costs little. If a process is killed, the responses of its last 0.1 s are missing.

Metrics have the format of Prometheus. A single process counts in memory. Processes that share a port also
share a folder, to which each of them writes its counts; the process that receives a request for metrics adds
them up.
"""

import logging
import os
import re
import secrets
import threading
import time
from collections import deque
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Final, NamedTuple

import orjson
from flask import Flask, Response, g, request
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    values,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector

from domain.event import Event
from service import wall_clock
from service.operation import json_logging
from service.provenance import CURRENT, REQUEST

log = logging.getLogger(__name__)
# The creation times of counters, which a single process would show, mean nothing to an operator.
disable_created_metrics()  # type: ignore[no-untyped-call] # has no annotations

REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""The form of an `X-Request-ID` that is accepted from a client."""
BATCH_SECONDS: Final = 0.1
MAX_BATCH: Final = 10_000
"""The most responses in a batch. If the log cannot keep up, others are counted but not logged."""
CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
MULTIPROC_DIR: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable that names the shared folder."""
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def request_id(client_id: str) -> str:
    """Return the id that a client has chosen for its request, if it is a valid one, or a new id."""
    return client_id if REQUEST_ID.fullmatch(client_id) else secrets.token_hex(8)


def share(folder: str) -> None:
    """Count in files of this folder from now on, which is shared by the processes of a port.

    prometheus_client decides this when it is imported, so a process that was forked has it decide again.
    """
    os.environ[MULTIPROC_DIR] = folder
    vars(values)["ValueClass"] = values.get_value_class()  # type: ignore[no-untyped-call] # has no annotations


class Metrics:
    """The metrics of one application. Thread-safe."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = self._counter(
            "cartulary_requests", "Requests answered", ("method", "route", "status")
        )
        self._seconds = Histogram(
            "cartulary_request_seconds",
            "Time from the arrival of a request in a thread to its response",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._labelled: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._events = self._counter(
            "cartulary_events_acknowledged",
            "Events that this process has appended to logs",
            ("type",),
        )
        self._events_by_type: dict[str, Counter] = {}
        self._refusals = self._counter(
            "cartulary_refused",
            "Requests and connections refused before they reached the application",
            ("reason",),
        )
        self.waiting_requests = self._gauge(
            "cartulary_requests_waiting", "Requests that wait for a thread"
        )
        self.open_connections = self._gauge("cartulary_connections_open", "Connections open")
        self.open_streams = self._gauge("cartulary_streams_open", "Event streams open")
        self.dropped_streams = self._counter(
            "cartulary_streams_dropped", "Event streams closed because their reader was too slow"
        )

    def _counter(self, name: str, description: str, labels: tuple[str, ...] = ()) -> Counter:
        return Counter(name, description, labels, registry=self._registry)

    def _gauge(self, name: str, description: str) -> Gauge:
        """Return a gauge whose value is the sum of those of all live processes."""
        return Gauge(name, description, multiprocess_mode="livesum", registry=self._registry)

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        key = (method, route, status)
        labelled = self._labelled.get(key)
        if labelled is None:
            # Looking up a labelled metric costs more than counting. There are few metrics: one per route and
            # status.
            labelled = self._labelled[key] = (
                self._requests.labels(method, route, str(status)),
                self._seconds.labels(method, route),
            )
        counter, histogram = labelled
        counter.inc()
        histogram.observe(seconds)

    def count_refusal(self, reason: str) -> None:
        """Count a request or a connection that was refused before it reached the application."""
        self._refusals.labels(reason).inc()

    def count_events(self, events: Sequence[Event]) -> None:
        """Count events that were appended to a log, by their types."""
        for event in events:
            type = event["type"]
            counter = self._events_by_type.get(type)
            if counter is None:
                counter = self._events_by_type[type] = self._events.labels(type)
            counter.inc()

    def render(self) -> bytes:
        """Return all metrics in the text format of Prometheus, of all processes that share a folder."""
        if MULTIPROC_DIR not in os.environ:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call] # has no annotations
        return generate_latest(registry)


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

    def __init__(self, app: Flask, metrics: Metrics) -> None:
        self._metrics = metrics
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
            if answers and log.isEnabledFor(logging.INFO):
                now, elapsed = wall_clock.now(), time.perf_counter()
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
        # This is the last function that Flask calls for the request.
        CURRENT.set("")
        return response


def _start_request() -> None:
    g.started = time.perf_counter()
    # Werkzeug's headers cost more than all the rest of this function.
    g.request_id = id = request_id(request.environ.get("HTTP_X_REQUEST_ID", ""))
    CURRENT.set(REQUEST + id)


def _line(answer: _Answer, at: datetime) -> bytes:
    """Return the log line of a response."""
    fields = {
        "at": wall_clock.format(at),
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

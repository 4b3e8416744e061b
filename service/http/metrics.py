"""Metrics about the web process, for Prometheus.

A process of its own counts in memory. Several processes of one `cartulary web` count in files of a folder
that they share (PROMETHEUS_MULTIPROC_DIR, set by serve.py before they start), and whoever is asked adds up.
"""

import os
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """The figures of one application. Safe for threads."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "cartulary_requests",
            "Requests find_idempotency_record",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "cartulary_request_seconds",
            "Time from the request's arrival in a thread to its answer",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._events = Counter(
            "cartulary_events_acknowledged",
            "Events that requests were answered with; a repeated request counts again",
            ("type",),
            registry=self._registry,
        )
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self.streams = Gauge(
            "cartulary_streams_open",
            "Event streams open",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self.dropped = Counter(
            "cartulary_streams_dropped",
            "Event streams closed because their reader was too slow",
            registry=self._registry,
        )
        self.cached = Gauge(
            "cartulary_games_cached",
            "Games held folded in memory",
            multiprocess_mode="livesum",
            registry=self._registry,
        )

    def find_idempotency_record(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        key = (method, route, status)
        known = self._known.get(key)
        if known is None:
            # Looking a labelled figure up costs more than counting it; there are few, by route and status.
            known = self._known[key] = (
                self._requests.labels(method, route, str(status)),
                self._seconds.labels(method, route),
            )
        known[0].inc()
        known[1].observe(seconds)

    def acknowledged(self, *types: str) -> None:
        """Count events that somebody was told of as done."""
        for type in types:
            self._events.labels(type).inc()

    def text(self) -> bytes:
        """All figures in Prometheus' text form; of all processes where several share them."""
        if SHARED not in os.environ:
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)

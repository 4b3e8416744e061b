"""Metrics of the web processes, in the format of Prometheus.

A single process counts in memory. Processes that share a port also share a folder, to which each of them
writes its counts; the process that receives a request for metrics adds them up.
"""

import os
from collections.abc import Sequence
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector

from domain.event import Event

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
MULTIPROC_DIR: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable that names the shared folder."""
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


def share(folder: str) -> None:
    """Count in files of this folder from now on, which the processes that share a port have in common.

    prometheus_client decides this when it is imported, so a process that was forked has it decide again.
    """
    os.environ[MULTIPROC_DIR] = folder
    vars(values)["ValueClass"] = values.get_value_class()  # type: ignore[no-untyped-call] # has no annotations


class Metrics:
    """The metrics of one application. Thread-safe."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "cartulary_requests",
            "Requests answered",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "cartulary_request_seconds",
            "Time from the arrival of a request in a thread to its response",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._events = Counter(
            "cartulary_events_acknowledged",
            "Events that this process has appended to logs",
            ("type",),
            registry=self._registry,
        )
        self._events_by_type: dict[str, Counter] = {}
        self._refusals = Counter(
            "cartulary_refused",
            "Requests and connections refused before they reached the application",
            ("reason",),
            registry=self._registry,
        )
        self.waiting_requests = Gauge(
            "cartulary_requests_waiting",
            "Requests that wait for a thread",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self.open_connections = Gauge(
            "cartulary_connections_open",
            "Connections open",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self._labelled: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self.open_streams = Gauge(
            "cartulary_streams_open",
            "Event streams open",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self.dropped_streams = Counter(
            "cartulary_streams_dropped",
            "Event streams closed because their reader was too slow",
            registry=self._registry,
        )
        self.cached_games = Gauge(
            "cartulary_games_cached",
            "Games in the cache",
            multiprocess_mode="livesum",
            registry=self._registry,
        )

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        key = (method, route, status)
        labelled = self._labelled.get(key)
        if labelled is None:
            # Looking up a labelled metric costs more than counting. There are few: one per route and status.
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

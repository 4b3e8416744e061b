"""Metrics of the whole service: the reports of its processes in Redis, read when metrics are requested.

Workers and schedulers have no HTTP server, so their reports get into the metrics in this way. Nothing is
counted in this process: with several web processes, the values would be added up.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from service import wall_clock
from service.bootstrap import Service
from service.errors import Unavailable
from service.notifications.channels import PLAYER_CHANNELS
from service.notifications.deliveries import Deliveries
from service.notifications.delivery import FINAL_STATUSES
from service.operation.process_reports import KINDS, ProcessReports
from service.store.archive_schedule import ArchiveSchedule

VERSION: Final = version("cartulary")


class _Snapshot(Collector):
    """Metrics that were read at one moment."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    @override
    def collect(self) -> list[Metric]:
        """Return the metrics."""
        return self._families


def render(service: Service) -> bytes:
    """Return the metrics in the text format of Prometheus; b"" if Redis does not respond."""
    try:
        families = list(_families(service))
    except Unavailable:
        return b""
    registry = CollectorRegistry()
    registry.register(_Snapshot(families))
    return generate_latest(registry)


def _families(service: Service) -> Iterator[Metric]:
    """Yield the metrics of the whole service. Raises Unavailable."""
    yield GaugeMetricFamily(
        "cartulary_damaged_games",
        "Games with a stored value that cannot be read",
        service.damaged_games.count(),
    )
    yield CounterMetricFamily(
        "cartulary_clock_jumps",
        "Jumps of the clock that processes have observed, and clocks that differed from that of Redis",
        service.clock.observed_jumps(),
    )
    yield from _deliveries(service.notifications.deliveries, service.clock.now())
    yield from _archive(service.archive.schedule)
    yield from _processes(service.process_reports)


def _deliveries(deliveries: Deliveries, now: datetime) -> Iterator[Metric]:
    """Yield the numbers of waiting and of ended deliveries, and of failed attempts."""
    yield GaugeMetricFamily(
        "cartulary_deliveries_waiting",
        "Deliveries of notifications whose attempt is due or under way",
        deliveries.count_due(now),
    )
    ended = CounterMetricFamily(
        "cartulary_deliveries",
        "Deliveries of notifications that have ended, by status",
        labels=["status"],
    )
    totals = deliveries.totals()
    for status in sorted(FINAL_STATUSES):
        ended.add_metric([status], totals.get(status, 0))
    yield ended
    failed = CounterMetricFamily(
        "cartulary_delivery_attempts_failed",
        "Attempts to deliver notifications that have failed, by channel",
        labels=["channel"],
    )
    failures = deliveries.failed_attempts()
    for channel in sorted({*PLAYER_CHANNELS, *failures}):
        failed.add_metric([channel], failures.get(channel, 0))
    yield failed


def _archive(schedule: ArchiveSchedule) -> Iterator[Metric]:
    """Yield the numbers of archived games and of recalls."""
    figures = schedule.figures()
    recalled = figures.get("recalled_games", 0)
    yield GaugeMetricFamily(
        "cartulary_archived_games", "Games in the archive", figures.get("moved_games", 0) - recalled
    )
    yield CounterMetricFamily(
        "cartulary_archive_recalls",
        "Games that have come back from the archive, for a write or by command",
        recalled,
    )


def _processes(process_reports: ProcessReports) -> Iterator[Metric]:
    """Yield the reports of workers and schedulers, and the versions of all processes."""
    reports = process_reports.all()
    info = GaugeMetricFamily(
        "cartulary_info", "1, with the version that serves", labels=["version"]
    )
    info.add_metric([VERSION], 1)
    yield info
    alive = GaugeMetricFamily(
        "cartulary_processes_alive",
        "Workers and schedulers that have reported lately",
        labels=["kind", "queues", "version"],
    )
    counts = Counter(
        (report.kind, ",".join(report.queues), report.version)
        for report in reports
        if process_reports.is_alive(report)
    )
    for values, count in sorted(counts.items()):
        alive.add_metric(values, count)
    yield alive
    silence = GaugeMetricFamily(
        "cartulary_process_silent_seconds",
        "Time since any process of this kind has reported",
        labels=["kind"],
    )
    for kind in KINDS:
        times = [report.seen_at for report in reports if report.kind == kind]
        if times:
            silence.add_metric(
                [kind], (wall_clock.now() - wall_clock.parse(max(times))).total_seconds()
            )
    yield silence
    latest = max(
        (report for report in reports if report.kind == "scheduler"),
        key=lambda report: report.seen_at,
        default=None,
    )
    yield from _figures({} if latest is None else latest.figures or {})


def _figures(figures: Mapping[str, int]) -> Iterator[Metric]:
    """Yield the last report of a scheduler about queues, deadlines and projections."""
    waiting = GaugeMetricFamily("cartulary_jobs_waiting", "Jobs in a queue", labels=["queue"])
    failed = GaugeMetricFamily(
        "cartulary_jobs_failed", "Jobs that have failed lately", labels=["queue"]
    )
    lag = GaugeMetricFamily(
        "cartulary_projection_lag_entries",
        "Entries of the transparency log that a projection has not handled yet",
        labels=["projection"],
    )
    for name, value in figures.items():
        match name.split(" "):
            case ["waiting", queue]:
                waiting.add_metric([queue], value)
            case ["failed", queue]:
                failed.add_metric([queue], value)
            case ["projection_lag", projection]:
                lag.add_metric([projection], value)
            case _:
                pass
    yield from (waiting, failed, lag)
    yield GaugeMetricFamily(
        "cartulary_deadline_overdue_seconds",
        "For how long the earliest deadline has passed that has not taken effect",
        figures.get("overdue_milliseconds", 0) / 1000,
    )

"""Metrics of the whole service: what its processes have reported in Redis, read when they are requested.

Workers and schedulers have no HTTP server, so this is how their reports get into the metrics.
"""

from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

from service import clock
from service.bootstrap import Service
from service.errors import Unavailable
from service.notifications.deliveries import Deliveries
from service.notifications.delivery import FINAL_STATUSES
from service.operation.process_reports import KINDS, ProcessReports
from service.store.archive_schedule import ArchiveSchedule

VERSION: Final = version("cartulary")


def render(service: Service) -> bytes:
    """Return the metrics in the text format of Prometheus; b"" if Redis does not respond."""
    registry = CollectorRegistry()
    damaged_games = Gauge(
        "cartulary_damaged_games",
        "Games with a stored value that cannot be read",
        registry=registry,
    )
    clock_jumps = Counter(
        "cartulary_clock_jumps",
        "Jumps of the clock that processes have observed, and clocks that differed from that of Redis",
        registry=registry,
    )
    try:
        damaged_games.set(service.damaged_games.count())
        clock_jumps.inc(service.clock.observed_jumps())
        _add_deliveries(registry, service.notifications.deliveries)
        _add_archive(registry, service.archive.schedule)
        _add_processes(registry, service.process_reports)
    except Unavailable:
        return b""
    return generate_latest(registry)


def _add_deliveries(registry: CollectorRegistry, deliveries: Deliveries) -> None:
    """Add how many deliveries of notifications wait, and how many have ended with which status."""
    waiting = Gauge(
        "cartulary_deliveries_waiting",
        "Deliveries of notifications that wait for an attempt",
        registry=registry,
    )
    ended = Counter(
        "cartulary_deliveries",
        "Deliveries of notifications that have ended, by status",
        ("status",),
        registry=registry,
    )
    waiting.set(deliveries.count_waiting())
    totals = deliveries.totals()
    for status in sorted(FINAL_STATUSES):
        ended.labels(status).inc(totals.get(status, 0))


def _add_archive(registry: CollectorRegistry, schedule: ArchiveSchedule) -> None:
    """Add how many games and bytes the archive has, and how often a game was recalled."""
    figures = schedule.figures()
    games = Gauge("cartulary_archived_games", "Games in the archive", registry=registry)
    size = Gauge("cartulary_archived_bytes", "Bytes of the archived games", registry=registry)
    recalls = Counter(
        "cartulary_archive_recalls",
        "Games that have come back from the archive, for a write or by command",
        registry=registry,
    )
    games.set(figures.get("moved_games", 0) - figures.get("recalled_games", 0))
    size.set(figures.get("moved_bytes", 0) - figures.get("recalled_bytes", 0))
    recalls.inc(figures.get("recalled_games", 0))


def _add_processes(registry: CollectorRegistry, process_reports: ProcessReports) -> None:
    """Add what workers and schedulers have reported about themselves, and the versions of all processes."""
    reports = process_reports.all()
    info = Gauge(
        "cartulary_info", "1, with the version that serves", ("version",), registry=registry
    )
    info.labels(VERSION).set(1)
    alive = Gauge(
        "cartulary_processes_alive",
        "Workers and schedulers that have reported lately",
        ("kind", "queues", "version"),
        registry=registry,
    )
    silence = Gauge(
        "cartulary_process_silent_seconds",
        "Time since any process of this kind has reported",
        ("kind",),
        registry=registry,
    )
    waiting = Gauge("cartulary_jobs_waiting", "Jobs in a queue", ("queue",), registry=registry)
    failed = Gauge(
        "cartulary_jobs_failed", "Jobs that have failed lately", ("queue",), registry=registry
    )
    overdue = Gauge(
        "cartulary_deadline_overdue_seconds",
        "For how long the earliest deadline has passed that has not taken effect",
        registry=registry,
    )
    lag = Gauge(
        "cartulary_projection_lag_entries",
        "Entries of the transparency log that a projection has not handled yet",
        ("projection",),
        registry=registry,
    )
    for report in reports:
        if process_reports.is_alive(report):
            alive.labels(report.kind, ",".join(report.queues), report.version).inc()
    for kind in KINDS:
        times = [report.seen_at for report in reports if report.kind == kind]
        if times:
            silence.labels(kind).set((clock.now() - clock.parse(max(times))).total_seconds())
    latest = max(
        (report for report in reports if report.kind == "scheduler"),
        key=lambda report: report.seen_at,
        default=None,
    )
    for name, value in ({} if latest is None else latest.figures or {}).items():
        match name.split(" "):
            case ["waiting", queue]:
                waiting.labels(queue).set(value)
            case ["failed", queue]:
                failed.labels(queue).set(value)
            case ["projection_lag", projection]:
                lag.labels(projection).set(value)
            case ["overdue_milliseconds"]:
                overdue.set(value / 1000)
            case _:
                pass

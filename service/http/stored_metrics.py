"""Metrics of the whole service: what its processes have reported in Redis, read when they are requested.

Workers and schedulers have no HTTP server, so this is how their reports get into the metrics.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from importlib.metadata import version
from typing import Final, TypeAlias

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

from service import clock
from service.bootstrap import Service
from service.errors import Unavailable
from service.notifications.deliveries import Deliveries
from service.notifications.delivery import FINAL_STATUSES
from service.notifications.kinds import PLAYER_CHANNELS
from service.operation.process_reports import KINDS, ProcessReports
from service.store.archive_schedule import ArchiveSchedule

VERSION: Final = version("cartulary")
_Gauge: TypeAlias = Callable[..., Gauge]
_Counter: TypeAlias = Callable[..., Counter]
"""They take a name, a description and labels."""


def render(service: Service) -> bytes:
    """Return the metrics in the text format of Prometheus; b"" if Redis does not respond."""
    registry = CollectorRegistry()
    gauge, counter = partial(Gauge, registry=registry), partial(Counter, registry=registry)
    damaged_games = gauge(
        "cartulary_damaged_games", "Games with a stored value that cannot be read"
    )
    clock_jumps = counter(
        "cartulary_clock_jumps",
        "Jumps of the clock that processes have observed, and clocks that differed from that of Redis",
    )
    try:
        damaged_games.set(service.damaged_games.count())
        clock_jumps.inc(service.clock.observed_jumps())
        _add_deliveries(gauge, counter, service.notifications.deliveries, service.clock.now())
        _add_archive(gauge, counter, service.archive.schedule)
        _add_processes(gauge, service.process_reports)
    except Unavailable:
        return b""
    return generate_latest(registry)


def _add_deliveries(
    gauge: _Gauge, counter: _Counter, deliveries: Deliveries, now: datetime
) -> None:
    """Add how many deliveries of notifications wait, how many have ended, and how many attempts failed."""
    waiting = gauge(
        "cartulary_deliveries_waiting",
        "Deliveries of notifications whose attempt is due or under way",
    )
    failed = counter(
        "cartulary_delivery_attempts_failed",
        "Attempts to deliver notifications that have failed, by channel",
        ("channel",),
    )
    ended = counter(
        "cartulary_deliveries",
        "Deliveries of notifications that have ended, by status",
        ("status",),
    )
    waiting.set(deliveries.count_due(now))
    failures = deliveries.failed_attempts()
    for channel in sorted({*PLAYER_CHANNELS, *failures}):
        failed.labels(channel).inc(failures.get(channel, 0))
    totals = deliveries.totals()
    for status in sorted(FINAL_STATUSES):
        ended.labels(status).inc(totals.get(status, 0))


def _add_archive(gauge: _Gauge, counter: _Counter, schedule: ArchiveSchedule) -> None:
    """Add how many games and bytes the archive has, and how often a game was recalled."""
    figures = schedule.figures()
    recalled = figures.get("recalled_games", 0)
    games = gauge("cartulary_archived_games", "Games in the archive")
    size = gauge("cartulary_archived_bytes", "Bytes of the archived games")
    recalls = counter(
        "cartulary_archive_recalls",
        "Games that have come back from the archive, for a write or by command",
    )
    games.set(figures.get("moved_games", 0) - recalled)
    size.set(figures.get("moved_bytes", 0) - figures.get("recalled_bytes", 0))
    recalls.inc(recalled)


def _add_processes(gauge: _Gauge, process_reports: ProcessReports) -> None:
    """Add what workers and schedulers have reported about themselves, and the versions of all processes."""
    reports = process_reports.all()
    gauge("cartulary_info", "1, with the version that serves", ("version",)).labels(VERSION).set(1)
    alive = gauge(
        "cartulary_processes_alive",
        "Workers and schedulers that have reported lately",
        ("kind", "queues", "version"),
    )
    silence = gauge(
        "cartulary_process_silent_seconds",
        "Time since any process of this kind has reported",
        ("kind",),
    )
    waiting = gauge("cartulary_jobs_waiting", "Jobs in a queue", ("queue",))
    failed = gauge("cartulary_jobs_failed", "Jobs that have failed lately", ("queue",))
    overdue = gauge(
        "cartulary_deadline_overdue_seconds",
        "For how long the earliest deadline has passed that has not taken effect",
    )
    lag = gauge(
        "cartulary_projection_lag_entries",
        "Entries of the transparency log that a projection has not handled yet",
        ("projection",),
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

"""What workers and schedulers report about themselves, so that others can see that they are alive.

    cartulary:processes   hash, `KIND HOST PID` -> the report as JSON

A process reports from the loop in which it works, so a process that hangs stops reporting. Reports are read
by the metrics, by `/healthz/processes` and by `cartulary health`.
"""

import os
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import version
from typing import Final, Literal, TypeAlias, get_args

import orjson
import redis

from domain.json_types import JsonObject
from service import clock
from service.connection import unavailable_on_error

Kind: TypeAlias = Literal["worker", "scheduler"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
PROCESSES: Final = "cartulary:processes"
REPORT_SECONDS: Final = 5.0
"""Time between two reports of a process that has nothing else to do."""
ALIVE: Final = timedelta(seconds=120)
"""Time after its last report for which a process counts as alive: longer than the longest job."""
_FORGOTTEN: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class ProcessReport:
    """The last report of a process. `figures` are what it counts, such as waiting jobs by queue."""

    kind: str
    host: str
    pid: int
    version: str
    started_at: str
    seen_at: str
    queues: tuple[str, ...] = ()
    figures: Mapping[str, int] | None = None

    def is_alive(self) -> bool:
        """Return whether the process has reported lately."""
        return clock.now() - clock.parse(self.seen_at) <= ALIVE


class ProcessReports:
    """The reports of all processes. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def all(self) -> list[ProcessReport]:
        """Return the last reports of all processes, by kind; a damaged one is left out."""
        with unavailable_on_error():
            stored = self._redis.hgetall(PROCESSES)
        reports = [report for value in stored.values() if (report := _decode(value)) is not None]
        return sorted(reports, key=lambda report: (report.kind, report.host, report.pid))

    def alive(self) -> list[ProcessReport]:
        """Return the last reports of the processes that are alive, by kind."""
        return [report for report in self.all() if report.is_alive()]

    def store(self, report: ProcessReport) -> None:
        """Store the report of a process, and delete those of processes that ended long ago."""
        before = clock.format(clock.now() - _FORGOTTEN)
        old = [_field(other) for other in self.all() if other.seen_at < before]
        with unavailable_on_error():
            self._redis.hset(PROCESSES, _field(report), orjson.dumps(report))
            if old:
                self._redis.hdel(PROCESSES, *old)

    def delete(self, report: ProcessReport) -> None:
        """Delete the report of a process that ends."""
        with unavailable_on_error():
            self._redis.hdel(PROCESSES, _field(report))


class Reporter:
    """Reports about this process, at most once in REPORT_SECONDS. For one thread."""

    def __init__(self, reports: ProcessReports, kind: Kind, queues: Sequence[str] = ()) -> None:
        self._reports = reports
        self._kind = kind
        self._queues = tuple(queues)
        self._started_at = clock.format(clock.now())
        self._reported: float | None = None

    def is_due(self) -> bool:
        """Return whether the next report is due."""
        now = time.monotonic()
        return self._reported is None or now - self._reported >= REPORT_SECONDS

    def report(self, figures: Mapping[str, int] | None = None) -> None:
        """Report that this process is alive. Raises Unavailable."""
        self._reports.store(self._current(figures))
        self._reported = time.monotonic()

    def end(self) -> None:
        """Report that this process ends. Raises Unavailable."""
        self._reports.delete(self._current(None))

    def _current(self, figures: Mapping[str, int] | None) -> ProcessReport:
        return ProcessReport(
            kind=self._kind,
            host=socket.gethostname(),
            pid=os.getpid(),
            version=version("cartulary"),
            started_at=self._started_at,
            seen_at=clock.format(clock.now()),
            queues=self._queues,
            figures=figures,
        )


def health(reports: Sequence[ProcessReport]) -> JsonObject:
    """Return the health of a service with these processes alive, as JSON.

    It is healthy if a scheduler and a worker are alive. `status` is `healthy` or `degraded`.
    """
    kinds = {report.kind for report in reports}
    missing = [kind for kind in KINDS if kind not in kinds]
    return {
        "status": "degraded" if missing else "healthy",
        "version": version("cartulary"),
        "missing": missing,
        "processes": [
            {
                "kind": report.kind,
                "version": report.version,
                "queues": list(report.queues),
                "started_at": report.started_at,
                "seen_at": report.seen_at,
            }
            for report in reports
        ],
    }


def _field(report: ProcessReport) -> str:
    return f"{report.kind} {report.host} {report.pid}"


def _decode(value: bytes | str) -> ProcessReport | None:
    try:
        stored = orjson.loads(value)
        return ProcessReport(**{**stored, "queues": tuple(stored["queues"])})
    except (KeyError, TypeError, ValueError):
        return None

"""The reports by which workers, schedulers and other processes show that they are alive.

    cartulary:processes   hash, `KIND HOST PID` -> the report as JSON

A thread of the process reports at short intervals, even during a long job, so that the death of a process is
noticed soon. The thread stops reporting when the main loop of the process has made no progress for longer
than any job takes, so a process that hangs is noticed as well. Reports are read by the metrics, by
`/healthz/processes` and by `cartulary health`.
"""

import os
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import version
from typing import Final, Literal, TypeAlias, get_args

import orjson
import redis

from domain.json_types import JsonObject
from service import wall_clock
from service.connection import unavailable_on_error
from service.errors import Unavailable
from service.stored_objects import decode_object

Kind: TypeAlias = Literal["worker", "scheduler", "replies"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
EXPECTED_KINDS: Final[tuple[Kind, ...]] = ("worker", "scheduler")
"""The kinds that every service needs; `replies` only where players can answer mails."""
PROCESSES: Final = "cartulary:processes"
REPORT_SECONDS: Final = 5.0
"""The default time between two reports of a process."""
MISSED_REPORTS: Final = 4
"""The number of missed reports in a row after which a process no longer counts as alive."""
SECONDS_TO_HANG: Final = 120.0
"""The time without progress after which a process no longer reports: longer than the longest job."""
_FORGOTTEN: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class ProcessReport:
    """The last report of a process. `figures` are its counts, such as waiting jobs by queue."""

    kind: str
    host: str
    pid: int
    version: str
    started_at: str
    seen_at: str
    queues: tuple[str, ...] = ()
    figures: Mapping[str, int] | None = None


class ProcessReports:
    """The reports of all processes. Methods raise Unavailable if Redis does not respond."""

    def __init__(
        self,
        client: redis.Redis,
        report_seconds: float = REPORT_SECONDS,
        *,
        receives_replies: bool = False,
    ) -> None:
        """`report_seconds` is the time between two reports of a process."""
        self._redis = client
        self.expected_kinds = KINDS if receives_replies else EXPECTED_KINDS
        """The kinds of which a process must be alive."""
        self.report_seconds = report_seconds
        self.alive_for = timedelta(seconds=MISSED_REPORTS * report_seconds)
        """The time after its last report for which a process counts as alive."""

    def all(self) -> list[ProcessReport]:
        """Return the last reports of all processes, sorted by kind; damaged reports are left out."""
        with unavailable_on_error():
            stored = self._redis.hgetall(PROCESSES)
        reports = [report for value in stored.values() if (report := _decode(value)) is not None]
        return sorted(reports, key=lambda report: (report.kind, report.host, report.pid))

    def alive(self) -> list[ProcessReport]:
        """Return the last reports of the processes that are alive, sorted by kind."""
        return [report for report in self.all() if self.is_alive(report)]

    def is_alive(self, report: ProcessReport) -> bool:
        """Return whether the last report of the process is recent enough for it to count as alive."""
        return wall_clock.now() - wall_clock.parse(report.seen_at) <= self.alive_for

    def store(self, report: ProcessReport) -> None:
        """Store the report of a process, and delete the reports of processes that ended long ago."""
        before = wall_clock.format(wall_clock.now() - _FORGOTTEN)
        old = [_field(other) for other in self.all() if other.seen_at < before]
        with unavailable_on_error():
            self._redis.hset(PROCESSES, _field(report), orjson.dumps(report))
            if old:
                self._redis.hdel(PROCESSES, *old)

    def delete(self, report: ProcessReport) -> None:
        """Delete the report of a process that is ending."""
        with unavailable_on_error():
            self._redis.hdel(PROCESSES, _field(report))


class Reporter:
    """Reports about this process, from a separate thread between `start` and `end`."""

    def __init__(
        self,
        reports: ProcessReports,
        kind: Kind,
        queues: Sequence[str] = (),
        *,
        seconds_to_hang: float = SECONDS_TO_HANG,
    ) -> None:
        """Without progress for `seconds_to_hang`, the process is no longer reported."""
        self._reports = reports
        self._kind = kind
        self._queues = tuple(queues)
        self._seconds_to_hang = seconds_to_hang
        self._started_at = wall_clock.format(wall_clock.now())
        self._version = version("cartulary")
        self._figures: Mapping[str, int] | None = None
        self._progress_at = time.monotonic()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._repeat, name="process reports", daemon=True)

    def start(self) -> None:
        """Report now, and then at regular intervals."""
        self._thread.start()

    def note_progress(self) -> None:
        """Note that the main loop of this process is making progress."""
        self._progress_at = time.monotonic()

    def report(self, figures: Mapping[str, int] | None = None) -> None:
        """Report that this process is alive; `figures` replace the earlier ones. Raises Unavailable."""
        if figures is not None:
            self._figures = figures
        self._reports.store(self._current(self._figures))

    def end(self) -> None:
        """Stop reporting, and report that this process ends. Raises Unavailable."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join()
        self._reports.delete(self._current(None))

    def _repeat(self) -> None:
        while True:
            if time.monotonic() - self._progress_at <= self._seconds_to_hang:
                with suppress(Unavailable):
                    self.report()
            if self._end.wait(self._reports.report_seconds):
                return

    def _current(self, figures: Mapping[str, int] | None) -> ProcessReport:
        return ProcessReport(
            kind=self._kind,
            host=socket.gethostname(),
            pid=os.getpid(),
            version=self._version,
            started_at=self._started_at,
            seen_at=wall_clock.format(wall_clock.now()),
            queues=self._queues,
            figures=figures,
        )


def health(
    reports: Sequence[ProcessReport], expected: Sequence[Kind] = EXPECTED_KINDS
) -> JsonObject:
    """Return the health of a service with these processes alive, as JSON.

    It is healthy if a process of each of the expected kinds is alive. `status` is `healthy` or `degraded`.
    """
    kinds = {report.kind for report in reports}
    missing = [kind for kind in expected if kind not in kinds]
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
        return decode_object(ProcessReport, {**stored, "queues": tuple(stored["queues"])})
    except (KeyError, TypeError, ValueError):
        return None

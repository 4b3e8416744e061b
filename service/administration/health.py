"""The checks of a service that a web process can make while an administrator waits.

`cartulary doctor` makes them as well, and others that take longer, or belong to the machine that it runs on.
"""

import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import version
from itertools import islice
from shutil import disk_usage
from typing import Final

import redis

from domain.messages import Instant, Text, comma_list, message, plural_message
from service import wall_clock
from service.administration import redis_servers
from service.administration.backups import UNFINISHED, Backups
from service.administration.finding import Finding
from service.administration.work_overview import WorkOverview
from service.chat.reports import ChatMessageReports
from service.errors import Unavailable
from service.notifications.deliveries import Deliveries
from service.operation.process_reports import ProcessReport, ProcessReports
from service.projections.projections import Projections
from service.settings import Settings
from service.store.damaged_games import DamagedGames, is_event_part

LONG_WAIT: Final = timedelta(minutes=1)
"""Time after which work that is due should be done."""
RECENT: Final = timedelta(days=1)
"""Time for which a failed delivery is a warning."""
DAMAGED_GAMES: Final = 20
"""Damaged games that are named."""
LONG_LAG: Final = 5000
"""Entries of the transparency log that a projection lacks if schedulers do not keep up with play."""
_BACKUPS: Final = "/admin/backups"
LITTLE_DISK: Final = 1 << 30
"""Bytes of free disk space below which a warning is given: 1 GiB."""


@dataclass(eq=False, repr=False)
class Health:
    """Checks a service, and changes nothing. Thread-safe.

    The checks yield their findings in the order in which they are read. Those that read Redis raise
    Unavailable if it does not respond.
    """

    _redis: redis.Redis
    _settings: Settings
    _process_reports: ProcessReports
    _work: WorkOverview
    _damaged_games: DamagedGames
    _deliveries: Deliveries
    _projections: Projections
    _message_reports: ChatMessageReports
    _backups: Backups

    def findings(self) -> Iterator[tuple[Text, Finding]]:
        """Yield the findings of all checks, each with its subject.

        A Redis that does not respond is a fault.
        """
        checks: tuple[tuple[Text, Callable[[], Iterator[Finding]]], ...] = (
            (message("processes"), self.processes),
            (message("work"), self.work),
            (message("reports"), self.reports),
            (message("Redis of the logs"), self.logs),
            (message("Redis of the queue"), self.queue),
            (message("data folder"), self.folder),
            (message("backups"), self.backups),
            (message("projections"), self.projections),
        )
        for subject, check in checks:
            try:
                for finding in check():
                    yield subject, finding
            except Unavailable as error:
                advice = message("start it, or correct its address among the settings")
                yield subject, Finding("fault", error.message, advice)

    def logs(self) -> Iterator[Finding]:
        """The Redis of the logs must keep every write that it has acknowledged."""
        yield from redis_servers.check_logs(self._redis)

    def queue(self) -> Iterator[Finding]:
        """The Redis of the queue may lose all its data together, but must not evict single keys."""
        yield from redis_servers.check_queue(self._settings)

    def processes(self) -> Iterator[Finding]:
        """A worker, a scheduler and, if it is set up, `replies` must be alive, all of the same version."""
        reports = self._process_reports.alive()
        for kind in self._process_reports.expected_kinds:
            yield _process_finding(kind, [report for report in reports if report.kind == kind])
        versions = {report.version for report in reports} | {version("cartulary")}
        if len(versions) > 1:
            yield Finding(
                "warning",
                message(
                    "different versions run: {versions}", versions=comma_list(sorted(versions))
                ),
                message("upgrade and restart the processes that are left behind"),
            )

    def work(self) -> Iterator[Finding]:
        """What events call for must be done soon: queues, deadlines, deliveries; nothing is damaged."""
        overview = self._work.read()
        overdue = timedelta(milliseconds=overview["overdue_milliseconds"] or 0)
        if overdue > LONG_WAIT:
            yield Finding(
                "fault",
                message(
                    "a deadline of {seconds} s ago has not taken effect",
                    seconds=int(overdue.total_seconds()),
                ),
                message("check the clocks, and that a worker takes the queue `games`"),
            )
        failed = sum(overview["failed_jobs"].values())
        if failed:
            yield Finding(
                "warning",
                plural_message(
                    "{count} job has failed lately", "{count} jobs have failed lately", count=failed
                ),
                message("`cartulary admin work` and the logs of the workers say why"),
            )
        if overview["damaged_games"]:
            yield Finding(
                "fault",
                plural_message(
                    "{count} game has a stored value that cannot be read",
                    "{count} games have stored values that cannot be read",
                    count=self._damaged_games.count(),
                ),
                message("`cartulary admin work` lists them; see docs/recovery.md"),
                "/admin/damaged-games",
            )
            yield from _damage(overview["damaged_games"])
        waiting = sum(overview["waiting_jobs"].values())
        yield Finding("ok", plural_message("{count} job waits", "{count} jobs wait", count=waiting))
        yield from self._delivery_findings()

    def _delivery_findings(self) -> Iterator[Finding]:
        now = wall_clock.now()
        waiting = self._deliveries.count_due(now)
        yield Finding(
            "ok",
            plural_message(
                "{count} delivery of a notification waits",
                "{count} deliveries of notifications wait",
                count=waiting,
            ),
        )
        failed = self._deliveries.count_failed(now - RECENT)
        if failed:
            yield Finding(
                "warning",
                plural_message(
                    "{count} delivery of a notification was given up in the last day",
                    "{count} deliveries of notifications were given up in the last day",
                    count=failed,
                ),
                message(
                    "`cartulary admin work` says why, and `cartulary admin resend` tries again"
                ),
                "/admin/deliveries",
            )

    def reports(self) -> Iterator[Finding]:
        """What players have reported must be dealt with."""
        count = self._message_reports.count()
        yield Finding(
            "warning" if count else "ok",
            plural_message(
                "{count} report of a player is open",
                "{count} reports of players are open",
                count=count,
            )
            if count
            else message("no report of a player is open"),
            message("read it with `cartulary admin reports`, and close it") if count else None,
            "/admin/reports",
        )

    def backups(self) -> Iterator[Finding]:
        """A backup that was verified must not be older than two intervals."""
        if self._settings.backup_folder is None:
            yield Finding(
                "warning",
                message("no backups are scheduled"),
                message("set CARTULARY_BACKUP_FOLDER to a folder on another disk"),
                _BACKUPS,
            )
            return
        backups = self._backups.all()
        good = next((backup for backup in backups if backup.status == "verified"), None)
        latest = next((backup for backup in backups if backup.status not in UNFINISHED), None)
        if latest is not None and latest.status != "verified":
            yield Finding(
                "fault",
                message(
                    "the backup of {time} is not good: {reason}",
                    time=Instant(latest.started),
                    reason=latest.reason or "-",
                ),
                message(
                    "correct what the reason names; `cartulary scheduled-backup` makes another one"
                ),
                _BACKUPS,
            )
        interval = self._backups.interval
        if good is None:
            yield Finding(
                "warning",
                message("there is no verified backup yet"),
                message("wait for the first one, or run `cartulary scheduled-backup`"),
                _BACKUPS,
            )
            return
        is_old = wall_clock.now() - wall_clock.parse(good.started) > 2 * interval
        yield Finding(
            "fault" if is_old else "ok",
            plural_message(
                "the last verified backup is of {time}; {count} game of it was audited",
                "the last verified backup is of {time}; {count} games of it were audited",
                count=good.games,
                time=Instant(good.started),
            ),
            message("look at the log of the scheduler; `cartulary scheduled-backup` makes one now")
            if is_old
            else None,
            _BACKUPS,
        )

    def projections(self) -> Iterator[Finding]:
        """What is derived from the logs by schedulers must not be long out of date."""
        for state in self._projections.states():
            is_late = state.lag > LONG_LAG
            yield Finding(
                "warning" if is_late else "ok",
                plural_message(
                    "{name} lacks {count} entry of the transparency log",
                    "{name} lacks {count} entries of the transparency log",
                    count=state.lag,
                    name=state.name,
                ),
                message(
                    "look at the log of the scheduler; `cartulary projections` shows whether it catches up"
                )
                if is_late
                else None,
            )

    def folder(self) -> Iterator[Finding]:
        """The data folder of this machine must be private, and its disk must have room."""
        folder = self._settings.data
        if not folder.is_dir():
            yield Finding(
                "warning",
                message("there is no folder {path}", path=str(folder)),
                message("a process of the service creates it; or set CARTULARY_DATA"),
            )
            return
        if stat.S_IMODE(folder.stat().st_mode) & 0o077:
            yield Finding(
                "warning",
                message("other users have access to {path}", path=str(folder)),
                message("run `chmod 700 {path}`", path=str(folder)),
            )
        free = disk_usage(folder).free
        is_low = free < LITTLE_DISK
        yield Finding(
            "warning" if is_low else "ok",
            message("{free} MiB are free on the disk of {path}", free=free >> 20, path=str(folder)),
            message("free some space before the logs can no longer be written") if is_low else None,
        )


def _process_finding(kind: str, alive: list[ProcessReport]) -> Finding:
    if not alive:
        return Finding(
            "fault",
            message("no process `{kind}` has reported lately", kind=kind),
            message("start `cartulary {kind}`", kind=kind),
        )
    hosts = sorted({report.host for report in alive})
    return Finding(
        "ok",
        plural_message(
            "{count} process `{kind}` is alive, on {hosts}",
            "{count} processes `{kind}` are alive, on {hosts}",
            count=len(alive),
            kind=kind,
            hosts=comma_list(hosts),
        ),
    )


def _damage(damaged_games: Mapping[str, Mapping[str, str]]) -> Iterator[Finding]:
    """Yield what of which game is damaged."""
    for game, parts in islice(damaged_games.items(), DAMAGED_GAMES):
        for part, reason in parts.items():
            yield Finding(
                "fault",
                message("game {game}, {part}: {reason}", game=game, part=part, reason=reason),
                message("`cartulary repair --game {game}` or docs/recovery.md", game=game)
                if is_event_part(part)
                else message("see docs/recovery.md"),
                f"/admin/games/{game}",
            )

"""Checks of what the service does: its processes, the work that is due, the log of heads, the projections."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from importlib.metadata import version
from itertools import chain, islice
from typing import Final

import orjson

from cartulary.doctor.finding import Finding
from domain.errors import Unreadable
from domain.messages import comma_list, message, plural_message
from service import wall_clock
from service.administration.work_overview import WorkOverview
from service.bootstrap import Service
from service.operation.process_reports import ProcessReport
from service.store.damaged_games import is_event_part
from service.transparency.restores import Restores
from service.transparency.store import TransparencyStore
from workers.tasks import tasks_of

LONG_WAIT: Final = timedelta(minutes=1)
"""Time after which work that is due should be done."""
GAMES: Final = 1000
"""Games whose outboxes are read at most: those that have changed lately come first."""
DAMAGED_GAMES: Final = 20
"""Damaged games that are named."""
LONG_LAG: Final = 5000
"""Entries of the transparency log that a projection lacks if schedulers do not keep up with play."""


def check_processes(service: Service) -> Iterator[Finding]:
    """A worker, a scheduler and, if it is set up, `replies` must be alive, all of the same version."""
    reports = service.process_reports.alive()
    for kind in service.process_reports.expected_kinds:
        alive = [report for report in reports if report.kind == kind]
        yield _process_finding(kind, alive)
    versions = {report.version for report in reports} | {version("cartulary")}
    if len(versions) > 1:
        yield Finding(
            "warning",
            message("different versions run: {versions}", versions=comma_list(sorted(versions))),
            message("upgrade and restart the processes that are left behind"),
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


def check_work(service: Service) -> Iterator[Finding]:
    """What events call for must be done soon: outboxes, queues, deadlines, deliveries; nothing is damaged."""
    late = _late_games(service)
    yield Finding(
        "fault" if late else "ok",
        plural_message(
            "{count} game has work in its outbox that has been due for over a minute",
            "{count} games have work in their outboxes that has been due for over a minute",
            count=late,
        )
        if late
        else message("no work in the outboxes is late"),
        message("look at the logs of the scheduler and the workers; start more workers")
        if late
        else None,
    )
    overview = WorkOverview(
        service.process_reports, service.damaged_games, service.notifications.deliveries
    ).read()
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
                count=service.damaged_games.count(),
            ),
            message("`cartulary admin work` lists them; see docs/recovery.md"),
        )
        yield from _damage(overview["damaged_games"])
    waiting = service.notifications.deliveries.count_due(service.clock.now())
    yield Finding(
        "ok",
        plural_message(
            "{count} delivery of a notification waits",
            "{count} deliveries of notifications wait",
            count=waiting,
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
            )


def _late_games(service: Service) -> int:
    """Return the number of active games with work that has been due for longer than LONG_WAIT.

    An entry is at least as old as the last event of its game, unless it states a time.
    """
    before = wall_clock.format(wall_clock.now() - LONG_WAIT)
    late = 0
    changed = (game_id for game_id, _ in service.store.changed_games())
    game_ids = dict.fromkeys(islice(chain(changed, service.store.active_games()), GAMES))
    for game_id, game_tasks in tasks_of(service.store, game_ids).items():
        due = [task for task in game_tasks.tasks if task.kind and task.due_at < before]
        if any(task.due_at for task in due) or (due and _last_time(service, game_id) < before):
            late += 1
    return late


def _last_time(service: Service, game_id: str) -> str:
    """Return the time of the last event of a game; "" if there is none that can be read."""
    with suppress(Unreadable, IndexError, KeyError):
        lines = service.store.read(game_id, after=service.store.head(game_id) - 1)
        return str(orjson.loads(lines[-1])["at"])
    return ""


def check_transparency(service: Service) -> Iterator[Finding]:
    """Heads must be logged and signed, and cosigned where witnesses are configured."""
    restores = Restores(
        service.redis, service.settings.data, is_embedded=service.settings.is_embedded
    )
    if restores.is_marked:
        yield Finding(
            "warning",
            message("the data was restored, and no new epoch has begun yet"),
            message("it begins with the next checkpoint, which a web process signs"),
        )
    store = TransparencyStore(service.redis)
    logged = store.size()
    note, _ = store.latest_checkpoint()
    yield Finding(
        "ok",
        plural_message("{count} head is logged", "{count} heads are logged", count=logged)
        if note
        else message("no checkpoint has been signed yet"),
    )
    if service.settings.witnesses and note and store.cosigned_checkpoint() is None:
        yield Finding(
            "warning",
            message("no witness has signed a checkpoint yet"),
            message("ask the operators of the witnesses whether they follow this server"),
        )


def check_projections(service: Service) -> Iterator[Finding]:
    """What is derived from the logs by schedulers must not be long out of date."""
    for state in service.games.projections.states():
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

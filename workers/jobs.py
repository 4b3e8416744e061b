"""The jobs, which do the work of tasks and then acknowledge the outbox entry.

A job is passed only the task, and reads everything else from the log. It may therefore run twice, late, or in
two processes at the same time: the commands append once, and a task is skipped if its entry has changed or is
gone.
"""

import logging
from collections.abc import Callable, Sequence
from typing import assert_never

from rq import Retry, get_current_job
from rq.job import Job, JobStatus
from typing_extensions import override

from domain.errors import Unreadable
from service import wall_clock
from service.analyses.jobs import AnalysisRunner
from service.bootstrap import Service
from service.errors import NotFound, Unavailable, log_text
from service.games.outbox_table import entry_of
from service.operation.tracing import Tracing
from service.provenance import decode, trace_context_of
from service.store.archive import NotMovable
from service.store.damaged_games import work_part
from service.store.redis_event_store import RedisEventStore
from service.tournaments.jobs import TournamentRunner
from workers.bot_player import BotPlayer
from workers.notifications.outbox_notifications import OutboxNotifications
from workers.scrub import Scrub
from workers.tasks import Task, tasks_of

log = logging.getLogger(__name__)

MAX_STEPS = 10_000
"""The most steps of one job, each of which is queued again; a game has fewer rounds."""

JOB_FUNCTION = "workers.jobs.run"
"""The name of the function that RQ calls, as it stands in queued jobs."""


class TaskRunner:
    """Does the work of tasks on one service."""

    def __init__(
        self,
        service: Service,
        operator_channels: Sequence[str] = (),
        on_deliveries: Callable[[], None] | None = None,
    ) -> None:
        """`operator_channels` are the channels that notify the operator.

        `on_deliveries` is called when deliveries may have been created.
        """
        self._service = service
        self._store = service.store
        self._queries = service.games.queries
        self._damaged_games = service.damaged_games
        self._conditional_actions = service.conditional_actions
        self._outbox_notifications = OutboxNotifications(service, operator_channels)
        self._tournaments = TournamentRunner(service, operator_channels)
        self._bot_player = BotPlayer(service)
        self._analyses = AnalysisRunner(service)
        self._scrub = Scrub(service)
        self._on_deliveries = on_deliveries

    def run(self, task: Task) -> bool:
        """Do the work of a task, or a step of it; return False if more is left to do.

        A step is short, for example the scoring of one round, so that no game delays others. The rest of the
        work is queued again. If the task is a notification, all due notifications of the game are handled. If
        the game is damaged, that is reported, and the entry stays in the outbox. Raises Unavailable.
        """
        if task.kind not in ("notify", "tournament"):
            return self._run(task)
        due = [task]
        if task.kind == "notify":
            now = wall_clock.format(self._service.clock.now())
            tasks = tasks_of(self._store, [task.game_id])[task.game_id].tasks
            due = [item for item in tasks if item.kind == "notify" and item.due_at <= now]
        for item in sorted(due, key=lambda item: int(item.data["seq"])):
            self._run(item)
        if self._on_deliveries is not None:
            self._on_deliveries()
        return True

    def _run(self, task: Task) -> bool:
        """Do the work of one task, and report damage of its game. See `run`."""
        part = work_part(task.entry)
        try:
            if task.is_of_outbox and not self._is_outstanding(task):
                return True
            is_done = self._do_work(task)
        except NotMovable as refusal:
            log.info("not archived: %s", log_text(refusal))
        except (NotFound, Unreadable) as error:
            # Entries are written together with the log, so a game without one was changed by other means.
            has_no_log = isinstance(error, NotFound) and task.is_of_outbox
            reason = "the game has no log" if has_no_log else log_text(error)
            self._damaged_games.report(task.game_id, part, reason)
        else:
            self._damaged_games.clear(task.game_id, part)
            return is_done
        return True

    def _is_outstanding(self, task: Task) -> bool:
        """Play conditional actions; return whether the entry of a task is still in the outbox after that."""
        outbox = self._store.outbox(task.game_id)
        entry = entry_of(task.entry)
        if "conditional" in outbox and entry is not None and entry.is_about_turn:
            # A turn that a conditional action takes is neither forfeited nor announced.
            self._conditional_actions.play(task.game_id)
            outbox = self._store.outbox(task.game_id)
        return outbox.get(task.entry) == task.payload

    def _do_work(self, task: Task) -> bool:
        """Do the work of a task whose entry is still in the outbox. See `run`."""
        match task.kind:
            case "score":
                return self._score(task)
            case "forfeit":
                self._end_turn(task)
            case "notify":
                self._notify(task)
            case "bot" | "think":
                if not self._bot_player.play(task.game_id):
                    self._ack(task)
            case "conditional":
                is_done = self._conditional_actions.play(task.game_id)
                if is_done:
                    self._ack(task)
                return is_done
            case "index":
                self._service.games.repository.update_listings(task.game_id)
            case "move":
                self._service.archive.move(task.game_id)
            case "resume":
                self._service.archive.resume(task.game_id)
            case "tournament":
                self._tournaments.advance(task.game_id)
            case "analysis":
                return self._analyses.step(task.game_id)
            case "puzzles":
                self._analyses.search_puzzles()
            case "scrub":
                self._scrub.step()
            case None:
                log.warning("game %s has an entry of a later version: %s", task.game_id, task.entry)
            case _:
                assert_never(task.kind)
        return True

    def _score(self, task: Task) -> bool:
        """Score one round, or finish the game; return False if the task is not complete after that."""
        events = self._service.games.commands.score(task.game_id, limit=1)
        if not events:
            if not self._queries.game(task.game_id).is_played_out:
                self._ack(task)
            # Otherwise the game waits for a ruling, and the entry stays until the ruling or its limit.
            return True
        # The append has removed the entry of the round that was scored, or of the end of the game.
        (event,) = events
        return event["type"] == "GameFinished" or task.entry == f"score/{event['data']['round']}"

    def _end_turn(self, task: Task) -> None:
        turn = task.data["turn"]
        self._service.games.commands.end_turn(task.game_id, turn)
        game = self._queries.game(task.game_id)
        if game.to_act is None or game.turn != turn:
            self._ack(task)
        # Otherwise the turn has a new deadline, with a new entry; or its deadline has not passed by this
        # machine's clock, and the entry stays until then.

    def _notify(self, task: Task) -> None:
        """Create the deliveries for a task. Dispatchers send them when they are due."""
        self._outbox_notifications.create(task)
        if task.entry == "notify/over":
            self._tournaments.examine_after(self._queries.game(task.game_id))
        self._ack(task)
        if task.entry == "notify/over":
            self._deactivate(task.game_id)

    def _deactivate(self, game_id: str) -> None:
        """Mark an ended game inactive. If its head is not logged yet, a sweep does both later."""
        try:
            is_logged = bool(self._service.transparency.head_log.log([game_id]))
        except Unreadable:
            # The scheduler reports damage of the transparency log.
            is_logged = False
        if is_logged:
            self._store.mark_inactive(game_id)

    def _ack(self, task: Task) -> None:
        self._store.ack(task.game_id, task.entry, task.payload)


def trace_tasks(runner: TaskRunner, store: RedisEventStore, tracing: Tracing) -> None:
    """Make a span for each task that is run, in the trace of the event that caused it."""
    run_task = runner.run

    def run(task: Task) -> bool:
        try:
            seq = int(task.data.get("seq", 0)) or store.head(task.game_id)
            stored = store.provenance(task.game_id, seq - 1, seq).get(seq, "")
        except (Unavailable, Unreadable):
            stored = ""
        attributes = {"cartulary.job.id": task.id, "cartulary.game.id": task.game_id}
        cause = decode(stored)
        if cause is not None and cause.kind == "request":
            attributes["cartulary.request.id"] = cause.id
        name = f"job {task.kind or 'unknown'}"
        with tracing.span(name, attributes, trace_context_of(stored)):
            return run_task(task)

    setattr(runner, "run", run)  # noqa: B010 # mypy allows no assignment to a method


_runner: TaskRunner | None = None


def configure(runner: TaskRunner) -> None:
    """Set the runner of the tasks of this process. Must come before the first job."""
    global _runner  # noqa: PLW0603 # RQ calls a function by its name and can pass nothing of this process
    _runner = runner


def run(game_id: str, entry: str, payload: str) -> Retry | None:
    """Run the task of a job. RQ calls this; it tries again if an object of its class Retry is returned."""
    job = get_current_job()
    if _runner is None or job is None:
        raise RuntimeError("jobs run in a worker only: `cartulary worker`")
    task = Task(game_id, entry, payload)
    try:
        is_done = _runner.run(task)
    except Unavailable as error:
        # The entry is still in the outbox, where the next sweep finds it; a delivery is due again later.
        log.warning("%s of game %s is left for later: %s", entry, game_id, log_text(error))
        return None
    return None if is_done else Retry(max=MAX_STEPS)


class TaskJob(Job):
    """RQ's job, restricted to calls of `run`.

    RQ calls any function, callback or webhook that a queued job names, so a program that can write to the
    queue could run any code in the worker. Therefore other functions are refused, and callbacks and webhooks
    are ignored.
    """

    @property
    @override
    def func(self) -> Callable[[str, str, str], Retry | None]:
        """The function `run`. Raises PermissionError if the job names another one."""
        if self.func_name != JOB_FUNCTION:
            raise PermissionError(f"{self.func_name} is not a job of Cartulary")
        return run

    @property
    def _no_callback(self) -> None:
        """None: the callbacks that a job names are ignored."""

    success_callback = failure_callback = stopped_callback = _no_callback

    @override
    def send_webhooks(self, status: str | JobStatus, *, exc_string: str | None = None) -> None:
        """Do nothing: the channels send notifications."""

"""The scheduler, which follows all appends and enqueues the tasks that they cause, at their times.

It also logs the new heads of games in the transparency log, many games at a time. It loads no games and makes
no decisions. Several schedulers may run at the same time, because a task that two of them enqueue is one job,
a job may run twice without harm, and a head is logged once. A scheduler may die at any moment, because all of
its state can be derived from the logs and the outboxes.
"""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import redis
from redis.client import PubSub

from service import wall_clock
from service.bootstrap import Service
from service.connection import SECONDS_TO_RESPOND, to_text, unavailable_on_error
from service.errors import Unavailable, log_text
from service.operation.child_process import ChildProcess
from service.operation.process_reports import Reporter
from service.operation.retry import Backoff, retry_until_stopped
from service.operation.stop_signals import StopSignals
from service.store.redis_event_store import APPENDED_CHANNEL
from workers.backup_process import BackupProcess
from workers.deadline_index import DeadlineIndex
from workers.head_logger import HeadLogger
from workers.queue import TaskQueues
from workers.sweep import Sweep
from workers.tasks import (
    ANALYSES,
    THINKING,
    Task,
    analysis_task,
    archive_task,
    puzzles_task,
    scrub_task,
    tasks_of,
    tournament_task,
)

log = logging.getLogger(__name__)

LISTEN_SECONDS = 0.5
"""How long to wait for a message before the deadlines are checked again."""
RETRY_SECONDS = 1.0
"""The time between two checks for jobs that are to be tried again."""
BATCH = 500
"""The most messages, and the most deadlines, that are handled at a time."""
PAGES_AFTER_SWEEP = 20
"""The most pages of the event feed that projections handle after a sweep."""
ARCHIVE_BATCH = 20
"""Games that are moved into the archive after a sweep."""
SCRUB_SECONDS = 60.0
"""The time between two steps of the scrub; it is shorter if a round could otherwise not be spread evenly."""
SCRUB_STEPS = 100
"""The least number of steps in a round of the scrub."""
ANALYSIS_BATCH = 20
"""The number of analyses that take turns."""
TOURNAMENT_BATCH = 20
"""Tournaments of each shard that are advanced after a sweep."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""Seconds before the next attempt to connect when Redis does not respond."""
MAX_IDLE_SECONDS = 120
"""The time without a job after which the worker for searches and analyses ends."""
_THINKING_WORKER = "thinking worker"


class ThinkingWorker:
    """A worker for searches and analyses that runs only while there are some, for services without another.

    They take seconds of CPU time, so they run in a separate process. That process also takes memory, so it is
    started, as a child of this one, only when a search or an analysis waits. Not thread-safe.
    """

    def __init__(self) -> None:
        queues = ("--queue", "thinking", "--queue", "analyses")
        command = ("worker", *queues, "--max-idle", str(MAX_IDLE_SECONDS))
        self._process = ChildProcess(
            _THINKING_WORKER, [sys.executable, "-m", "cartulary", *command]
        )

    def start(self) -> None:
        """Start the worker unless it runs. An error is logged, and the next call tries again."""
        if self._process.is_running:
            return
        self.reap()
        try:
            self._process.start()
        except OSError as error:
            log.warning("the %s does not start: %s", _THINKING_WORKER, error)

    def reap(self) -> None:
        """Reap a worker process that has ended, and log it if it has failed."""
        if self._process.is_running:
            return
        status = self._process.reap()
        if status:
            log.warning("the %s ended with status %d", _THINKING_WORKER, status)

    def stop(self) -> None:
        """End the worker immediately. The search that it was making stays in the outbox."""
        self._process.reap()


class Scheduler:
    """A scheduler. Not thread-safe."""

    def __init__(
        self,
        service: Service,
        queue_client: redis.Redis,
        thinking_worker: ThinkingWorker | None = None,
    ) -> None:
        """`thinking_worker` is started while searches wait; None if a worker for them runs all the time."""
        self._thinking_worker = thinking_worker
        self._redis = service.redis
        self._store = service.store
        self._queues = TaskQueues(queue_client)
        self._deadlines = DeadlineIndex(service.redis)
        self._damaged_games = service.damaged_games
        self._clock = service.clock
        self._archive_schedule = service.archive.schedule
        self._tournaments = service.tournaments.progress
        self._analyses = service.analyses.store
        self._puzzle_search = service.puzzles.search
        self._erasure = service.accounts.erasure
        self._games = service.games
        self._has_repeated_erasures = False
        self._behind_jobs: dict[str, Task] = {}
        """By the id of a running job, a task that is enqueued when that job has ended."""
        self._heads = HeadLogger(service.transparency.head_log)
        self._sweep = Sweep(service, self._queues, self._deadlines, self._heads)
        self._interval = service.settings.sweep_seconds
        self._report_seconds = service.settings.report_seconds
        self._scrub_interval = min(SCRUB_SECONDS, service.settings.scrub_seconds / SCRUB_STEPS)
        self._scrubbed_at: float | None = None
        self._backups = BackupProcess(service.settings, service.backups)
        self._reporter = Reporter(service.process_reports, "scheduler")

    def run(self, stop: StopSignals) -> None:
        """Run until `stop` is set, even if Redis does not respond for some time."""

        def follow() -> None:
            with self._redis.pubsub() as channel:  # type: ignore[no-untyped-call] # redis-py has no annotation here
                self._follow(channel, stop)

        self._reporter.start()
        retry_until_stopped(
            follow,
            stop,
            errors=(Unavailable,),
            backoff=Backoff(first=FIRST_PAUSE, longest=LONGEST_PAUSE, steady=LONGEST_PAUSE),
            on_error=lambda error, pause: log.warning(
                "%s; trying again in %.1f s", log_text(error), pause
            ),
        )
        self._backups.stop()
        with suppress(Unavailable):
            self._reporter.end()

    def enqueue_tasks_of(self, game_ids: set[str]) -> None:
        """Enqueue the tasks of games that have new events. Raises Unavailable."""
        for game_id, game_tasks in tasks_of(self._store, sorted(game_ids)).items():
            for part, reason in game_tasks.damage.items():
                self._damaged_games.report(game_id, part, reason)
            self._deadlines.put(game_tasks.timed_tasks)
            for task in game_tasks.next_tasks:
                # The process that appends also updates the listings. If it dies, the sweep finds the entry.
                if not task.due_at and task.kind != "index":
                    self._enqueue(task)

    def _enqueue(self, task: Task) -> None:
        """Enqueue a task unless its job exists already.

        If the job of a game's notifications is running, it may have read the outbox before this entry was in
        it. The task is then enqueued when that job has ended.
        """
        if self._queues.enqueue(task) or task.kind != "notify" or self._queues.is_waiting(task):
            self._behind_jobs.pop(task.id, None)
        else:
            self._behind_jobs[task.id] = task
        if task.queue in (THINKING, ANALYSES) and self._thinking_worker is not None:
            self._thinking_worker.start()

    def check_deadlines(self) -> None:
        """Enqueue every task that is due, unless the clock is not reliable.

        Raises Unavailable.
        """
        while overdue := self._deadlines.overdue(self._clock.now(), BATCH):
            if not self._clock.is_reliable():
                return
            game_ids = [game_id for game_id, _ in overdue]
            # If this process dies after it has changed the index, a sweep finds the entries.
            self._store.mark_changed(game_ids)
            tasks = tasks_of(self._store, game_ids)
            now = wall_clock.format(self._clock.now())
            for game_id, score in overdue:
                # The index may have the deadline of an earlier turn, when no task is due.
                later = None
                for task in tasks[game_id].timed_tasks:
                    if task.due_at > now:
                        later = task
                        break
                    self._enqueue(task)
                self._deadlines.replace(game_id, score, later)

    def sweep(self, *, is_first: bool) -> None:
        """Make a complete sweep (see `Sweep.pages`). Raises Unavailable."""
        for _ in self._sweep.pages(is_first=is_first):
            pass

    def complete_erasures(self) -> None:
        """Complete erasures of players; the first time, also of players whom a backup has brought back."""
        with _left_for_the_next_sweep("erasures of players are not completed"):
            if not self._has_repeated_erasures:
                self._erasure.repeat_after_restore()
                self._has_repeated_erasures = True
            self._erasure.resume()
            self._erasure.compact()

    def complete_holidays(self) -> None:
        """Record holidays in the logs of games where that was interrupted."""
        with _left_for_the_next_sweep("holidays are not recorded in all logs"):
            self._games.holiday_registry.complete()

    def advance_projections(self) -> bool:
        """Have projections handle a page of the event feed; return whether they have handled all of it.

        An error is logged, and the next sweep tries again.
        """
        try:
            return self._games.projections.catch_up(max_pages=1)
        except Unavailable as error:
            log.warning("projections are not advanced: %s", log_text(error))
        except Exception:
            log.exception("a projection has failed; the others and all games go on")
        return True

    def record_lost_events(self) -> None:
        """Record in the logs of games that the store has lost events of them."""
        with _left_for_the_next_sweep("lost events are not recorded in all logs"):
            self._games.lost_events.record(self._games.repository)

    def enqueue_archive_tasks(self) -> None:
        """Enqueue the tasks of games that are to move into the archive, or have objects there to delete.

        Only some are enqueued at a time, so that they never delay other jobs for long. Raises Unavailable.
        """
        due = self._archive_schedule.due(ARCHIVE_BATCH)
        tasks = [archive_task(game_id, "resume") for game_id in due.to_clean]
        tasks += [archive_task(game_id, "move") for game_id in due.to_move]
        self._queues.enqueue_again(tasks)

    def enqueue_scrub(self) -> None:
        """Enqueue the next step of the scrub, unless it is too early. Raises Unavailable."""
        now = time.monotonic()
        if self._scrubbed_at is None or now - self._scrubbed_at >= self._scrub_interval:
            self._queues.enqueue_again([scrub_task()])
            self._scrubbed_at = now

    def enqueue_analyses(self) -> None:
        """Enqueue a step of each analysis that was requested, unless it is enqueued. Raises Unavailable."""
        for game_id in self._analyses.waiting(ANALYSIS_BATCH):
            self._enqueue(analysis_task(game_id))

    def enqueue_analyses_again(self) -> None:
        """Enqueue a step of each analysis whose worker has died. Raises Unavailable."""
        waiting = self._analyses.waiting(ANALYSIS_BATCH)
        self._queues.enqueue_again([analysis_task(game_id) for game_id in waiting])

    def enqueue_puzzle_search(self) -> None:
        """Enqueue a step of the search for puzzles, if it is due. Raises Unavailable.

        There is one step for each sweep, so that the search takes a part of a processor only.
        """
        if self._puzzle_search.is_due():
            task = puzzles_task()
            if self._queues.enqueue_again([task]) and self._thinking_worker is not None:
                self._thinking_worker.start()

    def enqueue_tournament_tasks(self) -> None:
        """Enqueue the tasks of tournaments with something to do. Raises Unavailable."""
        due = self._tournaments.due(TOURNAMENT_BATCH)
        self._queues.enqueue_again([tournament_task(id) for id in due])

    def _follow(self, channel: PubSub, stop: StopSignals) -> None:
        """Follow all appends and sweep until `stop` is set. Raises Unavailable if Redis does not respond."""
        with unavailable_on_error():
            channel.subscribe(APPENDED_CHANNEL)
            # The sweep finds the events that were appended before this confirmation, and messages report the
            # rest.
            if channel.get_message(timeout=SECONDS_TO_RESPOND) is None:
                raise Unavailable.with_message("the store does not respond")
        log.info("following all appends")
        swept_at: float | None = None
        reported_at: float | None = None
        retried_at: float | None = None
        while not stop.is_set():
            if swept_at is None or time.monotonic() - swept_at >= self._interval:
                for _ in self._sweep.pages(is_first=swept_at is None):
                    self._listen(channel, 0)
                    if stop.is_set():
                        return
                self.complete_erasures()
                self.complete_holidays()
                self.record_lost_events()
                for _ in range(PAGES_AFTER_SWEEP):
                    if self.advance_projections() or stop.is_set():
                        break
                    self._listen(channel, 0)
                self.enqueue_archive_tasks()
                self.enqueue_tournament_tasks()
                self.enqueue_analyses_again()
                self.enqueue_puzzle_search()
                self.enqueue_scrub()
                self._backups.check(wall_clock.now())
                # Another scheduler may have entered a deadline and died.
                self._deadlines.forget_next_due()
                swept_at = time.monotonic()
            self._listen(channel, LISTEN_SECONDS)
            if retried_at is None or time.monotonic() - retried_at >= RETRY_SECONDS:
                self._queues.enqueue_retries()
                self.enqueue_analyses()
                retried_at = time.monotonic()
            if reported_at is None or time.monotonic() - reported_at >= self._report_seconds:
                self.report()
                reported_at = time.monotonic()

    def report(self) -> None:
        """Report that the scheduler is alive, with the number of jobs by queue and the delay of the earliest
        deadline.

        Raises Unavailable.
        """
        lengths = self._queues.lengths()
        if self._thinking_worker is not None:
            # The sweep may have enqueued a search again whose worker has died.
            if lengths[THINKING] or lengths[ANALYSES]:
                self._thinking_worker.start()
            else:
                self._thinking_worker.reap()
        figures: dict[str, int] = {f"waiting {queue}": count for queue, count in lengths.items()}
        figures |= {f"failed {queue}": count for queue, count in self._queues.failures().items()}
        figures |= {
            f"projection_lag {state.name}": state.lag for state in self._games.projections.states()
        }
        figures["overdue_milliseconds"] = self._deadlines.overdue_milliseconds(self._clock.now())
        self._reporter.report(figures)

    def _listen(self, channel: PubSub, seconds: float) -> None:
        """Wait for messages for at most `seconds`, and handle them and the deadlines."""
        self._reporter.note_progress()
        game_ids = set()
        with unavailable_on_error():
            message = channel.get_message(ignore_subscribe_messages=True, timeout=seconds)
            for _ in range(BATCH):
                if message is None:
                    break
                if message["type"] == "message":
                    game_ids.add(to_text(message["data"]).split(" ")[0])
                message = channel.get_message(ignore_subscribe_messages=True, timeout=0)
        for game_id in game_ids:
            self._sweep.on_appended(game_id)
        if game_ids:
            self.enqueue_tasks_of(game_ids)
            self._heads.on_appended(game_ids)
        for task in [*self._behind_jobs.values()]:
            self._enqueue(task)
        if self._deadlines.has_due(self._clock.now()):
            self.check_deadlines()


@contextmanager
def _left_for_the_next_sweep(consequence: str) -> Iterator[None]:
    """Log it if Redis does not respond in this block. The next sweep tries again; no game waits for that."""
    try:
        yield
    except Unavailable as error:
        log.warning("%s: %s", consequence, log_text(error))

"""The job queues: enqueues the jobs of tasks, and enqueues them again if they were lost.

All data in the queues may be lost, because every task is in an outbox. RQ uses its own clock for the pauses
between attempts; no game depends on these pauses. The work of the jobs is done in jobs.py.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import compress

import redis
from rq import Queue
from rq.exceptions import DuplicateJobError, NoSuchJobError
from rq.job import Job, JobStatus
from rq.registry import ScheduledJobRegistry
from rq.serializers import JSONSerializer

from domain.errors import Unreadable
from service import wall_clock
from service.connection import to_text, unavailable_on_error
from workers.jobs import JOB_FUNCTION, TaskJob
from workers.tasks import ANALYSES, BOTS, GAMES, NOTIFICATIONS, QUEUES, THINKING, Task

JOB_TIMEOUTS = {GAMES: 60, BOTS: 10, NOTIFICATIONS: 30, THINKING: 90, ANALYSES: 60}
"""The time limit of a job in seconds, by queue. Jobs take milliseconds, and a search at most the greatest
thinking time, so the limit only stops jobs that hang.
"""

RETRIES = 100
"""The most retries that are enqueued at a time for a queue."""

CLOCK_TOLERANCE = timedelta(seconds=5)
"""The largest expected difference between the clocks of machines."""

FAILURES_KEPT = 24 * 3600
"""Seconds for which failed jobs are kept. Results are not kept, because they are in the log."""


class TaskQueues:
    """The queues in Redis. Every method raises Unavailable if that Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        # Not pickle, RQ's default, with which a program that can write to the queue could run any code.
        self.queues = {
            name: Queue(name, client, job_class=TaskJob, serializer=JSONSerializer)
            for name in QUEUES
        }

    def enqueue(self, task: Task) -> bool:
        """Enqueue a task unless its job exists already; return whether it was enqueued.

        The job of a worker that has died still exists: `enqueue_again` enqueues it.
        """
        queue = self.queues[task.queue]
        with unavailable_on_error():
            try:
                queue.enqueue_job(_job(queue, task), unique=True)
            except DuplicateJobError:
                return False
        return True

    def is_waiting(self, task: Task) -> bool:
        """Return whether the job of a task waits and has not begun."""
        try:
            with unavailable_on_error():
                status = self._redis.hget(TaskJob.key_for(task.id), "status")
        except Unreadable:
            # A sweep enqueues it again.
            return True
        return status == b"queued"

    def enqueue_again(self, tasks: Collection[Task]) -> int:
        """Enqueue tasks that are not in any queue, even if their jobs exist; return the number of jobs."""
        count = 0
        with unavailable_on_error():
            for name, queue in self.queues.items():
                # Several tasks may be one job.
                jobs = {task.id: task for task in tasks if task.queue == name}
                lost = self._lost_tasks(queue, list(jobs.values()))
                for task in lost:
                    queue.enqueue_job(_job(queue, task))
                count += len(lost)
        return count

    def enqueue_retries(self) -> int:
        """Put jobs back into their queue when their pause is over; return their number."""
        count = 0
        with unavailable_on_error():
            for registry, queue in self._with_retries():
                for job_id in registry.get_jobs_to_schedule(chunk_size=RETRIES):
                    # Only one scheduler can remove the job. If that scheduler dies now, the sweep enqueues
                    # the task.
                    if not self._redis.zrem(registry.key, job_id):
                        continue
                    try:
                        job = TaskJob.fetch(
                            job_id, connection=self._redis, serializer=JSONSerializer
                        )
                    except (NoSuchJobError, redis.ResponseError, KeyError, TypeError, ValueError):
                        # The job is gone or damaged. The sweep enqueues its task again.
                        self._redis.delete(TaskJob.key_for(job_id))
                        continue
                    queue.enqueue_job(job)
                    count += 1
        return count

    def _with_retries(self) -> list[tuple[ScheduledJobRegistry, Queue]]:
        """Return the queues in which jobs wait for another attempt, each after its registry of them."""
        registries = [(queue.scheduled_job_registry, queue) for queue in self.queues.values()]
        with self._redis.pipeline(transaction=False) as pipeline:
            for registry, _ in registries:
                pipeline.exists(registry.key)
            return list(compress(registries, pipeline.execute()))

    def _lost_tasks(self, queue: Queue, tasks: Sequence[Task]) -> list[Task]:
        """Return the tasks that wait neither in the queue nor for another attempt.

        This takes two round trips, however long the queue is. A job whose worker has died may still have the
        status of a waiting job. It is not in the queue if the first job there is a later one.
        """
        if not tasks:
            return []
        waiting_retries = queue.scheduled_job_registry.key
        with self._redis.pipeline() as pipeline:
            for task in tasks:
                pipeline.hmget(TaskJob.key_for(task.id), "status", "enqueued_at")
                pipeline.zscore(waiting_retries, task.id)
            pipeline.lindex(queue.key, 0)
            *replies, first_id = pipeline.execute(raise_on_error=False)
        first_at = None if first_id is None else self._enqueued_at(to_text(first_id))
        lost = []
        for task, job, retry_at in zip(tasks, replies[::2], replies[1::2], strict=True):
            if retry_at is not None:
                continue
            if isinstance(job, redis.ResponseError):
                # The key has another type. Its content may be lost.
                self._redis.delete(TaskJob.key_for(task.id))
                lost.append(task)
                continue
            status, enqueued_at = job
            is_queued = (
                status == b"queued"
                and first_id is not None
                and not _is_before(_moment(enqueued_at), first_at)
            )
            if not is_queued:
                lost.append(task)
        return lost

    def _enqueued_at(self, job_id: str) -> datetime | None:
        """Return when a job was enqueued; None if it is gone or damaged."""
        try:
            return _moment(self._redis.hget(TaskJob.key_for(job_id), "enqueued_at"))
        except redis.ResponseError:
            return None

    def lengths(self) -> Mapping[str, int]:
        """Return the number of jobs in each queue."""
        with unavailable_on_error():
            return {name: queue.count for name, queue in self.queues.items()}

    def failures(self) -> Mapping[str, int]:
        """Return the number of failed jobs of each queue that can still be looked up."""
        with unavailable_on_error():
            return {
                name: queue.failed_job_registry.get_job_count(cleanup=False)
                for name, queue in self.queues.items()
            }


def _moment(timestamp: bytes | str | None) -> datetime | None:
    """Return the moment of a timestamp of RQ; None if it is missing or damaged."""
    try:
        return None if timestamp is None else wall_clock.parse(to_text(timestamp))
    except ValueError:
        return None


def _is_before(enqueued_at: datetime | None, first_at: datetime | None) -> bool:
    """Return whether a job was certainly enqueued before the first one of its queue.

    The first one proves nothing if it is just leaving the queue, or if a clock was ahead.
    """
    if enqueued_at is None:
        return True
    if first_at is None or first_at > wall_clock.now():
        return False
    return enqueued_at + CLOCK_TOLERANCE < first_at


def _job(queue: Queue, task: Task) -> Job:
    return queue.create_job(
        JOB_FUNCTION,
        args=(task.game_id, task.entry, task.payload),
        job_id=task.id,
        description=f"{task.entry} of game {task.game_id}",
        timeout=JOB_TIMEOUTS[task.queue],
        result_ttl=0,
        failure_ttl=FAILURES_KEPT,
        status=JobStatus.QUEUED,
    )

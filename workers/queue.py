"""The job queues: enqueuing the jobs of tasks, and enqueuing them again if they were lost.

All data in the queues may be lost, because every task is in an outbox. RQ uses its own clock for the pauses
before another attempt, on which no game depends. jobs.py does the work of the jobs.
"""

from collections.abc import Collection, Mapping

import redis
from rq import Queue
from rq.exceptions import DuplicateJobError, NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from service.connection import unavailable_on_error
from workers.jobs import JOB_FUNCTION, TaskJob
from workers.tasks import GAMES, NOTIFICATIONS, QUEUES, Task

JOB_TIMEOUTS = {GAMES: 60, NOTIFICATIONS: 30}
"""Seconds that a job of a queue may take. Jobs take milliseconds, so this only stops one that hangs."""

FAILURES_KEPT = 24 * 3600
"""Seconds for which a failed job can be looked up. Results are not kept, because they are in the log."""


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

    def enqueue_again(self, tasks: Collection[Task]) -> int:
        """Enqueue the tasks that wait in no queue, even if their jobs exist; return their number.

        No task is in a queue twice.
        """
        count = 0
        with unavailable_on_error():
            for name, queue in self.queues.items():
                tasks_of_queue = [task for task in tasks if task.queue == name]
                if not tasks_of_queue:
                    continue
                waiting = {*queue.get_job_ids(), *queue.scheduled_job_registry.get_job_ids()}
                missing = [task for task in tasks_of_queue if task.id not in waiting]
                # One transaction for each task, so that Redis can serve other clients in between.
                for task in missing:
                    with self._redis.pipeline() as pipeline:
                        pipeline.multi()
                        # Another scheduler may have found the same task missing.
                        queue.remove(task.id, pipeline=pipeline)
                        queue.enqueue_job(_job(queue, task), pipeline=pipeline)
                        pipeline.execute()
                count += len(missing)
        return count

    def enqueue_retries(self) -> int:
        """Put jobs back into their queue when their pause is over; return their number."""
        count = 0
        with unavailable_on_error():
            for queue in self.queues.values():
                registry = queue.scheduled_job_registry
                for job_id in registry.get_jobs_to_schedule():
                    try:
                        job = TaskJob.fetch(
                            job_id, connection=self._redis, serializer=JSONSerializer
                        )
                    except (NoSuchJobError, KeyError, TypeError, ValueError):
                        # Gone or damaged. The sweep enqueues its task again.
                        registry.remove(job_id)
                        self._redis.delete(TaskJob.key_for(job_id))
                        continue
                    with self._redis.pipeline() as pipeline:
                        pipeline.multi()
                        queue.remove(job_id, pipeline=pipeline)
                        queue.enqueue_job(job, pipeline=pipeline)
                        registry.remove(job_id, pipeline=pipeline)
                        pipeline.execute()
                    count += 1
        return count

    def lengths(self) -> Mapping[str, int]:
        """Return the number of jobs in each queue."""
        with unavailable_on_error():
            return {name: queue.count for name, queue in self.queues.items()}


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

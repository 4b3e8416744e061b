"""The job queues, as the scheduler uses them: jobs are enqueued, and enqueued again after they got lost.

The queues hold nothing that may not be lost, because every task is in an outbox. RQ keeps its own time here
(the pauses before another attempt), on which no game depends. What a job does is in jobs.py.
"""

from collections.abc import Collection, Mapping

import redis
from rq import Queue
from rq.exceptions import DuplicateJobError, NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from service.connection import reachable
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
        # Not pickle, RQ's default, by which whoever can write to the queue could run any code.
        self.queues = {
            name: Queue(name, client, job_class=TaskJob, serializer=JSONSerializer)
            for name in QUEUES
        }

    def enqueue(self, task: Task) -> bool:
        """Enqueue a task unless the queue knows its job already; return whether it was enqueued.

        The queue also knows a job whose worker has died: `enqueue_again` is for those.
        """
        queue = self.queues[task.queue]
        with reachable():
            try:
                queue.enqueue_job(_job(queue, task), unique=True)
            except DuplicateJobError:
                return False
        return True

    def enqueue_again(self, tasks: Collection[Task]) -> int:
        """Enqueue the tasks that wait in no queue, whatever the queue knows of them; return their number.

        No task gets into a queue twice.
        """
        count = 0
        with reachable():
            for name, queue in self.queues.items():
                tasks_of_queue = [task for task in tasks if task.queue == name]
                if not tasks_of_queue:
                    continue
                waiting = {*queue.get_job_ids(), *queue.scheduled_job_registry.get_job_ids()}
                missing = [task for task in tasks_of_queue if task.id not in waiting]
                # One transaction for each task, so that other clients of Redis get their turn in between.
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
        with reachable():
            for queue in self.queues.values():
                registry = queue.scheduled_job_registry
                for job_id in registry.get_jobs_to_schedule():
                    try:
                        job = TaskJob.fetch(
                            job_id, connection=self._redis, serializer=JSONSerializer
                        )
                    except NoSuchJobError:
                        registry.remove(job_id)
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
        with reachable():
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

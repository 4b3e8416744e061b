"""The queues of RQ, seen from who puts work in: what is enqueued, what waits there, what is tried again.

The queues hold nothing that cannot be lost: all that is in them is noted beside the logs. What a worker
makes of a job is in jobs.py. RQ keeps its own time here (pauses between tries), which no game depends on.
"""

from collections.abc import Iterable, Mapping

import redis
from rq import Queue
from rq.exceptions import DuplicateJobError, NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from service.connection import reachable
from workers.jobs import JOB, NoteJob
from workers.tasks import GAMES, NOTICES, QUEUES, Work

SECONDS = {GAMES: 60, NOTICES: 30}
"""How long a job of a queue may take. Each takes milliseconds, so this is for one that hangs."""

FAILURES_KEPT = 24 * 3600
"""Seconds for which what went wrong can be looked up. A result is not kept: it is in the log."""


class WorkQueues:
    """Both queues, on the Redis of the queue. Everything raises Unavailable when that does not answer."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        # Not pickle, RQ's default: who can write into the queue must not be able to run code by it.
        self.queues = {
            name: Queue(name, client, job_class=NoteJob, serializer=JSONSerializer)
            for name in QUEUES
        }

    def enqueue(self, work: Work) -> bool:
        """Enqueue a piece of work unless its job is known to the queue; whether it was enqueued.

        A job that died with its worker is known as well: that is for `enqueue_again`.
        """
        queue = self.queues[work.queue]
        with reachable():
            try:
                queue.enqueue_job(_job(queue, work), unique=True)
            except DuplicateJobError:
                return False
        return True

    def enqueue_again(self, works: Iterable[Work]) -> int:
        """Enqueue what is noted, whatever the queue knows of it, but for what waits there already; how
        many pieces of work that were. None comes to stand in a queue twice by this.
        """
        count = 0
        with reachable():
            for name, wanted in _by_queue(works).items():
                queue = self.queues[name]
                waiting = {*queue.get_job_ids(), *queue.scheduled_job_registry.get_job_ids()}
                missing = [work for work in wanted if work.id not in waiting]
                # A step for each: between two of them others may take their turn.
                for work in missing:
                    with self._redis.pipeline() as pipeline:
                        # Others may have seen what is missing as well, a moment ago.
                        pipeline.multi()
                        queue.remove(work.id, pipeline=pipeline)
                        queue.enqueue_job(_job(queue, work), pipeline=pipeline)
                        pipeline.execute()
                count += len(missing)
        return count

    def enqueue_retries(self) -> int:
        """Put those jobs back in their queue whose pause before another try is over; how many."""
        count = 0
        with reachable():
            for queue in self.queues.values():
                registry = queue.scheduled_job_registry
                for id in registry.get_jobs_to_schedule():
                    try:
                        job = NoteJob.fetch(id, connection=self._redis, serializer=JSONSerializer)
                    except NoSuchJobError:
                        registry.remove(id)
                        continue
                    with self._redis.pipeline() as pipeline:
                        pipeline.multi()
                        queue.remove(id, pipeline=pipeline)
                        queue.enqueue_job(job, pipeline=pipeline)
                        registry.remove(id, pipeline=pipeline)
                        pipeline.execute()
                    count += 1
        return count

    def waiting(self) -> Mapping[str, int]:
        """How many jobs each queue holds."""
        with reachable():
            return {name: queue.count for name, queue in self.queues.items()}


def _by_queue(works: Iterable[Work]) -> dict[str, list[Work]]:
    sorted_out: dict[str, list[Work]] = {}
    for work in works:
        sorted_out.setdefault(work.queue, []).append(work)
    return sorted_out


def _job(queue: Queue, work: Work) -> Job:
    return queue.create_job(
        JOB,
        args=(work.game, work.note, work.value),
        job_id=work.id,
        description=f"{work.note} of game {work.game}",
        timeout=SECONDS[work.queue],
        result_ttl=0,
        failure_ttl=FAILURES_KEPT,
        status=JobStatus.QUEUED,
    )

"""The processes of this floor: a worker and a scheduler, from their settings until they are told to stop.

SIGTERM and SIGINT end either within seconds, a worker after the job it is at. A Redis that is away ends
neither.
"""

import logging
from types import FrameType

import redis
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer
from typing_extensions import override

from service.bootstrap import build
from service.connection import connect
from service.settings import Settings
from service.supervision.retry import Backoff, retry_until_stopped
from service.supervision.stop_signals import StopSignals
from workers.jobs import Jobs, NoteJob, configure
from workers.notifiers import senders
from workers.queue import WorkQueues
from workers.scheduler import FIRST_PAUSE, LONGEST_PAUSE, Scheduler

log = logging.getLogger(__name__)

SECONDS_BETWEEN_SIGNS = 60
"""How often a worker that has nothing to do says that it is there still."""


class NoteWorker(SimpleWorker):
    """RQ's worker that does its jobs in its own process, one after the other.

    Not the one that forks for each job: our jobs take milliseconds and are our own code, so what a fork
    protects against is rare (and answered by the notes, which outlive this process), while it would throw
    away with each job the connection to Redis and the folded games that the next job needs.
    """

    max_connection_wait_time = LONGEST_PAUSE
    log_result_lifespan = False

    def __init__(self, queues: list[Queue], client: redis.Redis, stop: StopSignals) -> None:
        super().__init__(
            queues,
            connection=client,
            job_class=NoteJob,
            serializer=JSONSerializer,
            worker_ttl=SECONDS_BETWEEN_SIGNS,
        )
        self._stop = stop

    @override
    def subscribe(self) -> None:
        """Take no commands of RQ's command line: that would be a thread and a connection of its own."""

    @override
    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """End after the job under way."""
        self._stop.set()
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    @override
    def check_for_suspension(self, burst: bool) -> None:
        """Look, before every job, whether to go on: the signal may have come before RQ listened to any."""
        if self._stop.is_set():
            raise StopRequested
        super().check_for_suspension(burst)


def run_worker(settings: Settings, queues: tuple[str, ...]) -> None:
    """Do jobs until told to stop, those of the first of `queues` first. Raises SettingsError."""
    logging.getLogger("rq").setLevel(logging.WARNING)
    logging.getLogger("rq.worker").setLevel(logging.WARNING)
    logging.getLogger("rq.worker").addFilter(_without_known_tracebacks)
    service = build(settings)
    configure(Jobs(service, senders(settings)))
    # A connection of its own, since RQ sets how long that may wait for an answer.
    client = connect(settings.queue_url)
    known = WorkQueues(client).queues
    stop = StopSignals()
    stop.listen()
    log.info("working on the queues %s", ", ".join(queues))

    def work() -> None:
        try:
            NoteWorker([known[name] for name in queues], client, stop).work(logging_level=None)
        finally:
            # RQ has installed signal handlers of its own.
            stop.listen()
        if not stop.is_set():
            raise redis.ConnectionError("the connection was lost")

    retry_until_stopped(
        work,
        stop,
        errors=(redis.RedisError, OSError),
        backoff=Backoff(first=FIRST_PAUSE, longest=LONGEST_PAUSE, steady=LONGEST_PAUSE),
        on_error=lambda error, pause: log.warning(
            "the queue does not answer (%s); trying again in %.1f s", error, pause
        ),
    )


def run_scheduler(settings: Settings) -> None:
    """Schedule until told to stop."""
    scheduler = Scheduler(build(settings), connect(settings.queue_url))
    stop = StopSignals()
    stop.listen()
    log.info("scheduling")
    scheduler.run(stop)


def _without_known_tracebacks(record: logging.LogRecord) -> bool:
    """Where RQ logs that Redis went away, the place in RQ's code where it noticed is of no interest."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, redis.ConnectionError | redis.TimeoutError):
        record.msg, record.args, record.exc_info = f"{record.getMessage()} ({error})", (), None
    return True

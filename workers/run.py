"""The processes `cartulary worker` and `cartulary scheduler`, or one process that is both.

They end within seconds after SIGTERM or SIGINT; a worker ends after its current job. If Redis does not
respond, they wait until it does.
"""

import logging
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread
from types import FrameType

import redis
from redis.client import Pipeline
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from typing_extensions import override

from domain.event import Event
from service.bootstrap import Service, build, trace_appends
from service.connection import connect
from service.errors import Unavailable
from service.operation.process_reports import Reporter
from service.operation.retry import Backoff, retry_until_stopped
from service.operation.stop_signals import StopSignals
from service.operation.tracing import tracing_of
from service.provenance import Provenance, working_for
from service.settings import Settings
from workers.jobs import TaskJob, TaskRunner, configure, trace_tasks
from workers.mail.account_mail import AccountMailSender
from workers.mail.outgoing import EmailChannel, OutgoingMail
from workers.notifications.channel import Channel
from workers.notifications.dispatcher import Channels, Dispatcher, dispatching
from workers.notifications.operator import operator_channels_of
from workers.queue import TaskQueues
from workers.scheduler import FIRST_PAUSE, LONGEST_PAUSE, Scheduler, ThinkingWorker
from workers.tasks import NOTIFICATIONS
from workers.webhooks.channel import WebhookChannel
from workers.webhooks.push import PushChannel
from workers.webhooks.requests import ReceiverRequests

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 30
"""The time for which RQ considers an idle worker alive. A worker waits 15 seconds less for a job."""


class TaskWorker(SimpleWorker):
    """RQ's worker that runs its jobs in its own process, one after the other.

    RQ's default worker forks for each job. That would discard the connection to Redis and the cached games
    after each job, and would protect against little: jobs take milliseconds, run our own code, and are still
    in the outbox if this process dies.
    """

    max_connection_wait_time = LONGEST_PAUSE
    log_result_lifespan = False

    def __init__(
        self, queues: list[Queue], client: redis.Redis, stop: StopSignals, reporter: Reporter
    ) -> None:
        super().__init__(
            queues,
            connection=client,
            job_class=TaskJob,
            serializer=JSONSerializer,
            worker_ttl=HEARTBEAT_SECONDS,
        )
        self._stop = stop
        self._reporter = reporter
        self.has_idled = False
        """Whether the worker has ended because it had no job for its longest idle time."""

    @override
    def subscribe(self) -> None:
        """Do not listen for commands of RQ's command line, which would take a thread and a connection."""

    @override
    def procline(self, message: str) -> None:
        """Keep the command line that ps shows."""

    @override
    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop after the current job."""
        self._stop.set()
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call] # RQ has no annotations here

    @override
    def check_for_suspension(self, burst: bool) -> None:
        """Stop before the next job if the signal came before RQ had installed its handlers."""
        if self._stop.is_set():
            raise StopRequested
        super().check_for_suspension(burst)

    @override
    def perform_job(self, job: Job, queue: Queue) -> bool:
        """Run a job, with its id in the log lines and beside the events that it appends."""
        with working_for(Provenance("job", job.id)):
            return super().perform_job(job, queue)

    @override
    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """Wait for a job; return None if there was none for `max_idle_time` seconds."""
        result = super().dequeue_job_and_maintain_ttl(timeout, max_idle_time)
        self.has_idled = result is None
        return result

    @override
    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Report that the worker is alive: RQ calls this around each job and between two waits for one."""
        self._reporter.note_progress()
        super().heartbeat(timeout, pipeline)


def channels_of(service: Service) -> Channels:
    """Return the channels of a service. Raises SettingsError."""
    channels: list[Channel] = [*operator_channels_of(service.settings)]
    account_mails = None
    if service.settings.smtp_url is not None:
        outgoing = OutgoingMail(service)
        channels.append(EmailChannel(service, outgoing))
        account_mails = AccountMailSender(service, outgoing)
    seconds = service.settings.bounds.webhook_seconds
    requests = ReceiverRequests(service.notifications.receivers, seconds)
    webhooks = WebhookChannel(service, requests)
    channels += [webhooks, PushChannel(service, requests)]
    return Channels(channels, account_mails, webhooks)


def run_worker(
    settings: Settings,
    queues: tuple[str, ...],
    *,
    with_scheduler: bool = False,
    max_idle: int | None = None,
) -> None:
    """Run jobs until SIGTERM or SIGINT, those of the first queue first. Raises SettingsError.

    A worker that creates notifications also sends them, in separate threads. If `with_scheduler` is true, the
    scheduler runs in a thread as well, and starts a worker for searches when some wait. After `max_idle`
    seconds without a job, the worker ends.
    """
    for name in ("rq", "rq.worker"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("rq.worker").addFilter(_shorten_connection_error)
    service = build(settings)
    with suppress(Unavailable):
        service.keyring.check()
    service.games.repository.add_listener(_log_events)
    channels = channels_of(service)
    dispatcher = Dispatcher(service, channels) if NOTIFICATIONS in queues else None
    runner = TaskRunner(
        service, channels.of_operator, None if dispatcher is None else dispatcher.wake
    )
    tracing = tracing_of(os.environ, "cartulary worker")
    if tracing is not None:
        trace_appends(service, tracing)
        trace_tasks(runner, service.store, tracing)
    configure(runner)
    reporter = Reporter(service.process_reports, "worker", queues)
    # A separate connection, because RQ changes how long it waits for a response.
    client = connect(settings.queue_url)
    queues_by_name = TaskQueues(client).queues
    stop = StopSignals()
    stop.listen()
    reporter.start()
    log.info("working on the queues %s", ", ".join(queues))

    def work() -> None:
        worker = TaskWorker([queues_by_name[name] for name in queues], client, stop, reporter)
        try:
            worker.work(logging_level=None, max_idle_time=max_idle)
        finally:
            # RQ has installed its own signal handlers.
            stop.listen()
        if not (stop.is_set() or worker.has_idled):
            raise redis.ConnectionError("the connection was lost")

    with ExitStack() as stack:
        if dispatcher is not None:
            stack.enter_context(dispatching(dispatcher))
        if with_scheduler:
            stack.enter_context(_scheduling(service, settings, stop))
        retry_until_stopped(
            work,
            stop,
            errors=(redis.RedisError, OSError),
            backoff=Backoff(first=FIRST_PAUSE, longest=LONGEST_PAUSE, steady=LONGEST_PAUSE),
            on_error=lambda error, pause: log.warning(
                "the queue does not respond (%s); trying again in %.1f s", error, pause
            ),
        )
    if tracing is not None:
        tracing.end()
    with suppress(Unavailable):
        reporter.end()


@contextmanager
def _scheduling(service: Service, settings: Settings, stop: StopSignals) -> Iterator[None]:
    """Run the scheduler in a thread until `stop` is set. If it fails, this process ends with status 1."""
    thinking_worker = ThinkingWorker()
    scheduler = Scheduler(service, connect(settings.queue_url), thinking_worker)
    has_failed = False

    def run() -> None:
        nonlocal has_failed
        try:
            scheduler.run(stop)
        except Exception:
            log.exception("the scheduler has failed")
            has_failed = True
            # The worker waits for jobs in the main thread, which a signal interrupts.
            os.kill(os.getpid(), signal.SIGTERM)

    thread = Thread(target=run, name="scheduler", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        thinking_worker.stop()
    if has_failed:
        raise SystemExit(1)


def run_scheduler(settings: Settings) -> None:
    """Run the scheduler until SIGTERM or SIGINT."""
    service = build(settings)
    with suppress(Unavailable):
        service.keyring.check()
    scheduler = Scheduler(service, connect(settings.queue_url))
    stop = StopSignals()
    stop.listen()
    log.info("scheduling")
    scheduler.run(stop)


def _log_events(events: Sequence[Event]) -> None:
    """Log the events that a job has appended."""
    for event in events:
        log.info("%s: game %s, event %s", event["type"], event["game"], event["seq"])


def _shorten_connection_error(record: logging.LogRecord) -> bool:
    """Replace the traceback of a lost connection by its message; return True, so that the record is logged.

    The traceback would only show a line inside RQ.
    """
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, redis.ConnectionError | redis.TimeoutError):
        record.msg, record.args, record.exc_info = f"{record.getMessage()} ({error})", (), None
    return True

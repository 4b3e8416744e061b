"""A scheduler and a worker in the process of the test, on real queues; the test starts each step."""

import logging
import signal

import redis
from redis.client import Pipeline
from typing_extensions import override

from domain.messages import message
from service.bootstrap import Service
from service.connection import connect
from service.notifications.delivery import Delivery
from service.notifications.notification import Notification
from service.operation.process_reports import Reporter
from service.operation.stop_signals import StopSignals
from workers.jobs import TaskRunner, configure
from workers.notifications.channel import DEFAULT_RETRY_PAUSES, Channel, NotDelivered
from workers.notifications.dispatcher import Channels, Dispatcher
from workers.queue import TaskQueues
from workers.run import TaskWorker
from workers.scheduler import Scheduler
from workers.tasks import QUEUES, Task, tasks_of


class RecordingChannel:
    """A channel that appends to the list `sent`, after it has failed `failures` times."""

    def __init__(
        self, failures: int = 0, name: str = "recording", *, is_operators: bool = True
    ) -> None:
        self.name = name
        self.retry_pauses: tuple[int, ...] = DEFAULT_RETRY_PAUSES
        self.is_operators = is_operators
        self.has_breakers = False
        self.sent: list[Notification] = []
        self.failures = failures

    def send(self, delivery: Delivery, notification: Notification) -> None:
        if self.failures:
            self.failures -= 1
            raise NotDelivered(message("nobody responds"))
        assert delivery.id == notification.id
        self.sent.append(notification)


class _Worker(TaskWorker):
    """The worker of a test, which ends whenever the queues are empty and goes on with the next step.

    It does not tell Redis at each step that it is alive, which takes a fifth of its time, and is no matter of
    the tests that run one step after the other.
    """

    @override
    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        self._reporter.note_progress()


class WorkerHarness:
    """The parts of a scheduler and of a worker, on the service of a test."""

    def __init__(self, service: Service, *channels: Channel) -> None:
        self.service = service
        self.client: redis.Redis = connect(service.settings.queue_url)
        self.use(Channels(channels))
        self.queues = TaskQueues(self.client)
        self.scheduler = Scheduler(service, self.client)
        self._reporter = Reporter(service.process_reports, "worker", QUEUES)
        # One worker for all steps: each new one first looks for jobs that others have left behind.
        self._worker = _Worker(
            [self.queues.queues[name] for name in QUEUES],
            self.client,
            StopSignals(),
            self._reporter,
        )

    def use(self, channels: Channels) -> None:
        """Send by these channels from now on."""
        self.runner = TaskRunner(self.service, channels.of_operator)
        self.dispatcher = Dispatcher(self.service, channels)

    def tasks(self, game_id: str) -> dict[str, Task]:
        """Return the tasks of a game by the names of their entries."""
        return {task.entry: task for task in tasks_of(self.service.store, [game_id])[game_id].tasks}

    def waiting(self) -> list[str]:
        """Return the descriptions of the jobs in the queues: `ENTRY of game ID`."""
        return [
            str(job.description)
            for queue in self.queues.queues.values()
            for job in queue.get_jobs()
        ]

    def work(self, max_jobs: int | None = None) -> None:
        """Run all jobs in the queues, or the first `max_jobs` of them, as RQ would run them.

        Then send what is due.
        """
        configure(self.runner)
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        logging.getLogger("rq.worker").setLevel(logging.WARNING)
        try:
            self._reporter.report()
            self._worker.work(burst=True, logging_level=None, max_jobs=max_jobs)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        self.dispatcher.send_due()

    def sweep_twice_and_work(self) -> None:
        """Sweep until every task that waits in no queue is enqueued, then run all jobs."""
        self.scheduler.sweep(is_first=False)
        self.scheduler.sweep(is_first=False)
        self.work()

    def sweep_and_work(self, game_id: str) -> None:
        """Sweep and run jobs until the game has no task left; fails after ten times."""
        for _ in range(10):
            self.scheduler.sweep(is_first=False)
            self.work()
            if not self.tasks(game_id):
                return
        raise AssertionError(self.tasks(game_id))

    def close(self) -> None:
        """Close the connection to the queues."""
        self.client.close()

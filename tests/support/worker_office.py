"""A worker's office for tests: queues on the real Redis, a worker that empties them, a sender of copies."""

import logging
import signal

import redis

from service.bootstrap import Service
from service.connection import connect
from service.supervision.stop_signals import StopSignals
from workers.jobs import Jobs, configure
from workers.notifications import Notification
from workers.notifiers import NotDelivered, Notifier
from workers.queue import WorkQueues
from workers.run import NoteWorker
from workers.scheduler import Scheduler
from workers.tasks import QUEUES, Work


class Copies:
    """A sender whose receiver is this list; `away` says how often it does not answer first."""

    name = "copies"

    def __init__(self, away: int = 0) -> None:
        self.sent: list[Notification] = []
        self.away = away

    def send(self, notice: Notification) -> None:
        if self.away:
            self.away -= 1
            raise NotDelivered("nobody answers")
        self.sent.append(notice)


class Office:
    """Scheduler and worker in this process, each doing one step when asked to."""

    def __init__(self, service: Service, *senders: Notifier) -> None:
        self.service = service
        self.client: redis.Redis = connect(service.settings.queue_url)
        self.jobs = Jobs(service, senders)
        self.queues = WorkQueues(self.client)
        self.scheduler = Scheduler(service, self.client)

    def notes(self, game_id: str) -> dict[str, Work]:
        """The notes of a game."""
        return {
            note: Work(game_id, note, value)
            for note, value in self.service.store.outbox(game_id).items()
        }

    def waiting(self) -> list[str]:
        """What waits in the queues, as `note of game ID`."""
        return [
            str(job.description)
            for queue in self.queues.queues.values()
            for job in queue.get_jobs()
        ]

    def work(self) -> None:
        """A worker that does all that waits in the queues and then ends, as RQ would run it."""
        configure(self.jobs)
        handlers = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}
        logging.getLogger("rq.worker").setLevel(logging.WARNING)
        try:
            worker = NoteWorker(
                [self.queues.queues[name] for name in QUEUES], self.client, StopSignals()
            )
            worker.work(burst=True, logging_level=None)
        finally:
            for name, handler in handlers.items():
                signal.signal(name, handler)

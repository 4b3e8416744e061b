"""The jobs: what is done for each kind of note, and the note removed when it is done.

A job is told a game, a note and the note's value, nothing else, and looks at the log for what there is to
do. So it may run twice, late, or in two processes at once: the commands append once, and a note that has
changed or gone meanwhile is nobody's work any more.
"""

import logging
from collections.abc import Callable, Sequence
from typing import assert_never

from rq import Retry, get_current_job
from rq.job import Job, JobStatus
from typing_extensions import override

from service.bootstrap import Service
from service.errors import NotFound, Unavailable
from workers.notifications import notice
from workers.notifiers import NotDelivered, Notifier
from workers.tasks import Work

log = logging.getLogger(__name__)

PAUSES = (2, 10, 60, 300, 1800)
"""Seconds before a notice that was not delivered is tried again; after the last try it is given up."""

JOB = "workers.jobs.run"
"""The function that RQ runs, by the name that stands in a queued job."""


class Jobs:
    """All jobs, over one service and its senders."""

    def __init__(self, service: Service, senders: Sequence[Notifier]) -> None:
        self._store = service.store
        self._repository = service.repository
        self._commands = service.commands
        self._queries = service.queries
        self._senders = senders

    def do(self, work: Work, told: set[str] | None = None, tries: int = 0) -> bool:
        """Do a piece of work; whether it is through (else it is to be tried again after a pause).

        `told`: names of senders that have delivered it in an earlier try; added to. `tries`: how many
        there were. Raises Unavailable.
        """
        try:
            if self._store.outbox(work.game).get(work.note) != work.value:
                return True
            match work.kind:
                case "score":
                    self._score(work)
                case "forfeit":
                    self._forfeit(work)
                case "notify":
                    return self._notify(work, set() if told is None else told, tries)
                case "index":
                    self._repository.update_listings(work.game)
                case None:
                    _leave(work)
                case _:
                    assert_never(work.kind)
        except NotFound:
            # Notes are written with the log, so only somebody's hand in the store can have done this.
            log.exception("game %s has a note, %s, and no log", work.game, work.note)
        return True

    def _score(self, work: Work) -> None:
        for event in self._commands.score(work.game):
            log.info("%s: game %s, event %s", event["type"], work.game, event["seq"])
        self._store.ack(work.game, work.note, work.value)

    def _forfeit(self, work: Work) -> None:
        turn = work.said["turn"]
        for event in self._commands.forfeit(work.game, turn):
            log.info("%s: game %s, event %s", event["type"], work.game, event["seq"])
        game = self._queries.game(work.game)
        if game.to_act is None or game.turn != turn:
            self._store.ack(work.game, work.note, work.value)
        # Else it is not late yet by this machine's clock, and the note stays until it is.

    def _notify(self, work: Work, told: set[str], tries: int) -> bool:
        message = notice(self._queries, work)
        if message is None:
            _leave(work)
            return True
        is_through = True
        for sender in self._senders:
            if sender.name in told:
                continue
            try:
                sender.send(message)
            except NotDelivered as error:
                if tries < len(PAUSES):
                    is_through = False
                    log.warning("%s: %s of game %s: %s", sender.name, work.note, work.game, error)
                else:
                    log.error(  # noqa: TRY400 (a receiver that is away is no news with a traceback)
                        "%s: %s of game %s is given up: %s",
                        sender.name,
                        work.note,
                        work.game,
                        error,
                    )
            else:
                told.add(sender.name)
        if is_through:
            self._store.ack(work.game, work.note, work.value)
            if work.note == "notify/over":
                self._store.mark_inactive(work.game)
        return is_through


def _leave(work: Work) -> None:
    log.warning("game %s has a note that a later version has to see to: %s", work.game, work.note)


_employed: Jobs | None = None


def configure(jobs: Jobs) -> None:
    """Say whose jobs this process does, before it takes the first."""
    global _employed  # noqa: PLW0603 (RQ calls a function by its name: it has nothing else to find it by)
    _employed = jobs


def run(game: str, note: str, value: str) -> Retry | None:
    """What RQ calls. Tries again after a pause by giving back RQ's own Retry."""
    job = get_current_job()
    if _employed is None or job is None:
        raise RuntimeError("a job runs in a worker: `cartulary worker`")
    work = Work(game, note, value)
    told = set(job.meta.get("told", ()))
    before = len(told)
    try:
        is_through = _employed.do(work, told, job.number_of_retries or 0)
    except Unavailable as error:
        # The note is there still, so the sweep will come upon it.
        log.warning("%s of game %s is left to the sweep: %s", note, game, error)
        return None
    if len(told) > before and not is_through:
        job.meta["told"] = sorted(told)
        job.save_meta()  # type: ignore[no-untyped-call]
    return None if is_through else Retry(max=len(PAUSES), interval=PAUSES)


class NoteJob(Job):
    """RQ's job, which can be nothing else than `run` with a note.

    RQ calls whatever function a queued job names, and callbacks and addresses too that may stand beside it.
    Who can write into the queue would have the worker's hands with that; so none of it is looked at.
    """

    @property
    @override
    def func(self) -> Callable[[str, str, str], Retry | None]:
        """What is called."""
        if self.func_name != JOB:
            raise PermissionError(f"{self.func_name} is no job of ours")
        return run

    @property
    @override
    def success_callback(self) -> None:
        """Nothing."""

    @property
    @override
    def failure_callback(self) -> None:
        """Nothing."""

    @property
    @override
    def stopped_callback(self) -> None:
        """Nothing."""

    @override
    def send_webhooks(self, status: str | JobStatus, *, exc_string: str | None = None) -> None:
        """Send nothing: notices go by senders.py."""

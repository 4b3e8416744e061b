"""The sweep: it looks through the outboxes of all active games for tasks that nobody has done.

A lost message, an emptied queue, a process that died between two steps: in all these cases the entry is still
in the outbox. A task that is new since the last sweep is left to the scheduler that heard of it. A task that
the last sweep has found already, and that is neither done nor in a queue, is enqueued again.
"""

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from domain.event import ENDINGS
from service import clock
from service.store.event_store import EventStore
from workers.deadline_index import DeadlineIndex
from workers.queue import TaskQueues
from workers.tasks import Task, tasks_of

log = logging.getLogger(__name__)

PAGE = 200
"""Games that are read in one round trip."""
TIME_TO_CREATE = timedelta(hours=1)
"""How long a game may be active without a log. After that, the process that was creating it has died."""


class Sweep:
    """Makes sweeps, and remembers what the last one has found. For one thread."""

    def __init__(self, store: EventStore, queues: TaskQueues, deadlines: DeadlineIndex) -> None:
        self._store = store
        self._queues = queues
        self._deadlines = deadlines
        self._due: set[Task] = set()
        self._not_yet_due: set[Task] = set()
        self._waiting_for_players: set[str] = set()
        """Games without tasks that had not ended when the last sweep looked."""
        self._without_log: dict[str, datetime] = {}
        """Active games that have no log, and since when that is known."""

    def on_appended(self, game_id: str) -> None:
        """Forget what is known of a game, because it has a new event."""
        self._waiting_for_players.discard(game_id)
        self._without_log.pop(game_id, None)

    def pages(self, *, is_first: bool) -> Iterator[None]:
        """Make one sweep; yields after each page of games, so that other work need not wait for its end.

        `is_first`: enqueue every task, because no message about it was heard. Raises Unavailable.
        """
        due_before = set() if is_first else self._due
        not_yet_due_before = set() if is_first else self._not_yet_due
        due: set[Task] = set()
        not_yet_due: set[Task] = set()
        for game_ids in _paged(self._store.active_games()):
            now = clock.format(clock.now())
            tasks_by_game = tasks_of(self._store, game_ids)
            tasks = [
                task for tasks in tasks_by_game.values() for task in tasks if task.kind is not None
            ]
            later = {task for task in tasks if task.due_at > now}
            self._deadlines.put(later - not_yet_due_before)
            not_yet_due |= later
            pending = [task for task in tasks if task not in later]
            due.update(pending)
            left_over = [task for task in pending if is_first or task in due_before]
            count = self._queues.enqueue_again(left_over)
            if count:
                log.info("%s tasks that were not done are enqueued again", count)
            self._deactivate({game_id for game_id, tasks in tasks_by_game.items() if not tasks})
            yield
        self._due, self._not_yet_due = due, not_yet_due

    def _deactivate(self, game_ids: set[str]) -> None:
        """Of games without tasks, mark those inactive that have ended or were never created."""
        now = clock.now()
        unknown = game_ids - self._waiting_for_players
        for game_id, event_type in self._store.last_event_types(unknown).items():
            if event_type is None:
                since = self._without_log.setdefault(game_id, now)
                if now - since < TIME_TO_CREATE:
                    continue
                del self._without_log[game_id]
            elif event_type not in ENDINGS:
                self._waiting_for_players.add(game_id)
                continue
            self._store.mark_inactive(game_id)


def _paged(game_ids: Iterable[str]) -> Iterator[list[str]]:
    game_ids = iter(game_ids)
    while page := list(islice(game_ids, PAGE)):
        yield page

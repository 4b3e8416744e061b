"""The sweep: a look at every live game for what is noted and not done, however that came about.

A message that got lost, a queue that was emptied, a process that died between two steps: for all of them
the notes are still there. What is noted for less than one sweep is left to those who were told of it; what
an earlier sweep has seen, and is neither done nor waiting in a queue, is enqueued again.
"""

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from domain.event import ENDINGS
from service import clock
from service.store.event_store import EventStore
from workers.deadline_index import DeadlineIndex
from workers.queue import WorkQueues
from workers.tasks import Work, tasks_of

log = logging.getLogger(__name__)

PAGE = 200
"""Games that are looked at in one exchange."""
EXPECTED_FOR = timedelta(hours=1)
"""How long a game may be active (`EventStore.mark_active`) without a log, before it is dropped."""


class Sweep:
    """What the last sweep saw, and how the next one goes. For one thread."""

    def __init__(self, store: EventStore, queues: WorkQueues, timetable: DeadlineIndex) -> None:
        self._store = store
        self._queues = queues
        self._timetable = timetable
        self._due: set[Work] = set()
        self._ahead: set[Work] = set()
        self._going_on: set[str] = set()
        """Games without notes that were not over when last looked at."""
        self._expected: dict[str, datetime] = {}
        """Games that have no log, and since when that is known."""

    def on_appended(self, game: str) -> None:
        """A game has a new event, so what was found about it holds no longer."""
        self._going_on.discard(game)
        self._expected.pop(game, None)

    def pages(self, *, everything: bool) -> Iterator[None]:
        """One sweep; gives way after every page of games, so that nothing else waits for its end.

        `everything`: rely on nobody having been told of anything, as after a start. Raises Unavailable.
        """
        due_before = set() if everything else self._due
        ahead_before = set() if everything else self._ahead
        due: set[Work] = set()
        ahead: set[Work] = set()
        for games in _paged(self._store.active_games()):
            now = clock.format(clock.now())
            works = tasks_of(self._store, games)
            found = [work for each in works.values() for work in each if work.kind is not None]
            later = {work for work in found if work.due > now}
            self._timetable.put(later - ahead_before)
            ahead |= later
            pending = [work for work in found if work not in later]
            due.update(pending)
            left = [work for work in pending if everything or work in due_before]
            count = self._queues.enqueue_again(left)
            if count:
                log.info("%s jobs that were noted and not done are enqueued again", count)
            self._settle({game for game, each in works.items() if not each})
            yield
        self._due, self._ahead = due, ahead

    def _settle(self, quiet: set[str]) -> None:
        """Take out of the live games without notes what is over, and what never came to be."""
        unknown = quiet - self._going_on
        if not unknown:
            return
        now = clock.now()
        for game, type in self._store.last_event_types(unknown).items():
            if type is None:
                since = self._expected.setdefault(game, now)
                if now - since < EXPECTED_FOR:
                    continue
                del self._expected[game]
            elif type not in ENDINGS:
                self._going_on.add(game)
                continue
            self._store.mark_inactive(game)


def _paged(games: Iterable[str]) -> Iterator[list[str]]:
    games = iter(games)
    while page := list(islice(games, PAGE)):
        yield page

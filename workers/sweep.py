"""The sweep, which searches the outboxes of games for tasks that have not been done.

After a lost message, the loss of the queue, or the death of a process between two steps, the entry is still
in the outbox. A task that is new since the last sweep is left to the scheduler that got the message. A task
that the last sweep also found, and that is neither done nor in a queue, is enqueued again.

A sweep examines the games that have changed, until nothing is left to do for them except tasks that are due
later, which are in the deadline index. Its cost therefore does not depend on the number of games. As an index
may be lost, each sweep also examines a few of the other active games, so that each is examined in turn.

A sweep also logs the heads of games that are not in the transparency log yet.
"""

import logging
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from domain.errors import Unreadable
from domain.event import ENDINGS
from service import wall_clock
from service.bootstrap import Service
from workers.damage_check import DamageCheck
from workers.deadline_index import DeadlineIndex
from workers.head_logger import HeadLogger
from workers.queue import TaskQueues
from workers.tasks import GameTasks, Task, tasks_of

log = logging.getLogger(__name__)

PAGE: Final = 200
"""The number of games that are read in one round trip."""
OTHER_GAMES: Final = 200
"""The number of unchanged active games that a sweep examines."""
MAX_KEPT_GAMES: Final = 10_000
"""The most games that a sweep remembers as waiting for players."""
SECONDS_TO_CREATE: Final = 3600.0
"""The longest time for which a game is active without a log, unless the process creating it has died."""


class Sweep:
    """Makes sweeps, and remembers the tasks that the last one has found. Not thread-safe."""

    def __init__(
        self, service: Service, queues: TaskQueues, deadlines: DeadlineIndex, heads: HeadLogger
    ) -> None:
        self._store = service.store
        self._clock = service.clock
        self._queues = queues
        self._deadlines = deadlines
        self._heads = heads
        self._damage_check = DamageCheck(service.damaged_games)
        self._due_tasks: set[Task] = set()
        self._later_tasks: set[Task] = set()
        self._waiting_for_players: set[str] = set()
        """Games that had no tasks and had not ended when a sweep last checked them."""
        self._other_games: Iterator[str] = iter(())
        """The active games that the next sweeps examine."""
        self._without_log: dict[str, float] = {}
        """Active games that have no log, with the monotonic time at which a sweep first found that."""

    def on_appended(self, game_id: str) -> None:
        """Have the next sweep check a game that has a new event."""
        self._waiting_for_players.discard(game_id)
        self._without_log.pop(game_id, None)

    def pages(self, *, is_first: bool) -> Iterator[None]:
        """Make one sweep; yield after each page of games, so that other work need not wait for its end.

        If `is_first` is true, every task of the games is enqueued, because the scheduler has not received
        messages before. Raises Unavailable.
        """
        if is_first:
            self._heads.forget()
        due_before = set() if is_first else self._due_tasks
        later_before = set() if is_first else self._later_tasks
        due_tasks: set[Task] = set()
        later_tasks: set[Task] = set()
        self._damage_check.begin()
        for changes in self._pages_of_games():
            game_ids = list(changes)
            now = wall_clock.format(self._clock.now())
            tasks_by_game = tasks_of(self._store, game_ids)
            postponed, idle = self._check_games(tasks_by_game, changes)
            tasks = [
                task
                for game_tasks in tasks_by_game.values()
                for task in game_tasks.tasks
                if task.kind is not None
            ]
            later = {task for task in tasks if task.due_at > now}
            unknown = {task for task in later if changes[task.game_id] is not None}
            games = {task.game_id for task in unknown | (later - later_before)}
            self._deadlines.put(task for task in tasks if task.due_at and task.game_id in games)
            later_tasks |= later
            due = {task for task in tasks if task not in later}
            due_tasks |= due
            to_enqueue = (due if is_first else due & due_before) - postponed
            timed = {task for task in to_enqueue if task.due_at}
            if timed and not self._clock.is_reliable():
                to_enqueue -= timed
            count = self._queues.enqueue_again(
                [
                    task
                    for game_tasks in tasks_by_game.values()
                    for task in game_tasks.next_tasks
                    if task in to_enqueue
                ]
            )
            if count:
                log.info("%s tasks that were not done are enqueued again", count)
            self._note_examined(changes, idle, {task.game_id for task in due})
            yield
        self._damage_check.end()
        self._due_tasks, self._later_tasks = due_tasks, later_tasks

    def _note_examined(
        self, changes: Mapping[str, int | None], idle: set[str], with_due_tasks: set[str]
    ) -> None:
        """Forget the changes of games with nothing left to do, and have the next sweep examine the others.

        The tasks that are due later must be in the deadline index.
        """
        unknown = {game_id for game_id, changed_at in changes.items() if changed_at is None}
        if missing := sorted(with_due_tasks & unknown):
            self._store.mark_changed(missing)
        self._store.forget_changes(
            {
                game_id: changed_at
                for game_id in idle - with_due_tasks
                if (changed_at := changes[game_id]) is not None
            }
        )

    def _pages_of_games(self) -> Iterator[dict[str, int | None]]:
        """Yield the games to examine in pages, each with the time of its last change, None for others.

        These are the changed games, those with reported damage, and some of the other active games.
        """
        changed = self._store.changed_games()
        seen: set[str] = set()
        while page := dict(islice(changed, PAGE)):
            seen.update(page)
            yield {**page}
        others = self._next_other_games()
        others += self._store.active_among(sorted(self._damage_check.damaged_games()))
        unseen = [game_id for game_id in dict.fromkeys(others) if game_id not in seen]
        for start in range(0, len(unseen), PAGE):
            yield dict.fromkeys(unseen[start : start + PAGE])

    def _next_other_games(self) -> list[str]:
        """Return the next active games, beginning again after the last one."""
        games = list(islice(self._other_games, OTHER_GAMES))
        if len(games) < OTHER_GAMES:
            self._other_games = self._store.active_games()
            games += islice(self._other_games, OTHER_GAMES - len(games))
        return games

    def _check_games(
        self, tasks_by_game: Mapping[str, GameTasks], changes: Mapping[str, int | None]
    ) -> tuple[set[Task], set[str]]:
        """Report damaged games, deactivate those that have ended, and log heads.

        Returns the tasks to postpone, and the games that can be forgotten if no task of theirs is due.
        """
        changed = [game_id for game_id, changed_at in changes.items() if changed_at is not None]
        self._waiting_for_players.difference_update(changed)
        if len(self._waiting_for_players) > MAX_KEPT_GAMES:
            self._waiting_for_players.clear()
        # Games without tasks: have they ended?
        last_event_types = self._store.last_event_types(
            game_id
            for game_id, game_tasks in tasks_by_game.items()
            if not game_tasks.tasks
            and not game_tasks.damage
            and (game_id not in self._waiting_for_players or self._damage_check.is_damaged(game_id))
        )
        logged = self._heads.on_appended(changed)
        logged |= self._heads.log(tasks_by_game.keys() - set(changed))
        postponed: set[Task] = set()
        for game_id, game_tasks in tasks_by_game.items():
            self._damage_check.check(game_id, game_tasks, last_event_types.get(game_id))
            postponed |= self._damage_check.tasks_to_postpone(game_id, game_tasks.tasks)
        self._deactivate(
            {
                game_id: event_type
                for game_id, event_type in last_event_types.items()
                if event_type is None or game_id in logged
            }
        )
        idle = {
            game_id
            for game_id, game_tasks in tasks_by_game.items()
            if not game_tasks.damage
            and all(task.kind is not None for task in game_tasks.tasks)
            and not isinstance(event_type := last_event_types.get(game_id, ""), Unreadable)
            and (game_id in logged or event_type is None)
        }
        return postponed, idle

    def _deactivate(self, last_event_types: Mapping[str, str | Unreadable | None]) -> None:
        """Mark games inactive that have ended or were never created. None of the games has tasks."""
        now = time.monotonic()
        for game_id, event_type in last_event_types.items():
            if isinstance(event_type, Unreadable):
                continue
            if event_type is None:
                since = self._without_log.setdefault(game_id, now)
                if now - since < SECONDS_TO_CREATE:
                    continue
                del self._without_log[game_id]
            elif event_type not in ENDINGS:
                self._waiting_for_players.add(game_id)
                continue
            self._store.mark_inactive(game_id)

"""The damage check, with which a sweep reports games that are damaged or have been repaired.

A damaged value is left for a person to repair. Only its own game is affected: a payload that cannot be read
is not a task, and work that a worker could not do is tried again only after a pause. Events before the last
one are checked by the scrub (workers/scrub.py).
"""

import time
from collections.abc import Iterable
from typing import Final

from domain.errors import Unreadable
from service.errors import log_text
from service.store.damaged_games import LOG, DamagedGames, is_event_part, work_part
from workers.tasks import GameTasks, Task

SECONDS_TO_RETRY: Final = 60.0
"""The pause before work that failed is tried again."""


class DamageCheck:
    """Compares the findings of sweeps with the reported damage. Not thread-safe.

    Every method raises Unavailable if Redis does not respond.
    """

    def __init__(self, damaged_games: DamagedGames) -> None:
        self._damaged_games = damaged_games
        self._reported: dict[str, dict[str, str]] = {}
        """The reasons by damaged part of each game, as they were when the sweep began."""
        self._missing: set[str] = set()
        """Games with reported damage that this sweep has not examined yet."""
        self._retried_at: dict[str, float] = {}
        """Games with work that failed, with the monotonic time at which it was last retried."""

    def begin(self) -> None:
        """Begin a sweep."""
        self._reported = {
            game_id: others
            for game_id, parts in self._damaged_games.parts().items()
            if (others := {part: why for part, why in parts.items() if not is_event_part(part)})
        }
        self._missing = set(self._reported)

    def damaged_games(self) -> set[str]:
        """Return the games with damage that was reported before this sweep."""
        return set(self._reported)

    def is_damaged(self, game_id: str) -> bool:
        """Return whether damage of the game was reported before this sweep."""
        return game_id in self._reported

    def check(
        self, game_id: str, game_tasks: GameTasks, last_event_type: str | Unreadable | None
    ) -> None:
        """Report the parts of the game that are damaged, and those that have been repaired.

        `last_event_type` is the type, the error, or None if it was not read.
        """
        damage = dict(game_tasks.damage)
        if isinstance(last_event_type, Unreadable):
            damage[LOG] = log_text(last_event_type)
        reported = self._reported.get(game_id, {})
        for part, reason in damage.items():
            if reported.get(part) != reason:
                self._damaged_games.report(game_id, part, reason)
        # The worker that handles an entry reports when the entry works again.
        unfinished = {work_part(task.entry) for task in game_tasks.tasks}
        for part in reported.keys() - damage.keys() - unfinished:
            self._damaged_games.clear(game_id, part)
        self._missing.discard(game_id)

    def tasks_to_postpone(self, game_id: str, tasks: Iterable[Task]) -> set[Task]:
        """Return the tasks of a game that have failed and must not be retried yet."""
        reported = self._reported.get(game_id, {})
        damaged = {task for task in tasks if work_part(task.entry) in reported}
        if not damaged:
            self._retried_at.pop(game_id, None)
            return set()
        now = time.monotonic()
        if now - self._retried_at.setdefault(game_id, now) < SECONDS_TO_RETRY:
            return damaged
        self._retried_at[game_id] = now
        return set()

    def end(self) -> None:
        """End a complete sweep, which has checked every active game with reported damage.

        A game that is not active has no work, so its damage no longer matters.
        """
        for game_id in self._missing:
            self._retried_at.pop(game_id, None)
            for part in self._reported[game_id]:
                self._damaged_games.clear(game_id, part)

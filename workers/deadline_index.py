"""The index of deadlines: which games have a task whose time has come.

    cartulary:deadlines   sorted set, game id -> earliest time of a task in milliseconds since 1970

A game may have several tasks with a time, such as a turn to forfeit and a reminder before; the index has the
earliest. It is derived from the outbox entries that have a time (workers/tasks.py). If it is lost, the first
sweep of a scheduler writes it again.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

import redis

from service import clock
from service.connection import to_text, unavailable_on_error
from workers.tasks import Task

DEADLINES: Final = "cartulary:deadlines"

# Another process may have put another time of the game there in the meantime.
_REPLACE = """
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score or tonumber(score) ~= tonumber(ARGV[2]) then
  return 0
end
if ARGV[3] == '' then
  return redis.call('ZREM', KEYS[1], ARGV[1])
end
return redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
"""


class DeadlineIndex:
    """The deadlines of all games. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._replace = client.register_script(_REPLACE)

    def put(self, tasks: Iterable[Task]) -> None:
        """Enter games under the earliest time of their tasks.

        `tasks` has all tasks of a game that have a time, or none of them.
        """
        scores: dict[str, int] = {}
        for task in tasks:
            score = _milliseconds(clock.parse(task.due_at))
            scores[task.game_id] = min(score, scores.get(task.game_id, score))
        if scores:
            with unavailable_on_error():
                self._redis.zadd(DEADLINES, scores)

    def overdue(self, now: datetime, limit: int) -> list[tuple[str, str]]:
        """Return up to `limit` games with a task whose time has come, each with its score; earliest first."""
        with unavailable_on_error():
            # redis-py declares a type that covers other forms of the command as well.
            rows: list[Any] = self._redis.zrange(
                DEADLINES,
                "-inf",
                _milliseconds(now),
                byscore=True,
                offset=0,
                num=limit,
                withscores=True,
            )
        overdue = []
        for member, score in rows:
            game_id = to_text(member)
            if game_id.encode() == member:
                overdue.append((game_id, repr(score)))
            else:
                # No id of a game: `put` did not write it, and `replace` would not find it.
                self._redis.zrem(DEADLINES, member)
        return overdue

    def overdue_milliseconds(self, now: datetime) -> int:
        """Return for how many milliseconds the earliest time has passed; 0 if it is in the future."""
        with unavailable_on_error():
            rows: list[Any] = self._redis.zrange(DEADLINES, 0, 0, withscores=True)
        return max(0, _milliseconds(now) - int(rows[0][1])) if rows else 0

    def replace(self, game_id: str, score: str, later: Task | None) -> None:
        """If a game still has this score, enter it under the time of a later task, or remove it."""
        new_score = "" if later is None else _milliseconds(clock.parse(later.due_at))
        with unavailable_on_error():
            self._replace(keys=[DEADLINES], args=[game_id, score, new_score])


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)

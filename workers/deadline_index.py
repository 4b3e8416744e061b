"""The index of deadlines: which games have a turn, or an open dispute, whose time is over.

    cartulary:deadlines   sorted set, game id -> deadline in milliseconds since 1970

The index is derived from the outbox entries `deadline` and `finish`. If it is lost, the first sweep of a
scheduler writes it again.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

import redis

from service import clock
from service.connection import to_text, unavailable_on_error
from workers.tasks import Task

DEADLINES: Final = "cartulary:deadlines"

# Another process may have put a later deadline of the game there in the meantime.
_REMOVE = """
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) == tonumber(ARGV[2]) then
  return redis.call('ZREM', KEYS[1], ARGV[1])
end
return 0
"""


class DeadlineIndex:
    """The deadlines of all games. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._remove = client.register_script(_REMOVE)

    def put(self, tasks: Iterable[Task]) -> None:
        """Add the deadlines of tasks with a time; each replaces an earlier deadline of its game."""
        scores = {task.game_id: _milliseconds(clock.parse(task.due_at)) for task in tasks}
        if scores:
            with unavailable_on_error():
                self._redis.zadd(DEADLINES, scores)

    def overdue(self, now: datetime, limit: int) -> list[tuple[str, str]]:
        """Return up to `limit` games whose deadline has passed, each with its score; earliest first."""
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
                # No id of a game: `put` did not write it, and `remove` would not find it.
                self._redis.zrem(DEADLINES, member)
        return overdue

    def remove(self, game_id: str, score: str) -> None:
        """Remove the deadline of a game if it still has this score."""
        with unavailable_on_error():
            self._remove(keys=[DEADLINES], args=[game_id, score])


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)

"""The deadline index: the games by the time at which their next task is due.

    cartulary:{deadlines:N}   sorted set, game id -> earliest time of a task in milliseconds since 1970, in
                              shards (service/store/shards.py)

A game may have several timed tasks, such as a turn to forfeit and a reminder before it; the index has the
earliest. It is derived from the outbox entries that have a time (workers/tasks.py). If it is lost, the first
sweep of a scheduler rebuilds it.
"""

import math
from collections.abc import Iterable
from datetime import datetime
from typing import Final

import redis

from service import wall_clock
from service.connection import to_text, unavailable_on_error
from service.store.shards import Shards
from workers.tasks import Task

DEADLINES: Final = Shards("deadlines")

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
    """The deadlines of all games. Every method that reads or writes raises Unavailable if Redis does not
    respond. Not thread-safe.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._replace = client.register_script(_REPLACE)
        self._next_due: float = -math.inf
        """No task in the index is due before this time (milliseconds since 1970), as far as this object has
        read and written the index."""

    def has_due(self, now: datetime) -> bool:
        """Return whether a task may be due, as far as is known from what was last read and written."""
        return wall_clock.milliseconds(now) >= self._next_due

    def forget_next_due(self) -> None:
        """Have `has_due` return true until the index has been read again, since others write to it too."""
        self._next_due = -math.inf

    def put(self, tasks: Iterable[Task]) -> None:
        """Enter games under the earliest time of their tasks.

        For each game, `tasks` has all of its timed tasks, or none.
        """
        shards: dict[str, dict[str, int]] = {}
        for task in tasks:
            score = wall_clock.milliseconds(wall_clock.parse(task.due_at))
            scores = shards.setdefault(DEADLINES.key(task.game_id), {})
            scores[task.game_id] = min(score, scores.get(task.game_id, score))
            self._next_due = min(self._next_due, score)
        if shards:
            with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
                for key, scores in shards.items():
                    pipeline.zadd(key, scores)
                pipeline.execute()

    def overdue(self, now: datetime, limit: int) -> list[tuple[str, str]]:
        """Return up to `limit` games with a task that is due, each with its score, earliest first."""
        with unavailable_on_error():
            while True:
                rows = self._earliest(wall_clock.milliseconds(now), limit)
                if not rows:
                    self._next_due = self._next_time()
                    return []
                if not (misplaced := [row for row in rows if not _is_in_place(*row)]):
                    return [(to_text(member), repr(score)) for _, member, score in rows]
                for row in misplaced:
                    self._move(*row)

    def overdue_milliseconds(self, now: datetime) -> int:
        """Return how many milliseconds ago the earliest task was due; 0 if none is."""
        with unavailable_on_error():
            next_time = self._next_time()
        return 0 if next_time == math.inf else max(0, wall_clock.milliseconds(now) - int(next_time))

    def replace(self, game_id: str, score: str, later: Task | None) -> None:
        """If a game still has this score, enter it under the time of the task `later`, or remove it."""
        new_score = "" if later is None else wall_clock.milliseconds(wall_clock.parse(later.due_at))
        with unavailable_on_error():
            self._replace(keys=[DEADLINES.key(game_id)], args=[game_id, score, new_score])

    def _next_time(self) -> float:
        """Return the earliest time in the index in milliseconds since 1970; infinity if it is empty."""
        with self._redis.pipeline(transaction=False) as pipeline:
            for key in DEADLINES.all:
                pipeline.zrange(key, 0, 0, withscores=True)
            return min(
                (score for reply in pipeline.execute() for _, score in reply), default=math.inf
            )

    def _earliest(self, until: int, limit: int) -> list[tuple[str, bytes, float]]:
        """Return the first members with a score of at most `until`, in order, each after its key."""
        with self._redis.pipeline(transaction=False) as pipeline:
            for key in DEADLINES.all:
                pipeline.zrange(
                    key, "-inf", until, byscore=True, offset=0, num=limit, withscores=True
                )
            replies = pipeline.execute()
        rows = [
            (key, member, score)
            for key, reply in zip(DEADLINES.all, replies, strict=True)
            for member, score in reply
        ]
        return sorted(rows, key=lambda row: row[2])[:limit]

    def _move(self, key: str, member: bytes, score: float) -> None:
        """Move a game from the key of earlier versions to its shard; remove a member that is not an id."""
        game_id = to_text(member)
        if game_id.encode() == member:
            self._redis.zadd(DEADLINES.key(game_id), {game_id: score}, lt=True)
        # `put` did not write it, and `replace` would not find it.
        self._redis.zrem(key, member)


def _is_in_place(key: str, member: bytes, _score: float) -> bool:
    """Return whether a member is the id of a game, in its shard."""
    return to_text(member).encode() == member and key != DEADLINES.former

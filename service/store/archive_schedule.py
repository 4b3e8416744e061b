"""The schedule of the archive: sorted sets, by time, of games to move and of games with objects to delete.

    cartulary:archive:ended:N   sorted set: games that are over and not archived, by the time of their end
    cartulary:archive:work:N    sorted set: games with objects to finish or to delete, by the time for it
    cartulary:archive:figures   hash: the numbers of games and bytes that have been moved and recalled in all
    cartulary:archive:held      exists while a backup copies objects, and expires; no object is deleted

N is one of BUCKETS numbers that are derived from the id of a game, so no key of a cluster has all games.
Times are seconds since 1970.
"""

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple
from zlib import crc32

import redis

from service import wall_clock
from service.connection import to_text, unavailable_on_error

BUCKETS: Final = 16
FIGURES_KEY: Final = "cartulary:archive:figures"
HELD_KEY: Final = "cartulary:archive:held"
HOLD_SECONDS: Final = 600
"""The time for which objects are kept after a backup has last reported progress."""
WRITE_SECONDS: Final = 3600.0
"""The time after which a game that was recalled for a write returns into the archive."""
POSTPONE_SECONDS: Final = 24 * 3600.0
"""The time until the next attempt to move a game that could not be moved."""
_PAGE: Final = 500


class DueGames(NamedTuple):
    """The ids of games to move, and of games with objects to finish or to delete."""

    to_move: tuple[str, ...]
    to_clean: tuple[str, ...]


class ArchiveSchedule:
    """The sorted sets of all games. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, after_days: float) -> None:
        """Games are to be moved `after_days` days after their end; 0 means only on request."""
        self._redis = client
        self._after_seconds = after_days * 24 * 3600

    @property
    def is_on(self) -> bool:
        """Whether games are moved automatically."""
        return self._after_seconds > 0

    def add_ended(self, game_id: str, ended_at: float) -> None:
        """Add a game that has ended, unless it is there already."""
        with unavailable_on_error():
            self._redis.zadd(_ended_key(game_id), {game_id: ended_at}, nx=True)

    def add_recalled(self, game_id: str, *, for_write: bool) -> None:
        """Add a recalled game: it stays as if it had just ended, or for a while after a write."""
        ended_at = now()
        if for_write:
            ended_at -= max(0.0, self._after_seconds - WRITE_SECONDS)
        with unavailable_on_error():
            self._redis.zadd(_ended_key(game_id), {game_id: ended_at})

    def postpone(self, game_id: str) -> None:
        """Postpone the move of a game that cannot be moved now."""
        later = now() - self._after_seconds + POSTPONE_SECONDS
        with unavailable_on_error():
            self._redis.zadd(_ended_key(game_id), {game_id: later}, xx=True, gt=True)

    def remove(self, game_id: str) -> None:
        """Remove a game that is archived, or has not ended."""
        with unavailable_on_error():
            self._redis.zrem(_ended_key(game_id), game_id)

    def add_work(self, game_id: str, seconds: float) -> None:
        """Schedule a check of a game, in `seconds`, for objects to finish or to delete."""
        with unavailable_on_error():
            self._redis.zadd(_work_key(game_id), {game_id: now() + seconds})

    def remove_work(self, game_id: str) -> None:
        """Remove a game that has no objects to finish or to delete."""
        with unavailable_on_error():
            self._redis.zrem(_work_key(game_id), game_id)

    def due(self, limit: int) -> DueGames:
        """Return the games that are due, at most `limit` of each kind, in one round trip."""
        moment = now()
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for n in range(BUCKETS):
                pipeline.zrangebyscore(_key("work", n), "-inf", moment, start=0, num=limit)
                if self.is_on:
                    most = moment - self._after_seconds
                    pipeline.zrangebyscore(_key("ended", n), "-inf", most, start=0, num=limit)
            replies = [[to_text(game) for game in reply] for reply in pipeline.execute()]
        step = 2 if self.is_on else 1
        to_clean = [game for reply in replies[::step] for game in reply]
        to_move = [game for reply in replies[1::2] for game in reply] if self.is_on else []
        return DueGames(tuple(to_move[:limit]), tuple(to_clean[:limit]))

    def ended_before(self, moment: float) -> Iterator[str]:
        """Iterate over the games that ended before a moment and are not archived."""
        for n in range(BUCKETS):
            with unavailable_on_error():
                for game, ended_at in self._redis.zscan_iter(_key("ended", n), count=_PAGE):
                    if ended_at <= moment:
                        yield to_text(game)

    def count(self, done: Literal["moved", "recalled"], size: int) -> None:
        """Count a game that was moved or recalled; `size` is that of its object in bytes."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            pipeline.hincrby(FIGURES_KEY, f"{done}_games", 1)
            pipeline.hincrby(FIGURES_KEY, f"{done}_bytes", size)
            pipeline.execute()

    def figures(self) -> dict[str, int]:
        """Return the numbers of games and bytes that have been moved and recalled, by name."""
        with unavailable_on_error():
            stored = self._redis.hgetall(FIGURES_KEY)
        return {to_text(name): int(value) for name, value in stored.items()}

    def hold(self) -> None:
        """Prevent the deletion of objects for HOLD_SECONDS, during a backup."""
        with unavailable_on_error():
            self._redis.set(HELD_KEY, "1", ex=HOLD_SECONDS)

    def release(self) -> None:
        """Allow the deletion of objects again."""
        with unavailable_on_error():
            self._redis.delete(HELD_KEY)

    @property
    def is_held(self) -> bool:
        """Whether no object may be deleted now."""
        with unavailable_on_error():
            return bool(self._redis.exists(HELD_KEY))


def now() -> float:
    """Return the time of this machine's clock in seconds since 1970."""
    return wall_clock.now().timestamp()


def seconds_of(timestamp: Any) -> float:
    """Convert the timestamp of an event to seconds since 1970. Raises ValueError and TypeError."""
    return wall_clock.parse(timestamp).timestamp()


def _ended_key(game_id: str) -> str:
    return _key("ended", crc32(game_id.encode()) % BUCKETS)


def _work_key(game_id: str) -> str:
    return _key("work", crc32(game_id.encode()) % BUCKETS)


def _key(name: str, number: int) -> str:
    return f"cartulary:archive:{name}:{number}"

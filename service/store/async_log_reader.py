"""Reads logs with an asyncio client, for event streams."""

import asyncio
from typing import Any

import redis
import redis.asyncio

from service.errors import Unavailable
from service.store.event_store import LogReader
from service.store.redis_event_store import ARCHIVED, game_key, lines_of, log_key


class AsyncLogReader:
    """Reads logs with an asyncio client, for event streams. Raises redis.RedisError and OSError."""

    def __init__(self, client: redis.asyncio.Redis, archive: LogReader | None = None) -> None:
        """`archive` reads archived games, in a thread; if it is None, they are not read."""
        self._redis = client
        self._archive = archive

    async def last_line(self, game_id: str) -> bytes | None:
        """Return the line of the last event, or None if there is no such game."""
        lines = lines_of(await self._redis.xrevrange(log_key(game_id), count=1))
        if lines:
            return lines[0]
        archived: Any = await _hget(self._redis, game_key(game_id, ARCHIVED), "line")
        return None if archived is None else bytes(archived)

    async def read(self, game_id: str, after: int, upto: int) -> list[bytes]:
        """Return the lines of the existing events of after+1 … upto."""
        lines = lines_of(await self._redis.xrange(log_key(game_id), f"{after + 1}-0", f"{upto}-0"))
        if lines or self._archive is None:
            return lines
        if await _hget(self._redis, game_key(game_id, ARCHIVED), "seq") is None:
            return lines
        try:
            return await asyncio.to_thread(self._archive.read, game_id, after, upto)
        except Unavailable as error:
            raise redis.ConnectionError("the archive does not respond") from error


async def _hget(client: redis.asyncio.Redis, key: str, name: str) -> Any:
    """Return a field of a hash. redis-py also declares the result as one that need not be awaited."""
    result: Any = client.hget(key, name)
    return await result

"""Writes which players have pages of games open, for as long as the event streams of these pages are open.

A player costs one write a minute at most, however many pages they have open, and one more when they come to
a game. Several web processes do not write the same: each of them reads first.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

import redis
import redis.asyncio

from service.accounts.presence import (
    HERE_SECONDS,
    RENEWAL_SECONDS,
    queue_read,
    queue_write,
    read_replies,
    seconds_since,
)
from service.http.event_streams import StreamRequest
from service.server.stream_listener import Listener
from service.store.redis_event_store import PEOPLE_CHANGED, appended_channel

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 15.0
"""Time between two looks for visits to renew."""
BATCH: Final = 200
"""Players whose visits are written together."""


@dataclass(eq=False, repr=False)
class PresenceWriter:
    """Keeps the presence of players up to date. Belongs to one event loop.

    The listeners are the open streams, a collection of the caller.
    """

    _redis: redis.asyncio.Redis
    _listeners: Collection[Listener]
    _written: dict[tuple[str, str], float] = field(default_factory=dict)
    """By player and game, when the visit was written last, by `_time`."""
    _time: Callable[[], float] = time.monotonic

    async def run(self) -> None:
        """Renew the visits that go on, at intervals, until the task is cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.renew()

    async def arrive(self, request: StreamRequest) -> None:
        """Write that a player has come to a game, when their stream begins."""
        if request.has_presence and request.player is not None:
            await self._write({request.player: {request.game_id}})

    async def renew(self) -> None:
        """Write the visits that go on, all of a player together, once one of them is due."""
        visits: dict[str, set[str]] = {}
        for listener in self._listeners:
            request = listener.request
            if request is not None and request.has_presence and request.player is not None:
                visits.setdefault(request.player, set()).add(request.game_id)
        self._written = {
            (player, game_id): at
            for (player, game_id), at in self._written.items()
            if game_id in visits.get(player, ())
        }
        await self._write(visits)

    async def _write(self, visits: Mapping[str, Collection[str]]) -> None:
        """Write visits by player, except those of players that have all been written lately."""
        latest = self._time() - RENEWAL_SECONDS
        due = {
            player: list(game_ids)
            for player, game_ids in visits.items()
            if any(self._written.get((player, id), latest) <= latest for id in game_ids)
        }
        players = iter(due)
        try:
            while batch := {player: due[player] for player in islice(players, BATCH)}:
                await self._write_batch(batch)
        except (redis.RedisError, OSError) as error:
            log.warning("the presence of players is not written: %s", type(error).__name__)

    async def _write_batch(self, due: Mapping[str, list[str]]) -> None:
        """Write visits by player, except those that another process has written lately."""
        now = self._time()
        replies = await self._read(due)
        # `Any`: redis-py declares that each command of a pipeline must be awaited.
        pipeline: Any
        async with self._redis.pipeline(transaction=False) as pipeline:
            has_commands = False
            for player, game_ids in due.items():
                is_shown, scores = read_replies(replies, len(game_ids))
                ages = dict(zip(game_ids, map(seconds_since, scores), strict=True))
                is_due = is_shown and any(age >= RENEWAL_SECONDS for age in ages.values())
                for game_id, age in ages.items():
                    # Whoever hides their presence is asked again after the same time.
                    self._written[player, game_id] = now if is_due or not is_shown else now - age
                if is_due:
                    has_commands = True
                    queue_write(pipeline, player, game_ids)
                    for game_id in game_ids:
                        if ages[game_id] > HERE_SECONDS:
                            pipeline.publish(
                                appended_channel(game_id), f"{PEOPLE_CHANGED} {player}"
                            )
            if has_commands:
                await pipeline.execute()

    async def _read(self, due: Mapping[str, list[str]]) -> Iterator[Any]:
        """Return the replies for `read_replies`, of all players in turn."""
        pipeline: Any
        async with self._redis.pipeline(transaction=False) as pipeline:
            for player, game_ids in due.items():
                queue_read(pipeline, player, game_ids)
            return iter(await pipeline.execute())

"""The subscription to Redis that reports appends to games, chat messages, and players who come to a game.

A message only says that a game has new events; the events are read from the log. A lost message therefore
delays an event, but does not lose it: after an interruption, and at regular intervals, all games are
reported.
"""

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import redis.asyncio

from service.cluster import AsyncClusterClient
from service.store.redis_event_store import MESSAGE_POSTED, PEOPLE_CHANGED, appended_channel

log = logging.getLogger(__name__)

RECONNECT_SECONDS: Final = 0.5
POLL_SECONDS: Final = 10.0
"""Time between two reports of all games, whether or not messages have arrived."""
_MESSAGE_TIMEOUT: Final = 15.0
_PEOPLE: Final = f"{PEOPLE_CHANGED} ".encode()
_COLLISIONS: Final = (RuntimeError, AttributeError)
"""The errors of redis-py if two coroutines reconnect at the same time. `_poll` then makes the missing
subscriptions.
"""


@dataclass(eq=False, repr=False)
class AppendFeed:
    """Calls `_on_append` with the id of a game after an append to it, `_on_message` after a chat message in
    it, and `_on_people` after a player has come to it or is ready, as long as the game is in `_games`.

    `_games` are the games to follow, a collection of the caller: call `subscribe` after a game is
    added to it, and `unsubscribe` after one is removed. Belongs to one event loop.
    """

    _redis: redis.asyncio.Redis
    _games: Collection[str]
    _on_append: Callable[[str], None]
    _on_message: Callable[[str], None]
    _on_people: Callable[[str, str], None]
    """Is called with the id of the game and that of the player."""
    _on_reconnect: Callable[[], None] = lambda: None
    """Called when a lost connection has been replaced. It is also called when a master of a cluster to which
    there was no subscription has failed.
    """
    _has_connected: bool = field(init=False, default=False)
    _epoch: int | None = field(init=False, default=None)
    """The epoch of the cluster when it was last read."""
    _pubsub: Any = field(init=False, default=None)
    """The subscription; None while there is no connection."""
    _is_closed: bool = field(init=False, default=False)

    async def run(self) -> None:
        """Follow the games until `close` is called or the task is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen())
            tasks.create_task(self._poll())

    def close(self) -> None:
        """Stop soon. Cancelling the task is not enough: redis-py may swallow that while connecting."""
        self._is_closed = True

    async def subscribe(self, game: str) -> None:
        """Subscribe to a game. If there is no connection, the next one subscribes to it."""
        if self._pubsub is not None:
            with suppress(redis.RedisError, OSError, *_COLLISIONS):
                await self._pubsub.subscribe(appended_channel(game))

    async def unsubscribe(self, game: str) -> None:
        """End the subscription to a game, unless it has been added again in the meantime."""
        if game not in self._games and self._pubsub is not None:
            with suppress(redis.RedisError, OSError, *_COLLISIONS):
                await self._pubsub.unsubscribe(appended_channel(game))

    async def _listen(self) -> None:
        """Report messages, and every game when its subscription begins. Reconnects after an interruption."""
        while not self._is_closed:
            try:
                async with self._redis.pubsub() as pubsub:
                    try:
                        # A channel without messages, so that the subscription is never empty.
                        await pubsub.subscribe(appended_channel(""))
                        # From here on `subscribe` works; games that were added earlier are subscribed to now.
                        self._pubsub = pubsub
                        if self._has_connected:
                            self._on_reconnect()
                        self._has_connected = True
                        await self._notice_failover()
                        await self._subscribe_missing()
                        while not self._is_closed:
                            message = await pubsub.get_message(timeout=_MESSAGE_TIMEOUT)
                            if message is not None and message["type"] in ("message", "subscribe"):
                                self._receive(
                                    message["channel"].decode().removeprefix(appended_channel("")),
                                    message["data"],
                                )
                    finally:
                        # This comes before the connection is closed, because nobody may subscribe through it
                        # afterwards.
                        self._pubsub = None
            except (redis.RedisError, OSError) as error:
                log.warning("event streams wait for Redis: %s", type(error).__name__)
            except Exception:
                log.exception("event streams cannot follow Redis")
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _poll(self) -> None:
        while not self._is_closed:
            await asyncio.sleep(POLL_SECONDS)
            await self._notice_failover()
            for game in [*self._games]:
                self._report(game)
            await self._subscribe_missing()

    async def _notice_failover(self) -> None:
        """Call `on_reconnect` if a master of a cluster has been replaced since the last call."""
        client: object = self._redis
        if isinstance(client, AsyncClusterClient):
            with suppress(redis.RedisError, OSError):
                epoch = await client.epoch()
                if self._epoch is not None and epoch != self._epoch:
                    self._on_reconnect()
                self._epoch = epoch

    async def _subscribe_missing(self) -> None:
        if self._pubsub is not None:
            subscribed = self._pubsub.channels
            for game in [
                game for game in self._games if appended_channel(game).encode() not in subscribed
            ]:
                await self.subscribe(game)

    def _receive(self, game: str, data: object) -> None:
        if game not in self._games:
            return
        if data == MESSAGE_POSTED.encode():
            self._on_message(game)
        elif isinstance(data, bytes) and data.startswith(_PEOPLE):
            self._on_people(game, data.removeprefix(_PEOPLE).decode())
        else:
            self._on_append(game)

    def _report(self, game: str) -> None:
        if game in self._games:
            self._on_append(game)

"""Event streams: each event of a game is read once in a process, and sent to every stream of that game.

A stream uses no thread: it is a task with a short queue. A stream whose client reads too slowly is
closed, and may be resumed after the last event that arrived.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
import redis.asyncio

from domain.event import ENDINGS
from service.http.environ import StreamRequest
from service.http.metrics import Metrics
from service.server.append_feed import AppendFeed
from service.store.redis_event_store import AsyncLogReader

log = logging.getLogger(__name__)

MAX_STREAMS: Final = 20_000
MAX_QUEUED_EVENTS: Final = 256
"""Events that may wait for the client of a stream before it counts as too slow."""
HEARTBEAT_SECONDS: Final = 15.0
"""Time without events after which a comment is sent, so that no proxy closes the connection."""
RETRY_SECONDS: Final = 0.5
SHUTDOWN_TIMEOUT: Final = 1.0
REDIS_CONNECTIONS: Final = 8
"""Connections of a process; one of them is the subscription."""
REDIS_TIMEOUT: Final = 5.0
CONNECT_TIMEOUT: Final = 2.0
PAGE_SIZE: Final = 200

HEARTBEAT_FRAME: Final = b":\n\n"
END_FRAME: Final = b"event: end\ndata: {}\n\n"


@dataclass(frozen=True, slots=True)
class EventFrame:
    """An event as it is sent. `leaver` is the id of the player who left the game with this event, if any."""

    seq: int
    text: bytes
    ends_game: bool
    leaver: str | None


@dataclass(slots=True, eq=False)
class Listener:
    """One open stream. `task` is the task that sends it."""

    queue: "asyncio.Queue[EventFrame | None]" = field(
        default_factory=lambda: asyncio.Queue(MAX_QUEUED_EVENTS + 1)
    )
    task: "asyncio.Task[None] | None" = None

    def offer(self, frame: EventFrame) -> bool:
        """Queue an event. Returns False if the queue is full."""
        if self.queue.qsize() >= MAX_QUEUED_EVENTS:
            return False
        self.queue.put_nowait(frame)
        return True

    def close(self) -> None:
        """End the stream after the events in its queue."""
        with suppress(asyncio.QueueFull):
            self.queue.put_nowait(None)


@dataclass(slots=True, eq=False)
class Channel:
    """A game with at least one open stream. All events up to `seq` have been offered to the listeners."""

    game_id: str
    seq: int
    listeners: set[Listener] = field(default_factory=set)
    has_new_events: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None


class StreamHub:
    """All open streams of a process. Belongs to one event loop."""

    def __init__(self, redis_url: str, metrics: Metrics, max_streams: int = MAX_STREAMS) -> None:
        self._max_streams = max_streams
        # All streams share a few connections. If many streams begin at once, they wait for a connection.
        pool: Any = redis.asyncio.BlockingConnectionPool.from_url(
            redis_url,
            max_connections=REDIS_CONNECTIONS,
            timeout=REDIS_TIMEOUT,
            socket_connect_timeout=CONNECT_TIMEOUT,
            socket_timeout=REDIS_TIMEOUT,
        )
        self._redis: redis.asyncio.Redis = redis.asyncio.Redis.from_pool(pool)
        self._metrics = metrics
        self._channels: dict[str, Channel] = {}
        self._listeners: set[Listener] = set()
        self._log = AsyncLogReader(self._redis)
        self._feed = AppendFeed(self._redis, self._channels, self._wake)
        self._feed_task: asyncio.Task[None] | None = None
        self._unsubscribing: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._listeners)

    @property
    def is_full(self) -> bool:
        """Whether no further stream can be opened."""
        return self._is_closed or len(self._listeners) >= self._max_streams

    def start(self) -> None:
        """Begin to follow the games that have streams."""
        self._feed_task = asyncio.create_task(self._feed.run())

    async def close(self) -> None:
        """End all streams after their queued events, so that their clients can resume them elsewhere."""
        self._is_closed = True
        self._feed.close()
        senders = [listener.task for listener in self._listeners if listener.task is not None]
        for listener in self._listeners:
            listener.close()
        if senders:
            await asyncio.wait(senders, timeout=SHUTDOWN_TIMEOUT)
        tasks = [channel.task for channel in self._channels.values() if channel.task is not None]
        if self._feed_task is not None:
            tasks.append(self._feed_task)
        for task in tasks:
            task.cancel()
        if tasks:
            # With a timeout: see `AppendFeed.close`.
            await asyncio.wait(tasks, timeout=SHUTDOWN_TIMEOUT)
        await self._redis.aclose()

    async def frames(
        self, stream: StreamRequest, listener: Listener
    ) -> AsyncGenerator[bytes, None]:
        """Yield what to send, as it comes: events, and heartbeats in between.

        Ends with the game, or after `listener.close()`. Raises redis.RedisError if the log cannot be read at
        the beginning; later it waits for Redis.
        """
        listener.task = asyncio.current_task()
        self._listeners.add(listener)
        self._metrics.open_streams.inc()
        try:
            yield HEARTBEAT_FRAME
            channel = await self._join(stream.game_id, listener)
            # New events are in the queue from here on; earlier ones are read from the log.
            joined_seq = channel.seq
            last_sent = stream.after
            while last_sent < joined_seq:
                last = min(joined_seq, last_sent + PAGE_SIZE)
                page = await self._read(stream.game_id, last_sent, last)
                if not page:
                    break
                for frame in page:
                    if _evicts(stream, frame):
                        return
                    yield frame.text
                    last_sent = frame.seq
                    if frame.ends_game:
                        yield END_FRAME
                        return
            while True:
                try:
                    next_frame = await asyncio.wait_for(listener.queue.get(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield HEARTBEAT_FRAME
                    continue
                if next_frame is None or _evicts(stream, next_frame):
                    return
                if next_frame.seq <= last_sent:
                    # It was in a page, or the client has it already.
                    continue
                yield next_frame.text
                last_sent = next_frame.seq
                if next_frame.ends_game:
                    yield END_FRAME
                    return
        finally:
            self._listeners.discard(listener)
            self._metrics.open_streams.dec()
            # Looked up again: a task that was cancelled inside `_join` may have added its listener.
            current_channel = self._channels.get(stream.game_id)
            if current_channel is not None:
                self._leave(current_channel, listener)

    async def _join(self, game_id: str, listener: Listener) -> Channel:
        """Add a listener to the channel of a game, which is opened if necessary; return the channel."""
        channel = self._channels.get(game_id)
        if channel is None:
            head = await self._log.head(game_id)
            # Another listener may have opened it in the meantime.
            channel = self._channels.get(game_id)
            if channel is None:
                channel = self._channels[game_id] = Channel(game_id, head)
                channel.task = asyncio.create_task(self._follow(channel))
                channel.listeners.add(listener)
                await self._feed.subscribe(game_id)
        channel.listeners.add(listener)
        return channel

    def _leave(self, channel: Channel, listener: Listener) -> None:
        """Remove a listener from a channel, which is closed when it was the last."""
        channel.listeners.discard(listener)
        if not channel.listeners and self._channels.get(channel.game_id) is channel:
            del self._channels[channel.game_id]
            if channel.task is not None:
                channel.task.cancel()
            task = asyncio.create_task(self._feed.unsubscribe(channel.game_id))
            self._unsubscribing.add(task)
            task.add_done_callback(self._unsubscribing.discard)

    def _wake(self, game_id: str) -> None:
        self._channels[game_id].has_new_events.set()

    async def _follow(self, channel: Channel) -> None:
        """Offer the new events of a game to its listeners, whenever there may be some."""
        # Events may have been appended since `_join` read the head.
        channel.has_new_events.set()
        while True:
            await channel.has_new_events.wait()
            channel.has_new_events.clear()
            try:
                while page := await self._read(
                    channel.game_id, channel.seq, channel.seq + PAGE_SIZE
                ):
                    for frame in page:
                        self._offer(channel, frame)
                    channel.seq = page[-1].seq
            except (redis.RedisError, OSError):
                await asyncio.sleep(RETRY_SECONDS)
                channel.has_new_events.set()

    def _offer(self, channel: Channel, frame: EventFrame) -> None:
        for listener in [*channel.listeners]:
            if not listener.offer(frame):
                channel.listeners.discard(listener)
                self._metrics.dropped_streams.inc()
                if listener.task is not None:
                    # The task waits for its client, and would not read the end of the queue.
                    listener.task.cancel()

    async def _read(self, game_id: str, after: int, last: int) -> list[EventFrame]:
        """Return the events after seq `after` up to seq `last`."""
        return [_event_frame(line) for line in await self._log.read(game_id, after, last)]


def _evicts(stream: StreamRequest, frame: EventFrame) -> bool:
    """Return whether the viewer of the stream may not see the game any more from this event on."""
    return frame.leaver is not None and frame.leaver == stream.evict_on_leave


def _event_frame(line: bytes) -> EventFrame:
    event = orjson.loads(line)
    seq: int = event["seq"]
    leaver = event["data"]["player"] if event["type"] == "SeatLeft" else None
    # Canonical JSON contains no line breaks, so an event is one line of data.
    return EventFrame(seq, b"id: %d\ndata: %b\n\n" % (seq, line), event["type"] in ENDINGS, leaver)

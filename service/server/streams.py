"""Event streams: each event of a game is read once in a process, and sent to every stream of that game.

A stream uses no thread: it is a task with a short queue. A stream whose client reads too slowly is
closed, and may be resumed after the last event that arrived. Redis may lose events that were sent, in a
failover to a replica that was behind. The hashes of the next events reveal this: the stream sends a `reset`
and ends, so that its client begins again.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any, Final

import redis.asyncio
from cachetools import LRUCache

from domain.errors import Unreadable
from domain.event import ZEROS
from service.accounts.tokens import TOKEN_CACHE_TTL
from service.connection import connect_async
from service.http.access_log import Metrics
from service.http.event_streams import ReachedBound, StreamRequest
from service.server.append_feed import AppendFeed
from service.server.player_streams import RESET_FRAME, PlayerStream
from service.server.presence import PresenceWriter
from service.server.stream_listener import (
    BATCH_SIZE,
    END_FRAME,
    HEARTBEAT_FRAME,
    MESSAGE,
    PEOPLE,
    EventFrame,
    Listener,
    event_frame,
    notice_text,
    reset_frame,
)
from service.server.stream_tokens import TokenCheck
from service.store.async_log_reader import AsyncLogReader
from service.store.event_store import LogReader

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS: Final = 15.0
"""The time without events after which a comment is sent, so that proxies do not close the connection."""
RETRY_SECONDS: Final = 0.5
SHUTDOWN_TIMEOUT: Final = 1.0
REDIS_CONNECTIONS: Final = 8
"""The number of connections of a process; one of them is the subscription."""
REDIS_TIMEOUT: Final = 5.0
CONNECT_TIMEOUT: Final = 2.0
PAGE_SIZE: Final = 200
"""The number of events that are read at a time for all streams of a game."""
MAX_PAGES: Final = 256
"""The number of pages of BATCH_SIZE events that are kept for streams that begin."""
SLICE_SIZE: Final = 50
"""The number of streams that are served in one turn of the event loop."""
PAUSE_FACTOR: Final = 3
"""The pause after the streams of a game are served, as a multiple of the time that this took. A game with
many streams and many events thus leaves three quarters of the time to requests.
"""


@dataclass(slots=True, eq=False)
class Channel:
    """A game with at least one open stream. All events up to `seq` have been offered to the listeners.

    `hash` is that of event `seq`.
    """

    game_id: str
    seq: int
    hash: str
    listeners: set[Listener] = field(default_factory=set)
    has_new_events: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None


class StreamHub:
    """All open streams of a process. Belongs to one event loop, except for `refusal`."""

    def __init__(
        self,
        redis_url: str,
        metrics: Metrics,
        *,
        max_streams: int,
        max_streams_per_visitor: int,
        token_check_seconds: float = TOKEN_CACHE_TTL.total_seconds() / 2,
        on_reconnect: Callable[[], None] = lambda: None,
        archive: LogReader | None = None,
    ) -> None:
        """`on_reconnect` is called when a lost connection to Redis has been replaced.

        `archive` reads the logs of games that are in the archive.
        """
        self._max_streams = max_streams
        self._max_streams_per_visitor = max_streams_per_visitor
        # All streams share a few connections. If many streams begin at the same time, they wait for a
        # connection.
        self._redis = connect_async(
            redis_url,
            max_connections=REDIS_CONNECTIONS,
            seconds_to_connect=CONNECT_TIMEOUT,
            seconds_to_respond=REDIS_TIMEOUT,
        )
        self._metrics = metrics
        self._channels: dict[str, Channel] = {}
        self._listeners: set[Listener] = set()
        self._streams_by_visitor: Counter[str] = Counter()
        self._log = AsyncLogReader(self._redis, archive)
        self._pages: LRUCache[tuple[str, int], asyncio.Task[list[EventFrame]]] = LRUCache(MAX_PAGES)
        """Full pages of the games that have streams, by game and the seq before the first event.

        A page that is still being read may turn out not to be full, and is then not kept.
        """
        self._feed = AppendFeed(
            self._redis,
            self._channels,
            self._wake,
            self._offer_message,
            self._offer_people,
            on_reconnect,
        )
        self._presence = PresenceWriter(self._redis, self._listeners)
        self._token_check = TokenCheck(self._redis, self._listeners, token_check_seconds)
        self._tasks: list[asyncio.Task[None]] = []
        self._background: set[asyncio.Task[Any]] = set()
        """Tasks that read pages, or that end a channel; the event loop has only weak references to them."""
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._listeners)

    def refusal(self, visitor: str) -> ReachedBound | None:
        """Return the bound that forbids a visitor another stream; None if it may be opened. Thread-safe.

        A stream counts from its first frame, so requests that arrive at the same time may exceed a bound by
        the number of threads that handle requests.
        """
        if self._is_closed or len(self._listeners) >= self._max_streams:
            return "max_streams"
        if self._streams_by_visitor[visitor] >= self._max_streams_per_visitor:
            return "max_streams_per_visitor"
        return None

    def start(self) -> None:
        """Begin to follow the games that have streams, and to check the tokens of their players."""
        self._tasks = [
            asyncio.create_task(self._feed.run()),
            asyncio.create_task(self._token_check.run()),
            asyncio.create_task(self._presence.run()),
        ]

    async def close(self) -> None:
        """End all streams after their queued events, so that their clients can resume them elsewhere."""
        self._is_closed = True
        self._feed.close()
        senders = [listener.task for listener in self._listeners if listener.task is not None]
        for listener in self._listeners:
            listener.close()
        if senders:
            await asyncio.wait(senders, timeout=SHUTDOWN_TIMEOUT)
        tasks = {channel.task for channel in self._channels.values() if channel.task is not None}
        tasks |= {*self._tasks, *self._background}
        for task in tasks:
            task.cancel()
        if tasks:
            # With a timeout: see `AppendFeed.close`.
            await asyncio.wait(tasks, timeout=SHUTDOWN_TIMEOUT)
        await self._redis.aclose()

    async def frames(
        self, stream: StreamRequest, listener: Listener
    ) -> AsyncGenerator[bytes, None]:
        """Yield the bytes to send, as they become available: one or several events, and heartbeats in
        between.

        Ends with the game, after a reset, when the viewer may no longer see the game, or after
        `listener.close()`. Raises redis.RedisError if the log cannot be read at the beginning; later it waits
        for Redis.
        """
        listener.request = stream
        listener.task = asyncio.current_task()
        self._add(stream, listener)
        try:
            yield HEARTBEAT_FRAME
            if stream.positions is not None:
                if stream.must_reset:
                    yield RESET_FRAME
                    return
                player_stream = PlayerStream(self, self._redis, stream, listener)
                async with aclosing(player_stream.frames()) as player_frames:
                    async for frame in player_frames:
                        yield frame
                return
            if stream.must_reset:
                yield reset_frame(stream.game_id)
                return
            listener.last_hash = None if stream.after else ZEROS
            async with aclosing(self._events(stream, listener)) as batches:
                async for batch in batches:
                    if listener.is_ended:
                        break
                    if not batch:
                        yield HEARTBEAT_FRAME
                    # The events are sent together, so that a client that is far behind costs few writes.
                    elif text := b"".join(_texts(stream, listener, batch)):
                        yield text
            if listener.must_reset:
                yield reset_frame(stream.game_id)
        except Unreadable:
            log.exception("a stream of game %s ends", stream.game_id)
        finally:
            self._remove(stream, listener)

    async def _events(
        self, stream: StreamRequest, listener: Listener
    ) -> AsyncGenerator[list[EventFrame], None]:
        """Yield the events of a stream in batches; [] after HEARTBEAT_SECONDS without any."""
        # New events are in the queue from here on; earlier ones are read from the log.
        joined_seq = await self.join(stream.game_id, listener)
        self._keep(asyncio.create_task(self._presence.arrive(stream)))
        last_sent = stream.after
        while last_sent < joined_seq:
            page = await self._read_earlier(stream.game_id, last_sent, joined_seq)
            if not page:
                # The log has lost events, which `_follow` detects.
                self._wake(stream.game_id)
                break
            yield page
            last_sent = page[-1].seq
        if stream.is_page_outdated is not None and await asyncio.to_thread(stream.is_page_outdated):
            listener.offer(MESSAGE)
        while True:
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    queued = await listener.next_frames()
            except TimeoutError:
                yield []
                continue
            if not queued:
                return
            # The client has other events already, or they were in a page.
            batch = [frame for frame in queued if frame.seq > last_sent or notice_text(frame)]
            if batch:
                yield batch
                last_sent = max(last_sent, *(frame.seq for frame in batch))

    def _add(self, stream: StreamRequest, listener: Listener) -> None:
        self._listeners.add(listener)
        self._streams_by_visitor[stream.visitor] += 1
        self._metrics.open_streams.inc()

    def _remove(self, stream: StreamRequest, listener: Listener) -> None:
        self._listeners.discard(listener)
        self._streams_by_visitor[stream.visitor] -= 1
        if not self._streams_by_visitor[stream.visitor]:
            del self._streams_by_visitor[stream.visitor]
        self._metrics.open_streams.dec()
        # The channel is looked up again: a task that was cancelled inside `join` may have added its listener.
        for game_id in {stream.game_id, *listener.games}:
            self.leave(game_id, listener)

    async def join(self, game_id: str, listener: Listener) -> int:
        """See `Channels.join`. The channel of the game is opened if necessary."""
        listener.games.add(game_id)
        channel = self._channels.get(game_id)
        if channel is None:
            seq, hash = await self._head(game_id)
            # Another listener may have opened the channel in the meantime.
            channel = self._channels.get(game_id)
            if channel is None:
                channel = self._channels[game_id] = Channel(game_id, seq, hash)
                channel.task = asyncio.create_task(self._follow(channel))
                channel.listeners.add(listener)
                subscription = asyncio.create_task(self._feed.subscribe(game_id))
                self._keep(subscription)
                # All streams share the connection: a stream that ends must not interrupt the command.
                await asyncio.shield(subscription)
        channel.listeners.add(listener)
        return channel.seq

    def leave(self, game_id: str, listener: Listener) -> None:
        """See `Channels.leave`. The channel of the game is closed when its last listener leaves."""
        listener.games.discard(game_id)
        channel = self._channels.get(game_id)
        if channel is None:
            return
        channel.listeners.discard(listener)
        if not channel.listeners:
            del self._channels[game_id]
            self._drop_pages(game_id)
            tasks = [asyncio.create_task(self._feed.unsubscribe(game_id))]
            if channel.task is not None:
                channel.task.cancel()
                tasks.append(channel.task)
            for task in tasks:
                self._keep(task)

    def _wake(self, game_id: str) -> None:
        self._channels[game_id].has_new_events.set()

    def _offer_message(self, game_id: str) -> None:
        """Report a chat message to the streams of its readers, except those that are too far behind."""
        for listener in self._channels[game_id].listeners:
            if listener.request is not None and listener.request.has_messages:
                listener.offer(MESSAGE)

    def _offer_people(self, game_id: str, player: str) -> None:
        """Report to the other players of a game that one of them has come, or is ready."""
        for listener in self._channels[game_id].listeners:
            request = listener.request
            if request is not None and request.has_presence and request.player != player:
                listener.offer(PEOPLE)

    async def _follow(self, channel: Channel) -> None:
        """Offer the new events of a game to its listeners, whenever there may be some."""
        # Events may have been appended since `join` read the head.
        channel.has_new_events.set()
        while True:
            await channel.has_new_events.wait()
            channel.has_new_events.clear()
            try:
                while page := await self._read_next(channel):
                    start = perf_counter()
                    await self._offer(channel, page)
                    # Events that are appended in the meantime are sent together.
                    await asyncio.sleep(PAUSE_FACTOR * (perf_counter() - start))
            except (redis.RedisError, OSError):
                await asyncio.sleep(RETRY_SECONDS)
                channel.has_new_events.set()
            except Unreadable:
                log.exception("the streams of game %s end", channel.game_id)
                for listener in channel.listeners:
                    listener.end()
                return

    async def _read_next(self, channel: Channel) -> list[EventFrame]:
        """Return the next events of a channel. Resets its listeners if its last event is not in the log."""
        if channel.seq == 0:
            return await self.read(channel.game_id, 0, PAGE_SIZE)
        # The last event is read again, for its hash.
        page = await self.read(channel.game_id, channel.seq - 1, channel.seq + PAGE_SIZE)
        if page and page[0].hash == channel.hash:
            return page[1:]
        log.warning("game %s has lost event %d in a failover", channel.game_id, channel.seq)
        channel.seq, channel.hash = await self._head(channel.game_id)
        self._drop_pages(channel.game_id)
        for listener in channel.listeners:
            listener.reset()
        return []

    async def _offer(self, channel: Channel, page: Sequence[EventFrame]) -> None:
        """Offer the next events of a channel to its listeners, and give requests a turn after each slice."""
        # This comes first, so that a listener who joins between two slices reads these events from the log.
        channel.seq, channel.hash = page[-1].seq, page[-1].hash
        for number, listener in enumerate([*channel.listeners], start=1):
            if listener in channel.listeners and not all(map(listener.offer, page)):
                channel.listeners.discard(listener)
                self._metrics.dropped_streams.inc()
                if listener.task is not None:
                    # The task waits for its client, and would not read the end of the queue.
                    listener.task.cancel()
            if number % SLICE_SIZE == 0:
                await asyncio.sleep(0)

    async def _read_earlier(self, game_id: str, after: int, last: int) -> list[EventFrame]:
        """Return the next BATCH_SIZE events after seq `after`, or fewer up to seq `last`. Raises Unreadable.

        While a game has streams, its pages are kept, so that a thousand streams that begin at the same time
        read the log once. A page that another stream has begun to read may not end at `last`.
        """
        key = game_id, after
        reading = self._pages.get(key)
        if reading is None:
            reading = asyncio.create_task(self.read(game_id, after, min(last, after + BATCH_SIZE)))
            self._pages[key] = reading
            self._keep(reading)
            reading.add_done_callback(partial(self._forget_unless_full, key))
        # Other streams need the page even if this one ends.
        return await asyncio.shield(reading)

    def _forget_unless_full(
        self, key: tuple[str, int], reading: "asyncio.Task[list[EventFrame]]"
    ) -> None:
        is_full = (
            not reading.cancelled()
            and reading.exception() is None
            and len(reading.result()) == BATCH_SIZE
        )
        if not is_full and self._pages.get(key) is reading:
            del self._pages[key]

    def _keep(self, task: "asyncio.Task[Any]") -> None:
        """Keep a reference to a task until it ends."""
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _drop_pages(self, game_id: str) -> None:
        for key in [key for key in self._pages if key[0] == game_id]:
            del self._pages[key]

    async def read(self, game_id: str, after: int, last: int) -> list[EventFrame]:
        """See `Channels.read`."""
        return [event_frame(line) for line in await self._log.read(game_id, after, last)]

    async def _head(self, game_id: str) -> tuple[int, str]:
        """Return the seq and the hash of the last event; seq 0 if there is no game. Raises Unreadable."""
        line = await self._log.last_line(game_id)
        if line is None:
            return 0, ZEROS
        frame = event_frame(line)
        return frame.seq, frame.hash


def _texts(
    stream: StreamRequest, listener: Listener, batch: Iterable[EventFrame]
) -> Iterator[bytes]:
    """Yield the bytes to send for a batch. Ends the listener where the stream ends."""
    for frame in batch:
        if notice := notice_text(frame):
            yield notice
            continue
        if listener.last_hash is not None and frame.prev != listener.last_hash:
            listener.reset()
            return
        if _evicts(stream, frame):
            listener.end()
            return
        yield frame.text
        listener.last_hash = frame.hash
        if frame.ends_game:
            yield END_FRAME
            listener.end()


def _evicts(stream: StreamRequest, frame: EventFrame) -> bool:
    """Return whether the viewer of the stream loses access to the game with this event."""
    return (frame.leaver is not None and frame.leaver == stream.evict_on_leave) or (
        stream.evict_without_invitation is not None
        and stream.evict_without_invitation in (frame.uninvited, frame.excluded)
    )

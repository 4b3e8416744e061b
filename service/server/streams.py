"""Event streams: one subscription to Redis for a process, fanned out to all who listen.

Nothing here uses a thread: a stream costs a task and a short queue. Of each game that somebody listens to,
new events are read once and given to every listener. An event is read from the log, always: the
subscription only says that there is something to read, so a message that is lost delays at most (every game
listened to is looked at again now and then, and when Redis has been away). Who reads too slowly is dropped,
and comes back with the last id that arrived.
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
from service.http.metrics import Metrics
from service.store.redis_event_store import appended_channel, log_key

log = logging.getLogger(__name__)

HANDED_OVER: Final = "cartulary.stream"
"""Where a request says, in its environ, that its answer is a stream: a `StreamRequest`."""

FULL: Final = "cartulary.full"
"""Where the gateway says, in the same place, that no more streams are taken."""

MOST_STREAMS: Final = 20_000
CONNECTIONS: Final = 8
"""To Redis, for a process; one of them is the subscription."""
QUEUE: Final = 256
"""Events that may wait for a reader before it counts as too slow."""
HEARTBEAT: Final = 15.0
"""Seconds of silence after which a comment is sent, so that nobody between here and there hangs up."""
LOOK_AGAIN: Final = 10.0
"""Seconds after which every game listened to is looked at, message or no message."""
RETRY: Final = 0.5
PATIENCE_STOP: Final = 1.0
PAGE: Final = 200

BEATING: Final = b":\n\n"
OVER: Final = b"event: end\ndata: {}\n\n"


@dataclass(frozen=True, slots=True)
class StreamRequest:
    """A stream that somebody may have: events of a game after a seq.

    `leaver`: a player who may see this game only as long as they have their place in it.
    """

    game: str
    after: int
    leaver: str | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """An event as it goes over the wire, and what the stream must know of it."""

    seq: int
    text: bytes
    is_end: bool
    leaver: str | None


@dataclass(slots=True, eq=False)
class Listener:
    """One open stream."""

    queue: "asyncio.Queue[Frame | None]" = field(default_factory=lambda: asyncio.Queue(QUEUE + 1))
    task: "asyncio.Task[None] | None" = None

    def give(self, frame: Frame) -> bool:
        """Put an event in the queue; False when it is full."""
        if self.queue.qsize() >= QUEUE:
            return False
        self.queue.put_nowait(frame)
        return True

    def close(self) -> None:
        """Let the stream end when all that waits is sent."""
        with suppress(asyncio.QueueFull):
            self.queue.put_nowait(None)


@dataclass(slots=True, eq=False)
class Channel:
    """A game that somebody listens to. Everything up to `seq` has been given to its listeners."""

    game: str
    seq: int
    listeners: set[Listener] = field(default_factory=set)
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None


class StreamHub:
    """All open streams of a process. Belongs to one event loop."""

    def __init__(self, redis_url: str, figures: Metrics, most: int = MOST_STREAMS) -> None:
        self._most = most
        # A few connections for all streams: who wants one waits for it, however many begin at once.
        pool: Any = redis.asyncio.BlockingConnectionPool.from_url(
            redis_url,
            max_connections=CONNECTIONS,
            timeout=5.0,
            socket_connect_timeout=2.0,
            socket_timeout=5.0,
        )
        self._redis: redis.asyncio.Redis = redis.asyncio.Redis.from_pool(pool)
        self._figures = figures
        self._channels: dict[str, Channel] = {}
        self._listeners: set[Listener] = set()
        self._pubsub: Any = None
        self._goodbyes: set[asyncio.Task[None]] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._listeners)

    @property
    def is_full(self) -> bool:
        """Whether no more streams are taken."""
        return self._is_closed or len(self._listeners) >= self._most

    def start(self) -> None:
        """Begin to follow the logs."""
        self._tasks = [asyncio.create_task(self._subscribe()), asyncio.create_task(self._look())]

    async def close(self) -> None:
        """End all streams in good order. Who listened may come back elsewhere at once."""
        self._is_closed = True
        readers = [listener.task for listener in self._listeners if listener.task is not None]
        for listener in self._listeners:
            listener.close()
        if readers:
            await asyncio.wait(readers, timeout=PATIENCE_STOP)
        followers = [channel.task for channel in self._channels.values() if channel.task]
        tasks = [*self._tasks, *followers]
        for task in tasks:
            task.cancel()
        if tasks:
            # Not for ever: the client of Redis, while it connects, may swallow being cancelled.
            await asyncio.wait(tasks, timeout=PATIENCE_STOP)
        await self._redis.aclose()

    async def frames(
        self, wanted: StreamRequest, listener: Listener
    ) -> AsyncGenerator[bytes, None]:
        """What to send, as it comes: events, and comments in between. Ends when there will be no more.

        `listener.close()` ends it from elsewhere. Raises redis.RedisError when the log cannot be read
        at the beginning; later it waits.
        """
        listener.task = asyncio.current_task()
        self._listeners.add(listener)
        self._figures.streams.inc()
        try:
            yield BEATING
            channel = await self._join(wanted.game, listener)
            # From here on what comes is in the queue; what was before is read from the log.
            joined = channel.seq
            sent = wanted.after
            while sent < joined:
                page = await self._read(wanted.game, sent, min(joined, sent + PAGE))
                if not page:
                    break
                for frame in page:
                    if frame.leaver is not None and frame.leaver == wanted.leaver:
                        return
                    yield frame.text
                    sent = frame.seq
                    if frame.is_end:
                        yield OVER
                        return
            while True:
                try:
                    awaited = await asyncio.wait_for(listener.queue.get(), HEARTBEAT)
                except TimeoutError:
                    yield BEATING
                    continue
                if awaited is None or (
                    awaited.leaver is not None and awaited.leaver == wanted.leaver
                ):
                    return
                if awaited.seq <= sent:
                    # It came while the log was read, and was among what was read; or is known anyway.
                    continue
                yield awaited.text
                sent = awaited.seq
                if awaited.is_end:
                    yield OVER
                    return
        finally:
            self._listeners.discard(listener)
            self._figures.streams.dec()
            # Looked up anew: who gave up while joining may be in it too.
            left = self._channels.get(wanted.game)
            if left is not None:
                self._leave(left, listener)

    async def _join(self, game: str, listener: Listener) -> Channel:
        channel = self._channels.get(game)
        if channel is None:
            head = int(await self._redis.xlen(log_key(game)))
            # Somebody else may have opened it meanwhile.
            channel = self._channels.get(game)
            if channel is None:
                channel = self._channels[game] = Channel(game, head)
                channel.task = asyncio.create_task(self._follow(channel))
                channel.listeners.add(listener)
                await self._tell("subscribe", game)
        channel.listeners.add(listener)
        return channel

    def _leave(self, channel: Channel, listener: Listener) -> None:
        channel.listeners.discard(listener)
        if not channel.listeners and self._channels.get(channel.game) is channel:
            del self._channels[channel.game]
            if channel.task is not None:
                channel.task.cancel()
            goodbye = asyncio.create_task(self._unsubscribe(channel.game))
            self._goodbyes.add(goodbye)
            goodbye.add_done_callback(self._goodbyes.discard)

    async def _unsubscribe(self, game: str) -> None:
        # Somebody may listen to it again by now.
        if game not in self._channels:
            await self._tell("unsubscribe", game)

    async def _follow(self, channel: Channel) -> None:
        """Give what is new in a game's log to all who listen, whenever somebody says that there is."""
        # Something may have been appended between the look at the head and now.
        channel.woken.set()
        while True:
            await channel.woken.wait()
            channel.woken.clear()
            try:
                while page := await self._read(channel.game, channel.seq, channel.seq + PAGE):
                    for frame in page:
                        self._give(channel, frame)
                    channel.seq = page[-1].seq
            except (redis.RedisError, OSError):
                await asyncio.sleep(RETRY)
                channel.woken.set()

    def _give(self, channel: Channel, frame: Frame) -> None:
        for listener in [*channel.listeners]:
            if not listener.give(frame):
                channel.listeners.discard(listener)
                self._figures.dropped.inc()
                if listener.task is not None:
                    # It waits for its reader, perhaps for ever: the queue's end would not reach it.
                    listener.task.cancel()

    async def _read(self, game: str, after: int, upto: int) -> list[Frame]:
        # Its declared type has room for what other commands may say.
        entries: Any = await self._redis.xrange(log_key(game), f"{after + 1}-0", f"{upto}-0")
        return [_frame(fields[b"e"]) for _, fields in entries]

    async def _subscribe(self) -> None:
        """Listen to what is said of appends to the games that somebody listens to.

        A game is looked at when its subscription begins, and so all are after an interruption.
        """
        while not self._is_closed:
            try:
                async with self._redis.pubsub() as pubsub:
                    try:
                        # One that nobody speaks on, so that there is something to listen to at any time.
                        await pubsub.subscribe(appended_channel(""))
                        # From here on who comes subscribes by themselves; who came before is seen to now.
                        self._pubsub = pubsub
                        await self._subscribe_missing()
                        while not self._is_closed:
                            message = await pubsub.get_message(timeout=HEARTBEAT)
                            if message is not None and message["type"] in ("message", "subscribe"):
                                game = (
                                    message["channel"].decode().removeprefix(appended_channel(""))
                                )
                                if game in self._channels:
                                    self._channels[game].woken.set()
                    finally:
                        # Before it is closed: nobody may subscribe by it any more.
                        self._pubsub = None
            except (redis.RedisError, OSError) as error:
                log.warning("event streams wait for Redis: %s", type(error).__name__)
            except Exception:
                log.exception("event streams cannot follow Redis")
            await asyncio.sleep(RETRY)

    async def _tell(self, command: str, game: str) -> None:
        """Begin or end the subscription to a game. Without one yet, `_subscribe` will begin with it."""
        if command == "unsubscribe" and game in self._channels:
            return  # somebody came meanwhile
        if self._pubsub is not None:
            # Two that connect anew at once may come upon each other (RuntimeError). What was missed is made
            # good when all games are looked at.
            with suppress(redis.RedisError, OSError, RuntimeError):
                await getattr(self._pubsub, command)(appended_channel(game))

    async def _subscribe_missing(self) -> None:
        """Subscribe to every game listened to that the subscription has not, as when Redis was away."""
        if self._pubsub is not None:
            known = self._pubsub.channels
            missing = [
                game for game in self._channels if appended_channel(game).encode() not in known
            ]
            for game in missing:
                await self._tell("subscribe", game)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_AGAIN)
            self._wake_all()
            await self._subscribe_missing()

    def _wake_all(self) -> None:
        for channel in self._channels.values():
            channel.woken.set()


def _frame(line: bytes) -> Frame:
    event = orjson.loads(line)
    seq: int = event["seq"]
    left = event["data"]["player"] if event["type"] == "SeatLeft" else None
    # Canonical JSON has no line breaks, so an event is one line of data.
    return Frame(seq, b"id: %d\ndata: %b\n\n" % (seq, line), event["type"] in ENDINGS, left)

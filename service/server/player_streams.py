"""The stream over all games of a player: one connection instead of one for each game.

Its events are those of the streams of the games. The id of an event contains the seq of the last event that
the client has of each game, so a client that reconnects gets exactly the events that it has missed. The
listings are read at intervals to find games that the player has joined.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final, Protocol

import orjson
import redis.asyncio

from domain.event import ZEROS
from service.connection import to_text
from service.games.listings import current_listings, game_of_member
from service.http.event_streams import StreamRequest
from service.server.stream_listener import (
    BATCH_SIZE,
    HEARTBEAT_FRAME,
    EventFrame,
    Listener,
    notice_text,
)

LOOK_SECONDS: Final = 3.0
"""The time between two reads of the listings, for games that the player has joined."""
LOOKS_PER_HEARTBEAT: Final = 5
RESET_FRAME: Final = b"id: 0\nevent: reset\ndata: {}\n\n"


class Channels(Protocol):
    """The games that a process follows for its streams: `StreamHub`."""

    async def join(self, game_id: str, listener: Listener) -> int:
        """Add a listener to a game, and return the seq up to which it gets no new events."""

    def leave(self, game_id: str, listener: Listener) -> None:
        """Remove a listener from a game."""

    async def read(self, game_id: str, after: int, last: int) -> list[EventFrame]:
        """Return events after seq `after`, up to seq `last`. Raises Unreadable."""


class PlayerStream:
    """One stream over all games of a player. Belongs to one event loop."""

    def __init__(
        self,
        channels: Channels,
        client: redis.asyncio.Redis,
        request: StreamRequest,
        listener: Listener,
    ) -> None:
        self._channels = channels
        self._redis = client
        self._player = request.player or ""
        self._listener = listener
        self._positions: dict[str, int] = dict(request.positions or {})
        """The seq of the last event that the client has, by game."""
        self._hashes: dict[str, str] = {
            game_id: ZEROS for game_id, seq in self._positions.items() if seq == 0
        }
        """The hash of that event, by game, if it is known."""
        self._past_games: set[str] = set()
        """Games that have ended or were left, which the listings may still contain."""
        self._interruptions: set[tuple[str, int]] = set()
        """The games and seqs of the events with which the player left games and came back later."""

    async def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield the bytes to send, as they arise. Ends after a reset, or when the listener is closed."""
        yield self._position_frame()
        for game_id in list(self._positions):
            async for frame in self._begin(game_id):
                yield frame
        silent_looks, looked_at = 0, asyncio.get_running_loop().time()
        while not self._listener.is_ended:
            queued: list[EventFrame] | None = None
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    queued = await self._listener.next_frames()
            if queued is not None and not queued:
                break
            if queued and (text := b"".join(self._texts(queued))):
                silent_looks = 0
                yield text
            now = asyncio.get_running_loop().time()
            if now - looked_at >= LOOK_SECONDS and not self._listener.is_ended:
                looked_at = now
                silent_looks += 1
                async for frame in self._join_new_games():
                    silent_looks = 0
                    yield frame
                if silent_looks >= LOOKS_PER_HEARTBEAT:
                    silent_looks = 0
                    yield HEARTBEAT_FRAME
        if self._listener.must_reset:
            yield RESET_FRAME

    async def _begin(self, game_id: str) -> AsyncGenerator[bytes, None]:
        """Follow a game, and yield its events since the position of the client."""
        joined_seq = await self._channels.join(game_id, self._listener)
        while (after := self._positions.get(game_id, joined_seq)) < joined_seq:
            page = await self._channels.read(game_id, after, min(joined_seq, after + BATCH_SIZE))
            if not page:
                self._listener.reset()
                return
            for frame in page:
                if frame.leaver == self._player and await self._returns(frame, joined_seq):
                    self._interruptions.add((game_id, frame.seq))
            yield b"".join(self._texts(page))

    async def _returns(self, leaving: EventFrame, last: int) -> bool:
        """Return whether the player took a place again after leaving a game, up to event `last`."""
        after = leaving.seq
        while after < last:
            page = await self._channels.read(leaving.game_id, after, min(last, after + BATCH_SIZE))
            if not page:
                return False
            if any(frame.joiner == self._player for frame in page):
                return True
            after = page[-1].seq
        return False

    async def _join_new_games(self) -> AsyncGenerator[bytes, None]:
        """Follow the games that the player has joined since the last check, from their first event on."""
        current = await self._current_games()
        self._past_games.intersection_update(current)
        for game_id in current:
            if game_id not in self._positions and game_id not in self._past_games:
                self._positions[game_id], self._hashes[game_id] = 0, ZEROS
                async for frame in self._begin(game_id):
                    yield frame

    async def _current_games(self) -> list[str]:
        """Return the ids of the games that are open or in progress in which the player has a place.

        None are returned while Redis does not respond.
        """
        # `Any`: redis-py declares that each command of a pipeline must be awaited.
        pipeline: Any
        with suppress(redis.RedisError, OSError):
            async with self._redis.pipeline(transaction=False) as pipeline:
                for listing in current_listings(self._player):
                    pipeline.zrange(listing, 0, -1)
                replies = await pipeline.execute()
            return [game_of_member(to_text(member)) for reply in replies for member in reply]
        return []

    def _texts(self, frames: Iterable[EventFrame]) -> Iterable[bytes]:
        """Yield the bytes to send for events. Resets the listener if events do not continue the log."""
        for frame in frames:
            if notice := notice_text(frame):
                yield notice
                continue
            seq = self._positions.get(frame.game_id)
            # The client has it already, or the player has left the game.
            if seq is None or frame.seq <= seq:
                continue
            known_hash = self._hashes.get(frame.game_id)
            if known_hash is not None and frame.prev != known_hash:
                self._listener.reset()
                return
            has_left = (
                frame.leaver == self._player
                and (frame.game_id, frame.seq) not in self._interruptions
            )
            if has_left or frame.excluded == self._player:
                self._end(frame.game_id)
                continue
            self._positions[frame.game_id] = frame.seq
            self._hashes[frame.game_id] = frame.hash
            if frame.ends_game:
                self._end(frame.game_id)
            yield b"id: %b\ndata: %b\n\n" % (encode_positions(self._positions), frame.line)

    def _end(self, game_id: str) -> None:
        """Stop following a game that has ended, or that the player has left."""
        del self._positions[game_id]
        self._past_games.add(game_id)
        self._hashes.pop(game_id, None)
        self._channels.leave(game_id, self._listener)

    def _position_frame(self) -> bytes:
        """Return the first frame. A client that loses the connection before any event needs its id."""
        data = orjson.dumps({"games": self._positions})
        return b"id: %b\nevent: games\ndata: %b\n\n" % (encode_positions(self._positions), data)


def encode_positions(positions: Mapping[str, int]) -> bytes:
    """Return the id of an event: `GAME:SEQ GAME:SEQ`, `-` without any game."""
    return " ".join(f"{game}:{seq}" for game, seq in positions.items()).encode() or b"-"

"""One open event stream: the queue of the events that it sends next, and the frames of server-sent events."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from domain.administration import ADMINISTRATOR
from domain.errors import Unreadable
from domain.event import ENDINGS
from service.http.event_streams import StreamRequest
from service.store.log_check import decode_event

MAX_QUEUED_EVENTS: Final = 256
"""The most events that wait for the client of a stream before it counts as too slow."""
BATCH_SIZE: Final = 20
"""The number of events that a stream reads and sends at a time. They are kept until the client has them."""

_UNINVITED: Final = frozenset({"InvitationDeclined", "InvitationRevoked"})
HEARTBEAT_FRAME: Final = b":\n\n"
END_FRAME: Final = b"event: end\ndata: {}\n\n"


@dataclass(frozen=True, slots=True)
class EventFrame:
    """An event as it is sent.

    The last four fields are ids of players, None if the event is of another kind: `leaver` has left the
    game, the invitation of `uninvited` has ended, an administrator has moved the seat of `excluded`, and
    `joiner` has taken a place.
    """

    game_id: str
    seq: int
    prev: str
    hash: str
    line: bytes
    ends_game: bool
    leaver: str | None
    uninvited: str | None = None
    excluded: str | None = None
    joiner: str | None = None

    @property
    def text(self) -> bytes:
        """The frame of the event in the stream of its game."""
        # Canonical JSON contains no line breaks, so an event is one line of data.
        return b"id: %d\ndata: %b\n\n" % (self.seq, self.line)


def _notice() -> EventFrame:
    return EventFrame(game_id="", seq=0, prev="", hash="", line=b"", ends_game=False, leaver=None)


MESSAGE: Final = _notice()
"""Stands for a chat message among the events that wait for a stream. A stream only says that there is one."""
PEOPLE: Final = _notice()
"""Stands for a player who has come to the game or is ready. A stream only says that something has changed."""


def notice_text(frame: EventFrame) -> bytes | None:
    """Return what a stream sends for MESSAGE and PEOPLE; None for an event."""
    if frame is MESSAGE:
        return b"event: message-posted\ndata: {}\n\n"
    return b"event: people-changed\ndata: {}\n\n" if frame is PEOPLE else None


def event_frame(line: bytes) -> EventFrame:
    """Return the frame of the event in a line of a log. Raises Unreadable if the line is not an event."""
    try:
        event: Any = decode_event(line)
        is_move = event["type"] == "SubstituteSeated" and event["by"] == ADMINISTRATOR
        return EventFrame(
            game_id=event["game"],
            seq=event["seq"],
            prev=event["prev"],
            hash=event["hash"],
            line=line,
            ends_game=event["type"] in ENDINGS,
            leaver=event["data"]["player"] if event["type"] == "SeatLeft" else None,
            uninvited=event["data"]["player"] if event["type"] in _UNINVITED else None,
            excluded=event["data"]["replaces"] if is_move else None,
            joiner=event["data"]["player"] if event["type"] == "SeatTaken" else None,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Unreadable.with_message(
            "a line of the log is damaged: {reason}", reason=repr(error)
        ) from error


def reset_frame(game_id: str) -> bytes:
    """Return the frame that tells a client to begin again, because its events are not in the log.

    Its id makes an `EventSource` reconnect with `Last-Event-ID: 0`.
    """
    data = orjson.dumps({"game": game_id, "after": 0})
    return b"id: 0\nevent: reset\ndata: %b\n\n" % data


@dataclass(slots=True, eq=False)
class Listener:
    """One open stream. `request`, and the `task` that sends it, are set when it begins."""

    queue: "asyncio.Queue[EventFrame | None]" = field(
        default_factory=lambda: asyncio.Queue(MAX_QUEUED_EVENTS + 1)
    )
    request: StreamRequest | None = None
    games: set[str] = field(default_factory=set)
    """The games whose events are offered to the stream."""
    task: "asyncio.Task[None] | None" = None
    last_hash: str | None = None
    """The hash of the last event that the client has; None if it is not known."""
    is_ended: bool = False
    """Whether no further event may be sent, not even those in the queue."""
    must_reset: bool = False
    """Whether the stream ends because its client has events that are not in the log."""

    def offer(self, frame: EventFrame) -> bool:
        """Queue an event. Returns False if the queue is full."""
        if self.queue.qsize() >= MAX_QUEUED_EVENTS:
            return False
        self.queue.put_nowait(frame)
        return True

    async def next_frames(self) -> list[EventFrame]:
        """Wait for events in the queue; remove and return some of them, or [] when the stream is closed."""
        frames: list[EventFrame] = []
        frame = await self.queue.get()
        while frame is not None:
            frames.append(frame)
            if len(frames) == BATCH_SIZE or self.queue.empty():
                return frames
            frame = self.queue.get_nowait()
        if frames:
            # The next call returns [].
            self.close()
        return frames

    def close(self) -> None:
        """End the stream after the events in its queue."""
        with suppress(asyncio.QueueFull):
            self.queue.put_nowait(None)

    def end(self) -> None:
        """End the stream before the next event."""
        self.is_ended = True
        self.close()

    def reset(self) -> None:
        """End the stream before the next event, and make its client begin again."""
        self.must_reset = True
        self.end()

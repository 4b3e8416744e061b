"""An event stream from its first connection to its end, without I/O: its requests and received events."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, Final, Generic, TypeVar

import httpx
from httpx_sse import EventSource, ServerSentEvent, SSEError
from typing_extensions import override

from client.errors import InvalidResponse, StreamReset
from client.requests import PREFIX, segment
from client.results import Event, GamePositions, json_of, parse
from client.retries import BodyReader, Limits, Outcome, Response, failure, retry_pause

T = TypeVar("T")

_PAUSE_AFTER_CLOSE: Final = 0.2
"""Seconds to wait before resuming a stream that the server has closed normally."""
_PROBLEM_BYTES: Final = 1 << 16
"""The number of bytes that are read of a problem, if the server refuses the stream."""


class StreamProgress(Generic[T]):
    """The state of one stream: the last event received, and the attempts that failed since then."""

    path: str
    _last_id: str | None
    """The id with which the stream is resumed."""

    def __init__(self, limits: Limits) -> None:
        self._is_over = False
        self._limits = limits
        self._failures = 0
        self._unread_bytes = 0
        self._outcome: Outcome | None = None

    def is_over(self) -> bool:
        """Return whether the server has ended the stream for good."""
        return self._is_over

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the next request, with which the stream continues after the last event."""
        resumed = {} if self._last_id is None else {"Last-Event-ID": self._last_id}
        return {"Accept": "text/event-stream", "Cache-Control": "no-store", **resumed}

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Note how a connection ends. Raises InvalidResponse for a response that is not an event stream."""
        self._outcome = None
        try:
            yield
        except SSEError:
            raise InvalidResponse.with_message(
                "the server's response is not an event stream"
            ) from None
        except httpx.HTTPError as error:
            self._outcome = error

    def problem_reader(self) -> BodyReader:
        """Return a reader for the response of a server that refuses the stream."""
        return BodyReader(_PROBLEM_BYTES, self._limits.timeout)

    def refuse(self, response: Response) -> None:
        """Note the response of a server that refuses the stream."""
        self._outcome = response

    def receive(self, server_event: ServerSentEvent) -> T | None:
        """Return what a server-sent event of this stream contains; None if it is nothing for the caller.

        Raises StreamReset and InvalidResponse.
        """
        self._unread_bytes = 0
        self._failures = 0
        if server_event.event == "end":
            self._is_over = True
            return None
        if server_event.event == "reset":
            self._is_over = True
            raise StreamReset.with_message(
                "the server has lost events of this game that it had sent"
            )
        if not server_event.data:
            # The decoder reports the end of a comment like this, once there was an id.
            return None
        return self._read(server_event)

    def _read(self, server_event: ServerSentEvent) -> T:
        """Return what a server-sent event contains. Raises InvalidResponse."""
        raise NotImplementedError

    def pause(self) -> float:
        """Return the seconds to wait before the stream is resumed, after its connection has ended.

        Raises the error of the last attempt if too many have failed, or if the server refuses the stream.
        """
        outcome = self._outcome
        if self._is_over:
            return 0.0
        if isinstance(outcome, Response) and outcome.status == 204:
            self._is_over = True
            return 0.0
        if outcome is None:
            return _PAUSE_AFTER_CLOSE
        self._failures += 1
        seconds = retry_pause(outcome, self._failures, can_repeat=True)
        if (
            seconds is None
            or self._failures >= self._limits.attempts
            or seconds > self._limits.max_wait
        ):
            raise failure(outcome)
        return seconds

    def count(self, part: bytes) -> None:
        """Count bytes that came since the last event. Raises InvalidResponse if they are too many."""
        self._unread_bytes += len(part)
        if self._unread_bytes > self._limits.max_event_bytes + len(part):
            raise InvalidResponse.with_message("the server's response is too long")


class GameStream(StreamProgress[Event]):
    """The stream of a game."""

    def __init__(self, game: str, after: int, limits: Limits) -> None:
        super().__init__(limits)
        self.path = f"{PREFIX}/games/{segment(game)}/stream"
        self._last_id = str(after)
        self._last = after

    @override
    def _read(self, server_event: ServerSentEvent) -> Event:
        event = parse(Event, json_of(server_event.data.encode()))
        _check_order(event, self._last)
        self._last = event.seq
        self._last_id = str(event.seq)
        return event


class PlayerStream(StreamProgress[Event | GamePositions]):
    """The stream of all games of a player. The server alone knows what the ids mean."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self.path = f"{PREFIX}/me/stream"
        self._last_id = None
        self._last: dict[str, int] = {}

    @override
    def _read(self, server_event: ServerSentEvent) -> Event | GamePositions:
        value = json_of(server_event.data.encode())
        if server_event.event == "games":
            positions = parse(GamePositions, value)
            if self._last_id is None:
                self._last = dict(positions.games)
            self._last_id = server_event.id
            return positions
        event = parse(Event, value)
        _check_order(event, self._last.get(event.game, 0))
        self._last[event.game] = event.seq
        self._last_id = server_event.id
        return event


def _check_order(event: Event, last: int) -> None:
    """Raise InvalidResponse unless an event follows the last one of its game."""
    if event.seq != last + 1:
        raise InvalidResponse.with_message(
            "the stream continues with event {seq} after event {last}", seq=event.seq, last=last
        )


class BoundedBody(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a stream, which raises InvalidResponse when one event is too long."""

    def __init__(
        self, body: httpx.SyncByteStream | httpx.AsyncByteStream, progress: StreamProgress[Any]
    ) -> None:
        self._body = body
        self._progress = progress

    @override
    def __iter__(self) -> Iterator[bytes]:
        assert isinstance(self._body, httpx.SyncByteStream), "it belongs to a synchronous client"
        for part in self._body:
            self._progress.count(part)
            yield part

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        assert isinstance(self._body, httpx.AsyncByteStream), "it belongs to an asynchronous client"
        async for part in self._body:
            self._progress.count(part)
            yield part


def event_source(response: httpx.Response, progress: StreamProgress[Any]) -> EventSource:
    """Return the server-sent events of a response, whose body is bounded."""
    body = BoundedBody(response.stream, progress)
    return EventSource(httpx.Response(response.status_code, headers=response.headers, stream=body))

"""One connection of a client: reads requests, writes responses, and limits the time of each step.

A client has a limited time for the first byte, for the head and for the body of a request, and for reading
the response. Requests that arrive while one is being handled wait their turn.
"""

import asyncio
import socket
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from typing_extensions import override

from domain.messages import Message, message
from service.bounds import Bounds
from service.http.validation import MAX_BODY_BYTES
from service.server.client_address import TrustedProxies
from service.server.connections import ConnectionTable, State
from service.server.http_request import HttpRequest
from service.server.listener import RESET
from service.server.refusals import Reason, Refusals
from service.server.request_parser import Fault, RequestParser
from service.visitors import network_of

MAX_PIPELINED: Final = 8
"""The most requests that wait on one connection; together, their bodies may have the size of one body."""
MAX_DISCARDED_BYTES: Final = 512 * 1024
"""The most bytes that a client may send after its last request or a refusal."""
LINGER_SECONDS: Final = 2.0
"""The time for a client to read the last response, which a connection closed with unread data would lose."""
MIN_PROGRESS: Final = 16 * 1024
"""The bytes that a client must read to get more time for the rest."""
_TOO_MANY_CONNECTIONS: Final = Fault(503, message("the server has too many connections"))
_REASONS: Final[Mapping[int, Reason]] = {
    400: "malformed",
    408: "too_slow",
    413: "body_too_large",
    431: "headers_too_large",
    503: "queue_full",
}


class RequestHandler(Protocol):
    """Handles complete requests; implemented by the gateway."""

    def handle(self, request: HttpRequest, connection: "HttpConnection") -> None:
        """Begin to handle a request. The response is written to the connection, at any later time."""

    def refuse(self, connection: "HttpConnection", fault: Fault, accept_language: bytes) -> None:
        """Write a response to a request that cannot be read, and end it as the last one."""

    def on_disconnect(self, connection: "HttpConnection") -> None:
        """Stop handling the request of a connection that is closed, if there is one."""

    def on_half_close(self, connection: "HttpConnection") -> None:
        """Note that the client has closed its half of the connection, and may have disconnected."""

    def on_timeout(self, connection: "HttpConnection") -> None:
        """Respond to a request that takes too long to handle, and end the connection."""


class HttpConnection(asyncio.Protocol):
    """A connection with HTTP/1.1 or HTTP/1.0. Belongs to one event loop."""

    __slots__ = (
        "_bounds",
        "_discarded",
        "_drain_waiter",
        "_handler",
        "_is_half_closed",
        "_is_last",
        "_is_stream",
        "_is_write_paused",
        "_loop",
        "_parser",
        "_pipeline",
        "_proxies",
        "_refusals",
        "_state",
        "_table",
        "_transport",
        "_unsent_mark",
        "client",
        "deadline",
        "exchange",
        "network",
        "peer",
    )

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        handler: RequestHandler,
        table: ConnectionTable,
        refusals: Refusals,
        proxies: TrustedProxies,
        bounds: Bounds,
    ) -> None:
        self._loop = loop
        self._handler = handler
        self._table = table
        self._refusals = refusals
        self._proxies = proxies
        self._bounds = bounds
        self._is_stream = False
        self._parser: RequestParser | None = None
        """Created with the first byte, because a connection that sends nothing should use little memory."""
        self._transport: Any = None
        self._state = State.IDLE
        self.deadline = 0.0
        self.peer = ""
        self.network = ""
        self.client = ""
        self.exchange: object = None
        """Belongs to the handler: the request that it is handling."""
        self._pipeline: list[HttpRequest] = []
        self._is_last = False
        """Whether the connection closes after the response to the request that is being handled."""
        self._is_half_closed = False
        """Whether the client has closed its half of the connection, and sends no more."""
        self._is_write_paused = False
        self._unsent_mark = 0
        self._drain_waiter: asyncio.Future[None] | None = None
        self._discarded = 0

    # The transport calls these.

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a request, unless there are too many connections."""
        self._transport = transport
        # Writing is paused as soon as anything waits in memory.
        self._transport.set_write_buffer_limits(0)
        peer = transport.get_extra_info("peername")
        self.peer = self.client = peer[0] if peer else ""
        self.network = network_of(self.peer)
        self.deadline = self._loop.time() + self._bounds.header_seconds
        if not self._table.add(self):
            self._handler.refuse(self, _TOO_MANY_CONNECTIONS, accept_language=b"")

    @override
    def data_received(self, data: bytes) -> None:
        """Parse what the client has sent."""
        if self._ignores_data:
            self._discarded += len(data)
            if self._discarded > MAX_DISCARDED_BYTES:
                self.abort()
            return
        parser = self._parser
        if parser is None:
            parser = self._parser = RequestParser(
                self._bounds,
                self._client_of,
                self._on_head,
                self._on_request,
                lambda: self._table.begin_upload(self),
            )
        parser.feed(data)
        if self._state in (State.HANDLING, State.SENDING):
            # A fault is reported after the responses to the requests before it.
            return
        if parser.fault is not None:
            self._refuse(parser.fault)
        elif self._state is State.IDLE and parser.has_partial_request:
            self._wait_for_client()

    @override
    def eof_received(self) -> bool:
        """Close the connection, unless the client waits for a response; return whether it stays open.

        A client that has closed only its half still reads, and one that has disconnected looks the same until
        something is sent to it. A stream is ended, since it would take long to notice the difference.
        """
        if self._state not in (State.HANDLING, State.SENDING) or self._is_stream:
            return False
        self._is_half_closed = True
        self._handler.on_half_close(self)
        return True

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the request that is being handled."""
        self._state = State.CLOSED
        self.deadline = float("inf")
        self._table.remove(self)
        self._pipeline.clear()
        if self._parser is not None:
            self._parser.close()
        self._handler.on_disconnect(self)
        self._end_drain()

    @override
    def pause_writing(self) -> None:
        """Give the client a limited time to read the data that waits in memory."""
        self._is_write_paused = True
        self._unsent_mark = self._transport.get_write_buffer_size()
        self._set_deadline(self._bounds.send_seconds)

    @override
    def resume_writing(self) -> None:
        """Continue after the client has read everything."""
        self._is_write_paused = False
        match self._state:
            case State.HANDLING:
                self._give_time()
                self._end_drain()
            case State.SENDING:
                self._next_request()
            case _:
                # The client has read the `100 Continue`.
                self._set_deadline(self._bounds.body_seconds)

    # The parser calls these.

    def _client_of(self, headers: Sequence[tuple[bytes, bytes]]) -> tuple[str, str]:
        return self._proxies.client_of(self.peer, headers)

    def _on_head(self, *, expects_continue: bool) -> None:
        """Give the client time for the body."""
        if self._state in (State.IDLE, State.HEAD):
            self._state = State.BODY
            self._set_deadline(self._bounds.body_seconds)
            if expects_continue:
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _on_request(self, request: HttpRequest) -> Message | None:
        """Handle the request, or queue it behind the one that is being handled."""
        if self._state not in (State.HANDLING, State.SENDING):
            self._handle(request)
            return None
        size = sum(len(other.body) for other in self._pipeline) + len(request.body)
        if len(self._pipeline) >= MAX_PIPELINED or size > MAX_BODY_BYTES:
            return message("too many requests were sent without waiting for responses")
        self._pipeline.append(request)
        return None

    # The handler calls these.

    def write(self, data: bytes) -> None:
        """Send a part of a response. The caller must await `drain` before it sends more."""
        if self._state in (State.LINGERING, State.CLOSED) or self._transport.is_closing():
            return
        if self._is_write_paused:
            self._unsent_mark += len(data)
        else:
            self._give_time()
        self._transport.write(data)

    async def drain(self) -> None:
        """Wait until the client has read everything. Raises ConnectionError if it is gone."""
        if self._is_write_paused:
            self._drain_waiter = self._loop.create_future()
            await self._drain_waiter
        else:
            # A long response must not keep the event loop from other connections.
            await asyncio.sleep(0)
        if self._state is not State.HANDLING or self._transport.is_closing():
            raise ConnectionError("the client has disconnected")

    @property
    def is_stream(self) -> bool:
        """Whether the response may take any time, as long as the client reads it."""
        return self._is_stream

    def keep_open(self) -> None:
        """Let the response take any time, as long as the client reads it: it is a stream."""
        self._is_stream = True
        if not self._is_write_paused:
            self._give_time()

    def end_response(self, *, is_last: bool = False) -> None:
        """Begin the next request after a complete response, or close the connection if it `is_last`."""
        if self._state in (State.LINGERING, State.CLOSED):
            return
        self._is_last = self._is_last or is_last
        self._is_stream = False
        if self._is_write_paused:
            self._state = State.SENDING
        else:
            self._next_request()

    # The table calls these.

    def on_deadline(self) -> None:
        """See `Connection.on_deadline`."""
        if self._is_write_paused:
            unsent = self._transport.get_write_buffer_size()
            if unsent <= self._unsent_mark - MIN_PROGRESS:
                self._unsent_mark = unsent
                self._set_deadline(self._bounds.send_seconds)
            else:
                self._refusals.add("unsent_response", self.client)
                self.abort()
            return
        match self._state:
            case State.IDLE | State.LINGERING:
                # The kernel still sends the data that it has.
                self.evict()
            case State.HEAD | State.BODY:
                self._refuse(Fault(408, message("the request did not arrive in time")))
            case State.HANDLING:
                self._handler.on_timeout(self)
            case _:
                self.abort()

    def evict(self) -> None:
        """See `Connection.evict`."""
        if self._is_write_paused:
            self.abort()
        else:
            self._transport.close()

    def abort(self) -> None:
        """See `Connection.abort`."""
        if self._state is State.CLOSED:
            return
        # The client gets a reset: a normal end would complete a body of unknown length. The kernel discards
        # unsent data.
        self._transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, RESET
        )
        self._transport.abort()

    def unsent_bytes(self) -> int:
        """See `Connection.unsent_bytes`."""
        size: int = self._transport.get_write_buffer_size() if self._is_write_paused else 0
        return size

    @property
    def _ignores_data(self) -> bool:
        """Whether no further request is read: the last one has arrived, or one was malformed."""
        is_malformed = self._parser is not None and self._parser.fault is not None
        return self._is_last or is_malformed or self._state is State.CLOSED

    def _refuse(self, fault: Fault) -> None:
        """Refuse the request that is being read."""
        self._refusals.add(_REASONS[fault.status], self.client, fault.detail, fault.cause)
        accept_language = b"" if self._parser is None else self._parser.accept_language
        self._handler.refuse(self, fault, accept_language)

    def _handle(self, request: HttpRequest) -> None:
        self._state = State.HANDLING
        self._is_last = request.is_last
        self.client = request.address
        self._give_time()
        self._table.set_busy(self)
        self._handler.handle(request, self)

    def _next_request(self) -> None:
        self._table.end_upload(self)
        if self._is_last:
            self._linger()
        elif self._pipeline:
            # Deferred: a client with many requests must not keep the event loop from other connections.
            self._state = State.HANDLING
            self._give_time()
            self._loop.call_soon(self._handle_pipelined)
        elif self._parser is not None and self._parser.fault is not None:
            self._refuse(self._parser.fault)
        elif self._is_half_closed:
            self._linger()
        else:
            self._wait_for_client()
            self._table.set_waiting(self)

    def _linger(self) -> None:
        """Close the connection when the client has closed it, or has had time to read the last response."""
        self._state = State.LINGERING
        self._is_last = True
        self._set_deadline(LINGER_SECONDS)
        if self._is_half_closed:
            self._transport.close()
        elif self._transport.can_write_eof():
            self._transport.write_eof()
        self._table.set_waiting(self)

    def _wait_for_client(self) -> None:
        """Set the state and the deadline for the next part of a request, which may have arrived in part."""
        if self._parser is None or not self._parser.has_partial_request:
            self._state, seconds = State.IDLE, self._bounds.keep_alive_seconds
        elif self._parser.has_head:
            self._state, seconds = State.BODY, self._bounds.body_seconds
        else:
            self._state, seconds = State.HEAD, self._bounds.header_seconds
        self._set_deadline(seconds)

    def _handle_pipelined(self) -> None:
        if self._state is State.HANDLING and self._pipeline:
            self._handle(self._pipeline.pop(0))

    def _give_time(self) -> None:
        """Set the deadline for the handler to write the next part of the response."""
        self._set_deadline(float("inf") if self._is_stream else self._bounds.request_seconds)

    def _set_deadline(self, seconds: float) -> None:
        self.deadline = self._loop.time() + seconds

    def _end_drain(self) -> None:
        waiter, self._drain_waiter = self._drain_waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

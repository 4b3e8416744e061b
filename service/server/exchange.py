"""An exchange: a request with its response, which may be sent in parts."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeAlias

import redis

from service.accounts.tokens import TokenOwner
from service.http.event_streams import StreamRequest
from service.http.language import select_language
from service.server.http_connection import HttpConnection
from service.server.http_request import HttpRequest
from service.server.http_response import LAST_CHUNK, chunk, response_head
from service.server.request_queue import Job, RequestQueue
from service.server.stream_listener import Listener
from service.server.streams import StreamHub
from service.server.wsgi import AppResponse

log = logging.getLogger(__name__)

PartReader: TypeAlias = Callable[[], Awaitable[bytes | None]]
"""Returns the next part of a body, None after the last. Raises ConnectionError if the client is gone."""


@dataclass(slots=True, eq=False)
class Exchange:
    """A request and the state of its response. `is_open` is True while the client waits for the response."""

    request: HttpRequest
    connection: HttpConnection
    queue: RequestQueue
    visitor: tuple[str, bool]
    """The visitor on whose behalf the request is queued, and whether that is a player."""
    owner: TokenOwner | None = None
    """The owner of its token, if the visitor is a player."""
    job: Job | None = None
    """The job of a thread for the exchange."""
    part: "asyncio.Future[bytes | None] | None" = None
    """The part that the job produces, if it produces one."""
    is_open: bool = True
    has_started: bool = False
    """Whether a part of the response has been sent."""
    listener: Listener | None = None
    """The event stream that is the response, if it is one."""

    @property
    def language(self) -> str:
        """The language of the response, if it contains text."""
        locale = None if self.owner is None else self.owner.locale
        return select_language(locale, self.request.accept_language)

    @property
    def is_chunked(self) -> bool:
        """Whether a body of unknown length is sent in chunks; otherwise it ends with the connection."""
        return self.request.http_version != "1.0"

    @property
    def body_end(self) -> bytes:
        """The bytes after the last part of a body of unknown length."""
        return LAST_CHUNK if self.is_chunked else b""

    def send_head(self, status: int, headers: list[tuple[str, str]]) -> None:
        """Send the head of a response whose body has no known length."""
        own = [pair for pair in headers if pair[0].lower() != "content-length"]
        if self.is_chunked:
            own.append(("Transfer-Encoding", "chunked"))
        is_last = self.request.is_last or not self.is_chunked
        version = self.request.http_version
        self.has_started = True
        self.connection.write(response_head(status, own, http_version=version, is_last=is_last))

    async def send_part(self, part: bytes) -> None:
        """Send a part of the body, and wait until the client has read it. Raises ConnectionError."""
        self.connection.write(chunk(part) if self.is_chunked else part)
        await self.connection.drain()


async def send_stream(
    exchange: Exchange, hub: StreamHub, stream: StreamRequest, headers: list[tuple[str, str]]
) -> bool:
    """Send an event stream. Returns whether it was sent to its end; if not, the connection is aborted."""
    listener = exchange.listener = Listener()
    exchange.connection.keep_open()
    exchange.send_head(200, headers)
    try:
        async with aclosing(hub.frames(stream, listener)) as frames:
            async for frame in frames:
                await exchange.send_part(frame)
    except ConnectionError:
        log.debug("the client of a stream has disconnected")
    except redis.RedisError as error:
        log.warning("a stream could not begin: %s", type(error).__name__)
    except asyncio.CancelledError:
        log.info("the client of a stream was too slow")
    except Exception:
        log.exception("a stream has ended early")
    else:
        return True
    exchange.connection.abort()
    return False


async def send_parts(exchange: Exchange, response: AppResponse, next_part: PartReader) -> bool:
    """Send a body part by part, each when the client has read the one before it.

    Returns whether it was sent completely; if not, the connection is aborted, so that the client does not
    mistake a part of the body for the whole.
    """
    exchange.send_head(response.status, response.headers)
    try:
        while (part := await next_part()) is not None:
            if part:
                await exchange.send_part(part)
    except ConnectionError:
        log.debug("the client of a long response has disconnected")
    except Exception:
        log.exception("a response has ended early")
    else:
        return True
    finally:
        response.close()
    exchange.connection.abort()
    return False

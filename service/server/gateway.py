"""The gateway: passes requests from the web server (granian, over ASGI) to the Flask application.

Flask handles every request in a thread, including the requests for event streams. If it accepts one
of these, the event loop sends the stream, and the thread is free again. Granian's own WSGI server
would use a thread for every open stream; over its RSGI interface, data for a client that does not
read would pile up in memory unnoticed.
"""

import asyncio
import io
import logging
import sys
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any, Final, TypeAlias

import redis
from flask import Flask

from service.http.environ import REFUSED_STATUS, STREAM_REQUEST, STREAMS_ARE_FULL, StreamRequest
from service.http.json_body import MAX_BODY_BYTES
from service.server.streams import Listener, StreamHub

log = logging.getLogger(__name__)

BODY_TIMEOUT: Final = 30.0
"""Seconds within which the body of a request must arrive."""

Message: TypeAlias = dict[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Headers: TypeAlias = list[tuple[str, str]]


class ClientDisconnectedError(Exception):
    """The client closed the connection before its request was complete."""


class Gateway:
    """The ASGI application that the web server calls for every request."""

    def __init__(self, app: Flask, hub: StreamHub, threads: int) -> None:
        self._app = app
        self._hub = hub
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request."""
        request_headers: list[tuple[bytes, bytes]] = list(scope["headers"])
        try:
            body, refused_status = await _read_body(
                dict(request_headers), scope["http_version"], receive
            )
        except ClientDisconnectedError:
            return
        environ = _environ(scope, request_headers, body)
        if refused_status is not None:
            environ[REFUSED_STATUS] = refused_status
        if self._hub.is_full:
            environ[STREAMS_ARE_FULL] = True
        loop = asyncio.get_running_loop()
        status, headers, response = await loop.run_in_executor(
            self._threads, self._call_flask, environ
        )
        if refused_status is not None and scope["http_version"].startswith("1"):
            # The rest of the body is not read, so the connection cannot be used again.
            headers.append(("Connection", "close"))
        stream: StreamRequest | None = environ.get(STREAM_REQUEST)
        if stream is not None and status == 200 and scope["method"] == "GET":
            await self._send_stream(stream, headers, receive, send)
        else:
            await send(_response_start(status, headers))
            await send({"type": "http.response.body", "body": response})

    def close(self) -> None:
        """Wait until all requests under way have been handled."""
        self._threads.shutdown()

    def _call_flask(self, environ: dict[str, Any]) -> tuple[int, Headers, bytes]:
        """Return the status, the headers and the body of Flask's response."""
        starts: list[tuple[int, Headers]] = []

        def start_response(
            status: str, headers: Headers, error: object = None
        ) -> Callable[[bytes], object]:
            starts.append((int(status[:3]), headers))
            return _refuse_write

        parts: Iterable[bytes] = self._app.wsgi_app(environ, start_response)
        try:
            body = b"".join(parts)
        finally:
            close = getattr(parts, "close", None)
            if close is not None:
                close()
        status, headers = starts[-1]
        return status, headers, body

    async def _send_stream(
        self, stream: StreamRequest, headers: Headers, receive: Receive, send: Send
    ) -> None:
        without_length = [pair for pair in headers if pair[0].lower() != "content-length"]
        await send(_response_start(200, without_length))
        listener = Listener()
        disconnect = asyncio.create_task(_wait_for_disconnect(receive))
        disconnect.add_done_callback(lambda _: listener.close())
        try:
            async with aclosing(self._hub.frames(stream, listener)) as frames:
                async for frame in frames:
                    await send({"type": "http.response.body", "body": frame, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except RuntimeError:
            log.debug("the client of a stream has disconnected")
        except redis.RedisError as error:
            log.warning("a stream could not begin: %s", type(error).__name__)
        except asyncio.CancelledError:
            log.info("the client of a stream was too slow")
        finally:
            disconnect.cancel()


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _read_body(
    headers: dict[bytes, bytes], http_version: str, receive: Receive
) -> tuple[bytes, int | None]:
    """Return the body, or the status of its refusal: 413 if it is too large, 408 if it is too slow.

    Raises ClientDisconnectedError.
    """
    length = headers.get(b"content-length")
    # In HTTP/1, a request with a body has one of these headers; later versions do not require them.
    if length is None and b"transfer-encoding" not in headers and http_version.startswith("1"):
        return b"", None
    if length is not None and int(length) > MAX_BODY_BYTES:
        return b"", 413
    body = b""
    try:
        async with asyncio.timeout(BODY_TIMEOUT):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnectedError
                body += message.get("body", b"")
                if len(body) > MAX_BODY_BYTES:
                    return b"", 413
                if not message.get("more_body", False):
                    return body, None
    except TimeoutError:
        return b"", 408


def _environ(scope: Message, headers: list[tuple[bytes, bytes]], body: bytes) -> dict[str, Any]:
    """Return the request as a WSGI environ."""
    host, port = scope.get("server") or ("localhost", 80)
    client = scope.get("client") or ("", 0)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "REMOTE_ADDR": client[0],
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        if name == "content-type":
            environ["CONTENT_TYPE"] = value
        elif name not in ("content-length", "transfer-encoding") and "_" not in name:
            # The body is complete, however it was transferred. A name with an underscore is left out, since
            # it would be mistaken for the one with a hyphen.
            variable = "HTTP_" + name.upper().replace("-", "_")
            environ[variable] = f"{environ[variable]},{value}" if variable in environ else value
    return environ


def _response_start(status: int, headers: Headers) -> Message:
    return {
        "type": "http.response.start",
        "status": status,
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers
        ],
    }


def _refuse_write(data: bytes) -> object:
    raise NotImplementedError("the application returns its responses and does not write them")

"""The gateway: requests as the server (granian, over ASGI) gives them, for Flask in threads or as streams.

Everything goes through the Flask application, streams too: there is one place where a request is named,
counted, judged and noted down. A stream, once judged, is handed over to the event loop, so its thread is
free again while it stays open. Why not granian's own WSGI: it would hold a thread for every stream. Why
not its RSGI: what is sent there to a slow reader piles up in memory without anybody being told.
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

from service.http.app import ARRIVAL
from service.http.json_body import MOST_BYTES
from service.server.streams import FULL, HANDED_OVER, Listener, StreamHub, StreamRequest

log = logging.getLogger(__name__)

PATIENCE: Final = 30.0
"""Seconds that a body may take to arrive."""

Message: TypeAlias = dict[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Headers: TypeAlias = list[tuple[str, str]]


class GoneError(Exception):
    """The client hung up before its request was here."""


class Gateway:
    """The ASGI application that the server calls for every request."""

    def __init__(self, app: Flask, hub: StreamHub, threads: int) -> None:
        self._app = app
        self._hub = hub
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request."""
        headers: list[tuple[bytes, bytes]] = list(scope["headers"])
        try:
            body, status = await _arrived(dict(headers), scope["http_version"], receive)
        except GoneError:
            return
        environ = _environ(scope, headers, body)
        if status is not None:
            environ[ARRIVAL] = status
        if self._hub.is_full:
            environ[FULL] = True
        loop = asyncio.get_running_loop()
        code, told, answer = await loop.run_in_executor(self._threads, self._called, environ)
        if status is not None and scope["http_version"].startswith("1"):
            # The rest of the body is not read, so nothing can follow it on this connection.
            told.append(("Connection", "close"))
        wanted: StreamRequest | None = environ.get(HANDED_OVER)
        if wanted is not None and code == 200 and scope["method"] == "GET":
            await self._stream(wanted, told, receive, send)
        else:
            await send(_start(code, told))
            await send({"type": "http.response.body", "body": answer})

    def close(self) -> None:
        """Wait for the requests in the threads."""
        self._threads.shutdown()

    def _called(self, environ: dict[str, Any]) -> tuple[int, Headers, bytes]:
        """What Flask answers."""
        begun: list[tuple[int, Headers]] = []

        def start(status: str, headers: Headers, error: object = None) -> Callable[[bytes], object]:
            begun.append((int(status[:3]), headers))
            return _nobody_writes

        parts: Iterable[bytes] = self._app.wsgi_app(environ, start)
        try:
            body = b"".join(parts)
        finally:
            close = getattr(parts, "close", None)
            if close is not None:
                close()
        code, headers = begun[-1]
        return code, headers, body

    async def _stream(
        self, wanted: StreamRequest, told: Headers, receive: Receive, send: Send
    ) -> None:
        await send(_start(200, [pair for pair in told if pair[0].lower() != "content-length"]))
        listener = Listener()
        gone = asyncio.create_task(_gone(receive))
        gone.add_done_callback(lambda _: listener.close())
        try:
            async with aclosing(self._hub.frames(wanted, listener)) as frames:
                async for frame in frames:
                    await send({"type": "http.response.body", "body": frame, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except RuntimeError:
            log.debug("a stream's reader has gone")
        except redis.RedisError as error:
            log.warning("a stream could not begin: %s", type(error).__name__)
        except asyncio.CancelledError:
            log.info("a stream's reader was too slow")
        finally:
            gone.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _arrived(
    headers: dict[bytes, bytes], version: str, receive: Receive
) -> tuple[bytes, int | None]:
    """The body; or the status with which it is refused: too large, too slow. Raises GoneError."""
    length = headers.get(b"content-length")
    # In HTTP/1 one of the two says that there is a body; later versions need neither.
    if length is None and b"transfer-encoding" not in headers and version.startswith("1"):
        return b"", None
    if length is not None and int(length) > MOST_BYTES:
        return b"", 413
    body = b""
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise GoneError
                body += message.get("body", b"")
                if len(body) > MOST_BYTES:
                    return b"", 413
                if not message.get("more_body", False):
                    return body, None
    except TimeoutError:
        return b"", 408


def _environ(scope: Message, headers: list[tuple[bytes, bytes]], body: bytes) -> dict[str, Any]:
    """The request as WSGI has it."""
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
    for field, text in headers:
        name, value = field.decode("latin-1"), text.decode("latin-1")
        if name == "content-type":
            environ["CONTENT_TYPE"] = value
        elif name not in ("content-length", "transfer-encoding") and "_" not in name:
            # The body is whole here, however it came. A name with an underscore would be taken for the one
            # with a hyphen.
            known = "HTTP_" + name.upper().replace("-", "_")
            environ[known] = f"{environ[known]},{value}" if known in environ else value
    return environ


def _start(status: int, headers: Headers) -> Message:
    return {
        "type": "http.response.start",
        "status": status,
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers
        ],
    }


def _nobody_writes(data: bytes) -> object:
    raise NotImplementedError("answers are returned, not written")

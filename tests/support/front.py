"""The front of the web server in the process of the test, with a small application, and clients for it.

Some of the application's views wait for the test, so that it can assert what happens meanwhile.
"""

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from flask import Flask, Response, request

from domain.messages import Message
from service.accounts.tokens import TokenOwner
from service.bounds import Bounds
from service.http.access_log import Metrics
from service.server.client_address import TrustedProxies
from service.server.connections import SPARE_FILES, ConnectionTable
from service.server.gateway import Gateway
from service.server.http_connection import HttpConnection
from service.server.http_request import HttpRequest
from service.server.listener import Listener
from service.server.listening_sockets import open_sockets
from service.server.new_connections import NewConnections
from service.server.refusals import Refusals
from tests.support.processes import HANG_SECONDS

PAGE = b"p" * 50_000
BOUNDS = Bounds(
    header_seconds=HANG_SECONDS,
    keep_alive_seconds=HANG_SECONDS,
    body_seconds=HANG_SECONDS,
    send_seconds=HANG_SECONDS,
    max_wait_seconds=HANG_SECONDS,
    request_seconds=HANG_SECONDS,
)


class TestApp:
    """A Flask application whose views count their calls, and wait until the test releases them."""

    __test__ = False

    def __init__(self) -> None:
        self.flask = Flask("front")
        self.calls: list[str] = []
        self.release = threading.Event()
        self.large_bytes = 8_000_000
        for path, view in (
            ("/echo", self._echo),
            ("/wait/<name>", self._wait),
            ("/large", self._large),
            ("/pages", lambda: Response(self._pages())),
            ("/broken-pages", lambda: Response(self._pages(fails=True))),
            ("/endless-pages", lambda: Response(self._endless_pages())),
            ("/empty", lambda: Response(status=204)),
            ("/bad-header", lambda: Response(headers={"X-Name": "\u0111"})),
            ("/api/v1/tokens", lambda: self._wait("log-in")),
            ("/<name>/position.png", self._wait),
            ("/<name>/audit", self._wait),
        ):
            methods = ["GET", "POST"]
            self.flask.add_url_rule(path, path, view, methods=methods)

    def _echo(self) -> Response:
        fields = {
            "method": request.method,
            "query": request.query_string.decode(),
            "body": request.get_data(as_text=True),
            "address": request.remote_addr,
            "scheme": request.scheme,
        }
        return Response(json.dumps(fields), content_type="application/json")

    def _large(self) -> Response:
        self.calls.append("large")
        return Response(b"x" * self.large_bytes)

    def _wait(self, name: str) -> Response:
        self.calls.append(name)
        assert self.release.wait(HANG_SECONDS)
        return Response(name)

    def _pages(self, *, fails: bool = False) -> Iterator[bytes]:
        yield PAGE
        self.calls.append("second page")
        self.release.wait(HANG_SECONDS)
        if fails:
            raise RuntimeError("the second page cannot be read")
        yield PAGE

    def _endless_pages(self) -> Iterator[bytes]:
        try:
            while True:
                self.calls.append("page")
                yield PAGE
        finally:
            self.calls.append("closed")


class _Hub:
    """A stream hub that opens no streams."""

    def refusal(self, _: str) -> None:
        return None


class _Readiness:
    """A readiness whose checks wait for the test."""

    def __init__(self) -> None:
        self.checks = 0
        self.release = threading.Event()
        self.responds = True

    def check(self) -> None:
        self.checks += 1
        assert self.release.wait(HANG_SECONDS)

    def risks(self) -> list[Message]:
        return []

    def store_responds(self) -> bool:
        return self.responds


class Front:
    """A front on a free port, between `__enter__` and `__exit__`. Its event loop has a thread of its own."""

    def __init__(
        self, *, proxies: tuple[str, ...] = (), max_files: int = 5_000, **bounds: Any
    ) -> None:
        self.app = TestApp()
        self.readiness = _Readiness()
        self.metrics = Metrics()
        self.bounds = replace(BOUNDS, **bounds)
        self.port = 0
        self._proxies = TrustedProxies(proxies)
        self._max_files = max_files + SPARE_FILES
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._listener: Listener | None = None
        self._checks: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._run(self._start()).result(HANG_SECONDS)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.app.release.set()
        self.readiness.release.set()
        self._run(self._stop()).result(HANG_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(HANG_SECONDS)
        self._loop.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def begin_to_stop(self) -> None:
        """Close the connections as the web process does when it is told to stop."""
        in_loop(self, self.gateway.stop)
        in_loop(self, self.table.close)

    def refused(self, reason: str) -> int:
        """Return how many refusals with this reason the metrics have."""
        name = f'cartulary_refused_total{{reason="{reason}"}} '
        lines = self.metrics.render().decode().splitlines()
        return sum(int(float(line.removeprefix(name))) for line in lines if line.startswith(name))

    def write_refusals(self) -> None:
        """Log the refusals so far, as the web process does once a second."""

        async def write() -> None:
            self._refusals.write()

        self._run(write()).result(HANG_SECONDS)

    def tasks(self) -> int:
        """Return how many tasks of the front have not ended."""
        return len(self.gateway._tasks)

    async def _start(self) -> None:
        loop = asyncio.get_running_loop()
        self._refusals = Refusals(self.metrics)
        self.table = ConnectionTable(
            self.bounds, self._refusals, self._proxies.is_trusted, self._max_files
        )
        hub: Any = _Hub()
        readiness: Any = self.readiness
        self.gateway = Gateway(
            self.app.flask, hub, readiness, self._refusals, self.bounds, _owner_of
        )
        new_connections = NewConnections(self.bounds, self._refusals, self._proxies.is_trusted)
        self._listener = Listener(
            lambda: HttpConnection(
                loop, self.gateway, self.table, self._refusals, self._proxies, self.bounds
            ),
            new_connections.admit,
            open_sockets("127.0.0.1", 0),
        )
        self.port = self._listener.port
        self._checks = asyncio.create_task(self._check_bounds())

    async def _check_bounds(self) -> None:
        while True:
            await asyncio.sleep(0.02)
            await self.table.check_deadlines(self._loop.time)
            self.gateway.refuse_late_requests()

    async def _stop(self) -> None:
        assert self._listener is not None
        assert self._checks is not None
        self._listener.close()
        self.table.close()
        await self.table.wait_until_empty(0.1)
        self._checks.cancel()
        self.gateway.close(10)
        await asyncio.sleep(0)

    def _run(self, coroutine: Coroutine[Any, Any, None]) -> "Future[None]":
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)


def _owner_of(request: HttpRequest) -> TokenOwner | None:
    """Return the player of a token such as `player-1`, or `player-1-fr` with a locale."""
    token = request.bearer_token
    if token is None or not token.startswith("player"):
        return None
    return TokenOwner(token, locale="fr" if token.endswith("-fr") else None)


@dataclass(frozen=True)
class Reply:
    """A response of a front."""

    status: int
    headers: dict[str, str]
    body: bytes
    is_complete: bool = True

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class RawClient:
    """A connection that sends bytes as they are, from an address of the loopback network."""

    def __init__(
        self, port: int, address: str = "127.0.0.1", *, receive_bytes: int | None = None
    ) -> None:
        """`receive_bytes`: the size of the kernel's buffer, for a client that reads slowly."""
        self._socket = socket.socket()
        if receive_bytes is not None:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self._socket.settimeout(HANG_SECONDS)
        self._buffer = b""
        try:
            self._socket.bind((address, 0))
            self._socket.connect(("127.0.0.1", port))
        except OSError:
            self._socket.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    def reset(self) -> None:
        """Disconnect in a way that the server notices at once."""
        option = struct.pack("ii", 1, 0)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, option)
        self._socket.close()

    def half_close(self) -> None:
        """Send nothing any more, and go on reading."""
        self._socket.shutdown(socket.SHUT_WR)

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def get(self, path: str, **headers: str) -> None:
        """Send a GET request."""
        self.send(get(path, **headers))

    def reply(self, *, is_head: bool = False) -> Reply:
        """Read one response. It may end with the connection."""
        while b"\r\n\r\n" not in self._buffer:
            assert self._receive(), f"the connection was closed after {self._buffer!r}"
        head, self._buffer = self._buffer.split(b"\r\n\r\n", 1)
        status, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        code = int(status.split()[1])
        if is_head or code in (100, 204, 304):
            return Reply(code, headers, b"")
        if "content-length" in headers:
            return Reply(code, headers, *self._take(int(headers["content-length"])))
        if "transfer-encoding" in headers:
            return Reply(code, headers, *self._chunks())
        while self._receive():
            pass
        body, self._buffer = self._buffer, b""
        return Reply(code, headers, body)

    def replies(self) -> list[Reply]:
        """Read responses until the server closes the connection."""
        replies = []
        while self._buffer or self._receive():
            replies.append(self.reply())
        return replies

    def is_closed(self) -> bool:
        """Wait until the server closes the connection; return whether it sends nothing before that."""
        return not self._receive() and not self._buffer

    def send_until_reset(self, data: bytes) -> None:
        """Send data until the server resets the connection."""
        for _ in range(100):
            self.send(data)

    def read_until_reset(self) -> None:
        """Read until the server resets the connection; fails if it ends properly."""
        while True:
            assert self._socket.recv(1 << 20)

    def read(self, size: int) -> int:
        """Read at most so many bytes, and return how many there were; they are no part of a reply."""
        return len(self._socket.recv(size))

    def _receive(self) -> bool:
        try:
            data = self._socket.recv(1 << 20)
        except ConnectionError:
            return False
        self._buffer += data
        return bool(data)

    def _take(self, size: int) -> tuple[bytes, bool]:
        parts, missing = [self._buffer], size - len(self._buffer)
        while missing > 0:
            self._buffer = b""
            if not self._receive():
                return b"".join(parts), False
            parts.append(self._buffer)
            missing -= len(self._buffer)
        data = b"".join(parts)
        self._buffer = data[size:]
        return data[:size], True

    def _chunks(self) -> tuple[bytes, bool]:
        body = b""
        while True:
            while b"\r\n" not in self._buffer:
                if not self._receive():
                    return body, False
            size, self._buffer = self._buffer.split(b"\r\n", 1)
            data, is_complete = self._take(int(size, 16) + 2)
            body += data[:-2]
            if not is_complete or size == b"0":
                return body, is_complete


def get(path: str, **headers: str) -> bytes:
    """Return a GET request; underscores in the names of headers stand for hyphens."""
    lines = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items()]
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n{''.join(lines)}\r\n".encode()


def post(path: str, body: bytes, *headers: str) -> bytes:
    """Return a POST request."""
    lines = "".join(f"{header}\r\n" for header in headers)
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{lines}\r\n"
    return head.encode() + body


def in_loop(front: Front, function: Callable[[], Any]) -> Any:
    """Call a function in the event loop of a front, and return its result."""

    async def call() -> Any:
        return function()

    return asyncio.run_coroutine_threadsafe(call(), front._loop).result(HANG_SECONDS)

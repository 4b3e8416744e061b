"""A minimal HTTP client: sends prepared requests over many kept-alive connections and times each response.

It costs little compared with a server.
"""

import re
import selectors
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoadResult:
    """How long all requests took together, and how long each took, sorted; in seconds."""

    seconds: float
    latencies: tuple[float, ...]

    @property
    def rate(self) -> float:
        """Requests per second."""
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        """Return the latency in seconds that this share (0 to 1) of the requests did not exceed."""
        return self.latencies[min(len(self.latencies) - 1, int(share * len(self.latencies)))]


@dataclass(slots=True)
class _Connection:
    socket: socket.socket
    remaining: Iterator[bytes]
    sent_at: float
    received: bytes = b""


def request_bytes(method: str, path: str, body: bytes = b"", token: str = "") -> bytes:
    """Return a whole request; `token` is sent as a bearer token if it is given."""
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: bench\r\n{authorization}"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def send_requests(
    port: int, connections: Sequence[Sequence[bytes]], expected_status: int = 201
) -> LoadResult:
    """Send the requests of each connection, each after the response to the previous one.

    Raises RuntimeError for a response with another status, or if the server closes a connection.
    """
    selector = selectors.DefaultSelector()
    latencies: list[float] = []
    start = time.perf_counter()
    for requests in connections:
        sock = socket.create_connection(("127.0.0.1", port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        remaining = iter(requests)
        sock.sendall(next(remaining))
        connection = _Connection(sock, remaining, time.perf_counter())
        selector.register(sock, selectors.EVENT_READ, connection)
    while selector.get_map():
        for key, _ in selector.select():
            connection = key.data
            received = connection.socket.recv(262144)
            if not received:
                raise RuntimeError("the server closed a connection")
            connection.received += received
            if not _is_complete(connection.received):
                continue
            if not connection.received.startswith(b"HTTP/1.1 %d" % expected_status):
                raise RuntimeError(connection.received.decode())
            now = time.perf_counter()
            latencies.append(now - connection.sent_at)
            request = next(connection.remaining, None)
            if request is None:
                selector.unregister(connection.socket)
                connection.socket.close()
            else:
                connection.received, connection.sent_at = b"", now
                connection.socket.sendall(request)
    return LoadResult(time.perf_counter() - start, tuple(sorted(latencies)))


def _is_complete(response: bytes) -> bool:
    head, separator, body = response.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return bool(separator) and length is not None and len(body) >= int(length[1])

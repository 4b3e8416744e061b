"""A bare HTTP client: many connections kept alive, one prepared request after the other on each.

It costs little beside a server, and notes how long each answer took.
"""

import re
import selectors
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Load:
    """What a load came to: `seconds` in all, and for each request how many it took, sorted."""

    seconds: float
    latencies: tuple[float, ...]

    @property
    def rate(self) -> float:
        """Requests per second."""
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        """The latency that this share of requests stayed below, in seconds."""
        return self.latencies[min(len(self.latencies) - 1, int(share * len(self.latencies)))]


def packed(method: str, path: str, body: bytes = b"", token: str = "") -> bytes:
    """A whole request."""
    auth = f"Authorization: Bearer {token}\r\n" if token else ""
    head = f"{method} {path} HTTP/1.1\r\nHost: bench\r\n{auth}"
    return (
        f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        + body
    )


def converse(port: int, conversations: Sequence[Sequence[bytes]], expect: int = 201) -> Load:
    """Send each conversation's requests over a connection of its own, each after the answer before.

    Raises RuntimeError for an answer with another status than `expect`.
    """
    selector = selectors.DefaultSelector()
    latencies: list[float] = []
    start = time.perf_counter()
    for requests in conversations:
        link = socket.create_connection(("127.0.0.1", port))
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pending = iter(requests)
        link.sendall(next(pending))
        selector.register(link, selectors.EVENT_READ, [pending, bytearray(), time.perf_counter()])
    while selector.get_map():
        for key, _ in selector.select():
            link, state = key.fileobj, key.data
            assert isinstance(link, socket.socket)
            state[1] += link.recv(262144)
            answer = _whole(state[1])
            if answer is None:
                continue
            if not answer.startswith(b"HTTP/1.1 %d" % expect):
                raise RuntimeError(answer.decode())
            now = time.perf_counter()
            latencies.append(now - state[2])
            request = next(state[0], None)
            if request is None:
                selector.unregister(link)
                link.close()
            else:
                state[1], state[2] = bytearray(), now
                link.sendall(request)
    return Load(time.perf_counter() - start, tuple(sorted(latencies)))


def _whole(received: bytearray) -> bytes | None:
    """The answer, once all of it has arrived."""
    head, found, body = bytes(received).partition(b"\r\n\r\n")
    if not found:
        return None
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return bytes(received) if length and len(body) >= int(length[1]) else None

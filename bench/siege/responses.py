"""Reading HTTP/1.1 responses with little work, so that the clients cost less than the server."""

from dataclasses import dataclass
from typing import Final

HEAD_END: Final = b"\r\n\r\n"
LAST_CHUNK: Final = b"0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Head:
    """The status of a response and what its headers say about the body and the connection."""

    status: int
    length: int
    """Bytes of the body; 0 if it is sent in chunks."""
    is_chunked: bool
    closes: bool
    """Whether the server closes the connection after the response."""
    retry_after: float | None
    """Seconds, None without the header."""


def parse_head(head: bytes) -> Head:
    """Return the head of a response, given with its status line. Raises ValueError if it is not HTTP/1."""
    status_line, *lines = head.split(b"\r\n")
    version, status, *_ = status_line.split(b" ")
    if not version.startswith(b"HTTP/1."):
        raise ValueError(f"not an HTTP/1 response: {status_line[:60]!r}")
    headers = {}
    for line in lines:
        name, _, value = line.partition(b":")
        headers[name.lower()] = value.strip()
    retry_after = headers.get(b"retry-after")
    return Head(
        status=int(status),
        length=int(headers.get(b"content-length", b"0")),
        is_chunked=headers.get(b"transfer-encoding", b"").lower() == b"chunked",
        closes=headers.get(b"connection", b"").lower() == b"close",
        retry_after=None if retry_after is None else float(retry_after),
    )


class ResponseReader:
    """Counts the responses that arrive on one connection. Keeps no bodies."""

    def __init__(self) -> None:
        self._buffer = b""
        self._head: Head | None = None
        self._missing = 0

    def feed(self, data: bytes) -> list[int]:
        """Return the statuses of the responses that are complete with this data.

        Raises ValueError for data that is not HTTP/1.
        """
        self._buffer += data
        statuses = []
        while self._parse_head() and self._skip_body():
            assert self._head is not None
            if self._head.status >= 200:  # 100 Continue is not the response yet
                statuses.append(self._head.status)
            self._head = None
        return statuses

    @property
    def begun_status(self) -> int | None:
        """The status of a response that has begun and is not complete."""
        return None if self._head is None else self._head.status

    def _parse_head(self) -> bool:
        """Parse the head of the next response, unless its body is being read; return whether there is one."""
        if self._head is None:
            head, separator, rest = self._buffer.partition(HEAD_END)
            if not separator:
                return False
            self._head = parse_head(head)
            self._buffer, self._missing = rest, self._head.length
        return True

    def _skip_body(self) -> bool:
        """Drop what has arrived of the body; return whether that is all of it."""
        assert self._head is not None
        if self._head.is_chunked:
            # The bodies of this service are JSON, which does not contain this sequence.
            position = self._buffer.find(LAST_CHUNK)
            if position < 0:
                self._buffer = self._buffer[-len(LAST_CHUNK) + 1 :]
                return False
            self._buffer = self._buffer[position + len(LAST_CHUNK) :]
            return True
        skipped = min(self._missing, len(self._buffer))
        self._buffer = self._buffer[skipped:]
        self._missing -= skipped
        return self._missing == 0

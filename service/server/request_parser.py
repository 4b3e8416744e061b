"""Parses the requests of one connection with httptools, and bounds their size.

The parser stops at the first fault; what has been parsed before it stays valid.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import httptools

from service.bounds import Bounds
from service.http.json_body import MAX_BODY_BYTES
from service.server.http_request import HttpRequest

MAX_HEADERS: Final = 100
MAX_WIRE_BYTES: Final = 8 * MAX_BODY_BYTES
"""Bytes of a body as it is sent: a chunk of a single byte takes five bytes more."""
_MAX_LENGTH_DIGITS: Final = 9
_TOO_LARGE_HEAD: Final = (431, "the request has too many or too large headers")
_TOO_LARGE_BODY: Final = (413, f"a body may have at most {MAX_BODY_BYTES} bytes")


class HeadCallback(Protocol):
    """Is called when the head of a request is complete."""

    def __call__(self, *, expects_continue: bool) -> None:
        """`expects_continue`: the client waits for a sign before it sends the body."""


class RequestParser:
    """The parser of one connection."""

    def __init__(
        self,
        bounds: Bounds,
        client_of: Callable[[Sequence[tuple[bytes, bytes]]], tuple[str, str]],
        on_head: HeadCallback,
        on_request: Callable[[HttpRequest], None],
    ) -> None:
        """`client_of` returns the address and the scheme of the client from the headers of its request."""
        self._bounds = bounds
        self._client_of = client_of
        self._on_head = on_head
        self._on_request = on_request
        self._parser: Any = httptools.HttpRequestParser(self)
        self.fault: tuple[int, str] | None = None
        """The status and the detail with which the request under way must be refused."""
        self.has_partial_request = False
        self._is_upgrade = False
        self._begin_request()

    def feed(self, data: bytes) -> None:
        """Parse what the client has sent; calls `on_head` and `on_request`, or sets `fault`."""
        if self._is_upgrade or self.fault is not None:
            return
        self._wire_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # The request is answered without the upgrade; what follows it cannot be parsed.
            self._is_upgrade = True
        except httptools.HttpParserError as error:
            self.set_fault(400, f"the request is not valid HTTP/1.1: {error}")
        if not self.has_head:
            if self._wire_bytes > self._bounds.max_header_bytes:
                self.set_fault(*_TOO_LARGE_HEAD)
        elif self._wire_bytes > MAX_WIRE_BYTES:
            self.set_fault(*_TOO_LARGE_BODY)

    def set_fault(self, status: int, detail: str) -> None:
        """Refuse the request under way, unless it has a fault already."""
        if self.fault is None:
            self.fault = (status, detail)

    def close(self) -> None:
        """Release the parser, which refers to this object."""
        self._parser = None
        self._is_upgrade = True

    # httptools calls these.

    def on_message_begin(self) -> None:
        """Begin a request."""
        self.has_partial_request = True
        self._begin_request()

    def on_url(self, url: bytes) -> None:
        """Add a part of the URL."""
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header, or ignore a trailer of a chunked body."""
        if not self.has_head:
            self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """Check the size of the head, and the length that it declares for the body."""
        self.has_head = True
        self._wire_bytes = 0
        size = len(self._target) + sum(len(name) + len(value) + 4 for name, value in self._headers)
        if len(self._headers) > MAX_HEADERS or size > self._bounds.max_header_bytes:
            self.set_fault(*_TOO_LARGE_HEAD)
            return
        headers = dict(self._headers)
        length = headers.get(b"content-length", b"0")
        # httptools accepts digits only, but any number of them.
        if len(length) > _MAX_LENGTH_DIGITS or int(length) > MAX_BODY_BYTES:
            self.set_fault(*_TOO_LARGE_BODY)
        elif self.fault is None:
            expects_continue = headers.get(b"expect", b"").lower() == b"100-continue"
            self._on_head(expects_continue=expects_continue)

    def on_body(self, body: bytes) -> None:
        """Add a part of the body."""
        self._body_bytes += len(body)
        if self._body_bytes > MAX_BODY_BYTES:
            self.set_fault(*_TOO_LARGE_BODY)
        elif self.fault is None:
            self._body.append(body)

    def on_message_complete(self) -> None:
        """Report the request."""
        self.has_partial_request = False
        if self.fault is not None:
            return
        try:
            url = httptools.parse_url(self._target)
        except httptools.HttpParserInvalidURLError:
            self.set_fault(400, "the URL is malformed")
            return
        address, scheme = self._client_of(self._headers)
        self._on_request(
            HttpRequest(
                method=self._parser.get_method().decode("ascii"),
                raw_path=url.path or b"/",
                query=url.query or b"",
                http_version=self._parser.get_http_version(),
                headers=tuple(self._headers),
                body=b"".join(self._body),
                address=address,
                scheme=scheme,
                is_last=not self._parser.should_keep_alive() or self._parser.should_upgrade(),
            )
        )

    def _begin_request(self) -> None:
        self._target = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self.has_head = False
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._wire_bytes = 0

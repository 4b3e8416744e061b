"""Parses the requests of one connection with httptools, and bounds their size.

The parser stops at the first fault; the requests that it reported before the fault are valid.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn, Protocol

import httptools

from domain.messages import Message, message
from service.bounds import Bounds
from service.http.validation import BODY_TOO_LARGE, MAX_BODY_BYTES, MAX_FORM_BYTES, UPLOAD_PATHS
from service.imports.imports import too_large
from service.server.http_request import HttpRequest

MAX_HEADERS: Final = 100
"""The most headers of a request, or trailers of a chunked body."""
MAX_WIRE_BYTES: Final = 8 * MAX_BODY_BYTES
"""The most bytes of a body as it is sent: a chunk of a single byte takes five more bytes."""
_VERSIONS: Final = frozenset({"1.0", "1.1"})
_MAX_LENGTH_DIGITS: Final = 9
_HOST: Final = re.compile(
    rb"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]{0,5})?"
)
"""The value of `Host`, which may be empty (RFC 9112, section 3.2; RFC 3986, section 3.2.2). It has no comma,
with which proxies join two headers."""


class Fault(NamedTuple):
    """Why a request is refused: the status, the detail, and the report of the HTTP parser, for the log."""

    status: int
    detail: Message
    cause: str = ""


_TOO_LARGE_HEAD: Final = Fault(431, message("the request has too many or too large headers"))
_TOO_LONG_FRAMES: Final = Fault(
    413, message("the body comes in chunks that are too small, or have too long extensions")
)
_TOO_MANY_UPLOADS: Final = Fault(
    503, message("too many files are uploaded at the same time; try again in a moment")
)
_UPLOAD_PATHS: Final = frozenset(path.encode() for path in UPLOAD_PATHS)


class HeadCallback(Protocol):
    """Called when the head of a request is complete."""

    def __call__(self, *, expects_continue: bool) -> None:
        """`expects_continue` is True if the client waits for a `100 Continue` before it sends the body."""


class _FaultError(Exception):
    """Stops httptools in the middle of the data."""


class RequestParser:
    """The parser of one connection."""

    def __init__(
        self,
        bounds: Bounds,
        client_of: Callable[[Sequence[tuple[bytes, bytes]]], tuple[str, str]],
        on_head: HeadCallback,
        on_request: Callable[[HttpRequest], Message | None],
        can_upload: Callable[[], bool],
    ) -> None:
        """`client_of` returns the address and the scheme of the client from the headers of its request.

        `on_request` returns the reason why the request cannot be accepted, or None. `can_upload` is called
        before the first body of more than MAX_BODY_BYTES, and returns whether the connection may send one
        now.
        """
        self._bounds = bounds
        self._client_of = client_of
        self._on_head = on_head
        self._on_request = on_request
        self._can_upload = can_upload
        self._parser: Any = httptools.HttpRequestParser(self)
        self.fault: Fault | None = None
        """The fault for which the request under way must be refused."""
        self.has_partial_request = False
        self._is_upgrade = False
        self._is_upload = False
        self._reset()

    def feed(self, data: bytes) -> None:
        """Parse data from the client; this calls `on_head` and `on_request`, or sets `fault`."""
        if self.fault is not None:
            return
        self._wire_bytes += len(data)
        try:
            self._parse(data)
        except (_FaultError, httptools.HttpParserCallbackError):
            if self.fault is None:
                raise
        except httptools.HttpParserError as error:
            self.fault = Fault(400, message("the request is not valid HTTP/1.1"), str(error))
        if self.fault is not None:
            return
        if not self.has_head:
            if self._wire_bytes > self._bounds.max_header_bytes:
                self.fault = _TOO_LARGE_HEAD
        elif self._wire_bytes > MAX_WIRE_BYTES + self._max_body_bytes - MAX_BODY_BYTES:
            self.fault = _TOO_LONG_FRAMES

    def close(self) -> None:
        """Release the parser and the callbacks, which form a reference cycle with this object."""
        self._parser = None
        self._on_head = self._on_request = self._client_of = self._can_upload = _is_closed
        self._reset()

    @property
    def accept_language(self) -> bytes:
        """The header `Accept-Language` of the current request, if it has been read."""
        return next((value for name, value in self._headers if name == b"accept-language"), b"")

    # httptools calls these.

    def on_message_begin(self) -> None:
        """Begin a request."""
        self.has_partial_request = True

    def on_url(self, url: bytes) -> None:
        """Add a part of the URL."""
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header, or ignore a trailer of a chunked body."""
        self._header_count += 1
        if self._header_count > MAX_HEADERS:
            self._fail(_TOO_LARGE_HEAD)
        if not self.has_head:
            # httptools leaves the white space after the value.
            self._headers.append((name.lower(), value.strip(b" \t")))

    def on_headers_complete(self) -> None:
        """Check the head, and the length that it declares for the body."""
        self.has_head = True
        self._wire_bytes = self._header_count = 0
        size = len(self._target) + sum(len(name) + len(value) + 4 for name, value in self._headers)
        if size > self._bounds.max_header_bytes:
            self._fail(_TOO_LARGE_HEAD)
        version = self._parser.get_http_version()
        if version not in _VERSIONS:
            self._fail(Fault(400, message("the version of HTTP must be 1.1 or 1.0")))
        headers = dict(self._headers)
        hosts = self._values(b"host")
        if len(hosts) > 1 or (not hosts and version == "1.1"):
            self._fail(Fault(400, message("the request must have one header Host")))
        if not all(map(_HOST.fullmatch, hosts)):
            self._fail(Fault(400, message("the header Host is not a host with an optional port")))
        codings = self._values(b"transfer-encoding")
        if codings and (codings[0].lower() != b"chunked" or len(codings) > 1 or version == "1.0"):
            self._fail(Fault(400, message("the only transfer coding is chunked, with HTTP/1.1")))
        if codings and self._parser.should_upgrade():
            self._fail(
                Fault(400, message("a request with an upgrade must not have a chunked body"))
            )
        # httptools accepts digits only, but any number of them.
        length = headers.get(b"content-length", b"0")
        path = self._target.partition(b"?")[0]
        if self._parser.get_method() == b"POST" and path in _UPLOAD_PATHS:
            self._max_body_bytes = self._bounds.max_import_bytes + MAX_FORM_BYTES
        if len(length) > _MAX_LENGTH_DIGITS:
            self._fail(self._too_large_body())
        self._require_room(int(length))
        self._length = int(length)
        expectation = headers.get(b"expect", b"").lower()
        self._on_head(expects_continue=expectation == b"100-continue" and version == "1.1")

    def on_body(self, body: bytes) -> None:
        """Add a part of the body."""
        self._body_bytes += len(body)
        self._require_room(self._body_bytes)
        self._body += body

    def on_message_complete(self) -> None:
        """Report the request. The body of a request with an upgrade has not been read yet."""
        if not (self._parser.should_upgrade() and self._length):
            self._report()

    def _parse(self, data: bytes) -> None:
        """Parse the data. An upgrade is ignored; the request with the upgrade is the last one."""
        if not self._is_upgrade:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                self._is_upgrade = True
                data = data[upgrade.args[0] :]
        # httptools does not read the body of such a request.
        if self._is_upgrade and self.has_partial_request:
            self.on_body(data[: self._length - self._body_bytes])
            if self._body_bytes == self._length:
                self._report()

    def _report(self) -> None:
        self.has_partial_request = False
        try:
            url = httptools.parse_url(self._target)
        except httptools.HttpParserInvalidURLError:
            self._fail(Fault(400, message("the URL is malformed")))
        if b"#" in self._target:
            self._fail(Fault(400, message("the URL must not have a fragment")))
        if url.host is not None:
            self._replace_host(url)
        address, scheme = self._client_of(self._headers)
        request = HttpRequest(
            method=self._parser.get_method().decode("ascii"),
            raw_path=url.path or b"/",
            query=url.query or b"",
            http_version=self._parser.get_http_version(),
            headers=tuple(self._headers),
            body=bytes(self._body),
            address=address,
            scheme=scheme,
            is_last=not self._parser.should_keep_alive() or self._parser.should_upgrade(),
        )
        # An open connection must not keep the body in memory.
        self._reset()
        problem = self._on_request(request)
        if problem is not None:
            self._headers.extend(request.headers)  # for `accept_language`
            self._fail(Fault(400, problem))

    def _replace_host(self, url: Any) -> None:
        """Replace the header `Host` by the host of an absolute URL (RFC 9112, section 3.2.2)."""
        host = b"[%b]" % url.host if b":" in url.host else url.host
        host = host if url.port is None else b"%b:%d" % (host, url.port)
        if url.userinfo is not None or not _HOST.fullmatch(host):
            self._fail(Fault(400, message("the URL is malformed")))
        others = [pair for pair in self._headers if pair[0] != b"host"]
        self._headers[:] = [*others, (b"host", host)]

    def _require_room(self, size: int) -> None:
        """Refuse a body of this size if it is too large, or if there are too many large ones."""
        if size > self._max_body_bytes:
            self._fail(self._too_large_body())
        if size > MAX_BODY_BYTES and not self._is_upload:
            self._is_upload = self._can_upload()
            if not self._is_upload:
                self._fail(_TOO_MANY_UPLOADS)

    def _too_large_body(self) -> Fault:
        """Return the fault of a body that is too large, with the bound for the request under way."""
        if self._max_body_bytes > MAX_BODY_BYTES:
            return Fault(413, too_large(self._bounds))
        return Fault(413, BODY_TOO_LARGE)

    def _values(self, name: bytes) -> list[bytes]:
        """Return the values of all headers with this name."""
        return [value for other, value in self._headers if other == name]

    def _fail(self, fault: Fault) -> NoReturn:
        """Refuse the request under way, and stop parsing."""
        self.fault = fault
        raise _FaultError

    def _reset(self) -> None:
        self._target = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._header_count = 0
        self.has_head = False
        self._length = 0
        self._body = bytearray()
        self._body_bytes = 0
        self._max_body_bytes = MAX_BODY_BYTES
        self._is_upload = False
        self._wire_bytes = 0


def _is_closed(*_: Any, **__: Any) -> Any:
    """Stands for the callbacks of a parser that is closed."""
    raise RuntimeError("the parser is closed")

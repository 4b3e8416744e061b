"""The parser accepts requests of HTTP/1.1 and 1.0, and refuses all others with 400, 413 or 431."""

from typing import Any

import pytest

from domain.messages import Message, message
from service.bounds import Bounds
from service.http.validation import MAX_BODY_BYTES, MAX_FORM_BYTES
from service.server.http_request import HttpRequest, has_normal_path
from service.server.request_parser import MAX_HEADERS, MAX_WIRE_BYTES, RequestParser

HOST = b"Host: x\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


class Parsed:
    """A parser, and what it has reported."""

    def __init__(self, *data: bytes, **bounds: Any) -> None:
        self.heads: list[bool] = []
        self.uploads = 0
        self.requests: list[HttpRequest] = []
        self.parser = RequestParser(
            Bounds(**bounds),
            lambda _: ("192.0.2.1", "http"),
            self._add_head,
            self._add,
            self._begin_upload,
        )
        for part in data:
            self.parser.feed(part)

    def _begin_upload(self) -> bool:
        self.uploads += 1
        return self.uploads <= 2

    @property
    def status(self) -> int | None:
        """The status with which the request under way is refused."""
        return None if self.parser.fault is None else self.parser.fault.status

    def _add_head(self, *, expects_continue: bool) -> None:
        self.heads.append(expects_continue)

    def _add(self, request: HttpRequest) -> Message | None:
        self.requests.append(request)
        return None if len(self.requests) < 5 else message("too many")


def head(*lines: bytes, start: bytes = b"POST / HTTP/1.1") -> bytes:
    return b"\r\n".join([start, b"Host: x", *lines, b"", b""])


MALFORMED = {
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a TLS handshake": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "HTTP/0.9": b"GET /\r\n\r\n",
    "HTTP/2.0": head(start=b"GET / HTTP/2.0"),
    "HTTP/1.2": head(start=b"GET / HTTP/1.2"),
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
    **{
        f"the host {host!r}": b"GET / HTTP/1.1\r\nHost: %b\r\n\r\n" % host
        for host in (
            *(b"x y", b"x\ty", b"x,y", b"x/y", b"u@x", b"x?", b"x#", b"x\\", b'"x"', b"<x>"),
            *(
                b"x:port",
                b"x:-1",
                b"x:123456",
                b"x:1:2",
                b"::1",
                b"[::1",
                b"[x]",
                b"%zz",
                b"\xc3\xa9",
            ),
        )
    },
    "a host with a user in the URL": head(start=b"GET http://u@y/ HTTP/1.1"),
    "a host with a space in the URL": head(start=b"GET http://x y/ HTTP/1.1"),
    "CONNECT": head(start=b"CONNECT x:443 HTTP/1.1"),
    "a fragment": head(start=b"GET /metrics#x HTTP/1.1"),
    "a path that is not absolute": head(start=b"GET metrics HTTP/1.1"),
    "a folded header": head(b"A: b\r\n c"),
    "a space before the colon": head(b"A : b"),
    "an empty name": head(b": b"),
    "a control character": head(b"A: \x01"),
    "a bare line feed": b"GET / HTTP/1.1\nHost: x\n\n",
    "a bare carriage return": head(b"A: b\rC: d"),
    "a negative length": head(b"Content-Length: -1"),
    "a length with a sign": head(b"Content-Length: +1"),
    "no length": head(b"Content-Length:"),
    "a list of lengths": head(b"Content-Length: 4, 4"),
    "two lengths": head(b"Content-Length: 4", b"Content-Length: 5"),
    "the same length twice": head(b"Content-Length: 4", b"Content-Length: 4"),
    "a length of 5,000 digits": head(b"Content-Length: " + b"9" * 5000),
    "a length and chunks": head(b"Content-Length: 4", b"Transfer-Encoding: chunked"),
    "chunks and a length": head(b"Transfer-Encoding: chunked", b"Content-Length: 4"),
    "an unknown coding": head(b"Transfer-Encoding: gzip, chunked"),
    "an unknown coding in a header of its own": head(
        b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked"
    ),
    "a coding after chunks": head(b"Transfer-Encoding: chunked, gzip"),
    "a coding twice": head(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"),
    "no coding": head(b"Transfer-Encoding: identity"),
    "chunks with HTTP/1.0": head(b"Transfer-Encoding: chunked", start=b"POST / HTTP/1.0"),
    "chunks with an upgrade": head(
        b"Connection: Upgrade", b"Upgrade: h2c", b"Transfer-Encoding: chunked"
    ),
    "a chunk size that is no number": CHUNKED + b"zz\r\n",
    "a negative chunk size": CHUNKED + b"-1\r\n",
    "a chunk size that overflows": CHUNKED + b"f" * 20 + b"\r\n",
    "a chunk that is longer than its size": CHUNKED + b"3\r\nabcd\r\n0\r\n\r\n",
    "a chunk size that ends with a line feed": CHUNKED + b"3\nabc\n0\n\n",
    "a length among the trailers": CHUNKED + b"0\r\nContent-Length: 4\r\n\r\n",
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_request_is_refused_however_it_is_divided(case: str) -> None:
    data = MALFORMED[case]
    for parts in ([data], [data[place : place + 1] for place in range(len(data))]):
        parsed = Parsed(*parts)
        assert (parsed.status, parsed.requests) == (400, [])


TOO_LARGE = {
    "a length that is too large": (413, head(b"Content-Length: %d" % (MAX_BODY_BYTES + 1))),
    "a length with 5,000 digits": (413, head(b"Content-Length: " + b"0" * 5000 + b"4")),
    "too many chunks": (413, CHUNKED + (b"8000\r\n" + b"x" * 0x8000 + b"\r\n") * 3),
    "long chunk extensions": (413, CHUNKED + b"1;" + b"x" * 2 * MAX_WIRE_BYTES),
    "a long URL": (431, head(start=b"GET /" + b"x" * 17_000 + b" HTTP/1.1")),
    "a long header": (431, head(b"A: " + b"b" * 17_000)),
    "4,000 headers": (431, head(*[b"A: b"] * 4_000)),
    "a header too many": (431, head(*[b"A: b"] * MAX_HEADERS)),
    "headers that never end": (431, b"GET / HTTP/1.1\r\nA: " + b"b" * 17_000),
    "a name that never ends": (431, b"GET / HTTP/1.1\r\n" + b"b" * 17_000),
    "empty lines": (431, b"\r\n" * 9_000),
    "many trailers": (431, CHUNKED + b"0\r\n" + b"a: b\r\n" * (MAX_HEADERS + 2)),
}


@pytest.mark.parametrize("case", TOO_LARGE)
def test_a_request_that_is_too_large_is_refused(case: str) -> None:
    status, data = TOO_LARGE[case]
    # The event loop reads at most 256 KiB at once.
    for size in (1_000, 256 * 1024):
        parsed = Parsed(*(data[place : place + size] for place in range(0, len(data), size)))
        assert (parsed.status, parsed.requests) == (status, [])


ACCEPTED = {
    "the absolute form": (head(start=b"GET http://y/echo?q=1 HTTP/1.1"), "GET", b"/echo", b""),
    "the absolute form without a path": (head(start=b"GET http://y HTTP/1.1"), "GET", b"/", b""),
    "the asterisk form": (head(start=b"OPTIONS * HTTP/1.1"), "OPTIONS", b"*", b""),
    "white space after a value": (
        b"POST / HTTP/1.1\r\nHost: x \t\r\nTransfer-Encoding: chunked \r\n\r\n1\r\na\r\n0\r\n\r\n",
        "POST",
        b"/",
        b"a",
    ),
    "an empty host": (b"GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET", b"/", b""),
    "HTTP/1.0 without a host": (b"GET / HTTP/1.0\r\n\r\n", "GET", b"/", b""),
    "empty lines before the request": (b"\r\n\r\n" + head(), "POST", b"/", b""),
    "as many headers as possible": (head(*[b"A: b"] * (MAX_HEADERS - 1)), "POST", b"/", b""),
    "chunks": (CHUNKED + b"2;a=b\r\nab\r\n1\r\nc\r\n0\r\nHost: y\r\n\r\n", "POST", b"/", b"abc"),
    "an upgrade": (head(b"Connection: Upgrade", b"Upgrade: h2c"), "POST", b"/", b""),
    "an upgrade with a body": (
        head(b"Connection: Upgrade", b"Upgrade: h2c", b"Content-Length: 3") + b"abc",
        "POST",
        b"/",
        b"abc",
    ),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_a_request_is_read_however_it_is_divided(case: str) -> None:
    data, method, path, body = ACCEPTED[case]
    for parts in ([data], [data[place : place + 1] for place in range(len(data))]):
        parsed = Parsed(*parts)
        assert parsed.status is None
        (request,) = parsed.requests
        assert (request.method, request.raw_path, request.body) == (method, path, body)
        # A trailer does not replace a header.
        host = b"y" if b"http://y" in data else b"x"
        assert request.header(b"host") in (None, host, b"")
        assert not parsed.parser.has_partial_request


@pytest.mark.parametrize(
    "host",
    [b"example.org", b"EXAMPLE.org:8000", b"127.0.0.1:80", b"[::1]:8000", b"a_b", b"x:", b""],
)
def test_a_host_may_have_a_port(host: bytes) -> None:
    parsed = Parsed(b"GET / HTTP/1.1\r\nHost: %b\r\n\r\n" % host)
    assert parsed.status is None
    assert parsed.requests[0].header(b"host") == host


@pytest.mark.parametrize("host", [b"y", b"y:8000", b"[::1]", b"[::1]:8000"])
def test_the_host_of_a_url_replaces_the_header(host: bytes) -> None:
    parsed = Parsed(head(b"A: b", start=b"GET http://%b/path HTTP/1.1" % host))
    (request,) = parsed.requests
    assert [value for name, value in request.headers if name == b"host"] == [host]


def test_a_client_is_told_to_continue_only_with_http_1_1() -> None:
    expectation = b"Expect: 100-continue"
    assert Parsed(head(expectation)).heads == [True]
    assert Parsed(head(expectation, start=b"POST / HTTP/1.0")).heads == [False]
    assert Parsed(head()).heads == [False]


def test_the_parser_stops_at_the_first_fault() -> None:
    request = head(start=b"GET / HTTP/1.1")
    # The fifth one is not accepted.
    parsed = Parsed(request * 2_000, request)
    assert (len(parsed.requests), parsed.status) == (5, 400)
    parsed = Parsed(request + b"nonsense\r\n\r\n" + request)
    assert (len(parsed.requests), parsed.status) == (1, 400)


def test_the_last_request_of_a_connection_is_marked() -> None:
    assert not Parsed(head()).requests[0].is_last
    assert Parsed(head(b"Connection: close")).requests[0].is_last
    assert Parsed(head(start=b"GET / HTTP/1.0")).requests[0].is_last
    keep_alive = head(b"Connection: keep-alive", start=b"GET / HTTP/1.0")
    assert not Parsed(keep_alive).requests[0].is_last
    # What follows an upgrade, which is ignored, cannot be parsed.
    parsed = Parsed(head(b"Connection: Upgrade", b"Upgrade: h2c"), b"\0\0\x12\4\0\0\0\0\0")
    assert [request.is_last for request in parsed.requests] == [True]
    assert parsed.status is None


def test_a_parser_keeps_nothing_of_a_request_that_it_has_reported() -> None:
    body = b"x" * MAX_BODY_BYTES
    parsed = Parsed(head(b"Content-Length: %d" % len(body)) + body)
    assert parsed.requests.pop().body == body
    assert parsed.parser._body == b""
    assert parsed.parser._headers == []


@pytest.mark.parametrize(
    ("path", "is_normal"),
    [
        (b"/metrics", True),
        (b"/", True),
        (b"/api/v1/games/x/events/%D9%A1", True),
        (b"/a%20b", True),
        (b"//metrics", False),
        (b"/./metrics", False),
        (b"/api/v1/../../metrics", False),
        (b"/metrics/.", False),
        (b"/%6detrics", False),
        (b"/%6Detrics", False),
        (b"/%2fmetrics", False),
        (b"/%5cmetrics", False),
        (b"/\\metrics", False),
        (b"/a%", False),
        (b"/a%2", False),
        (b"/a%+1b", False),
        (b"/a%zzb", False),
        (b"*", False),
    ],
)
def test_a_path_has_one_form_only(path: bytes, is_normal: bool) -> None:
    assert has_normal_path(path) == is_normal


class TestUploads:
    MOST = 100_000 + MAX_FORM_BYTES
    START = b"POST /api/v1/imports?public=true HTTP/1.1"

    def _parsed(self, size: int, start: bytes = START) -> Parsed:
        declared = head(b"Content-Length: %d" % size, start=start)
        return Parsed(declared, b"x" * size, max_import_bytes=100_000)

    def test_only_the_body_of_an_upload_may_be_large(self) -> None:
        assert self._parsed(MAX_BODY_BYTES + 1, b"POST /imports HTTP/1.1").requests
        (request,) = self._parsed(self.MOST).requests
        assert request.body == b"x" * self.MOST
        assert self._parsed(self.MOST + 1).status == 413
        for start in (
            b"PUT /api/v1/imports HTTP/1.1",
            b"POST /api/v1/imports/1 HTTP/1.1",
            b"POST /importsX HTTP/1.1",
            b"POST /games HTTP/1.1",
        ):
            assert self._parsed(MAX_BODY_BYTES + 1, start).status == 413

    def test_a_chunked_upload_has_the_same_bound(self) -> None:
        begin = head(b"Transfer-Encoding: chunked", start=self.START)
        chunk = b"%x\r\n%b\r\n" % (60_000, b"x" * 60_000)
        assert Parsed(begin, chunk, chunk, max_import_bytes=100_000).status == 413
        parsed = Parsed(begin, chunk, b"0\r\n\r\n", max_import_bytes=100_000)
        assert [len(request.body) for request in parsed.requests] == [60_000]
        assert parsed.uploads == 0, "it is no larger than any other body"
        tiny = b"1\r\nx\r\n" * 300_000
        assert Parsed(begin, tiny, max_import_bytes=10**6).status == 413, "bytes on the wire"

    @pytest.mark.parametrize("size", [MAX_BODY_BYTES + 1, MOST + 1, 10**12])
    @pytest.mark.parametrize("start", [START, b"POST /imports HTTP/1.1", b"POST /games HTTP/1.1"])
    def test_the_refusal_of_a_large_body_names_the_bound_of_its_request(
        self, start: bytes, size: int
    ) -> None:
        is_upload = b"imports" in start
        bound = 100_000 if is_upload else MAX_BODY_BYTES
        declared = head(b"Content-Length: %d" % size, start=start)
        chunked = head(b"Transfer-Encoding: chunked", start=start)
        chunk = b"%x\r\n%b\r\n" % (60_000, b"x" * 60_000)
        for parts in ((declared,), (chunked, *[chunk] * 2)):
            fault = Parsed(*parts, max_import_bytes=100_000).parser.fault
            if is_upload and size == MAX_BODY_BYTES + 1 and parts == (declared,):
                assert fault is None
                continue
            assert fault is not None
            assert (fault.status, fault.detail.values) == (413, {"bytes": bound})

    def test_the_refusal_of_tiny_chunks_names_no_bound_of_the_body(self) -> None:
        begin = head(b"Transfer-Encoding: chunked", start=self.START)
        fault = Parsed(begin, b"1\r\nx\r\n" * 300_000, max_import_bytes=10**6).parser.fault
        assert fault is not None
        assert fault.status == 413
        assert "chunks" in fault.detail.template

    def test_a_large_body_needs_room(self) -> None:
        size = MAX_BODY_BYTES + 1
        upload = head(b"Content-Length: %d" % size, start=self.START) + b"x" * size
        parsed = Parsed(upload, upload)
        assert len(parsed.requests) == parsed.uploads == 2
        parsed.parser.feed(upload)
        assert parsed.status == 503
        # A request after an upload is bounded like any other.
        after = Parsed(upload, head(b"Content-Length: %d" % size), b"x" * size)
        assert len(after.requests) == 1
        assert after.status == 413

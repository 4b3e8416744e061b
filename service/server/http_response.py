"""Responses as bytes, among them the refusals of requests that the application does not see."""

import secrets
from collections.abc import Iterable
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from time import time
from typing import Any, Final

import orjson

from domain.messages import Text
from replay.language.catalogue import ENGLISH
from replay.language.renderer import renderer
from service.http.access_log import REQUEST_ID
from service.http.language import language_headers
from service.http.problems import CONTENT_TYPE, problem_document
from service.http.responses import DEFAULT_HEADERS

_STATUS_LINES: Final = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus
}
LAST_CHUNK: Final = b"0\r\n\r\n"


@lru_cache(maxsize=1)
def _date(second: int) -> str:
    """Return the value of the header `Date` at a time in seconds since 1970."""
    return formatdate(second, usegmt=True)


def response_head(
    status: int, headers: Iterable[tuple[str, str]], *, http_version: str, is_last: bool
) -> bytes:
    """Return the status line and the headers of a response.

    `is_last`: the connection is closed after this response.
    """
    lines = [_STATUS_LINES[status], f"Date: {_date(int(time()))}\r\n"]
    # A value of the application contains no line break: Werkzeug refuses it.
    lines += [f"{name}: {value}\r\n" for name, value in headers]
    if is_last:
        lines.append("Connection: close\r\n")
    elif http_version == "1.0":
        lines.append("Connection: keep-alive\r\n")
    lines.append("\r\n")
    return "".join(lines).encode("latin-1")


def chunk(data: bytes) -> bytes:
    """Return a part of a body as a chunk of the chunked transfer coding."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def json_response(
    status: int,
    body: Any,
    *,
    http_version: str = "1.1",
    is_last: bool = False,
    is_head: bool = False,
    client_id: bytes | None = None,
) -> bytes:
    """Return a whole response with the headers that all responses have.

    `client_id`: the `X-Request-ID` of the request.
    """
    request_id = _request_id(client_id)
    return _response(
        status,
        body,
        http_version=http_version,
        is_last=is_last,
        is_head=is_head,
        headers=(("Content-Type", "application/json"), ("X-Request-ID", request_id)),
    )


def problem_response(
    status: int,
    detail: Text,
    *,
    language: str = ENGLISH,
    http_version: str = "1.1",
    is_last: bool = False,
    is_head: bool = False,
    client_id: bytes | None = None,
    retry_after: int | None = None,
) -> bytes:
    """Return a problem (RFC 9457) in a language as a whole response; see `json_response`."""
    request_id = _request_id(client_id)
    retry = () if retry_after is None else (("Retry-After", str(retry_after)),)
    return _response(
        status,
        problem_document(status, detail, request_id, renderer(language)),
        http_version=http_version,
        is_last=is_last,
        is_head=is_head,
        headers=(
            ("Content-Type", CONTENT_TYPE),
            *language_headers(language).items(),
            ("X-Request-ID", request_id),
            *retry,
        ),
    )


def _response(
    status: int,
    body: Any,
    *,
    http_version: str,
    is_last: bool,
    is_head: bool,
    headers: Iterable[tuple[str, str]],
) -> bytes:
    content = orjson.dumps(body)
    head = response_head(
        status,
        (
            *headers,
            ("Content-Length", str(len(content))),
            *DEFAULT_HEADERS,
        ),
        http_version=http_version,
        is_last=is_last,
    )
    return head if is_head else head + content


def _request_id(client_id: bytes | None) -> str:
    """Return the id that a client has chosen for its request, if it is a valid one, or a new id."""
    text = "" if client_id is None else client_id.decode("latin-1")
    return text if REQUEST_ID.fullmatch(text) else secrets.token_hex(8)

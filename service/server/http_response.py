"""Encodes responses, including the refusals of requests that the application does not see."""

from collections.abc import Iterable, Mapping
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from time import time
from typing import Any, Final

import orjson

from domain.messages import Text
from replay.language.catalogue import ENGLISH
from replay.language.renderer import renderer
from service.http.access_log import request_id as valid_request_id
from service.http.blueprint import DEFAULT_HEADERS
from service.http.language import language_headers
from service.http.problems import encoded_problem
from service.server.http_request import HttpRequest

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

    `is_last` is True if the connection is closed after this response.
    """
    lines = [_STATUS_LINES[status], f"Date: {_date(int(time()))}\r\n"]
    # Values from the application contain no line breaks: Werkzeug refuses them. It adds a date of its own to
    # responses to conditional requests.
    lines += [f"{name}: {value}\r\n" for name, value in headers if name != "Date"]
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
    body: Any, request: HttpRequest, *, is_last: bool, language: str | None = None
) -> bytes:
    """Return a successful response to a request, with the headers that all responses have.

    `language` is that of the text in the body, if there is any.
    """
    headers = {"Content-Type": "application/json"}
    if language is not None:
        headers |= language_headers(language)
    return _response(
        200, orjson.dumps(body), headers, _request_id(request), request, is_last=is_last
    )


def problem_response(
    status: int,
    detail: Text,
    request: HttpRequest | None = None,
    *,
    language: str = ENGLISH,
    is_last: bool = False,
    retry_after: int | None = None,
) -> bytes:
    """Return a problem (RFC 9457) as the response to a request; to None if it could not be read."""
    request_id = _request_id(request)
    content, headers = encoded_problem(status, detail, request_id, renderer(language))
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return _response(status, content, headers, request_id, request, is_last=is_last)


def _request_id(request: HttpRequest | None) -> str:
    client_id = None if request is None else request.header(b"x-request-id")
    return valid_request_id((client_id or b"").decode("latin-1"))


def _response(
    status: int,
    content: bytes,
    headers: Mapping[str, str],
    request_id: str,
    request: HttpRequest | None,
    *,
    is_last: bool,
) -> bytes:
    head = response_head(
        status,
        (
            *headers.items(),
            ("X-Request-ID", request_id),
            ("Content-Length", str(len(content))),
            *DEFAULT_HEADERS,
        ),
        http_version="1.1" if request is None else request.http_version,
        is_last=is_last,
    )
    return head if request is not None and request.method == "HEAD" else head + content

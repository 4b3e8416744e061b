"""Retries of calls, without I/O: `with_retries` is a generator.

It yields the next step, a call to attempt or a pause, and is sent the outcome of each attempt. In this way
both clients retry, wait and give up alike.
"""

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

import httpx

from client.errors import MAX_LINE, InvalidResponse, ServerUnreachable, problem
from client.requests import Call
from domain.messages import Value, message

T = TypeVar("T")

_NEVER_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Errors that occur before the server has seen the request."""
_NEVER_POSSIBLE: Final = (httpx.LocalProtocolError, httpx.UnsupportedProtocol)
"""Errors that would occur in every attempt."""
_FIRST_PAUSE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one call: of its time in seconds, its attempts and the bytes of its response."""

    timeout: float = 30.0
    """Time for each attempt, until the whole response has arrived."""
    attempts: int = 5
    max_wait: float = 60.0
    """Time for all pauses between attempts."""
    max_response_bytes: int = 8 << 20
    record_timeout: float = 300.0
    """Time for an attempt to get a game record."""
    max_record_bytes: int = 256 << 20
    max_event_bytes: int = 1 << 20
    """Size of an event of a stream."""
    stream_silence: float = 60.0
    """Time after which a silent stream is resumed; the server sends a comment every 15 seconds."""


UNTRUSTED_SERVER: Final = Limits(timeout=20.0, attempts=1, max_response_bytes=1 << 20)
"""The bounds of calls that collect evidence from a server which may be hostile."""


@dataclass(frozen=True, slots=True)
class Response:
    """A complete response."""

    status: int
    body: bytes
    retry_after: float | None
    location: str | None = None
    """The target of a redirection; clients do not follow it."""
    etag: str | None = None

    @property
    def is_success(self) -> bool:
        """Whether the request was carried out."""
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class Pause:
    """A time to wait, in seconds."""

    seconds: float


Outcome: TypeAlias = Response | httpx.HTTPError
"""How an attempt ended: with a response, or without one."""

Steps: TypeAlias = Generator[Call[Any] | Pause, Outcome | None, T]
"""A generator of the steps to a result. It yields calls to attempt, and is sent their outcomes, and pauses,
after which it is sent None.
"""


def with_retries(call: Call[T], limits: Limits) -> Steps[T]:
    """Yield the call for each attempt, and a Pause before another one; return the result of the call.

    Raises ServerUnreachable, Problem and InvalidResponse.
    """
    waited = 0.0
    for attempt in range(1, limits.attempts + 1):
        outcome = yield call
        assert outcome is not None, "every attempt has an outcome"
        if isinstance(outcome, Response) and outcome.is_success:
            return call.read(outcome.body)
        pause = retry_pause(outcome, attempt, can_repeat=call.can_repeat)
        if pause is None or attempt == limits.attempts or waited + pause > limits.max_wait:
            raise failure(outcome)
        waited += pause
        yield Pause(pause)
    raise AssertionError("the last attempt returns or raises")


def retry_pause(outcome: Outcome, attempt: int, *, can_repeat: bool) -> float | None:
    """Return the seconds to wait before the attempt after this one; None if there must be none.

    A request that received a 429 was not carried out. After a 503 or a lost connection that is unknown, so
    only a call that can be repeated is tried again.
    """
    backoff = _FIRST_PAUSE * 4.0 ** (attempt - 1)
    if isinstance(outcome, Response):
        if outcome.status == 429 or (outcome.status == 503 and can_repeat):
            return backoff if outcome.retry_after is None else outcome.retry_after
        return None
    if isinstance(outcome, _NEVER_POSSIBLE):
        return None
    return backoff if can_repeat or isinstance(outcome, _NEVER_SENT) else None


def failure(outcome: Outcome) -> Exception:
    """Return the error to raise for an attempt that did not succeed."""
    if isinstance(outcome, Response):
        if outcome.location is not None:
            return InvalidResponse.with_message(
                "the server redirects to {address}, which is not followed: use that address",
                address=outcome.location,
            )
        if outcome.status < 400:
            return InvalidResponse.with_message(
                "the server responds with {status}", status=outcome.status
            )
        return problem(outcome.status, outcome.body, outcome.retry_after)
    return ServerUnreachable.with_message(
        "the server does not respond: {reason}", reason=request_error_reason(outcome)
    )


class BodyReader:
    """Collects the body of a response, within bounds of size and time."""

    def __init__(
        self,
        max_bytes: int,
        seconds: float,
        on_part: Callable[[bytes], None] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`on_part` is called with each part."""
        self._parts = bytearray()
        self._max_bytes = max_bytes
        self._on_part = on_part
        self._now = now
        self._deadline = now() + seconds

    def add(self, part: bytes) -> None:
        """Add a part. Raises InvalidResponse, and httpx.ReadTimeout if the whole takes too long."""
        self._parts += part
        if len(self._parts) > self._max_bytes:
            raise InvalidResponse.with_message("the server's response is too long")
        if self._now() > self._deadline:
            raise httpx.ReadTimeout("the body takes too long")
        if self._on_part is not None:
            self._on_part(part)

    def response(self, status: int, headers: Mapping[str, str]) -> Response:
        """Return the response with the body so far."""
        location = headers.get("location") if 300 <= status < 400 else None
        return Response(
            status,
            bytes(self._parts),
            retry_after_of(headers),
            None if location is None else location[:MAX_LINE],
            headers.get("etag"),
        )


def body_reader(call: Call[object], limits: Limits) -> BodyReader:
    """Return a reader with the bounds of a call."""
    if call.is_record:
        return BodyReader(limits.max_record_bytes, limits.record_timeout, call.on_part)
    return BodyReader(limits.max_response_bytes, limits.timeout)


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of the header `Retry-After`; None without one that is a number."""
    value = headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdecimal() and len(value) < 10 else None


def request_error_reason(error: Exception) -> Value:
    """Return the reason of an error of httpx, as a clause after a colon.

    Rare reasons are in the library's own words.
    """
    match error:
        case httpx.TimeoutException():
            return message("it takes too long")
        case httpx.ConnectError():
            return message("no connection can be made")
        case httpx.InvalidURL() | httpx.UnsupportedProtocol():
            return message("the URL is not valid")
        case httpx.NetworkError() | httpx.RemoteProtocolError():
            return message("the connection is broken off")
        case _:
            return str(error)

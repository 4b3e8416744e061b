"""The errors of the client library, in one tree.

ClientError
├── ServerUnreachable      no response: no connection, or none in time
├── InvalidResponse        the response is too long, or not of the form that the call returns
├── StreamReset            events of a stream are no longer valid; read the game again
└── Problem                the server refuses the request (problem details, RFC 9457)
    ├── MalformedRequest   400, 413, 415: `errors` has every wrong field
    ├── Unauthorised       401: the token is not valid, or handle and password do not match
    ├── Forbidden          403
    ├── NotFound           404
    ├── Conflict           409: the position has changed, or the game does not accept this now
    ├── RequestRefused     422: `clause` forbids the action
    ├── TooManyRequests    429: `retry_after` is the time to wait in seconds
    └── ServerUnavailable  500 and above
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import orjson
from typing_extensions import override

from domain.errors import CartularyError
from domain.messages import Text, message
from replay.language.renderer import english

MAX_TEXT: Final = 2_000
"""The number of characters that are kept of a text in a problem."""
MAX_LINE: Final = 200
"""The number of characters that are quoted of a text from a server which is not trusted."""


class ClientError(CartularyError):
    """The base of all errors of the client library. `message` is what to show to a person."""

    @override
    def __str__(self) -> str:
        """Return the message in English; what a server has written is in the client's language."""
        return english(self.message)

    @property
    def message_with_status(self) -> Text:
        """The message; for a problem, with its HTTP status, which shows that the server wrote it."""
        return self.message


class ServerUnreachable(ClientError):
    """There is no response. It is unknown whether the request was carried out."""


class InvalidResponse(ClientError):
    """The response is not one that the HTTP interface defines."""


class StreamReset(ClientError):
    """The server has lost events that it had sent. Discard what you have of the game, and read it again."""


@dataclass(frozen=True, slots=True)
class FieldFault:
    """A fault in one field of a request, such as `action.at`."""

    field: str
    detail: str


class Problem(ClientError):
    """The server refuses the request.

    `type`, `title`, `detail` and `instance` are those of the problem details, in the language that the client
    requests. `clause` is the id of the clause of the rules that forbids the action, `errors` are the wrong
    fields, `seq` is the last event of the game, and `retry_after` the time to wait in seconds.
    """

    def __init__(
        self, status: int, members: Mapping[str, object], retry_after: float | None = None
    ) -> None:
        self.status = status
        self.type = _text(members.get("type")) or ""
        self.title = _text(members.get("title")) or ""
        self.detail = _text(members.get("detail")) or self.title or f"HTTP {status}"
        self.instance = _text(members.get("instance"))
        self.clause = _text(members.get("clause"))
        self.errors = _field_faults(members.get("errors"))
        seq = members.get("seq")
        self.seq = seq if type(seq) is int else None
        self.retry_after = retry_after
        super().__init__(self._message())

    @property
    @override
    def message_with_status(self) -> Text:
        return message(
            "the server responds with {status}: {detail}",
            status=self.status,
            detail=self.detail[:MAX_LINE],
        )

    def _message(self) -> Text:
        if self.clause is not None:
            return message("{clause}: {why}", clause=self.clause, why=self.detail)
        return message("{reason}", reason=self.detail)


class MalformedRequest(Problem):
    """The request does not have the required form (400, 413, 415)."""


class Unauthorised(Problem):
    """The call requires a token, or the token or the password is wrong (401)."""


class Forbidden(Problem):
    """The player may not do this (403)."""


class NotFound(Problem):
    """The resource does not exist, or the player may not know of it (404)."""


class Conflict(Problem):
    """The position has changed since `expected_seq`, or the game does not accept this now (409)."""


class RequestRefused(Problem):
    """A clause of the rules forbids the action (422)."""


class TooManyRequests(Problem):
    """A rate limit has been reached, and the time to wait is longer than the client waits (429)."""


class ServerUnavailable(Problem):
    """The server has failed or is overloaded (500 and above)."""


UNAVAILABLE: Final = (ServerUnreachable, TooManyRequests, ServerUnavailable)
"""The errors after which the same request may succeed later."""

_BY_STATUS: Final[Mapping[int, type[Problem]]] = {
    400: MalformedRequest,
    401: Unauthorised,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: MalformedRequest,
    415: MalformedRequest,
    422: RequestRefused,
    429: TooManyRequests,
}


def problem(status: int, body: bytes, retry_after: float | None) -> Problem:
    """Return the problem that a response reports. The body of the response may be unreadable."""
    try:
        members = orjson.loads(body)
    except orjson.JSONDecodeError:
        members = None
    kind = _BY_STATUS.get(status, ServerUnavailable if status >= 500 else Problem)
    return kind(status, members if isinstance(members, dict) else {}, retry_after)


def _text(value: object) -> str | None:
    return value[:MAX_TEXT] if isinstance(value, str) else None


def _field_faults(value: object) -> tuple[FieldFault, ...]:
    entries = value if isinstance(value, list) else []
    pairs = (
        (entry.get("field"), entry.get("detail")) for entry in entries if isinstance(entry, dict)
    )
    return tuple(
        FieldFault(field[:MAX_TEXT], detail[:MAX_TEXT])
        for field, detail in pairs
        if isinstance(field, str) and isinstance(detail, str)
    )

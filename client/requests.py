"""A request to the HTTP interface, and the parts from which calls are described."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote

from client.errors import InvalidResponse
from client.results import json_of, parse
from domain.json_types import JsonObject
from ledger.statements import Statement

T_co = TypeVar("T_co", covariant=True)
D = TypeVar("D")

PREFIX: Final = "/api/v1"
FILE_TYPE: Final = "application/octet-stream"
"""The media type of a body that is a file."""


@dataclass(frozen=True, slots=True)
class Call(Generic[T_co]):
    """A request, and a function that reads the body of its response. `body` is None for a request without
    one, and `file` is a body that is not JSON.

    `can_repeat` is True if carrying out the request twice has the same effect as once, because of its method
    or its idempotency key. `game` is the id of the game that the request concerns, or None. `is_record` is
    True if the response may be as long as a game record, and `on_part` is called with each part of its body.
    `sends_token` is False for a call that begins a session: an earlier token, which may have expired, would
    be refused.
    """

    method: str
    path: str
    read: Callable[[bytes], T_co]
    params: Mapping[str, str | int]
    body: JsonObject | None
    idempotency_key: str | None
    can_repeat: bool
    game: str | None = None
    statement: Statement | None = None
    is_record: bool = False
    on_part: Callable[[bytes], None] | None = None
    sends_token: bool = True
    file: bytes | None = None


def call(
    method: str,
    path: str,
    read: Callable[[bytes], D],
    *,
    params: Mapping[str, str | int | None] | None = None,
    body: Mapping[str, Any] | None = None,
    key: str | None = None,
    game: str | None = None,
    statement: Statement | None = None,
    sends_token: bool = True,
    file: bytes | None = None,
    prefix: str = PREFIX,
) -> Call[D]:
    """Return a call with this body, and without the parameters that are None."""
    return Call(
        method,
        prefix + path,
        read,
        {name: value for name, value in (params or {}).items() if value is not None},
        None if body is None else dict(body),
        key,
        can_repeat=method in {"GET", "PUT", "PATCH"} or key is not None,
        game=game,
        statement=statement,
        sends_token=sends_token,
        file=file,
    )


def long_call(path: str, *, params: Mapping[str, str | int | None] | None = None) -> Call[bytes]:
    """Return a call that reads a response which may be as long as a game record."""
    return replace(call("GET", path, read_bytes, params=params), is_record=True)


def new_key(key: str | None) -> str:
    """Return an idempotency key: the given one, or a new one."""
    return secrets.token_hex(16) if key is None else key


def segment(value: str | int) -> str:
    """Return a value as one segment of a path."""
    text = quote(str(value), safe="")
    # These two would lead to another path.
    return text.replace(".", "%2E") if text in {".", ".."} else text


def reader(kind: type[D]) -> Callable[[bytes], D]:
    """Return the function that reads a response as JSON of this kind."""
    return lambda body: parse(kind, json_of(body))


def read_nothing(_: bytes) -> None:
    """Read a response without content."""
    return


def read_bytes(body: bytes) -> bytes:
    """Read a response that is not JSON."""
    return body


def read_text(body: bytes) -> str:
    """Read a response that is text. Raises InvalidResponse."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise InvalidResponse.with_message("the server's response is not text") from None

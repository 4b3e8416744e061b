"""Connecting to Redis, and turning its connection errors into `Unavailable`.

No command is ever sent twice automatically: after a lost connection it is unknown whether a write was
done, so only the caller may repeat it. redis-py notices a connection that Redis has closed before it
sends anything on it, and replaces it; so the first request after an outage succeeds.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from typing_extensions import override

from domain.errors import Unreadable
from domain.messages import message
from service.errors import Unavailable

SECONDS_TO_CONNECT: Final = 2.0
SECONDS_TO_RESPOND: Final = 5.0

_UNREACHABLE: Final = (
    redis.ConnectionError,  # also raised while Redis loads its data, and for a wrong password
    redis.TimeoutError,
    redis.ReadOnlyError,
    redis.OutOfMemoryError,
)
_NO_WRITES: Final = (
    "MISCONF",
    "NOREPLICAS",
    "CLUSTERDOWN",
    "MASTERDOWN",
    "LOADING",
    "OOM",
    "READONLY",
)
"""Words in error messages of Redis which mean that it accepts no writes at the moment."""

STORE_AWAY: Final = message("the store does not respond")

WRONG_TYPE: Final = "WRONGTYPE"
"""The word in the error of Redis for a key of another type than the command expects."""


def connect(
    url: str,
    *,
    seconds_to_connect: float = SECONDS_TO_CONNECT,
    seconds_to_respond: float = SECONDS_TO_RESPOND,
) -> redis.Redis:
    """Return a client with a connection pool; it connects when it is first used. Thread-safe."""
    # redis-py rejects the option for Unix sockets, which need no keepalive.
    tcp_options = {} if url.startswith("unix:") else {"socket_keepalive": True}
    return _Client.from_url(
        url,
        retry=Retry(NoBackoff(), 0),
        socket_connect_timeout=seconds_to_connect,
        socket_timeout=seconds_to_respond,
        **tcp_options,
    )


class _Client(redis.Redis):
    """A client that sends each command once, and does nothing else.

    redis-py prepares repetitions and OpenTelemetry metrics for every command, which takes longer than sending
    it. A connection that fails closes itself, and the pool opens it again.
    """

    @override
    def execute_command(self, *args: Any, **options: Any) -> Any:
        connection = self.connection_pool.get_connection()
        try:
            connection.send_command(*args)  # type: ignore[no-untyped-call] # redis-py has no annotations here
            return self.parse_response(connection, args[0], **options)  # type: ignore[no-untyped-call] # the same
        finally:
            self.connection_pool.release(connection)


@contextmanager
def unavailable_on_error() -> Iterator[None]:
    """Turn errors of Redis in this context into Unavailable if it does not respond or accepts no writes.

    A key of another type than the command expects is damaged, and becomes Unreadable.
    """
    try:
        yield
    except _UNREACHABLE as error:
        raise Unavailable(STORE_AWAY) from error
    except redis.ResponseError as error:
        if any(word in str(error) for word in _NO_WRITES):
            raise Unavailable(message("the store accepts no writes at the moment")) from error
        if WRONG_TYPE in str(error):
            raise Unreadable(message("a key has another type than it should have")) from error
        raise


def to_text(value: bytes | str) -> str:
    """Return a value of a reply of Redis as text, with escapes for bytes that are not UTF-8.

    So one damaged value is no error where many are read. redis-py declares values as bytes or text.
    """
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else value

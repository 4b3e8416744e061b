"""Calls that cannot be interrupted, within a time limit: resolving a name."""

import socket
import time
from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

_T = TypeVar("_T")


def within(deadline: float, call: Callable[[], _T]) -> _T:
    """Return what a call returns, or raise what it raises; TimeoutError at the deadline (monotonic time).

    The call runs in a thread, which is left alone if it takes longer.
    """
    results: list[_T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(call())
        except Exception as error:  # noqa: BLE001 # raised in the thread that waits
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(time_left(deadline))
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError("the name is not resolved in time")
    return results[0]


def resolve(host: str, port: int, deadline: float) -> list[tuple[Any, ...]]:
    """Return what `socket.getaddrinfo` returns for a stream to a host. Raises OSError."""
    # Looked up here, so that a test can replace it.
    return within(deadline, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))


def time_left(deadline: float) -> float:
    """Return the seconds until a deadline. Raises TimeoutError if it has passed."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time is over")
    return left

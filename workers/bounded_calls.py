"""Runs calls with a time limit, even if they cannot be interrupted."""

import asyncio
import socket
import time
from collections.abc import Callable, Coroutine
from threading import Thread
from typing import Any, TypeVar

_T = TypeVar("_T")


def call_until(deadline: float, call: Callable[[], _T]) -> _T:
    """Return the result of a call, or raise its error; raise TimeoutError at the deadline (monotonic time).
    The call runs in a thread, which is abandoned at the deadline.
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
    """Return the result of `socket.getaddrinfo` for a TCP connection to a host. Raises OSError."""
    # Looked up at each call, so that a test can replace it.
    return call_until(deadline, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))


def run_coroutine(coroutine: Coroutine[None, None, _T]) -> _T:
    """Run a coroutine in a new event loop, and return its result.

    Unlike `asyncio.run`, this does not wait for threads that are still resolving a name for a request that
    has timed out.
    """
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def time_left(deadline: float) -> float:
    """Return the seconds until a deadline. Raises TimeoutError if it has passed."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("the time is over")
    return seconds

"""Waits and retries, built on tenacity, for every loop of the service that polls or retries.

The supervisor must not block while one child waits to be restarted, so it does not run tenacity's loop; it
takes the length of its pauses from `Backoff` as well.
"""

import time
from collections.abc import Callable
from typing import Any

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    retry_if_not_result,
    stop_after_delay,
    wait_fixed,
)

from service.operation.stop_signals import StopSignals

POLL_INTERVAL = 0.02
"""The default seconds between two checks of a condition that is expected to be true soon."""


class Backoff:
    """The pauses after failed attempts, each twice as long as the one before, up to a limit.

    After an attempt that lasted longer than `steady` seconds, the pauses start again with the first one.
    """

    def __init__(self, *, first: float, longest: float, steady: float) -> None:
        """All arguments are in seconds. The first attempt starts now."""
        self._first = first
        self._longest = longest
        self._steady = steady
        self._next = first
        self._attempt_started_at = time.monotonic()

    def next_pause(self) -> float:
        """Return the seconds to wait after an attempt that has just failed, before the next one starts."""
        now = time.monotonic()
        if now - self._attempt_started_at > self._steady:
            self._next = self._first
        pause = self._next
        self._next = min(2 * pause, self._longest)
        self._attempt_started_at = now + pause
        return pause


def wait_until(
    condition: Callable[[], Any], seconds: float, interval: float = POLL_INTERVAL
) -> bool:
    """Wait at most `seconds` until `condition` returns a true value; return whether it did."""
    retrying = Retrying(
        retry=retry_if_not_result(bool),
        stop=stop_after_delay(seconds),
        wait=wait_fixed(interval),
        retry_error_callback=lambda _: False,
    )
    return bool(retrying(condition))


def retry_until_stopped(
    run: Callable[[], None],
    stop: StopSignals,
    *,
    errors: tuple[type[Exception], ...],
    backoff: Backoff,
    on_error: Callable[[BaseException, float], None],
) -> None:
    """Call `run`, and after each of `errors` call it again, until it returns or `stop` is set.

    `on_error` is called before each pause, with the error and the seconds to wait.
    """

    def sleep(seconds: float) -> None:
        stop.wait(seconds)

    def before_sleep(state: RetryCallState) -> None:
        assert state.outcome is not None
        error = state.outcome.exception()
        assert error is not None
        on_error(error, state.upcoming_sleep)

    retrying = Retrying(
        retry=retry_if_exception_type(errors),
        stop=lambda _: stop.is_set(),
        wait=lambda _: backoff.next_pause(),
        sleep=sleep,
        before_sleep=before_sleep,
        retry_error_callback=lambda _: None,
    )
    retrying(run)

"""The storage of rate limits that a process counts by itself, by the monotonic clock.

The storage in memory that comes with `limits` uses the wall clock: if the clock is set back by a day, a
visitor who has reached a limit per minute is refused for a day.
"""

import time
from dataclasses import dataclass
from threading import Lock
from typing import Final

from cachetools import TLRUCache
from limits.storage import Storage
from typing_extensions import override

SCHEME: Final = "monotonic"
MAX_WINDOWS: Final = 100_000
"""Visitors that are counted at the same time; the least recent ones are forgotten."""


@dataclass(slots=True)
class _Window:
    """The requests of a visitor until a moment of the monotonic clock."""

    ends_at: float
    count: int = 0


class MonotonicStorage(Storage):
    """Counts in memory, for the strategy `fixed-window`. Thread-safe."""

    STORAGE_SCHEME: list[str] | None = [SCHEME]  # noqa: RUF012 # declared by the base class

    def __init__(self, uri: str | None = None, **_options: float | str | bool) -> None:
        """Create an empty storage. It has no options: no error can occur that would have to be wrapped."""
        super().__init__(uri)
        self._windows: TLRUCache[str, _Window] = TLRUCache(
            MAX_WINDOWS, ttu=lambda _key, window, _now: window.ends_at, timer=time.monotonic
        )
        self._lock = Lock()

    @property
    @override
    def base_exceptions(self) -> tuple[type[Exception], ...]:
        """No errors can occur."""
        return ()

    @override
    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add to the count of a window, which ends `expiry` seconds after its first request."""
        with self._lock:
            window = self._windows.get(key)
            if window is None:
                window = self._windows[key] = _Window(time.monotonic() + expiry)
            window.count += amount
            return window.count

    @override
    def get(self, key: str) -> int:
        """Return the count of a window."""
        with self._lock:
            window = self._windows.get(key)
            return 0 if window is None else window.count

    @override
    def get_expiry(self, key: str) -> float:
        """Return the end of a window, as a time of the wall clock."""
        with self._lock:
            window = self._windows.get(key)
            return time.time() + (0 if window is None else window.ends_at - time.monotonic())

    @override
    def check(self) -> bool:
        """Return True: there is nothing that could fail."""
        return True

    @override
    def reset(self) -> int:
        """Forget all windows; return their number."""
        with self._lock:
            count = len(self._windows)
            self._windows.clear()
            return count

    @override
    def clear(self, key: str) -> None:
        """Forget a window."""
        with self._lock:
            self._windows.pop(key, None)

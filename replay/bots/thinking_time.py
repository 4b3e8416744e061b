"""The limit of a search by time, for callers that have a clock; `domain.search` has none."""

import time
from collections.abc import Callable
from typing import Final

LONGEST_THINKING_TIME: Final = 60.0
"""The greatest thinking time that can be set, in seconds."""


class ThinkingTime:
    """Lets a search begin playouts for so many seconds (`domain.search.MayContinue`), the first one always.

    It serves one search after the other, not several at a time.
    """

    def __init__(self, seconds: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        """`monotonic` returns the time in seconds."""
        self._seconds = seconds
        self._monotonic = monotonic
        self._end = 0.0

    def __call__(self, number: int) -> bool:
        """Return whether a search that has made this number of playouts may begin another one."""
        now = self._monotonic()
        if number == 0:
            self._end = now + self._seconds
            return True
        return now < self._end

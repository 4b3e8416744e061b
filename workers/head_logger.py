"""Logs the heads of games in the transparency log, for the scheduler.

A batch of games takes a few round trips, whatever its size, so that no job is needed for each append.
"""

import logging
from collections.abc import Iterable
from typing import Final

from domain.errors import Unreadable
from service.errors import log_text
from service.transparency.head_log import HeadLog

log = logging.getLogger(__name__)


MAX_GAMES: Final = 10_000
"""The most games that are remembered as logged."""


class HeadLogger:
    """Logs heads, and remembers the games that need not be examined again. Not thread-safe.

    Its methods raise Unavailable if Redis does not respond. A damaged transparency log delays nothing else:
    the damage is reported, and the games stay active until it is repaired.
    """

    def __init__(self, head_log: HeadLog) -> None:
        self._head_log = head_log
        self._logged: set[str] = set()
        """Games whose head was in the log when they were last examined."""
        self._reported = ""

    def forget(self) -> None:
        """Forget which heads are logged, because messages about appends may have been missed."""
        self._logged.clear()

    def on_appended(self, game_ids: Iterable[str]) -> set[str]:
        """Log the heads of games that may have new events; return the games whose head is now logged."""
        game_ids = set(game_ids)
        self._logged -= game_ids
        return self.log(game_ids)

    def log(self, game_ids: Iterable[str]) -> set[str]:
        """Log the heads of games that are not logged yet; return the games whose head is now logged."""
        game_ids = set(game_ids)
        if len(self._logged) > MAX_GAMES:
            self.forget()
        try:
            self._logged |= self._head_log.log(sorted(game_ids - self._logged))
            self._reported = ""
        except Unreadable as error:
            reason = log_text(error)
            if self._reported != reason:
                log.critical("no heads are logged: %s", reason)
                self._reported = reason
        return game_ids & self._logged

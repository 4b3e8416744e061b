"""Logging the heads of games in the transparency log, for the scheduler.

A batch of games takes a few round trips, however many they are, so that no job is needed for each append.
"""

import logging
from collections.abc import Iterable
from typing import Final

from domain.errors import Unreadable
from service.errors import log_text
from service.transparency.head_log import HeadLog

log = logging.getLogger(__name__)


MAX_GAMES: Final = 10_000
"""Games of which is kept that their head was logged."""


class HeadLogger:
    """Logs heads, and keeps which games need not be examined again. For one thread.

    Its methods raise Unavailable if Redis does not respond. A transparency log that is damaged delays nothing
    else: it is reported, and the games stay active until it is repaired.
    """

    def __init__(self, head_log: HeadLog) -> None:
        self._head_log = head_log
        self._logged: set[str] = set()
        """Games whose head was logged when it was last examined."""
        self._reported = ""

    def forget(self) -> None:
        """Have every game examined again, because messages about appends may have been missed."""
        self._logged.clear()

    def on_appended(self, game_ids: Iterable[str]) -> set[str]:
        """Log the heads of games that may have new events; return those games whose head is logged."""
        game_ids = set(game_ids)
        self._logged -= game_ids
        return self.log(game_ids)

    def log(self, game_ids: Iterable[str]) -> set[str]:
        """Log the heads of these games unless that is done; return those games whose head is logged."""
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

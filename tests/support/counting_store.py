"""An event store in Redis that counts the lines that are read from it, and can be slow or fail."""

import time
from collections.abc import Callable, Collection, Mapping
from threading import Lock

from typing_extensions import override

from domain.messages import message
from service.errors import Unavailable
from service.store.redis_event_store import RedisEventStore


class CountingStore(RedisEventStore):
    """Counts the lines that are read. Each read of a log takes `delay` seconds; `failures` reads fail."""

    lines = 0
    largest_read = 0
    delay = 0.0
    failures = 0
    secret_names: Collection[str] | None = ()
    _counting = Lock()

    @override
    def read(
        self, game_id: str, after: int = 0, upto: int | None = None, limit: int | None = None
    ) -> list[bytes]:
        time.sleep(self.delay)
        if self.failures:
            self.failures -= 1
            raise Unavailable(message("the store does not respond"))
        lines = super().read(game_id, after, upto, limit)
        self._count(lines)
        return lines

    @override
    def read_each(
        self, after: Mapping[str, int], limit: int | None = None
    ) -> dict[str, list[bytes]]:
        lines_by_game = super().read_each(after, limit)
        for lines in lines_by_game.values():
            self._count(lines)
        return lines_by_game

    @override
    def secrets(self, game_id: str, names: Collection[str] | None = None) -> dict[str, str]:
        self.secret_names = names
        return super().secrets(game_id, names)

    def _count(self, lines: list[bytes]) -> None:
        with self._counting:
            self.lines += len(lines)
            self.largest_read = max(self.largest_read, len(lines))

    def lines_read_by(self, call: Callable[[], object]) -> int:
        """Return how many lines a call reads."""
        before = self.lines
        call()
        return self.lines - before

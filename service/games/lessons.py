"""The lessons of tutorial games: a projection of their logs, which is kept in memory only."""

from dataclasses import dataclass
from threading import Lock
from typing import Final

from cachetools import LRUCache

from domain.game import Game
from domain.lessons import AnyLesson
from replay.lessons import introduced_lessons, lessons_at
from replay.timeline import Step
from service.bounds import Bounds
from service.games.loader import GameLoader

CACHED_SEATS: Final = 2_000
"""Seats of tutorial games whose lessons are kept."""


@dataclass(frozen=True, slots=True)
class _Introduced:
    """The lessons that were introduced to a seat up to an event."""

    seq: int
    hash: str
    names: tuple[str, ...]


_NONE: Final = _Introduced(0, "", ())


class Lessons:
    """Finds the lessons that are due. Thread-safe. `head` is always the game at its head."""

    def __init__(self, loader: GameLoader, bounds: Bounds) -> None:
        self._loader = loader
        self._bounds = bounds
        self._cache: LRUCache[tuple[str, int], _Introduced] = LRUCache(CACHED_SEATS)
        self._lock = Lock()

    def due(self, head: Game, seat: int | None) -> tuple[AnyLesson, ...]:
        """Return the lessons that are due for a seat now; none in a game that is no tutorial game.

        A game that is too long to be replayed has no lessons any more.
        """
        if (
            seat is None
            or not head.options.get("tutorial")
            or head.to_act != seat
            or head.seq > self._bounds.max_replayed_events
        ):
            return ()
        return lessons_at(head, seat, self._introduced(head, seat))

    def _introduced(self, head: Game, seat: int) -> tuple[str, ...]:
        key = (head.id, seat)
        with self._lock:
            cached = self._cache.get(key, _NONE)
        if cached.hash == head.hash:
            return cached.names
        steps = self._steps(head, cached.seq) if cached.seq < head.seq else []
        if cached.seq and (not steps or steps[0].event["prev"] != cached.hash):
            # The store has lost events since then, and others have taken their places.
            cached, steps = _NONE, self._steps(head, 0)
        names = introduced_lessons(steps, seat, cached.names)
        with self._lock:
            self._cache[key] = _Introduced(head.seq, head.hash, names)
        return names

    def _steps(self, head: Game, after: int) -> list[Step]:
        events = self._loader.events(head, after, head.seq)
        return [Step(event, before, game) for before, event, game in events]

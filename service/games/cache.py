"""Games folded from their logs and kept in memory.

Cached games are shared among threads and never changed: advancing one folds new events into a copy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache

from domain.event import Event
from domain.game import Game, Opened, fold


@dataclass(frozen=True, slots=True)
class CachedGame:
    """A game up to some seq, and since when its position has not changed.

    All events from `unchanged_since` to the game's seq have the same `state`, so a player who saw the
    game after any of them has seen the current position.
    """

    game: Game
    unchanged_since: int


def advance(
    before: CachedGame | None, events: Sequence[Event], opened: Opened | None = None
) -> CachedGame:
    """Fold events into a cached game (None: from the first event). Raises Unreadable (`fold`)."""
    game = fold(events, None if before is None else before.game, opened)
    if game is None:
        raise ValueError("a game is folded from at least one event")
    return with_events(before, events, game)


def with_events(before: CachedGame | None, events: Sequence[Event], game: Game) -> CachedGame:
    """Return the cached game for `game`, which is `before` advanced by `events`."""
    for event in reversed(events):
        if event["state"] != game.state_hash:
            return CachedGame(game, event["seq"] + 1)
    if before is None:
        return CachedGame(game, events[0]["seq"])
    is_unchanged = before.game.state_hash == game.state_hash
    return CachedGame(game, before.unchanged_since if is_unchanged else before.game.seq + 1)


class GameCache:
    """The most recently used games, at most `capacity` of them. Thread-safe."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"a cache of {capacity} games")
        self._games: LRUCache[str, CachedGame] = LRUCache(capacity)
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._games)

    def get(self, game_id: str) -> CachedGame | None:
        """Return the game as it was last stored here; its log may have moved on since."""
        with self._lock:
            return self._games.get(game_id)

    def put(self, cached: CachedGame) -> None:
        """Store a game, unless a later state of it is stored already."""
        game_id = cached.game.id
        with self._lock:
            stored = self._games.get(game_id)
            if stored is None or stored.game.seq < cached.game.seq:
                self._games[game_id] = cached

    def drop(self, game_id: str) -> None:
        """Remove a game."""
        with self._lock:
            self._games.pop(game_id, None)

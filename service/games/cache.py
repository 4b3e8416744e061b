"""CachedGame games in memory: a bounded cache, and how a game is folded on with only what is new.

Nothing here is kept anywhere else and nothing is lost with it. Games in here are handed to many
threads at once, so nobody may change one: `domain.game` folds on from a copy.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from domain.event import Event
from domain.game import Game, Opened, fold


@dataclass(frozen=True, slots=True)
class CachedGame:
    """A game up to some seq, and from where on its position has been what it is now.

    Every event from `since` to the game's seq has the same `state`: who last saw any of them has
    seen the position as it is.
    """

    game: Game
    since: int


def advance(
    before: CachedGame | None, events: Sequence[Event], opened: Opened | None = None
) -> CachedGame:
    """Fold events on. Raises Unreadable where they do not follow (`domain.game.fold`)."""
    game = fold(events, None if before is None else before.game, opened)
    if game is None:
        raise ValueError("a game is folded from one event at least")
    return extended(before, events, game)


def extended(before: CachedGame | None, events: Sequence[Event], game: Game) -> CachedGame:
    """`before` and events after it, which make `game`."""
    for event in reversed(events):
        if event["state"] != game.state_hash:
            return CachedGame(game, event["seq"] + 1)
    if before is None:
        return CachedGame(game, events[0]["seq"])
    unchanged = before.game.state_hash == game.state_hash
    return CachedGame(game, before.since if unchanged else before.game.seq + 1)


class GameCache:
    """The games used last, `capacity` of them at most. Safe for threads."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"a cache of {capacity} games")
        self.capacity = capacity
        self._games: OrderedDict[str, CachedGame] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._games)

    def get(self, game: str) -> CachedGame | None:
        """The game as it was when last seen here; the log may have moved on since."""
        with self._lock:
            found = self._games.get(game)
            if found is not None:
                self._games.move_to_end(game)
            return found

    def put(self, folded: CachedGame) -> None:
        """Keep a game, unless a later state of it is kept already."""
        name = folded.game.id
        with self._lock:
            known = self._games.get(name)
            if known is None or known.game.seq < folded.game.seq:
                self._games[name] = folded
            self._games.move_to_end(name)
            if len(self._games) > self.capacity:
                self._games.popitem(last=False)

    def drop(self, game: str) -> None:
        """Forget a game."""
        with self._lock:
            self._games.pop(game, None)

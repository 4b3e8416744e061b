"""The games that a process keeps in memory: their heads, and earlier states of long games."""

from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from threading import Lock
from typing import Final

from cachetools import LRUCache

from domain.contract import Opened
from domain.event import Event
from domain.fold import NOTHING_OPENED, EarlierGames, fold
from domain.game import Game
from service.bounds import Bounds

_DEFAULTS: Final = Bounds()
_ROUND_ENDS: Final = 100
"""The number of games of which the end of a round is kept, for workers that score rounds."""


@dataclass(frozen=True, slots=True)
class CachedGame:
    """A game up to some seq, and the event since which its position has not changed.

    All events from `unchanged_since` to the game's seq have the same `state`, so a player who saw the
    game after any of them has seen the current position.
    """

    game: Game
    unchanged_since: int


def advance(
    before: CachedGame | None,
    events: Sequence[Event],
    opened: Opened = NOTHING_OPENED,
    earlier: EarlierGames | None = None,
) -> CachedGame:
    """Fold events into a cached game (None: from the first event). Raises Unreadable (`fold`)."""
    game = fold(events, None if before is None else before.game, opened, earlier)
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
    """The heads of the most recently used games, and their snapshots. Thread-safe.

    A snapshot is the game after every event whose seq is a multiple of `snapshot_interval`. An earlier state
    of a game is folded from the last snapshot before it, so it costs at most that number of events. The end
    of the round that was scored last is kept too, so that a later round is folded from there.
    """

    def __init__(
        self,
        capacity: int,
        *,
        max_snapshots: int = _DEFAULTS.cached_prefixes,
        snapshot_interval: int = _DEFAULTS.prefix_interval,
    ) -> None:
        """Create a cache of the heads of at most `capacity` games and `max_snapshots` snapshots in all."""
        if min(capacity, max_snapshots, snapshot_interval) < 1:
            raise ValueError(
                f"a cache of {capacity} games and {max_snapshots} snapshots every {snapshot_interval} events"
            )
        self.snapshot_interval = snapshot_interval
        self._max_snapshots = max_snapshots
        self._heads: LRUCache[str, CachedGame] = LRUCache(capacity)
        self._snapshots: OrderedDict[tuple[str, int], CachedGame] = OrderedDict()
        """The snapshots by game id and seq, the least recently used first."""
        self._snapshot_seqs: defaultdict[str, set[int]] = defaultdict(set)
        """The seqs of the snapshots, by game id."""
        self._round_ends: LRUCache[str, CachedGame] = LRUCache(_ROUND_ENDS)
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._heads)

    @property
    def snapshots(self) -> int:
        """The number of cached snapshots."""
        return len(self._snapshots)

    def get(self, game_id: str) -> CachedGame | None:
        """Return the game as it was last stored here; its log may be longer by now."""
        with self._lock:
            return self._heads.get(game_id)

    def put(self, cached: CachedGame) -> None:
        """Store a game at its head, unless a later state of it is stored already."""
        game_id = cached.game.id
        with self._lock:
            stored = self._heads.get(game_id)
            if stored is None or stored.game.seq < cached.game.seq:
                self._heads[game_id] = cached

    def latest(self, game_id: str, upto: int | None = None) -> CachedGame | None:
        """Return the latest cached state of a game up to event `upto` (None: of all)."""
        with self._lock:
            head = self._heads.get(game_id)
            if head is not None and (upto is None or head.game.seq <= upto):
                return head
            seqs = self._snapshot_seqs.get(game_id, ())
            seq = max((seq for seq in seqs if upto is None or seq <= upto), default=None)
            round_end = self._round_ends.get(game_id)
            end = inf if upto is None else upto
            if round_end is not None and (seq or 0) < round_end.game.seq <= end:
                return round_end
            if seq is None:
                return None
            self._snapshots.move_to_end((game_id, seq))
            return self._snapshots[game_id, seq]

    def put_snapshot(self, cached: CachedGame) -> None:
        """Store a game as a snapshot if its seq is a multiple of the interval."""
        game_id, seq = cached.game.id, cached.game.seq
        if seq % self.snapshot_interval:
            return
        with self._lock:
            self._snapshots[game_id, seq] = cached
            self._snapshots.move_to_end((game_id, seq))
            self._snapshot_seqs[game_id].add(seq)
            while len(self._snapshots) > self._max_snapshots:
                self._remove_snapshot(*next(iter(self._snapshots)))

    def put_round_end(self, cached: CachedGame) -> None:
        """Store a game as it was at the end of a round; it replaces the end of another round."""
        with self._lock:
            self._round_ends[cached.game.id] = cached

    def heads(self) -> list[CachedGame]:
        """Return the games as they were last stored here."""
        with self._lock:
            return [*self._heads.values()]

    def drop(self, game_id: str) -> None:
        """Remove a game and its earlier states."""
        with self._lock:
            self._heads.pop(game_id, None)
            self._round_ends.pop(game_id, None)
            for seq in [*self._snapshot_seqs.get(game_id, ())]:
                self._remove_snapshot(game_id, seq)

    def _remove_snapshot(self, game_id: str, seq: int) -> None:
        del self._snapshots[game_id, seq]
        seqs = self._snapshot_seqs[game_id]
        seqs.remove(seq)
        if not seqs:
            del self._snapshot_seqs[game_id]

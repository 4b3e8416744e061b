"""Queries about the events of a game, for replaying it: the index of events, the scores, the moves.

The index and the scores fold a game from its beginning, so the results are cached, and games with more events
than the bound have none. The moves are those of a stretch of events, in a game of any length.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, TypeVar

from cachetools import LRUCache

from domain.contract import DomainEvent, Reason
from domain.event import acting_seat, recorded_data
from domain.game import Game
from domain.messages import PlayerAt, Text, mentions
from domain.scene import caption
from replay.history.event_index import EventIndex, event_index
from replay.history.recap import RecapEvent, recap_events
from replay.history.score_chart import ScoreChart, score_chart_of
from replay.history.timeline import Transition
from service.bounds import Bounds
from service.games.loader import GameLoader
from service.games.single_flight import SingleFlight

CACHED_EVENTS: Final = 50_000
"""The number of events of the games whose results are cached."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Departure:
    """How a seat left a game: the event, its round and turn, what happened, and the clauses that applied."""

    seq: int
    round: int
    turn: int
    outcome: Text
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class _Cached:
    """A result for a game of `events` events, with the hash of its last event."""

    events: int
    hash: str
    result: Any


class Replays:
    """Indexes the events of games and charts their scores. Thread-safe.

    The result is the same for every viewer: it contains no secrets. `head` is always the game at its head,
    which the viewer must be allowed to see. Every method raises Unavailable if the store does not respond,
    and Unreadable if the game is damaged.
    """

    def __init__(self, loader: GameLoader, bounds: Bounds) -> None:
        self._loader = loader
        self._bounds = bounds
        self._computations: SingleFlight[Any] = SingleFlight()
        self._cache: LRUCache[tuple[str, str], _Cached] = LRUCache(
            CACHED_EVENTS, getsizeof=lambda cached: cached.events
        )
        self._lock = Lock()

    def index(self, head: Game) -> EventIndex | None:
        """Return where the rounds of a game begin, and the events of its players; None if it is too long."""
        if self._is_too_long(head):
            return None
        return self._cached("index", head, lambda: event_index(self._steps(head)))

    def scores(self, head: Game) -> ScoreChart | None:
        """Return the scores through a game; None if it is too long.

        Raises NoScores if it has not started.
        """
        if self._is_too_long(head):
            return None
        return self._cached(
            "scores", head, lambda: score_chart_of(head.id, self._steps(head), head.resumptions)
        )

    def moves(self, head: Game, first: int, count: int) -> tuple[RecapEvent, ...]:
        """Return `count` events of a game from event `first` on as moves, without those about accounts."""
        last = min(head.seq, first + count - 1)
        return self._cached(
            f"moves {first} {count}",
            head,
            lambda: recap_events(self._loader.transitions(head, first - 1, last), head),
        )

    def departure(self, head: Game, seat: int) -> Departure | None:
        """Return how a seat left the game; None if it is in the game, or if the game is too long."""
        if head.state is None or seat in head.state.in_game() or self._is_too_long(head):
            return None
        return self._cached(f"departure {seat}", head, lambda: self._departure(head, seat))

    def _departure(self, head: Game, seat: int) -> Departure | None:
        """Return the last event with which the seat left; play may have resumed from before earlier ones."""
        last: Transition | None = None
        for transition in self._steps(head):
            if _is_in_game(transition.before, seat) and not _is_in_game(transition.after, seat):
                last = transition
        if last is None or last.before is None:
            return None
        rules, before, event = head.rules, last.before, last.event
        decided = DomainEvent(event["type"], recorded_data(event))
        reasons = rules.explain(before.state, acting_seat(event["by"]), decided)
        return Departure(
            event["seq"],
            before.round,
            before.turn,
            caption(event, rules.event_message),
            tuple(
                (clause, why)
                for clause, why in reasons
                if clause in rules.OUT_CLAUSES and mentions(why, PlayerAt(seat))
            ),
        )

    def _is_too_long(self, head: Game) -> bool:
        return head.seq > self._bounds.max_replayed_events

    def _cached(self, name: str, head: Game, compute: Callable[[], Result]) -> Result:
        """Return a result from the cache, or compute it if it is not there."""
        key = (name, head.id)
        with self._lock:
            cached = self._cache.get(key)
        if cached is not None and cached.hash == head.hash:
            result: Result = cached.result
            return result
        result = self._computations.run(f"{name} {head.id} {head.hash}", compute)
        with self._lock:
            if head.seq <= CACHED_EVENTS:
                self._cache[key] = _Cached(head.seq, head.hash, result)
        return result

    def _steps(self, head: Game) -> Iterator[Transition]:
        return self._loader.transitions(head, 0, head.seq)


def _is_in_game(game: Game | None, seat: int) -> bool:
    return game is not None and game.state is not None and seat in game.state.in_game()

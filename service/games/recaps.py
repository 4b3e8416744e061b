"""Recaps of games: the events since a player's last turn, for pages, lists and notifications.

The work for a recap is bounded, whatever the length of the game and the absence of the player.
"""

from dataclasses import dataclass
from threading import Lock
from typing import Final

from cachetools import LRUCache

from domain.event import Event, acting_seat
from domain.game import Game
from domain.messages import Message
from replay.history.recap import ACCOUNT_EVENTS, Recap, RecapEvent, recap_events
from service.games.loader import GameLoader

MAX_EVENTS: Final = 30
"""The most events of a recap; it has the latest ones."""
MAX_SEARCHED: Final = 400
"""The most events that are searched for the last action of a player."""
CACHED_EVENTS: Final = 10_000
"""The number of events of recaps that are cached."""
_FIRST_PAGE: Final = 20
_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class _Latest:
    """The last events of a game up to some head, with the resumptions up to that head."""

    seq: int = 0
    hash: str = ""
    resumptions: int = 0
    events: tuple[RecapEvent, ...] = ()


_NOTHING: Final = _Latest()


class Recaps:
    """Recaps games for their players. Thread-safe.

    `head` is always the game at its head, which the reader must be allowed to see. Every method raises
    Unavailable if the store does not respond, and Unreadable if the game is damaged.
    """

    def __init__(self, loader: GameLoader) -> None:
        self._loader = loader
        self._cache: LRUCache[tuple[str, int | None], tuple[str, Recap]] = LRUCache(
            CACHED_EVENTS, getsizeof=lambda cached: len(cached[1].events) + 1
        )
        self._latest: LRUCache[str, _Latest] = LRUCache(
            CACHED_EVENTS, getsizeof=lambda cached: len(cached.events) + 1
        )
        self._lock = Lock()

    def recap(self, head: Game, seat: int | None) -> Recap:
        """Return a recap of the events since the last action of a seat; None stands for no seat.

        Actions that the player had prepared, or that the clock took, do not count, because the player has not
        seen them. Without an action, the recap begins at the start. Searches at most MAX_SEARCHED events.
        """
        key = (head.id, seat)
        with self._lock:
            cached = self._cache.get(key)
        if cached is not None and cached[0] == head.hash:
            return cached[1]
        recap = self._recap(head, seat)
        with self._lock:
            self._cache[key] = (head.hash, recap)
        return recap

    def latest(self, head: Game, count: int) -> tuple[RecapEvent, ...]:
        """Return at most `count` last events of a game, oldest first, without events about accounts.

        Events that are cached from an earlier head are not read again.
        """
        cached = self._cached_latest(head)
        if cached.hash == head.hash:
            return cached.events
        first = max(0, head.seq - count)
        events: tuple[RecapEvent, ...] = ()
        if self._is_continued(cached, head, first):
            first, events = cached.seq, cached.events
        transitions = self._loader.transitions(head, first, head.seq)
        events = (*events, *recap_events(transitions, head))[-count:]
        with self._lock:
            self._latest[head.id] = _Latest(head.seq, head.hash, len(head.resumptions), events)
        return events

    def _cached_latest(self, head: Game) -> _Latest:
        with self._lock:
            return self._latest.get(head.id, _NOTHING)

    def _is_continued(self, cached: _Latest, head: Game, first: int) -> bool:
        """Return whether the game continues the cached events, and they reach back to event `first`."""
        if not first < cached.seq < head.seq or cached.resumptions != len(head.resumptions):
            return False
        (event,) = self._loader.event_range(head.id, cached.seq - 1, cached.seq)
        return event["hash"] == cached.hash

    def sentence(self, head: Game, player: str) -> Message | None:
        """Return the events since a player's last turn in one sentence; None if there are none.

        The sentence names players by their seats, so it must be rendered with the names of the players of
        this game.
        """
        return self.recap(head, head.seat_of(player)).sentence

    def _recap(self, head: Game, seat: int | None) -> Recap:
        events, is_since_own_turn = self._events_since_last_action(head, seat)
        if not events:
            return Recap(is_since_own_turn=is_since_own_turn, reader=seat)
        first = events[-MAX_EVENTS:][0]["seq"]
        return Recap(
            self._events_from(first, head),
            omitted=max(0, len(events) - MAX_EVENTS),
            is_since_own_turn=is_since_own_turn,
            reader=seat,
        )

    def _events_from(self, first: int, head: Game) -> tuple[RecapEvent, ...]:
        """Return the events from event `first` on, without those about accounts."""
        cached = self._cached_latest(head)
        if cached.hash == head.hash and cached.events and cached.events[0].seq <= first:
            return tuple(event for event in cached.events if event.seq >= first)
        return recap_events(self._loader.transitions(head, first - 1, head.seq), head)

    def _events_since_last_action(self, head: Game, seat: int | None) -> tuple[list[Event], bool]:
        """Return the events since the last action of a seat, and whether there is one."""
        events: list[Event] = []
        start = max(head.start_seq - 1, 1)  # after `GameCreated`
        oldest = max(start, head.seq - MAX_SEARCHED)
        position, size = head.seq, _FIRST_PAGE
        while position > oldest:
            after = max(oldest, position - size)
            for event in reversed(self._loader.event_range(head.id, after, position)):
                if seat is not None and _is_own_action(event, seat):
                    return events[::-1], True
                if event["type"] not in ACCOUNT_EVENTS:
                    events.append(event)
            position, size = after, _PAGE
        # Players act more often than that, so there is an action before the oldest of these events.
        return events[::-1], seat is not None and oldest > start


def _is_own_action(event: Event, seat: int) -> bool:
    return (
        event["action"] is not None
        and "conditional" not in event
        and acting_seat(event["by"]) == seat
    )

"""The lessons of players: a projection of the logs of their games, which is kept in memory only.

Tutorial games have lessons, and so do games against bots for a player who has switched them on. That is a
setting of the account and concerns nobody else, so it is not in the log. The lessons that are due count as
introduced when the seat has acted.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from cachetools import LRUCache

from domain.event import acting_seat
from domain.game import Game
from domain.lessons import AnyLesson, Moment, due_lessons
from replay.history.timeline import Transition
from service.accounts.accounts import LESSONS_OFF, Players
from service.bounds import Bounds
from service.games.loader import GameLoader

CACHED_SEATS: Final = 2_000
"""The number of seats whose lessons are cached."""


def lessons_at(game: Game, seat: int, introduced: Collection[str]) -> tuple[AnyLesson, ...]:
    """Return the lessons that are due for a seat; none if it is not its turn.

    `introduced` has the names of those that were introduced before.
    """
    if game.state is None or game.to_act != seat:
        return ()
    if len(introduced) == len(game.rules.LESSONS):
        return ()
    actions = game.rules.legal_actions(game.state, seat)
    moment = Moment(game.rules.position(game.state, seat), actions, seat)
    return due_lessons(game.rules.LESSONS, moment, introduced)


def introduced_lessons(
    transitions: Iterable[Transition], seat: int, introduced: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the names of the lessons that were introduced to a seat, in this order, after these events.

    `introduced` are those that were introduced before the first event.
    """
    names = tuple(introduced)
    for transition in transitions:
        if (
            transition.before is not None
            and transition.event["action"] is not None
            and acting_seat(transition.event["by"]) == seat
        ):
            names += tuple(lesson.name for lesson in lessons_at(transition.before, seat, names))
    return names


@dataclass(frozen=True, slots=True)
class _Introduced:
    """The lessons that were introduced to a seat up to an event."""

    seq: int
    hash: str
    names: tuple[str, ...]


_NONE: Final = _Introduced(0, "", ())


@dataclass(frozen=True, slots=True)
class PlayerLessons:
    """Whether a player gets lessons in a game, and the lessons that are due now."""

    is_on: bool
    due: tuple[AnyLesson, ...] = ()


def is_tutorial(game: Game) -> bool:
    """Return whether a game is a tutorial."""
    return bool(game.options.get("tutorial"))


class Lessons:
    """Finds the lessons that are due. Thread-safe. `head` is always the game at its head."""

    def __init__(self, loader: GameLoader, players: Players, bounds: Bounds) -> None:
        self._loader = loader
        self._players = players
        self._bounds = bounds
        self._cache: LRUCache[tuple[str, int, str], _Introduced] = LRUCache(CACHED_SEATS)
        self._lock = Lock()

    def is_offered(self, head: Game, seat: int | None) -> bool:
        """Return whether lessons can be switched on: in a running game against bots or a tutorial.

        A game that is too long to be replayed has no more lessons.
        """
        if seat is None or head.status != "playing" or head.seq > self._bounds.max_replayed_events:
            return False
        if head.state is None or seat not in head.state.in_game():
            return False
        is_against_bots = set(range(head.seats)) - set(head.bot_seats) == {seat}
        return bool(head.rules.LESSONS) and (is_against_bots or is_tutorial(head))

    def of(self, head: Game, seat: int | None) -> PlayerLessons | None:
        """Return the lessons of the player of a seat; None if they cannot be switched on in this game."""
        if seat is None or not self.is_offered(head, seat):
            return None
        since = self._since(head, seat)
        if since is None:
            return PlayerLessons(is_on=False)
        if head.to_act != seat:
            return PlayerLessons(is_on=True)
        due = lessons_at(head, seat, self._introduced(head, seat, since))
        return PlayerLessons(is_on=True, due=due)

    def due(self, head: Game, seat: int | None) -> tuple[AnyLesson, ...]:
        """Return the lessons that are due for a seat now; none where its player gets no lessons."""
        lessons = self.of(head, seat)
        return () if lessons is None else lessons.due

    def _since(self, head: Game, seat: int) -> str | None:
        """Return the timestamp from which on a player gets lessons in a game, or "" for its beginning."""
        setting = self._players.lessons_setting(head.players[seat])
        if setting is None:
            return "" if is_tutorial(head) else None
        return None if setting == LESSONS_OFF else setting

    def _introduced(self, head: Game, seat: int, since: str) -> tuple[str, ...]:
        key = (head.id, seat, since)
        with self._lock:
            cached = self._cache.get(key, _NONE)
        if cached.hash == head.hash:
            return cached.names
        transitions = (
            [*self._loader.transitions(head, cached.seq, head.seq)] if cached.seq < head.seq else []
        )
        if cached.seq and (not transitions or transitions[0].event["prev"] != cached.hash):
            # The store has lost events since then, and other events have their places.
            cached, transitions = _NONE, [*self._loader.transitions(head, 0, head.seq)]
        transitions = [transition for transition in transitions if transition.event["at"] >= since]
        names = introduced_lessons(transitions, seat, cached.names)
        with self._lock:
            self._cache[key] = _Introduced(head.seq, head.hash, names)
        return names

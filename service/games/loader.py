"""The game loader: folds games from their logs, with a cache. It only reads the event store."""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from domain.errors import Unreadable
from domain.event import Event
from domain.game import Game
from service.errors import NotFound
from service.games.access import game_not_found
from service.games.cache import CachedGame, GameCache, advance
from service.store.event_store import LogReader

log = logging.getLogger(__name__)

GAME_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class GameLoader:
    """Loads the games of a service. Thread-safe.

    The games that it returns are shared and must not be changed. Every method raises Unavailable if
    the store does not respond.
    """

    def __init__(self, log_reader: LogReader, cache: GameCache) -> None:
        self._log_reader = log_reader
        self._cache = cache

    @property
    def cached_games(self) -> int:
        """How many games this process has cached."""
        return len(self._cache)

    def load(self, game_id: str) -> CachedGame:
        """Return the game at its head. Raises NotFound."""
        if not GAME_ID.fullmatch(game_id):
            raise game_not_found(game_id)
        cached = self._cache.get(game_id)
        return self._catch_up(game_id, cached, self._log_reader.read(game_id, _read_after(cached)))

    def load_many(self, game_ids: Iterable[str]) -> Iterator[Game]:
        """Iterate over many games at their heads, read in one round trip.

        A game whose log is missing or damaged is logged and left out, so that the others can still
        be listed.
        """
        cached = {game_id: self._cache.get(game_id) for game_id in game_ids}
        lines_by_game = self._log_reader.read_each(
            {game_id: _read_after(game) for game_id, game in cached.items()}
        )
        for game_id, lines in lines_by_game.items():
            try:
                yield self._catch_up(game_id, cached[game_id], lines).game
            except (NotFound, Unreadable) as error:
                log.error("game %s is left out of a listing: %s", game_id, error)  # noqa: TRY400 # a traceback would add nothing

    def game_at(self, game_id: str, seq: int) -> Game:
        """Return the game as it was after event `seq`. Raises NotFound if there is no such event."""
        head = self.load(game_id).game
        if seq == head.seq:
            return head
        if not 1 <= seq < head.seq:
            raise NotFound(f"game {game_id} has no event {seq}, its last is {head.seq}")
        events = self.events(game_id, 0, seq)
        return advance(None, events, self.opened_secrets(game_id, events)).game

    def events(self, game_id: str, after: int, upto: int) -> tuple[Event, ...]:
        """Return the events after+1 … upto, as far as they exist."""
        return tuple(orjson.loads(line) for line in self._log_reader.read(game_id, after, upto))

    def opened_secrets(self, game_id: str, events: Sequence[Event]) -> Mapping[str, Any]:
        """Return the values of the secrets that these events commit to, by name."""
        if not any("secrets" in event for event in events):
            return {}
        stored = self._log_reader.secrets(game_id)
        return {
            name: orjson.loads(stored[f"{event['seq']}/{name}"])["value"]
            for event in events
            for name in event.get("secrets", ())
        }

    def _catch_up(self, game_id: str, cached: CachedGame | None, lines: list[bytes]) -> CachedGame:
        """Return the cached game advanced by lines read from the log after `_read_after(cached)`."""
        if cached is not None:
            if not lines or b'"hash":"%b"' % cached.game.hash.encode() not in lines[0]:
                # The log lost its last events in a failover, so the whole game is folded again.
                self._cache.drop(game_id)
                return self.load(game_id)
            del lines[0]
            if not lines:
                return cached
        elif not lines:
            raise game_not_found(game_id)
        try:
            events: list[Event] = [orjson.loads(line) for line in lines]
            advanced = advance(cached, events, self.opened_secrets(game_id, events))
        except (KeyError, TypeError, ValueError) as error:
            raise Unreadable(f"the log of game {game_id} is damaged: {error!r}") from error
        self._cache.put(advanced)
        return advanced


def _read_after(cached: CachedGame | None) -> int:
    """Return the seq after which to read the log: the last cached event is read again, for its hash."""
    return 0 if cached is None else cached.game.seq - 1

"""The people of a game: when each of them was there last, and who is ready to begin.

    cartulary:{GAME}:ready   set: the ids of the players who are ready before the start; expires

Neither is part of the log. The players of a game and its arbiter see who was there, and nobody else. Who sees
a game that has not started sees who is ready.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import redis

from domain.errors import NotNow
from domain.game import STATUS_MESSAGES, Game
from domain.messages import message
from service.accounts.presence import LastVisit, Presence
from service.connection import read_members, unavailable_on_error
from service.games.access import is_correspondent, require_correspondent
from service.games.loader import GameLoader
from service.store.redis_event_store import PEOPLE_CHANGED, appended_channel, game_key

READY_SECONDS: Final = 30 * 24 * 3600
"""How long it is kept who is ready."""


@dataclass(frozen=True, slots=True)
class Person:
    """A player of a game, or its arbiter. `visit` is None if nothing is known or shown of their presence."""

    player: str
    visit: LastVisit | None
    is_ready: bool

    @property
    def is_here(self) -> bool:
        """Whether the person has a page of the game open."""
        return self.visit is not None and self.visit.is_here


@dataclass(eq=False, repr=False)
class People:
    """Reads who is in games, and keeps who is ready. Thread-safe.

    Methods raise Unavailable if the store does not respond.
    """

    _redis: redis.Redis
    _loader: GameLoader
    _presence: Presence

    def of_game(self, game_id: str, viewer: str) -> list[Person]:
        """Return the people of a game, without bots, as one of them. Raises NotFound, Forbidden."""
        game = self._loader.visible_game(game_id, viewer)
        require_correspondent(game, viewer)
        return self.of(game)

    def of(self, game: Game) -> list[Person]:
        """Return the people of a game, without bots and without checking who may know of them."""
        everybody = [*game.participants, *([] if game.arbiter is None else [game.arbiter])]
        people = [
            player
            for player in dict.fromkeys(everybody)
            if game.bot_of(player) is None and is_correspondent(game, player)
        ]
        visits = self._presence.of(game.id, people)
        ready = self.ready(game)
        return [Person(player, visits.get(player), player in ready) for player in people]

    def ready(self, game: Game) -> Collection[str]:
        """Return the ids of the players who are ready; nobody is after the start."""
        if game.status != "open":
            return ()
        players = {place.player for place in game.places}
        return players.intersection(read_members(self._redis, _ready_key(game.id)))

    def set_ready(self, game_id: str, player: str, *, is_ready: bool) -> None:
        """Keep that a player is ready to begin, or no longer, and report it to the others. Idempotent.

        Raises NotFound, Forbidden (not a player of the game), NotNow (the game has started).
        """
        game = self._loader.game_of_player(game_id, player)
        if game.status != "open":
            raise NotNow(
                None,
                message(
                    "this is no longer possible: {status}", status=STATUS_MESSAGES[game.status]
                ),
            )
        self._store(game_id, player, is_ready=is_ready)

    def leave(self, game_id: str, player: str) -> None:
        """Forget that a player is ready who has left a game before its start."""
        self._store(game_id, player, is_ready=False)

    def _store(self, game_id: str, player: str, *, is_ready: bool) -> None:
        key = _ready_key(game_id)
        with unavailable_on_error():
            with self._redis.pipeline(transaction=False) as pipeline:
                if is_ready:
                    pipeline.sadd(key, player)
                    pipeline.expire(key, READY_SECONDS)
                else:
                    pipeline.srem(key, player)
                has_changed, *_ = pipeline.execute()
            if has_changed:
                self._redis.publish(appended_channel(game_id), f"{PEOPLE_CHANGED} {player}")


def _ready_key(game_id: str) -> str:
    return game_key(game_id, "ready")

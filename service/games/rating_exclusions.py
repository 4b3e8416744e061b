"""Games that count, but that administrators have excluded from the ratings (RT-9 of docs/ratings.md).

cartulary:rating-exclusions    hash: the `RatingExclusion` as JSON by the id of its game

The ratings projection keeps a copy of the list from which it was derived, which is what the server publishes.
"""

from typing import Any, Final

import orjson
import redis

from domain.json_types import JsonObject
from domain.messages import message
from ledger.canonical import canonical
from replay.player_ratings import RatingExclusion
from service import clock
from service.connection import unavailable_on_error
from service.errors import NotFound, OperationNotPossible

MAX_EXCLUSIONS: Final = 500
"""Games that are excluded at the same time: every statement of the ratings has all of them."""
_EXCLUSIONS: Final = "cartulary:rating-exclusions"


class RatingExclusions:
    """The exclusions of a service. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def all(self) -> list[RatingExclusion]:
        """Return all exclusions, the oldest first."""
        with unavailable_on_error():
            values: Any = self._redis.hvals(_EXCLUSIONS)
        stored: list[RatingExclusion] = [orjson.loads(value) for value in values]
        return sorted(stored, key=lambda one: (one["at"], one["game"]))

    def require_new(self, game_id: str) -> None:
        """Raise OperationNotPossible if a game is excluded already, or if too many games are."""
        games = {one["game"] for one in self.all()}
        if game_id in games:
            raise OperationNotPossible(message("the game is excluded from the ratings already"))
        if len(games) >= MAX_EXCLUSIONS:
            raise OperationNotPossible(
                message("{count} games are excluded from the ratings already", count=len(games))
            )

    def add(self, game_id: str, reason: str) -> None:
        """Exclude a game from now on, unless it is excluded already."""
        exclusion: JsonObject = {"game": game_id, "at": clock.format(clock.now()), "reason": reason}
        with unavailable_on_error():
            self._redis.hsetnx(_EXCLUSIONS, game_id, canonical(exclusion))

    def require(self, game_id: str) -> None:
        """Raise NotFound unless a game is excluded."""
        with unavailable_on_error():
            is_excluded = self._redis.hexists(_EXCLUSIONS, game_id)
        if not is_excluded:
            raise NotFound(message("the game is not excluded from the ratings"))

    def remove(self, game_id: str) -> None:
        """Let a game count again."""
        with unavailable_on_error():
            self._redis.hdel(_EXCLUSIONS, game_id)

"""The analyses of a service, stored in Redis until nobody has read them for some time.

    cartulary:analysis:GAME            the analysis as JSON, complete or not; expires
    cartulary:analyses                 sorted set by time of request: the games whose analysis is not complete
    cartulary:analyses:of:PLAYER       sorted set by time of request: those that the player has requested

An analysis follows from the log of its game, so all of this can be deleted and computed again.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import orjson
import redis

from domain.json_types import JsonObject
from domain.messages import message, plural_message
from service.bounded_collections import store_if_fewer
from service.bounds import Bounds
from service.connection import to_text, unavailable_on_error
from service.errors import TooManyAnalyses, Unavailable
from service.stored_objects import decode_object, members_of

RETRY_SECONDS: Final = 60
"""Seconds after which a client may request an analysis again that the server had no room for."""
_RENEWAL_SECONDS: Final = 24 * 3600
_WAITING: Final = "cartulary:analyses"


@dataclass(frozen=True, slots=True)
class StoredAnalysis:
    """An analysis of a game whose last event has this hash.

    `state` is what has been computed so far, None before the first step. `progress` is the part of the work
    that is done, from 0 to 1; an analysis with `failure` will never be complete.
    """

    game: str
    hash: str
    requested_at: str
    state: JsonObject | None = None
    progress: float = 0.0
    is_complete: bool = False
    failure: str | None = None
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def findings(self) -> JsonObject | None:
        """The complete analysis, as docs/analysis.md defines it; None until it is complete."""
        return self.state if self.is_complete else None

    @property
    def is_waiting(self) -> bool:
        """Whether a worker has something left to do."""
        return not self.is_complete and self.failure is None


class AnalysisStore:
    """Stores analyses. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, bounds: Bounds) -> None:
        self._redis = client
        self._bounds = bounds

    def get(self, game_id: str) -> StoredAnalysis | None:
        """Return the analysis of a game, which is kept for the whole time again; None if there is none.

        Most reads write nothing: the time is renewed once a day at most.
        """
        key = _key(game_id)
        with unavailable_on_error():
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.get(key)
                pipeline.ttl(key)
                value, seconds_left = pipeline.execute()
            if 0 <= seconds_left <= self._seconds - _RENEWAL_SECONDS:
                self._redis.expire(key, self._seconds)
        if not isinstance(value, bytes):
            return None
        try:
            return decode_object(StoredAnalysis, value)
        except (TypeError, ValueError):
            # It is computed again when somebody requests it.
            return None

    def put(self, analysis: StoredAnalysis) -> None:
        """Store an analysis in place of the former one of its game."""
        with unavailable_on_error():
            self._redis.set(
                _key(analysis.game), orjson.dumps(members_of(analysis)), ex=self._seconds
            )
            if not analysis.is_waiting:
                self._redis.zrem(_WAITING, analysis.game)

    def add(self, analysis: StoredAnalysis, player: str) -> None:
        """Store a new analysis that a player has requested, and list it for the workers.

        Raises TooManyAnalyses if as many of this player wait as are allowed, and Unavailable if as many of
        all players do.
        """
        self._remove_completed(player)
        with unavailable_on_error():
            others = _count_others(self._redis, _of(player), analysis.game)
        if others >= self._bounds.max_analyses_per_player:
            # Before anything is written, which waits for the disk.
            raise self._too_many()
        # In this order, because a game on the list of the player is taken as completed if it does not wait.
        if not self._list(_WAITING, analysis.game, self._bounds.max_waiting_analyses):
            raise Unavailable(
                message("the server has as many analyses to compute as it accepts"), RETRY_SECONDS
            )
        if not self._list(_of(player), analysis.game, self._bounds.max_analyses_per_player):
            self.remove(analysis.game)
            raise self._too_many()
        with unavailable_on_error():
            self._redis.expire(_of(player), self._seconds)
        self.put(analysis)

    def _too_many(self) -> TooManyAnalyses:
        """Return the refusal of a player of whom as many analyses wait as are allowed."""
        return TooManyAnalyses(
            plural_message(
                "an analysis that you have requested is not complete yet",
                "{count} analyses that you have requested are not complete yet",
                count=self._bounds.max_analyses_per_player,
            )
        )

    def _list(self, key: str, game_id: str, maximum: int) -> bool:
        """Write a game into a list that has fewer others than `maximum`; return whether it has."""
        return store_if_fewer(
            self._redis,
            key,
            maximum,
            partial(_count_others, key=key, game_id=game_id),
            partial(_write, key=key, game_id=game_id),
        )

    def list_again(self, game_id: str) -> None:
        """List a stored analysis for the workers that is not listed, because two requests crossed."""
        with unavailable_on_error():
            _write(self._redis, _WAITING, game_id)

    def remove(self, game_id: str) -> None:
        """Have no worker go on with the analysis of a game."""
        with unavailable_on_error():
            self._redis.zrem(_WAITING, game_id)

    def waiting(self, limit: int) -> list[str]:
        """Return games whose analysis is not complete, in the order of the requests."""
        with unavailable_on_error():
            games: Any = self._redis.zrange(_WAITING, 0, limit - 1)
        return list(map(to_text, games))

    def forget_player(self, player: str) -> None:
        """Delete which analyses a player has requested; they are completed all the same."""
        with unavailable_on_error():
            self._redis.delete(_of(player))

    def _remove_completed(self, player: str) -> None:
        """Remove the analyses that wait no more from the list of a player."""
        with unavailable_on_error():
            games: Any = self._redis.zrange(_of(player), 0, -1)
            if games:
                scores: Any = self._redis.zmscore(_WAITING, games)
                completed = [game for game, at in zip(games, scores, strict=True) if at is None]
                if completed:
                    self._redis.zrem(_of(player), *completed)

    @property
    def _seconds(self) -> int:
        return int(self._bounds.analysis_seconds)


def _key(game_id: str) -> str:
    return f"cartulary:analysis:{game_id}"


def _of(player: str) -> str:
    return f"{_WAITING}:of:{player}"


def _count_others(client: redis.Redis, key: str, game_id: str) -> int:
    """Return how many games are on a list beside this one."""
    count: Any = client.zcard(key)
    return int(count) - (client.zscore(key, game_id) is not None)


def _write(client: redis.Redis, key: str, game_id: str) -> None:
    """Write a game into a list, unless it is there."""
    client.zadd(key, {game_id: time.time()}, nx=True)

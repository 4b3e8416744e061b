"""Presence: when players had a page of a game open for the last time.

    cartulary:presence:ID   sorted set: the ids of games, by the time (ms) at which player ID was there last;
                            expires

While a player has a page of a game open, a web process renews the time (`service/server/presence.py`); a
player whose time is recent counts as here. What the player does there is not kept. Nothing is kept of players
who have hidden their presence, and an erasure deletes the key.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from typing import Any, Final, TypeAlias

import redis

from service import wall_clock
from service.accounts.account_reader import PRESENCE, account_key
from service.connection import text_or_none, unavailable_on_error

RENEWAL_SECONDS: Final = 60
"""Time between two writes while a player has a page open."""
HERE_SECONDS: Final = 90
"""How long a player counts as here after a write."""
KEPT_SECONDS: Final = 30 * 24 * 3600
"""How long it is known when a player was last in a game."""
MAX_GAMES: Final = 100
"""Games of a player of which it is known, those of the last visits."""

Pipeline: TypeAlias = Any
"""That of a client or of an asynchronous client, whose commands redis-py types differently."""


@dataclass(frozen=True, slots=True)
class LastVisit:
    """When a player had a page of a game open for the last time, and how long they count as here from now on.

    `seconds_here` is 0 for a player who does not count as here. An open page renews both.
    """

    at: str
    seconds_here: float

    @property
    def is_here(self) -> bool:
        """Whether the player counts as here."""
        return self.seconds_here > 0


class Presence:
    """Reads when players were in games. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def of(self, game_id: str, players: Sequence[str]) -> dict[str, LastVisit]:
        """Return the last visits of players to a game, in one round trip; only those that may be shown."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for player in players:
                queue_read(pipeline, player, [game_id])
            replies = iter(pipeline.execute())
        visits = {}
        for player in players:
            is_shown, (score,) = read_replies(replies, 1)
            if is_shown and score is not None:
                visits[player] = _visit(score)
        return visits

    def forget(self, player: str) -> None:
        """Delete everything that is kept about a player."""
        with unavailable_on_error():
            self._redis.delete(presence_key(player))


def presence_key(player: str) -> str:
    """Return the key of the games that a player has visited."""
    return f"cartulary:presence:{player}"


def queue_read(pipeline: Pipeline, player: str, game_ids: Sequence[str]) -> None:
    """Have a pipeline read whether a player shows their presence, and when they were in games."""
    pipeline.hmget(account_key(player), "handle", PRESENCE)
    for game_id in game_ids:
        pipeline.zscore(presence_key(player), game_id)


def read_replies(replies: Any, count: int) -> tuple[bool, list[float | None]]:
    """Return what `queue_read` has read, from the next replies: one of them for each of `count` games.

    The first result is whether the presence may be shown: not without an account, nor against its setting.
    """
    handle, presence = map(text_or_none, next(replies))
    return handle is not None and presence is None, [next(replies) for _ in range(count)]


def queue_write(pipeline: Pipeline, player: str, game_ids: Sequence[str]) -> None:
    """Have a pipeline write that a player is in games now, and forget old visits."""
    key, now = presence_key(player), _now()
    pipeline.zadd(key, dict.fromkeys(game_ids, now))
    pipeline.zremrangebyscore(key, "-inf", now - KEPT_SECONDS * 1000)
    pipeline.zremrangebyrank(key, 0, -MAX_GAMES - 1)
    pipeline.expire(key, KEPT_SECONDS)


def seconds_since(score: float | None) -> float:
    """Return how long ago a visit (ms) was; infinity for none."""
    return inf if score is None else (_now() - score) / 1000


def _visit(score: float) -> LastVisit:
    at = datetime.fromtimestamp(score / 1000, UTC)
    return LastVisit(wall_clock.format(at), max(0.0, HERE_SECONDS - seconds_since(score)))


def _now() -> int:
    return wall_clock.milliseconds(wall_clock.now())

"""The players whom a player has muted: they cannot reach that player with messages or invitations.

    cartulary:mutes:ID   sorted set: the ids of the players whom player ID has muted, by the time (ms)

A mute concerns only the player who sets it, and nobody else learns of it.
"""

from collections.abc import Sequence
from typing import Any, Final

import redis

from domain.errors import Malformed
from domain.messages import message, plural_message
from service import wall_clock
from service.bounded_collections import store_if_fewer
from service.connection import to_text, unavailable_on_error
from service.errors import TooManyMutes

_KEY: Final = "cartulary:mutes:"


def mutes_key(player: str) -> str:
    """Return the key of the players whom a player has muted."""
    return _KEY + player


class Mutes:
    """The mutes of all players. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, max_mutes: int) -> None:
        self._redis = client
        self._max_mutes = max_mutes

    def of(self, player: str) -> tuple[str, ...]:
        """Return the ids of the players whom a player has muted, the last one first."""
        with unavailable_on_error():
            members: list[Any] = self._redis.zrevrange(mutes_key(player), 0, -1)
        return tuple(map(to_text, members))

    def has_muted(self, player: str, others: Sequence[str]) -> frozenset[str]:
        """Return the players, of `others`, whom a player has muted, in one round trip."""
        if not others:
            return frozenset()
        with unavailable_on_error():
            scores = self._redis.zmscore(mutes_key(player), list(others))
        return frozenset(
            other for other, score in zip(others, scores, strict=True) if score is not None
        )

    def muted_by(self, player: str, others: Sequence[str]) -> frozenset[str]:
        """Return the players, of `others`, who have muted a player, in one round trip."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for other in others:
                pipeline.zscore(mutes_key(other), player)
            scores = pipeline.execute()
        return frozenset(
            other for other, score in zip(others, scores, strict=True) if score is not None
        )

    def add(self, player: str, muted: str) -> None:
        """Mute a player; does nothing if that was done before.

        Raises Malformed (the player themselves), and TooManyMutes.
        """
        if player == muted:
            raise Malformed({"handle": message("must be the handle of another player")})
        key = mutes_key(player)
        if muted in self.has_muted(player, [muted]):
            return
        now = int(wall_clock.now().timestamp() * 1000)
        is_stored = store_if_fewer(
            self._redis,
            key,
            self._max_mutes,
            lambda pipeline: pipeline.zcard(key),
            lambda pipeline: pipeline.zadd(key, {muted: now}, nx=True),
        )
        if not is_stored:
            raise TooManyMutes(
                plural_message(
                    "a player can mute one player",
                    "a player can mute at most {count} players",
                    count=self._max_mutes,
                )
            )

    def remove(self, player: str, muted: str) -> None:
        """Unmute a player, if they are muted."""
        with unavailable_on_error():
            self._redis.zrem(mutes_key(player), muted)

    def delete_all_of(self, player: str) -> None:
        """Delete the list of a player."""
        with unavailable_on_error():
            self._redis.delete(mutes_key(player))

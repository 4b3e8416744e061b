"""The circuit breakers of receivers: a receiver that fails is paused, for longer each time.

    cartulary:receivers:PLAYER   hash: CHANNEL/ENDPOINT -> JSON {"failures", "paused_until"}

A receiver is an endpoint of a player, such as a webhook. While its breaker is open, nothing is sent to it,
and its deliveries wait without using up attempts. Then one attempt is made, which closes the breaker or opens
it again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import orjson
import redis

from service import wall_clock
from service.connection import unavailable_on_error
from service.stored_objects import decode_object

_PREFIX: Final = "cartulary:receivers:"
FIRST_PAUSE: Final = timedelta(seconds=2)
LONGEST_PAUSE: Final = timedelta(hours=1)
"""The pause after the first failure, and the longest pause. Each pause is twice as long as the one before."""
_SECONDS_KEPT: Final = 90 * 24 * 3600
_MAX_PER_PLAYER: Final = 100
"""The most breakers that are kept for a player; beyond that, all are deleted. Players have few endpoints."""


class Receiver(NamedTuple):
    """An endpoint of a player in a channel; the player is OPERATOR for endpoints of the operator."""

    channel: str
    player: str
    endpoint: str


@dataclass(frozen=True, slots=True)
class Breaker:
    """The state of a receiver. `failures` counts the failed attempts since the last success.

    It is None if no attempt was made.
    """

    failures: int | None = None
    paused_until: str | None = None

    @property
    def is_proven(self) -> bool:
        """Whether the last attempt has succeeded."""
        return self.failures == 0

    def pause_after(self, now: datetime) -> datetime | None:
        """Return the time until which nothing is sent to the receiver; None if the breaker is closed."""
        until = None if self.paused_until is None else wall_clock.parse(self.paused_until)
        return None if until is None or until <= now else until


class CircuitBreakers:
    """The breakers of all receivers. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def of(self, receiver: Receiver) -> Breaker:
        """Return the breaker of a receiver."""
        return self.of_each([receiver])[0]

    def of_each(self, receivers: Sequence[Receiver]) -> list[Breaker]:
        """Return the breakers of receivers, in the same order."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for receiver in receivers:
                pipeline.hget(_PREFIX + receiver.player, _field(receiver))
            return [_decode(value) for value in pipeline.execute()]

    def record_success(self, receiver: Receiver) -> None:
        """Close the breaker of a receiver."""
        self._store(receiver, Breaker(failures=0))

    def record_failure(self, receiver: Receiver, now: datetime) -> datetime:
        """Open the breaker of a receiver, and return the time until which it stays open."""
        failures = (self.of(receiver).failures or 0) + 1
        # After some doublings, the longest pause is reached in any case.
        doublings = min(failures - 1, 20)
        until = now + min(LONGEST_PAUSE, FIRST_PAUSE * (1 << doublings))
        self._store(receiver, Breaker(failures, wall_clock.format(until)))
        return until

    def forget(self, receiver: Receiver) -> None:
        """Forget the breaker of a receiver, as if no attempt had been made."""
        with unavailable_on_error():
            self._redis.hdel(_PREFIX + receiver.player, _field(receiver))

    def delete_all_of(self, player: str) -> None:
        """Delete the breakers of a player's receivers."""
        with unavailable_on_error():
            self._redis.delete(_PREFIX + player)

    def _store(self, receiver: Receiver, breaker: Breaker) -> None:
        key = _PREFIX + receiver.player
        value = {"failures": breaker.failures, "paused_until": breaker.paused_until}
        with unavailable_on_error():
            if int(self._redis.hlen(key)) >= _MAX_PER_PLAYER:
                self._redis.delete(key)
            self._redis.hset(key, _field(receiver), orjson.dumps(value))
            self._redis.expire(key, _SECONDS_KEPT)


def _field(receiver: Receiver) -> str:
    return f"{receiver.channel}/{receiver.endpoint}"


def _decode(value: Any) -> Breaker:
    return Breaker() if value is None else decode_object(Breaker, value)

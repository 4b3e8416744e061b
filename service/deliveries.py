"""The deliveries of notifications, stored beside the log of their game.

    cartulary:{GAME}:deliveries   sorted set by seq of the event; each member is a delivery as JSON

A delivery is one notification on its way through one notifier. It is stored once, however often it is tried.
Deliveries are no part of the log: they show what the workers did because of an event, and prove nothing to
somebody who does not trust the server.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import orjson
import redis
from redis.client import Pipeline

from domain.errors import Unreadable
from domain.json_types import JsonObject
from service.connection import unavailable_on_error
from service.store.redis_event_store import game_key

Status: TypeAlias = Literal["retrying", "accepted", "given_up"]
"""`retrying`: the last attempt has failed, and another one follows."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One notification about event `seq`, to the players with the ids `players`, through one notifier.

    `id` is that of the notification. `tried_at` is the time of the last attempt; `accepted_at` is the time at
    which the notifier's receiver accepted it, or None.
    """

    id: str
    notifier: str
    seq: int
    subject: str
    players: tuple[str, ...]
    status: Status
    attempts: int
    tried_at: str
    accepted_at: str | None = None

    def as_json(self) -> JsonObject:
        """Return the delivery as it is stored and as the API shows it."""
        return {
            "delivery": self.id,
            "notifier": self.notifier,
            "seq": self.seq,
            "subject": self.subject,
            "players": list(self.players),
            "status": self.status,
            "attempts": self.attempts,
            "tried_at": self.tried_at,
            "accepted_at": self.accepted_at,
        }


class Deliveries:
    """The stored deliveries of all games. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, max_per_game: int) -> None:
        """Keep at most `max_per_game` deliveries of a game, those about its latest events."""
        self._redis = client
        self._max_per_game = max_per_game

    def store(self, game_id: str, attempt: Delivery) -> None:
        """Store the result of one attempt, or add it to the attempts of the same delivery.

        A delivery that was accepted before stays as it is, so a job that runs twice stores it once.
        """
        key = game_key(game_id, "deliveries")

        def change(pipeline: Pipeline) -> None:
            members: list[Any] = pipeline.zrangebyscore(key, attempt.seq, attempt.seq)
            pipeline.multi()
            delivery = attempt
            for member in members:
                earlier = _decode(member)
                if earlier is None or (earlier.id, earlier.notifier) != (
                    attempt.id,
                    attempt.notifier,
                ):
                    continue
                if earlier.status == "accepted":
                    return
                pipeline.zrem(key, member)
                delivery = replace(attempt, attempts=earlier.attempts + attempt.attempts)
            pipeline.zadd(key, {orjson.dumps(delivery.as_json()): attempt.seq})
            pipeline.zremrangebyrank(key, 0, -self._max_per_game - 1)

        with unavailable_on_error():
            # It is done again if another worker has stored a delivery of this game meanwhile.
            self._redis.transaction(change, key)

    def about(self, game_id: str, seq: int) -> Sequence[Delivery]:
        """Return the deliveries about event `seq`, in the order of their last attempts.

        Damaged values are left out.
        """
        try:
            with unavailable_on_error():
                key = game_key(game_id, "deliveries")
                members: list[Any] = self._redis.zrangebyscore(key, seq, seq)
        except Unreadable:
            return []
        deliveries = [delivery for member in members if (delivery := _decode(member)) is not None]
        return sorted(deliveries, key=lambda delivery: (delivery.tried_at, delivery.notifier))


def _decode(member: bytes) -> Delivery | None:
    """Return the delivery in a member of the sorted set; None if it is damaged."""
    try:
        stored = orjson.loads(member)
        return Delivery(
            id=stored["delivery"],
            notifier=stored["notifier"],
            seq=stored["seq"],
            subject=stored["subject"],
            players=tuple(stored["players"]),
            status=stored["status"],
            attempts=stored["attempts"],
            tried_at=stored["tried_at"],
            accepted_at=stored["accepted_at"],
        )
    except (KeyError, TypeError, ValueError):
        return None

"""The deliveries of notifications, in Redis.

    cartulary:{deliveries}:record:ID         hash: content (JSON that never changes), status, attempts, and of
                                             the last attempt claimed_until, tried_at, sent_at, result, due_at
    cartulary:{deliveries}:due               sorted set, id -> time of the next attempt, in ms since 1970
    cartulary:{deliveries}:of-player:PLAYER  sorted set, id -> time of creation
    cartulary:{deliveries}:of-game:GAME      sorted set, id -> seq of the event
    cartulary:{deliveries}:items:ID          list, the ids of the deliveries that a digest contains
    cartulary:{deliveries}:failed            sorted set, id -> time, of those that were given up or bounced
    cartulary:{deliveries}:totals            hash, status -> number of deliveries that have ended with it

A delivery is created once, because its id is derived from what it is about. An attempt is claimed before it
is made. If the worker dies, the claim expires, and another worker makes the next attempt: only an attempt
that was under way when its worker died may have reached the receiver without being recorded. Deliveries are
no part of a log: they show what the workers did because of an event, and prove nothing to somebody who does
not trust the server. All keys share a slot of a Redis Cluster, and each change is one script.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import orjson
import redis

from domain.errors import Unreadable
from domain.json_types import JsonObject
from domain.messages import Text, message
from service import clock
from service.bounds import Bounds
from service.connection import to_text, unavailable_on_error
from service.notifications.circuit_breakers import CircuitBreakers, Receiver
from service.notifications.delivery import (
    Delivery,
    Status,
    delivery_from_fields,
    encode_result,
)
from service.notifications.kinds import OPERATOR
from service.replication import Replication

PREFIX: Final = "cartulary:{deliveries}:"
DUE: Final = f"{PREFIX}due"
_RECORD: Final = f"{PREFIX}record:"
_FAILED: Final = f"{PREFIX}failed"
_TOTALS: Final = f"{PREFIX}totals"
CLAIM: Final = timedelta(seconds=60)
"""How long an attempt is claimed; longer than the job of an attempt may take."""
SECONDS_KEPT: Final = 90 * 24 * 3600
"""How long a delivery is kept after its last attempt."""
MAX_FAILED: Final = 10_000
"""Failed deliveries that are listed for administrators."""
TOO_MANY: Final = message("too many deliveries wait")


@dataclass(frozen=True, slots=True)
class DueDelivery:
    """A delivery whose next attempt is due. `planned_at` is when it was to be sent first."""

    id: str
    receiver: Receiver
    planned_at: datetime


class Deliveries:
    """All stored deliveries. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(
        self, client: redis.Redis, bounds: Bounds, replication: Replication | None = None
    ) -> None:
        """`replication`: a delivery is created when replicas have the event that it is about."""
        self._redis = client
        self._replication = replication or Replication(client, 0)
        self._bounds = bounds
        self.breakers = CircuitBreakers(client)
        folder = Path(__file__).parent
        self._create, self._take, self._postpone, self._claim, self._finish = (
            client.register_script((folder / f"{name}.lua").read_text(encoding="utf-8"))
            for name in ("create", "take", "postpone", "claim", "finish")
        )

    def create(self, delivery: Delivery) -> bool:
        """Create a delivery unless it exists; return False if it is part of a digest that is closed.

        It is given up at once if too many others wait.
        """
        game_index = f"{PREFIX}of-game:{delivery.game_id}"
        is_operators = delivery.player == OPERATOR
        digest = delivery.digest or delivery.id
        created_at = _milliseconds(clock.parse(delivery.created_at))
        due_at = delivery.due_at or delivery.created_at
        self._replication.wait()
        with unavailable_on_error():
            reply = self._create(
                keys=[
                    _RECORD + delivery.id,
                    DUE,
                    game_index if is_operators else f"{PREFIX}of-player:{delivery.player}",
                    game_index,
                    _RECORD + digest,
                    _items_key(digest),
                ],
                args=[
                    delivery.id,
                    delivery.content(),
                    created_at,
                    delivery.seq,
                    "" if delivery.digest else _milliseconds(clock.parse(due_at)),
                    self._bounds.max_deliveries_per_player,
                    self._bounds.max_deliveries_per_game,
                    self._bounds.max_waiting_deliveries,
                    _RECORD,
                    SECONDS_KEPT,
                    encode_result(TOO_MANY),
                    "1" if is_operators else "0",
                ],
            )
        return bool(reply != -1)

    def take_due(self, now: datetime, limit: int) -> list[DueDelivery]:
        """Return up to `limit` deliveries whose next attempt is due, the earliest first.

        They are due again after CLAIM, unless an attempt is made before.
        """
        with unavailable_on_error():
            reply: Any = self._take(
                keys=[DUE], args=[_milliseconds(now), _milliseconds(now + CLAIM), limit, _RECORD]
            )
        texts = [to_text(value) for value in reply]
        return [
            _due_delivery(id, content, now)
            for id, content in zip(texts[::2], texts[1::2], strict=True)
        ]

    def postpone(self, ids: Sequence[str], until: datetime) -> None:
        """Postpone the next attempt of deliveries that wait for one."""
        if not ids:
            return
        with unavailable_on_error():
            self._postpone(
                keys=[DUE], args=[clock.format(until), _milliseconds(until), _RECORD, *ids]
            )

    def claim(self, id: str, now: datetime) -> Delivery | None:
        """Claim the next attempt of a delivery, and return the delivery with this attempt counted.

        Returns None if it has ended, or another worker has claimed it. Raises Unreadable.
        """
        with unavailable_on_error():
            reply: Any = self._claim(
                keys=[_RECORD + id, DUE],
                args=[id, _milliseconds(now), _milliseconds(now + CLAIM)],
            )
        if reply is None:
            return None
        texts = [to_text(value) for value in reply]
        return delivery_from_fields(id, dict(zip(texts[::2], texts[1::2], strict=True)))

    def finish(
        self,
        deliveries: Sequence[Delivery],
        status: Status,
        now: datetime,
        *,
        result: Text | None = None,
        next_at: datetime | None = None,
        is_claimed: bool = True,
    ) -> int:
        """Record what an attempt has led to; return the number of deliveries that were changed.

        `next_at`: the time of the next attempt, None after the last one. `is_claimed`: whether this is the
        result of a claimed attempt, which a later attempt makes invalid unless it was sent.
        """
        if not deliveries:
            return 0
        attempt = str(deliveries[0].attempts) if is_claimed else ""
        with unavailable_on_error():
            reply = self._finish(
                keys=[DUE, _TOTALS, _FAILED, *(_RECORD + delivery.id for delivery in deliveries)],
                args=[
                    attempt,
                    status,
                    encode_result(result),
                    clock.format(now),
                    "" if next_at is None else clock.format(next_at),
                    "" if next_at is None else _milliseconds(next_at),
                    _milliseconds(now),
                    SECONDS_KEPT,
                    MAX_FAILED,
                    *(delivery.id for delivery in deliveries),
                ],
            )
        return int(reply)

    def items(self, digest: str) -> list[Delivery]:
        """Return the deliveries that a digest contains, in the order of their creation."""
        with unavailable_on_error():
            ids: list[Any] = self._redis.lrange(_items_key(digest), 0, -1)
        return self._get([to_text(id) for id in ids])

    def find(self, id: str) -> Delivery | None:
        """Return the delivery with an id; None if there is none."""
        return next(iter(self._get([id])), None)

    def about(self, game_id: str, seq: int) -> Sequence[Delivery]:
        """Return the deliveries about event `seq` of a game, the oldest first.

        Damaged values are left out.
        """
        try:
            with unavailable_on_error():
                ids: list[Any] = self._redis.zrangebyscore(f"{PREFIX}of-game:{game_id}", seq, seq)
        except Unreadable:
            return []
        deliveries = self._get([to_text(id) for id in ids])
        return sorted(deliveries, key=lambda delivery: (delivery.created_at, delivery.channel))

    def shown_to(self, game_id: str, seq: int, player: str) -> list[JsonObject]:
        """Return the deliveries about event `seq` of a game that a player may see, the oldest first, as JSON.

        These are those to the operator and to the player: the endpoints of others are private.
        """
        return [
            delivery.as_json()
            for delivery in self.about(game_id, seq)
            if delivery.player in (OPERATOR, player)
        ]

    def of_player(
        self, player: str, limit: int, before: str | None = None
    ) -> tuple[list[Delivery], str | None]:
        """Return a page of the deliveries to a player, newest first, and the cursor of the next page."""
        index = f"{PREFIX}of-player:{player}"
        with unavailable_on_error():
            start = 0
            if before is not None:
                rank: Any = self._redis.zrevrank(index, before)
                start = 0 if rank is None else rank + 1
            ids: list[Any] = self._redis.zrevrange(index, start, start + limit)
        page = [to_text(id) for id in ids]
        more = page[limit - 1] if len(page) > limit else None
        return self._get(page[:limit]), more

    def waiting(self, limit: int) -> list[Delivery]:
        """Return up to `limit` deliveries that wait for an attempt, the next one first."""
        with unavailable_on_error():
            ids: list[Any] = self._redis.zrange(DUE, 0, limit - 1)
        return self._get([to_text(id) for id in ids])

    def failed(self, limit: int) -> list[Delivery]:
        """Return up to `limit` deliveries that were given up or bounced, the last one first."""
        with unavailable_on_error():
            ids: list[Any] = self._redis.zrevrange(_FAILED, 0, limit - 1)
        return self._get([to_text(id) for id in ids])

    def resend(self, id: str, now: datetime) -> Delivery | None:
        """Make a delivery that has ended due again; return it, None if it does not exist or has not ended.

        The receiver recognises it by its id, which stays the same.
        """
        delivery = self.find(id)
        if delivery is None or not delivery.is_final:
            return None
        with unavailable_on_error(), self._redis.pipeline() as pipeline:
            pipeline.hset(
                _RECORD + id,
                mapping={
                    "status": "pending",
                    "attempts": "0",
                    "due_at": clock.format(now),
                    "result": "",
                },
            )
            pipeline.persist(_RECORD + id)
            pipeline.zrem(_FAILED, id)
            pipeline.zadd(DUE, {id: _milliseconds(now)})
            pipeline.execute()
        return self.find(id)

    def mark_bounced(self, delivery: Delivery, now: datetime, result: Text) -> None:
        """Record that a delivery which a receiver had accepted has bounced later."""
        if delivery.status != "sent":
            return
        with unavailable_on_error(), self._redis.pipeline() as pipeline:
            pipeline.hset(_RECORD + delivery.id, "status", "bounced")
            pipeline.hset(_RECORD + delivery.id, "result", encode_result(result))
            pipeline.expire(_RECORD + delivery.id, SECONDS_KEPT)
            pipeline.hincrby(_TOTALS, "sent", -1)
            pipeline.hincrby(_TOTALS, "bounced", 1)
            pipeline.zadd(_FAILED, {delivery.id: _milliseconds(now)})
            pipeline.execute()

    def count_waiting(self) -> int:
        """Return the number of deliveries that wait for an attempt."""
        with unavailable_on_error():
            return int(self._redis.zcard(DUE))

    def totals(self) -> Mapping[str, int]:
        """Return by status how many deliveries have ended with it since the store was created."""
        with unavailable_on_error():
            stored = self._redis.hgetall(_TOTALS)
        return {to_text(status): int(count) for status, count in stored.items()}

    def delete_all_of(self, player: str) -> None:
        """Delete all deliveries to a player, and the breakers of their receivers."""
        index = f"{PREFIX}of-player:{player}"
        with unavailable_on_error():
            members: list[Any] = self._redis.zrange(index, 0, -1)
            ids = [to_text(id) for id in members]
            if ids:
                self._redis.delete(*(_RECORD + id for id in ids), *map(_items_key, ids))
                self._redis.zrem(DUE, *ids)
                self._redis.zrem(_FAILED, *ids)
            self._redis.delete(index)
        self.breakers.delete_all_of(player)

    def _get(self, ids: Sequence[str]) -> list[Delivery]:
        """Return those of the deliveries that exist and can be read, in this order."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for id in ids:
                pipeline.hgetall(_RECORD + id)
            replies = pipeline.execute(raise_on_error=False)
        deliveries = []
        for id, fields in zip(ids, replies, strict=True):
            if not isinstance(fields, dict) or not fields:
                continue
            texts = {to_text(name): to_text(value) for name, value in fields.items()}
            try:
                deliveries.append(delivery_from_fields(id, texts))
            except Unreadable:
                continue
        return deliveries


def _due_delivery(id: str, content: str, now: datetime) -> DueDelivery:
    """Return a due delivery. One that is damaged has no receiver: claiming it reports the damage."""
    try:
        fields = orjson.loads(content)
        receiver = Receiver(fields["channel"], fields["player"], fields["endpoint"])
        return DueDelivery(id, receiver, clock.parse(fields["due_at"] or fields["created_at"]))
    except (KeyError, TypeError, ValueError):
        return DueDelivery(id, Receiver("", OPERATOR, ""), now)


def _items_key(digest: str) -> str:
    return f"{PREFIX}items:{digest}"


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)

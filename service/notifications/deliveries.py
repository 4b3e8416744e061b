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
not trust the server.

All keys share a slot, and each change is one script. In a Redis Cluster, there are such keys in shards,
`cartulary:{deliveries:N}:…` (service/store/shards.py): a delivery is in the shard of its player, and one to
the operator in that of its game. The keys of a single Redis are read there too, because a backup of one may
have been restored into the cluster.
"""

from collections import Counter
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
from service.notifications.delivery import Delivery, Status, delivery_from_fields, encode_result
from service.notifications.kinds import OPERATOR
from service.replication import Replication
from service.store.shards import Shards

PREFIX: Final = "cartulary:{deliveries}:"
DUE: Final = f"{PREFIX}due"
_SHARDS: Final = Shards("deliveries")
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


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys of a shard, or those of a single Redis."""

    prefix: str

    @property
    def due(self) -> str:
        return self.prefix + "due"

    @property
    def failed(self) -> str:
        return self.prefix + "failed"

    @property
    def totals(self) -> str:
        return self.prefix + "totals"

    @property
    def records(self) -> str:
        """What the keys of records begin with."""
        return self.prefix + "record:"

    def record(self, id: str) -> str:
        return self.records + id

    def items(self, digest: str) -> str:
        return f"{self.prefix}items:{digest}"

    def of_player(self, player: str) -> str:
        return f"{self.prefix}of-player:{player}"

    def of_game(self, game_id: str) -> str:
        return f"{self.prefix}of-game:{game_id}"


_UNSHARDED: Final = _Keys(PREFIX)


class Deliveries:
    """All stored deliveries. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(
        self,
        client: redis.Redis,
        bounds: Bounds,
        replication: Replication | None = None,
        *,
        is_sharded: bool = False,
    ) -> None:
        """`replication`: a delivery is created when replicas have the event that it is about.

        `is_sharded`: the client is of a cluster.
        """
        self._redis = client
        keys = [_Keys(f"{key}:") for key in _SHARDS.all if key != _SHARDS.former]
        self._keys: tuple[_Keys, ...] = (*keys, _UNSHARDED) if is_sharded else (_UNSHARDED,)
        self._is_sharded = is_sharded
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
        keys = self._keys_of(delivery.player, delivery.game_id)
        game_index = keys.of_game(delivery.game_id)
        is_operators = delivery.player == OPERATOR
        digest = delivery.digest or delivery.id
        created_at = _milliseconds(clock.parse(delivery.created_at))
        due_at = delivery.due_at or delivery.created_at
        self._replication.wait()
        with unavailable_on_error():
            most_waiting = self._bounds.max_waiting_deliveries
            if self._is_sharded:
                if self._redis.exists(_UNSHARDED.record(delivery.id)):
                    return True
                most_waiting -= sum(
                    count for other, count in self._counts_waiting().items() if other != keys
                )
            reply = self._create(
                keys=[
                    keys.record(delivery.id),
                    keys.due,
                    game_index if is_operators else keys.of_player(delivery.player),
                    game_index,
                    keys.record(digest),
                    keys.items(digest),
                ],
                args=[
                    delivery.id,
                    delivery.content(),
                    created_at,
                    delivery.seq,
                    "" if delivery.digest else _milliseconds(clock.parse(due_at)),
                    self._bounds.max_deliveries_per_player,
                    self._bounds.max_deliveries_per_game,
                    most_waiting,
                    keys.records,
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
        texts: list[str] = []
        with unavailable_on_error():
            for keys, count in self._counts_to_take(now, limit).items():
                reply: Any = self._take(
                    keys=[keys.due],
                    args=[_milliseconds(now), _milliseconds(now + CLAIM), count, keys.records],
                )
                texts += map(to_text, reply)
        taken = [
            _due_delivery(id, content, now)
            for id, content in zip(texts[::2], texts[1::2], strict=True)
        ]
        return sorted(taken, key=lambda due: due.planned_at) if self._is_sharded else taken

    def _counts_to_take(self, now: datetime, limit: int) -> dict[_Keys, int]:
        """Return where the first deliveries are whose next attempt is due, and how many; all in one place."""
        if not self._is_sharded:
            return {_UNSHARDED: limit}
        with self._redis.pipeline(transaction=False) as pipeline:
            for keys in self._keys:
                pipeline.zrange(
                    keys.due,
                    "-inf",
                    _milliseconds(now),
                    byscore=True,
                    offset=0,
                    num=limit,
                    withscores=True,
                )
            rows = [
                (score, number)
                for number, reply in enumerate(pipeline.execute())
                for _, score in reply
            ]
        return Counter(self._keys[number] for _, number in sorted(rows)[:limit])

    def postpone(self, ids: Sequence[str], until: datetime) -> None:
        """Postpone the next attempt of deliveries that wait for one."""
        if not ids:
            return
        by_keys: dict[_Keys, list[str]] = {}
        for id, keys in self._locate(ids).items():
            by_keys.setdefault(keys, []).append(id)
        with unavailable_on_error():
            for keys, own in by_keys.items():
                self._postpone(
                    keys=[keys.due],
                    args=[clock.format(until), _milliseconds(until), keys.records, *own],
                )

    def claim(self, id: str, now: datetime) -> Delivery | None:
        """Claim the next attempt of a delivery, and return the delivery with this attempt counted.

        Returns None if it has ended, or another worker has claimed it. Raises Unreadable.
        """
        keys = self._locate([id])[id]
        with unavailable_on_error():
            reply: Any = self._claim(
                keys=[keys.record(id), keys.due],
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
        ids = [delivery.id for delivery in deliveries]
        # All of them are deliveries to one player, and so in one place.
        keys = self._locate(ids[:1])[ids[0]]
        with unavailable_on_error():
            reply = self._finish(
                keys=[keys.due, keys.totals, keys.failed, *map(keys.record, ids)],
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
                    *ids,
                ],
            )
        return int(reply)

    def items(self, digest: str) -> list[Delivery]:
        """Return the deliveries that a digest contains, in the order of their creation."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for keys in self._keys:
                pipeline.lrange(keys.items(digest), 0, -1)
            replies = pipeline.execute()
        return self._get(self._located(replies))

    def find(self, id: str) -> Delivery | None:
        """Return the delivery with an id; None if there is none."""
        return next(iter(self._get([(keys, id) for keys in self._keys])), None)

    def about(self, game_id: str, seq: int) -> Sequence[Delivery]:
        """Return the deliveries about event `seq` of a game, the oldest first.

        Damaged values are left out.
        """
        try:
            with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
                for keys in self._keys:
                    pipeline.zrangebyscore(keys.of_game(game_id), seq, seq)
                replies = pipeline.execute()
        except Unreadable:
            return []
        deliveries = self._get(self._located(replies))
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
        rows: list[tuple[_Keys, str]] = []
        with unavailable_on_error():
            remaining, start = self._keys_after(player, before)
            for keys in remaining:
                last = start + limit - len(rows)
                ids: list[Any] = self._redis.zrevrange(keys.of_player(player), start, last)
                rows += [(keys, to_text(id)) for id in ids]
                if len(rows) > limit:
                    return self._get(rows[:limit]), rows[limit - 1][1]
                start = 0
        return self._get(rows), None

    def _keys_after(self, player: str, before: str | None) -> tuple[Sequence[_Keys], int]:
        """Return where those deliveries to a player are that come after `before`, and how many come first.

        What a single Redis has stored is older than what is in a shard.
        """
        places = dict.fromkeys((self._keys_of(player, ""), _UNSHARDED))
        for number, keys in enumerate(places if before is not None else ()):
            rank: Any = self._redis.zrevrank(keys.of_player(player), before or "")
            if rank is not None:
                return [*places][number:], rank + 1
        return [*places], 0

    def waiting(self, limit: int) -> list[Delivery]:
        """Return up to `limit` deliveries that wait for an attempt, the next one first."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for keys in self._keys:
                pipeline.zrange(keys.due, 0, limit - 1, withscores=True)
            rows = self._scored(pipeline.execute())
        return self._get([place for _, place in sorted(rows, key=_score)[:limit]])

    def failed(self, limit: int) -> list[Delivery]:
        """Return up to `limit` deliveries that were given up or bounced, the last one first."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for keys in self._keys:
                pipeline.zrevrange(keys.failed, 0, limit - 1, withscores=True)
            rows = self._scored(pipeline.execute())
        return self._get([place for _, place in sorted(rows, key=_score, reverse=True)[:limit]])

    def resend(self, id: str, now: datetime) -> Delivery | None:
        """Make a delivery that has ended due again; return it, None if it does not exist or has not ended.

        The receiver recognises it by its id, which stays the same.
        """
        delivery = self.find(id)
        if delivery is None or not delivery.is_final:
            return None
        keys = self._locate([id])[id]
        with unavailable_on_error(), self._redis.pipeline() as pipeline:
            pipeline.hset(
                keys.record(id),
                mapping={
                    "status": "pending",
                    "attempts": "0",
                    "due_at": clock.format(now),
                    "result": "",
                },
            )
            pipeline.persist(keys.record(id))
            pipeline.zrem(keys.failed, id)
            pipeline.zadd(keys.due, {id: _milliseconds(now)})
            pipeline.execute()
        return self.find(id)

    def mark_bounced(self, delivery: Delivery, now: datetime, result: Text) -> None:
        """Record that a delivery which a receiver had accepted has bounced later."""
        if delivery.status != "sent":
            return
        keys = self._locate([delivery.id])[delivery.id]
        record = keys.record(delivery.id)
        with unavailable_on_error(), self._redis.pipeline() as pipeline:
            pipeline.hset(record, "status", "bounced")
            pipeline.hset(record, "result", encode_result(result))
            pipeline.expire(record, SECONDS_KEPT)
            pipeline.hincrby(keys.totals, "sent", -1)
            pipeline.hincrby(keys.totals, "bounced", 1)
            pipeline.zadd(keys.failed, {delivery.id: _milliseconds(now)})
            pipeline.execute()

    def count_waiting(self) -> int:
        """Return the number of deliveries that wait for an attempt."""
        with unavailable_on_error():
            return sum(self._counts_waiting().values())

    def totals(self) -> Mapping[str, int]:
        """Return by status how many deliveries have ended with it since the store was created."""
        totals: Counter[str] = Counter()
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for keys in self._keys:
                pipeline.hgetall(keys.totals)
            for stored in pipeline.execute():
                totals.update({to_text(status): int(count) for status, count in stored.items()})
        return totals

    def delete_all_of(self, player: str) -> None:
        """Delete all deliveries to a player, and the breakers of their receivers."""
        with unavailable_on_error():
            for keys in dict.fromkeys((self._keys_of(player, ""), _UNSHARDED)):
                index = keys.of_player(player)
                members: list[Any] = self._redis.zrange(index, 0, -1)
                ids = [to_text(id) for id in members]
                if ids:
                    self._redis.delete(*map(keys.record, ids), *map(keys.items, ids))
                    self._redis.zrem(keys.due, *ids)
                    self._redis.zrem(keys.failed, *ids)
                self._redis.delete(index)
        self.breakers.delete_all_of(player)

    def _keys_of(self, player: str, game_id: str) -> _Keys:
        """Return where a new delivery to a player belongs; for the operator, one about a game."""
        member = game_id if player == OPERATOR else player
        return _Keys(f"{_SHARDS.key(member)}:") if self._is_sharded else _UNSHARDED

    def _locate(self, ids: Sequence[str]) -> dict[str, _Keys]:
        """Return where deliveries are, by id. One that does not exist is nowhere, so any place does."""
        if not self._is_sharded:
            return dict.fromkeys(ids, _UNSHARDED)
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for id in ids:
                for keys in self._keys:
                    pipeline.exists(keys.record(id))
            replies = iter(pipeline.execute())
        places = {id: [keys for keys in self._keys if next(replies)] for id in ids}
        return {id: found[0] if found else _UNSHARDED for id, found in places.items()}

    def _located(self, replies: Sequence[Sequence[bytes]]) -> list[tuple[_Keys, str]]:
        """Return the ids in the replies of all places, each after its place."""
        return [
            (keys, to_text(id))
            for keys, reply in zip(self._keys, replies, strict=True)
            for id in reply
        ]

    def _scored(
        self, replies: Sequence[Sequence[tuple[bytes, float]]]
    ) -> list[tuple[float, tuple[_Keys, str]]]:
        """Return the ids in the replies of all places, each after its score and its place."""
        return [
            (score, (keys, to_text(id)))
            for keys, reply in zip(self._keys, replies, strict=True)
            for id, score in reply
        ]

    def _counts_waiting(self) -> dict[_Keys, int]:
        with self._redis.pipeline(transaction=False) as pipeline:
            for keys in self._keys:
                pipeline.zcard(keys.due)
            return dict(zip(self._keys, pipeline.execute(), strict=True))

    def _get(self, places: Sequence[tuple[_Keys, str]]) -> list[Delivery]:
        """Return those of the deliveries that exist and can be read, in this order, by place and id."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for keys, id in places:
                pipeline.hgetall(keys.record(id))
            replies = pipeline.execute(raise_on_error=False)
        deliveries = []
        for (_, id), fields in zip(places, replies, strict=True):
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


def _score(row: tuple[float, Any]) -> float:
    return row[0]


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)

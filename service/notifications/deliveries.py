"""The deliveries of notifications, in Redis.

    cartulary:{deliveries}:record:ID         hash: content (JSON that never changes), status, attempts, and of
                                             the last attempt claimed_until, tried_at, sent_at, result, due_at
    cartulary:{deliveries}:due               sorted set, id -> time of the next attempt, in ms since 1970
    cartulary:{deliveries}:of-player:PLAYER  sorted set, id -> time of creation
    cartulary:{deliveries}:of-game:GAME      sorted set, id -> seq of the event
    cartulary:{deliveries}:items:ID          list, the ids of the deliveries that a digest contains
    cartulary:{deliveries}:failed            sorted set, id -> time, of deliveries that were given up or
    bounced cartulary:{deliveries}:totals            hash, status -> number of deliveries that have ended with
    it,
                                             failed:CHANNEL -> number of attempts that have failed

A delivery is created once, because its id is derived from its subject. An attempt is claimed before it is
made. If the worker dies, the claim expires, and another worker makes the next attempt: only an attempt that
was under way when its worker died may have reached the receiver without being recorded. Deliveries are not
part of a log: they show what workers did after an event, and prove nothing to somebody who does not trust the
server.

All keys share a slot, and each change is one script. In a Redis Cluster, there are such keys in shards,
`cartulary:{deliveries:N}:…` (service/store/shards.py): a delivery is in the shard of its player, and one to
the operator in that of its game. The keys of a single Redis are read there too, because a backup of one may
have been restored into the cluster. A place, which is a shard or a single Redis, is identified by the prefix
of its keys.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import orjson
import redis
from redis.client import Pipeline

from domain.errors import Unreadable
from domain.json_types import JsonObject
from domain.messages import Message, Text, message
from service import wall_clock
from service.bounds import Bounds
from service.connection import to_text, unavailable_on_error, which_exist
from service.notification_subjects.table import KIND_OF_SUBJECT
from service.notifications.channels import OPERATOR
from service.notifications.circuit_breakers import CircuitBreakers, Receiver
from service.notifications.delivery import (
    DIGEST,
    Delivery,
    Status,
    delivery_from_fields,
    encode_result,
)
from service.replication import Replication
from service.store.shards import Shards

PREFIX: Final = "cartulary:{deliveries}:"
DUE: Final = f"{PREFIX}due"
_SHARDS: Final = Shards("deliveries")
CLAIM: Final = timedelta(seconds=60)
"""The time for which an attempt is claimed; it is longer than the job of an attempt may take."""
SECONDS_KEPT: Final = 90 * 24 * 3600
"""The time for which a delivery is kept after its last attempt."""
MAX_FAILED: Final = 10_000
"""The most failed deliveries that are listed for administrators."""
_FAILED: Final = "failed:"
TOO_MANY: Final = message("too many deliveries wait")


@dataclass(frozen=True, slots=True)
class DueDelivery:
    """A delivery whose next attempt is due. `planned_at` is the time at which it was due first.

    `seq` is the event that it is about.
    """

    id: str
    receiver: Receiver
    planned_at: datetime
    seq: int = 0


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
        """`replication` waits until replicas have the event that a delivery is about.

        `is_sharded` is True for the client of a cluster.
        """
        self._redis = client
        shards = [f"{key}:" for key in _SHARDS.all if key != _SHARDS.former]
        self._prefixes = (*shards, PREFIX) if is_sharded else (PREFIX,)
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

        It is given up immediately if too many others wait.
        """
        prefix = self._prefix_for(delivery.player, delivery.game_id)
        game_index = f"{prefix}of-game:{delivery.game_id}"
        is_operators = delivery.player == OPERATOR
        digest = delivery.digest or delivery.id
        due_at = wall_clock.parse(delivery.due_at or delivery.created_at)
        self._replication.wait()
        with unavailable_on_error():
            most_waiting = self._bounds.max_waiting_deliveries
            if self._is_sharded:
                if self._redis.exists(_record(PREFIX, delivery.id)):
                    return True
                counts = self._counts_pending()
                most_waiting -= sum(counts.values()) - counts[prefix]
            reply = self._create(
                keys=[
                    _record(prefix, delivery.id),
                    f"{prefix}due",
                    game_index if is_operators else f"{prefix}of-player:{delivery.player}",
                    game_index,
                    _record(prefix, digest),
                    f"{prefix}items:{digest}",
                ],
                args=[
                    delivery.id,
                    delivery.content(),
                    wall_clock.milliseconds(wall_clock.parse(delivery.created_at)),
                    delivery.seq,
                    "" if delivery.digest else wall_clock.milliseconds(due_at),
                    self._bounds.max_deliveries_per_player,
                    self._bounds.max_deliveries_per_game,
                    most_waiting,
                    _record(prefix, ""),
                    SECONDS_KEPT,
                    encode_result(TOO_MANY),
                    "1" if is_operators else "0",
                ],
            )
        return bool(reply != -1)

    def take_due(self, now: datetime, limit: int) -> list[DueDelivery]:
        """Return up to `limit` deliveries whose next attempt is due, the earliest first.

        They are due again after CLAIM, unless an attempt is made before. Deliveries of a later version are
        left to processes that know their subjects.
        """
        until = wall_clock.milliseconds(now)
        due_again_at = wall_clock.milliseconds(now + CLAIM)
        counts = {PREFIX: limit}
        if self._is_sharded:
            # The first ones of all places together.
            rows = self._rows(
                lambda pipeline, prefix: pipeline.zrange(
                    f"{prefix}due",
                    "-inf",
                    until,
                    withscores=True,
                    byscore=True,
                    offset=0,
                    num=limit,
                )
            )
            counts = Counter(prefix for prefix, _ in sorted(rows, key=_score)[:limit])
        texts: list[str] = []
        with unavailable_on_error():
            for prefix, count in counts.items():
                reply: Any = self._take(
                    keys=[f"{prefix}due"], args=[until, due_again_at, count, _record(prefix, "")]
                )
                texts += map(to_text, reply)
        taken = [
            due
            for id, content in zip(texts[::2], texts[1::2], strict=True)
            if (due := _due_delivery(id, content, now)) is not None
        ]
        if self._is_sharded:
            taken.sort(key=attrgetter("planned_at"))
        # Redis orders deliveries of the same moment by their ids, but players read about events in order.
        moments = groupby(taken, key=attrgetter("planned_at"))
        return [due for _, moment in moments for due in sorted(moment, key=attrgetter("seq"))]

    def postpone(self, ids: Sequence[str], until: datetime) -> None:
        """Postpone the next attempt of waiting deliveries."""
        if not ids:
            return
        by_prefix: dict[str, list[str]] = {}
        for id, prefix in self._locate(ids).items():
            by_prefix.setdefault(prefix, []).append(id)
        at: tuple[str, int] = wall_clock.format(until), wall_clock.milliseconds(until)
        with unavailable_on_error():
            for prefix, own in by_prefix.items():
                self._postpone(keys=[f"{prefix}due"], args=[*at, _record(prefix, ""), *own])

    def claim(self, id: str, now: datetime) -> Delivery | None:
        """Claim the next attempt of a delivery, and return the delivery with this attempt counted.

        Returns None if it has ended, or another worker has claimed it. Raises Unreadable.
        """
        prefix = self._locate([id])[id]
        with unavailable_on_error():
            reply: Any = self._claim(
                keys=[_record(prefix, id), f"{prefix}due"],
                args=[id, wall_clock.milliseconds(now), wall_clock.milliseconds(now + CLAIM)],
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
        """Record the result of an attempt; return the number of deliveries that were changed.

        `next_at` is the time of the next attempt, None after the last one. `is_claimed` is True for the
        result of a claimed attempt, which a later attempt makes invalid unless it was sent.
        """
        if not deliveries:
            return 0
        attempt = str(deliveries[0].attempts) if is_claimed else ""
        ids = [delivery.id for delivery in deliveries]
        # All of them are deliveries to one player, and therefore in one place.
        prefix = self._locate(ids[:1])[ids[0]]
        keys = [f"{prefix}due", f"{prefix}totals", f"{prefix}failed"]
        with unavailable_on_error():
            reply = self._finish(
                keys=[*keys, *(_record(prefix, id) for id in ids)],
                args=[
                    attempt,
                    status,
                    encode_result(result),
                    wall_clock.format(now),
                    "" if next_at is None else wall_clock.format(next_at),
                    "" if next_at is None else wall_clock.milliseconds(next_at),
                    wall_clock.milliseconds(now),
                    SECONDS_KEPT,
                    MAX_FAILED,
                    _FAILED + deliveries[0].channel,
                    *ids,
                ],
            )
        return int(reply)

    def cancel(self, id: str, now: datetime, result: Text) -> bool:
        """Cancel a delivery before its first attempt; return False if there is none to cancel."""
        delivery = self.find(id)
        if delivery is None or delivery.is_final or delivery.attempts:
            return False
        return self.finish([delivery], "cancelled", now, result=result) == 1

    def items(self, digest: str) -> list[Delivery]:
        """Return the deliveries that a digest contains, in the order of their creation."""
        return self._get(
            self._rows(lambda pipeline, prefix: pipeline.lrange(f"{prefix}items:{digest}", 0, -1))
        )

    def find(self, id: str) -> Delivery | None:
        """Return the delivery with an id; None if there is none."""
        return next(iter(self._get([(prefix, id) for prefix in self._prefixes])), None)

    def about(self, game_id: str, seq: int) -> Sequence[Delivery]:
        """Return the deliveries about event `seq` of a game, the oldest first.

        Damaged values are left out.
        """
        try:
            rows = self._rows(
                lambda pipeline, prefix: pipeline.zrangebyscore(
                    f"{prefix}of-game:{game_id}", seq, seq
                )
            )
        except Unreadable:
            return []
        deliveries = self._get(rows)
        return sorted(deliveries, key=lambda delivery: (delivery.created_at, delivery.channel))

    def shown_to(
        self, game_id: str, seq: int, player: str, render: Callable[[Message], str]
    ) -> list[JsonObject]:
        """Return the deliveries about event `seq` of a game that a player may see, the oldest first, as JSON.

        These are the deliveries to the operator and to the player: the endpoints of others are private.
        `render` turns messages into text.
        """
        return [
            delivery.as_json(render)
            for delivery in self.about(game_id, seq)
            if delivery.player in (OPERATOR, player)
        ]

    def of_player(
        self, player: str, limit: int, before: str | None = None
    ) -> tuple[list[Delivery], str | None]:
        """Return a page of the deliveries to a player, newest first, and the cursor of the next page."""
        rows: list[tuple[str, str]] = []
        with unavailable_on_error():
            remaining, start = self._prefixes_after(player, before)
            for prefix in remaining:
                last = start + limit - len(rows)
                ids: list[Any] = self._redis.zrevrange(f"{prefix}of-player:{player}", start, last)
                rows += [(prefix, to_text(id)) for id in ids]
                if len(rows) > limit:
                    return self._get(rows[:limit]), rows[limit - 1][1]
                start = 0
        return self._get(rows), None

    def _prefixes_after(self, player: str, before: str | None) -> tuple[Sequence[str], int]:
        """Return the places of the deliveries to a player after `before`, and how many precede them."""
        places = self._prefixes_of(player)
        for number, prefix in enumerate(places if before is not None else ()):
            rank: Any = self._redis.zrevrank(f"{prefix}of-player:{player}", before or "")
            if rank is not None:
                return places[number:], rank + 1
        return places, 0

    def waiting(self, limit: int) -> list[Delivery]:
        """Return up to `limit` deliveries that have not ended, ordered by their next attempts."""
        rows = self._rows(
            lambda pipeline, prefix: pipeline.zrange(f"{prefix}due", 0, limit - 1, withscores=True)
        )
        return self._get([(prefix, id) for prefix, (id, _) in sorted(rows, key=_score)[:limit]])

    def failed(self, limit: int) -> list[Delivery]:
        """Return up to `limit` deliveries that were given up or bounced, the latest first."""
        rows = self._rows(
            lambda pipeline, prefix: pipeline.zrevrange(
                f"{prefix}failed", 0, limit - 1, withscores=True
            )
        )
        rows.sort(key=_score, reverse=True)
        return self._get([(prefix, id) for prefix, (id, _) in rows[:limit]])

    def resend(self, id: str, now: datetime) -> Delivery | None:
        """Make a delivery that has ended due again and return it; None if it does not exist or has not ended.

        The receiver recognises it by its unchanged id.
        """
        delivery = self.find(id)
        if delivery is None or not delivery.is_final:
            return None
        prefix = self._locate([id])[id]
        record = _record(prefix, id)
        changes: Any = {
            "status": "pending",
            "attempts": "0",
            "due_at": wall_clock.format(now),
            "result": "",
        }
        with unavailable_on_error(), self._redis.pipeline() as pipeline:
            pipeline.hset(record, mapping=changes)
            pipeline.persist(record)
            pipeline.zrem(f"{prefix}failed", id)
            pipeline.zadd(f"{prefix}due", {id: wall_clock.milliseconds(now)})
            pipeline.execute()
        return self.find(id)

    def mark_bounced(self, delivery: Delivery, now: datetime, result: Text) -> None:
        """Record that a delivery bounced after its receiver had accepted it."""
        if delivery.status != "sent":
            return
        prefix = self._locate([delivery.id])[delivery.id]
        record = _record(prefix, delivery.id)
        with unavailable_on_error(), self._redis.pipeline() as pipeline:
            pipeline.hset(record, mapping={"status": "bounced", "result": encode_result(result)})
            pipeline.expire(record, SECONDS_KEPT)
            pipeline.hincrby(f"{prefix}totals", "sent", -1)
            pipeline.hincrby(f"{prefix}totals", "bounced", 1)
            pipeline.zadd(f"{prefix}failed", {delivery.id: wall_clock.milliseconds(now)})
            pipeline.execute()

    def count_due(self, now: datetime) -> int:
        """Return the number of deliveries whose next attempt is due, or under way.

        Deliveries that a dispatcher has taken are due again after CLAIM, so deliveries that are planned
        within that time count as well. Later reminders and later attempts do not.
        """
        until = wall_clock.milliseconds(now + CLAIM)
        replies = self._replies(
            lambda pipeline, prefix: pipeline.zcount(f"{prefix}due", "-inf", until)
        )
        return sum(replies.values())

    def count_failed(self, since: datetime) -> int:
        """Return the number of deliveries that were given up or bounced since a time, and not sent again."""
        since_ms = wall_clock.milliseconds(since)
        replies = self._replies(
            lambda pipeline, prefix: pipeline.zcount(f"{prefix}failed", since_ms, "+inf")
        )
        return sum(replies.values())

    def totals(self) -> Mapping[str, int]:
        """Return the number of deliveries that have ended since the store was created, by status."""
        totals = self._totals()
        return {name: count for name, count in totals.items() if not name.startswith(_FAILED)}

    def failed_attempts(self) -> Mapping[str, int]:
        """Return the number of failed attempts since the store was created, by channel."""
        return {
            name.removeprefix(_FAILED): count
            for name, count in self._totals().items()
            if name.startswith(_FAILED)
        }

    def _totals(self) -> Counter[str]:
        totals: Counter[str] = Counter()
        replies = self._replies(lambda pipeline, prefix: pipeline.hgetall(f"{prefix}totals"))
        for stored in replies.values():
            totals.update({to_text(name): int(count) for name, count in stored.items()})
        return totals

    def delete_all_of(self, player: str) -> None:
        """Delete all deliveries to a player, and the breakers of their receivers."""
        with unavailable_on_error():
            for prefix in self._prefixes_of(player):
                index = f"{prefix}of-player:{player}"
                members: list[Any] = self._redis.zrange(index, 0, -1)
                ids = [to_text(id) for id in members]
                if ids:
                    self._redis.delete(
                        *(_record(prefix, id) for id in ids), *(f"{prefix}items:{id}" for id in ids)
                    )
                    self._redis.zrem(f"{prefix}due", *ids)
                    self._redis.zrem(f"{prefix}failed", *ids)
                self._redis.delete(index)
        self.breakers.delete_all_of(player)

    def _prefix_for(self, player: str, game_id: str) -> str:
        """Return the place of a new delivery to a player, or to the operator about a game."""
        member = game_id if player == OPERATOR else player
        return f"{_SHARDS.key(member)}:" if self._is_sharded else PREFIX

    def _prefixes_of(self, player: str) -> list[str]:
        """Return the places of the deliveries to a player; that of a single Redis is last, as it is older."""
        return list(dict.fromkeys((self._prefix_for(player, ""), PREFIX)))

    def _locate(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the places of deliveries, by id. A delivery that does not exist gets any place."""
        if not self._is_sharded:
            return dict.fromkeys(ids, PREFIX)
        keys = (_record(prefix, id) for id in ids for prefix in self._prefixes)
        exist = iter(which_exist(self._redis, keys))
        places = {id: [prefix for prefix in self._prefixes if next(exist)] for id in ids}
        return {id: found[0] if found else PREFIX for id, found in places.items()}

    def _replies(self, ask: Callable[[Pipeline, str], object]) -> dict[str, Any]:
        """Return the replies to a command from each place, by the prefix of its keys, in one round trip."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for prefix in self._prefixes:
                ask(pipeline, prefix)
            return dict(zip(self._prefixes, pipeline.execute(), strict=True))

    def _rows(self, ask: Callable[[Pipeline, str], object]) -> list[tuple[str, Any]]:
        """Return the items in the replies of all places, each after the prefix of its place."""
        return [(prefix, row) for prefix, reply in self._replies(ask).items() for row in reply]

    def _counts_pending(self) -> dict[str, int]:
        return self._replies(lambda pipeline, prefix: pipeline.zcard(f"{prefix}due"))

    def _get(self, places: Sequence[tuple[str, bytes | str]]) -> list[Delivery]:
        """Return the deliveries that exist and can be read, in this order, by place and id."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for prefix, id in places:
                pipeline.hgetall(_record(prefix, to_text(id)))
            replies = pipeline.execute(raise_on_error=False)
        deliveries = []
        for (_, id), fields in zip(places, replies, strict=True):
            if isinstance(fields, dict) and fields:
                texts = {to_text(name): to_text(value) for name, value in fields.items()}
                with suppress(Unreadable):
                    deliveries.append(delivery_from_fields(to_text(id), texts))
        return deliveries


def _record(prefix: str, id: str) -> str:
    return f"{prefix}record:{id}"


def _due_delivery(id: str, content: str, now: datetime) -> DueDelivery | None:
    """Return a due delivery; None if this version does not know its subject.

    A damaged delivery has no receiver: claiming it reports the damage.
    """
    try:
        fields = orjson.loads(content)
        if fields["subject"] not in (*KIND_OF_SUBJECT, DIGEST):
            return None
        receiver = Receiver(fields["channel"], fields["player"], fields["endpoint"])
        planned_at = wall_clock.parse(fields["due_at"] or fields["created_at"])
        return DueDelivery(id, receiver, planned_at, int(fields["seq"]))
    except (KeyError, TypeError, ValueError):
        return DueDelivery(id, Receiver("", OPERATOR, ""), now)


def _score(row: tuple[str, tuple[bytes, float]]) -> float:
    return row[1][1]

"""The event store in Redis: one stream per game with ids `SEQ-0`, and hashes in the same slot.

    cartulary:{GAME}:log      stream, in each entry `e`: the event's canonical JSON, and `p`: the request or
                              job that appended it (service/provenance.py), unless that is unknown
    cartulary:{GAME}:secrets  hash, `seed` and `SEQ/NAME`
    cartulary:{GAME}:notes    hash, the outbox: entry name -> payload
    cartulary:{GAME}:answers  hash, the idempotency records: `PLAYER/KEY-DIGEST` -> `REQUEST-DIGEST
                              FIRST LAST`; expires a week after the end of the game
    cartulary:{GAME}:receipts hash, SEQ -> `KEY SIGNATURE`: the server's receipts for accepted actions
    cartulary:{statements:N}  set, the ids of games in whose disputes statements were written, in shards
                              (service/store/shards.py)
    cartulary:{live:N}        set, the active games: ids of those that have not ended, in shards
    cartulary:changed         the changed games (service/store/changed_games.py)
    cartulary:{GAME}:damaged  seq of an event that is damaged; nothing is appended while it exists
    cartulary:{GAME}:replication   written before a wait for replicas; expires immediately
    cartulary:appended        channel, `GAME SEQ` after every append
    cartulary:appended:GAME   channel, `SEQ` after every append to that game

`notes`, `answers` and `live` are the names under which earlier versions stored the outbox, the
idempotency records and the active games; they stay as they are so that existing data stays readable.
If a message on a channel is lost, no data is: subscribers read the log.

An append is one Lua script, and all of its keys carry the same hash tag. No method here sends a
command twice by itself (service/connection.py).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import redis
from redis.client import Pipeline

from domain.contract import STATEMENT
from domain.errors import Unreadable
from domain.event import Event
from domain.json_types import JsonObject
from ledger.envelope import is_hash
from ledger.keys import RECEIPT_FIELDS
from service.cluster import ClusterClient
from service.connection import WRONG_TYPE, to_text, unavailable_on_error
from service.errors import GameDamaged, IdempotencyConflict, ServiceError, Unavailable
from service.provenance import CURRENT
from service.replication import TOO_FEW_REPLICAS, Replication
from service.store.changed_games import CHANGED_GAMES_KEY, ChangedGames
from service.store.event_store import (
    Appended,
    AppendRequest,
    Companion,
    GuardFailed,
    Head,
    HeadMoved,
    IdempotencyRecord,
    TimeSettled,
)
from service.store.log_check import BROKEN_LOG, MISSING, decode_event
from service.store.shards import Shards

T = TypeVar("T")

APPENDED_CHANNEL: Final = "cartulary:appended"
"""The channel on which every append to any game is published, as `GAME SEQ`."""
MESSAGE_POSTED: Final = "message"
"""The message on the channel of a game when a chat message is posted, or a rematch is created."""
PEOPLE_CHANGED: Final = "people"
"""The beginning of the message on the channel of a game when a player comes to it, or is ready to begin; the
id of the player follows after a space.

A process of an earlier version looks for new events then, and finds none.
"""
ACTIVE_GAMES: Final = Shards("live")
_GAMES_WITH_STATEMENTS: Final = Shards("statements")
IDEMPOTENCY_SECONDS: Final = 7 * 24 * 3600
"""The time for which the idempotency records of a game are kept after its end."""

SECRETS: Final = "secrets"
_OUTBOX: Final = "notes"
_RECORDS: Final = "answers"
_REPLICATION: Final = "replication"
RECEIPTS: Final = "receipts"
ARCHIVED: Final = "archived"
"""The stub of a game that is in the archive (service/store/archive.py), and not in Redis."""
DAMAGED: Final = "damaged"
"""The seq of a damaged event, while the game has one (service/store/damaged_games.py)."""
_SETTLED: Final = "settled"
"""The date up to which the events of a game are settled: no more events before it are appended."""
SETTLED_SECONDS: Final = 7 * 24 * 3600
"""The time for which this date is kept; no request takes longer to append its events."""
SCAN_PAGE: Final = 500
_TAKEN: Final = "equal or smaller than the target stream top item"
"""The error of Redis if the log once had an event with the seq of the next one, which is now missing."""


def game_key(game_id: str, part: str) -> str:
    """Return the key of one part of a game. All parts of a game share a slot in a cluster."""
    return f"cartulary:{{{game_id}}}:{part}"


def log_key(game_id: str) -> str:
    """Return the key of the log of a game."""
    return game_key(game_id, "log")


def last_appended(client: redis.Redis, key: str) -> int:
    """Return the seq of the event that was last appended to a log; 0 without any. Raises Unavailable."""
    with unavailable_on_error():
        try:
            info: Any = client.xinfo_stream(key)
        except redis.ResponseError as error:
            if "no such key" in str(error):
                return 0
            raise
    return int(to_text(info["last-generated-id"]).partition("-")[0])


def appended_channel(game_id: str) -> str:
    """Return the channel on which every append to this game is published, as `SEQ`.

    MESSAGE_POSTED and PEOPLE_CHANGED are published there too.
    """
    return f"{APPENDED_CHANNEL}:{game_id}"


class Archived(ServiceError):
    """The game is in the archive and must be recalled; nothing was appended."""

    status = 503


class RedisEventStore:
    """All logs of one Redis, and the data beside them; implements `LogReader`. Thread-safe."""

    def __init__(
        self, client: redis.Redis, companions: Sequence[Companion] = (), *, wait_replicas: int = 0
    ) -> None:
        """`companions` are the hashes that features keep beside the logs.

        `wait_replicas`: the number of replicas that must have an event before it counts as appended.
        """
        self._redis = client
        self._wait_replicas = wait_replicas
        self._replication = Replication(client, wait_replicas)
        self._companions = tuple(companions)
        kept = (part for part, _ in companions)
        parts = ("log", _RECORDS, _OUTBOX, ARCHIVED, _SETTLED, DAMAGED, SECRETS, RECEIPTS, *kept)
        self._key_of = {part: number for number, part in enumerate(parts, start=1)}
        """The position of the key of each part among the arguments of the script that appends."""
        is_cluster = isinstance(client, ClusterClient)
        self._changed_games = ChangedGames(client, by_slot=is_cluster)
        self._changed_games_key = None if is_cluster else CHANGED_GAMES_KEY
        """The key of the changed games; None in a cluster."""
        folder = Path(__file__).parent
        self._append = client.register_script((folder / "append.lua").read_text(encoding="utf-8"))
        self._ack = client.register_script((folder / "ack.lua").read_text(encoding="utf-8"))

    def append(self, game_id: str, expected_seq: int, request: AppendRequest) -> Appended:
        """Append events after the head `expected_seq` (0: a new game), all of them or none.

        The idempotency record is checked first. If it exists with the same digest, the events that
        it names are returned as a repeat; with another digest, IdempotencyConflict is raised. Raises
        HeadMoved if the head has another seq, or another hash than `request.prev_hash` (the store
        lost its last events in a failover and has received others since), TimeSettled if the events are not
        later than the date up to which the game is settled, GameDamaged if an event of the game is known to
        be damaged, and GuardFailed. After Unavailable it is unknown whether the events were written.
        """
        record = request.idempotency_record
        to_set = [(SECRETS, name, value) for name, value in request.secrets.items()]
        to_set += [
            (_OUTBOX, name, value) for name, value in request.outbox.items() if value is not None
        ]
        to_set += [
            (RECEIPTS, str(seq), encode_receipt(receipt))
            for seq, receipt in request.receipts.items()
        ]
        to_delete = [name for name, value in request.outbox.items() if value is None]
        args: list[str | bytes | int] = [
            game_id,
            expected_seq,
            record.name if record else "",
            record.digest if record else "",
            IDEMPOTENCY_SECONDS if request.ends_game else 0,
            request.prev_hash or "",
            len(request.events),
            len(request.guards),
            len(to_set),
            len(to_delete),
            len(self._companions),
            request.at or "",
        ]
        default = CURRENT.get()
        for seq, line in enumerate(request.events, start=expected_seq + 1):
            args += (line, request.provenance.get(seq, default))
        key_of = self._key_of
        for guard in request.guards:
            args += (key_of[guard.part], guard.field, guard.value)
        for part, name, value in to_set:
            args += (key_of[part], name, value)
        for name in to_delete:
            args += (key_of[_OUTBOX], name)
        for companion in self._companions:
            args += (key_of[companion.part], companion.outbox_entry or "")
        prefix = game_key(game_id, "")
        changed_key = self._changed_games_key or self._changed_games.key(game_id)
        keys = [*(prefix + part for part in key_of), changed_key]
        with unavailable_on_error():
            try:
                reply = self._append(keys=keys, args=args)
            except redis.ResponseError as error:
                if _TAKEN not in str(error):
                    raise
                raise GameDamaged(game_id, expected_seq + 1, MISSING) from error
        match reply:
            case [1 | 2 as outcome, first, last]:
                if self._wait_replicas:
                    appended = request.events[-1] if outcome == 1 else None
                    self._wait_for_replicas(game_id, last, appended, record)
                return Appended(first, last, is_repeat=outcome == 2)
            case [0, head]:
                raise HeadMoved(head)
            case [-2]:
                raise GuardFailed.with_message("something that the action depends on has changed")
            case [-4]:
                raise TimeSettled.with_message("the events of the game by this time are settled")
            case [-5, event]:
                raise GameDamaged(game_id, event, BROKEN_LOG)
            case [-3]:
                return self._append_archived(game_id, expected_seq, request)
            case _:
                raise _conflict()

    def _append_archived(
        self,
        game_id: str,  # noqa: ARG002 # for the store with an archive
        expected_seq: int,  # noqa: ARG002 # the same
        request: AppendRequest,  # noqa: ARG002 # the same
    ) -> Appended:
        """Append to a game that is in the archive, which only a store with an archive can do."""
        raise Archived.with_message("the game is in the archive")

    def settle(self, game_id: str, date: str) -> None:
        """Refuse new events that are not later than a date, so that a reader gets all events up to it."""
        with unavailable_on_error():
            self._redis.set(game_key(game_id, _SETTLED), date, ex=SETTLED_SECONDS)

    def find_idempotency_record(self, game_id: str, record: IdempotencyRecord) -> Appended | None:
        """Return the events that the request of this record appended, or None if there is no such record.

        Raises IdempotencyConflict if the record has another digest.
        """
        with unavailable_on_error():
            stored = self._redis.hget(game_key(game_id, _RECORDS), record.name)
        if stored is None:
            return None
        digest, first, last = to_text(stored).split(" ")
        if digest != record.digest:
            raise _conflict()
        if self._wait_replicas:
            self._wait_for_replicas(game_id, int(last), record=record)
        return Appended(int(first), int(last), is_repeat=True)

    def _wait_for_replicas(
        self,
        game_id: str,
        last: int,
        line: bytes | None = None,
        record: IdempotencyRecord | None = None,
    ) -> None:
        """Wait until enough replicas have all events of a game up to event `last`.

        If given, `line` is the line of this event, and `record` was stored with it. Raises Unavailable if the
        replicas are not quick enough. The events are appended nevertheless, and the request succeeds when it
        is repeated with its idempotency key and the replicas respond again.
        """
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            self._replication.add_wait(pipeline, game_key(game_id, _REPLICATION))
            # After a failover, this may be a former replica, which lacks the events, or has other ones.
            pipeline.xrange(log_key(game_id), f"{last}-0", f"{last}-0")
            pipeline.hexists(game_key(game_id, _RECORDS), record.name if record else "")
            *replies, entries, has_record = self._replication.execute(pipeline)
        stored = lines_of(entries)
        is_kept = bool(stored) and line in (None, *stored) and (record is None or has_record)
        if not self._replication.is_enough(replies) or not is_kept:
            raise Unavailable(TOO_FEW_REPLICAS)

    def read(
        self, game_id: str, after: int = 0, upto: int | None = None, limit: int | None = None
    ) -> list[bytes]:
        """See `LogReader.read`."""
        last = "+" if upto is None else f"{upto}-0"
        with unavailable_on_error():
            return lines_of(self._redis.xrange(log_key(game_id), f"{after + 1}-0", last, limit))

    def read_each(
        self, after: Mapping[str, int], limit: int | None = None
    ) -> dict[str, list[bytes]]:
        """See `LogReader.read_each`."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for game_id, seq in after.items():
                pipeline.xrange(log_key(game_id), f"{seq + 1}-0", "+", limit)
            replies = _each(pipeline, lines_of)
            return {
                game_id: [] if isinstance(lines, Unreadable) else lines
                for game_id, lines in zip(after, replies, strict=True)
            }

    def read_ranges(self, ranges: Sequence[tuple[str, int, int]]) -> list[list[bytes]]:
        """See `LogReader.read_ranges`."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for game_id, first, last in ranges:
                pipeline.xrange(log_key(game_id), f"{first}-0", f"{last}-0")
            replies = _each(pipeline, lines_of)
            return [[] if isinstance(lines, Unreadable) else lines for lines in replies]

    def provenance(self, game_id: str, after: int = 0, upto: int | None = None) -> dict[int, str]:
        """Return the encoded provenance of the events after+1 … upto (None: up to the head), by seq.

        Events of earlier versions have none. The provenance is only for operators.
        """
        last = "+" if upto is None else f"{upto}-0"
        with unavailable_on_error():
            entries: Any = self._redis.xrange(log_key(game_id), f"{after + 1}-0", last)
        return {
            int(to_text(id).partition("-")[0]): to_text(fields[b"p"])
            for id, fields in entries
            if b"p" in fields
        }

    def head(self, game_id: str) -> int:
        """See `LogReader.head`."""
        with unavailable_on_error():
            return self._redis.xlen(log_key(game_id))

    def last_appended(self, game_id: str) -> int:
        """Return the seq of the last appended event, even if it is now missing; 0 without any."""
        return last_appended(self._redis, log_key(game_id))

    def last_event_types(self, game_ids: Iterable[str]) -> dict[str, str | Unreadable | None]:
        """Return the type of each game's last event, None if there is no such game.

        For a game whose last event is damaged, the value is the error.
        """
        return self._last_events(game_ids, _last_event_type)

    def heads(self, game_ids: Iterable[str]) -> dict[str, Head | Unreadable | None]:
        """Return the seq and the hash of each game's last event, None if there is no such game.

        For a game whose last event is damaged, the value is the error.
        """
        return self._last_events(game_ids, _head)

    def game_ids(self) -> Iterator[str]:
        """Iterate over the ids of all games by scanning the store, each id once."""
        prefix, suffix = log_key("\0").split("\0")
        seen = set()
        with unavailable_on_error():
            for name in self._redis.scan_iter(prefix + "*" + suffix, count=SCAN_PAGE):
                game_id = to_text(name).removeprefix(prefix).removesuffix(suffix)
                if game_id not in seen:
                    seen.add(game_id)
                    yield game_id

    def secrets(self, game_id: str, names: Collection[str] | None = None) -> dict[str, str]:
        """See `LogReader.secrets`."""
        key = game_key(game_id, SECRETS)
        with unavailable_on_error():
            if names is None:
                return _texts(self._redis.hgetall(key))
            values = self._redis.hmget(key, [*names]) if names else []
        pairs = zip(names, values, strict=True)
        return {name: to_text(value) for name, value in pairs if value is not None}

    def receipts(self, game_id: str, seqs: Collection[int]) -> dict[int, str]:
        """See `LogReader.receipts`."""
        if not seqs:
            return {}
        with unavailable_on_error():
            values = self._redis.hmget(game_key(game_id, RECEIPTS), [str(seq) for seq in seqs])
        pairs = zip(seqs, values, strict=True)
        return {seq: to_text(value) for seq, value in pairs if value is not None}

    def outbox(self, game_id: str) -> dict[str, str]:
        """Return the payloads (JSON) of a game's outbox entries, by name."""
        with unavailable_on_error():
            return _texts(self._redis.hgetall(game_key(game_id, _OUTBOX)))

    def outboxes(self, game_ids: Iterable[str]) -> dict[str, dict[str, str] | Unreadable]:
        """Return the outbox of each game, by game id, in one round trip.

        For a game whose outbox is damaged, the value is the error.
        """
        game_ids = list(game_ids)
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for game_id in game_ids:
                pipeline.hgetall(game_key(game_id, _OUTBOX))
            return dict(zip(game_ids, _each(pipeline, _texts), strict=True))

    def ack(self, game_id: str, name: str, payload: str) -> bool:
        """Remove an outbox entry if it still has this payload; return whether it was removed.

        First waits until the replicas have the result of the work.
        """
        self._replication.wait()
        with unavailable_on_error():
            return bool(self._ack(keys=[game_key(game_id, _OUTBOX)], args=[name, payload]))

    def add_outbox_entries_if_absent(self, game_id: str, entries: Mapping[str, str]) -> None:
        """Add outbox entries, by name; an entry that exists already is not changed."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for name, payload in entries.items():
                pipeline.hsetnx(game_key(game_id, _OUTBOX), name, payload)
            pipeline.execute()
        self.mark_changed([game_id])

    def _last_events(
        self, game_ids: Iterable[str], decode: Callable[[Any], T]
    ) -> dict[str, T | Unreadable]:
        """Read the last event of each game in one round trip, and return the results of `decode`."""
        game_ids = list(game_ids)
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for game_id in game_ids:
                pipeline.xrevrange(log_key(game_id), count=1)
            return dict(zip(game_ids, _each(pipeline, decode), strict=True))

    def mark_statements(self, game_id: str) -> None:
        """Add a game to those with statements.

        This must be called before a statement is appended, so that every such game is found.
        """
        with unavailable_on_error():
            self._redis.sadd(_GAMES_WITH_STATEMENTS.key(game_id), game_id)

    def games_with_statements(self) -> Iterator[str]:
        """Iterate over the ids of all games that may have statements; an id may be repeated."""
        with unavailable_on_error():
            _GAMES_WITH_STATEMENTS.move_former_members(self._redis)
            for key in _GAMES_WITH_STATEMENTS.all:
                for game_id in self._redis.sscan_iter(key, count=SCAN_PAGE):
                    yield to_text(game_id)

    def statements(self, game_id: str) -> list[int]:
        """Return the seqs of the events of a game whose statements are not erased."""
        with unavailable_on_error():
            names = map(to_text, self._redis.hkeys(game_key(game_id, SECRETS)))
        suffix = f"/{STATEMENT}"
        return sorted(int(name.removesuffix(suffix)) for name in names if name.endswith(suffix))

    def erase_statement(self, game_id: str, seq: int) -> None:
        """Delete the statement of an event, with its salt. The commitment stays in the log."""
        with unavailable_on_error():
            self._redis.hdel(game_key(game_id, SECRETS), f"{seq}/{STATEMENT}")

    def changed_games(self) -> Iterator[tuple[str, int]]:
        """Iterate over the games that have changed since a sweep examined them, with the times.

        A game is among them from the append or the new outbox entry on. Times are in microseconds
        since 1970; a game may be repeated.
        """
        return self._changed_games.all()

    def mark_changed(self, game_ids: Iterable[str]) -> None:
        """Add games to the changed games."""
        self._changed_games.mark(game_ids)

    def forget_changes(self, changes: Mapping[str, int]) -> None:
        """Remove games, by id, from the changed games, unless they have changed since these times."""
        self._changed_games.forget(changes)

    def mark_active(self, game_id: str) -> None:
        """Add a game to the active games.

        This must be called before its first append, so that the sweep finds every outbox entry.
        """
        with unavailable_on_error():
            self._redis.sadd(ACTIVE_GAMES.key(game_id), game_id)

    def mark_inactive(self, game_id: str) -> bool:
        """Remove a game from the active games if its outbox is empty; return whether it was removed.

        The game must have ended.
        """
        with unavailable_on_error():
            if self._redis.hlen(game_key(game_id, _OUTBOX)):
                return False
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.srem(ACTIVE_GAMES.key(game_id), game_id)
                pipeline.srem(ACTIVE_GAMES.former, game_id)
                return any(pipeline.execute())

    def active_among(self, game_ids: Sequence[str]) -> list[str]:
        """Return the games, of these, that are active."""
        if not game_ids:
            return []
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for game_id in game_ids:
                pipeline.sismember(ACTIVE_GAMES.key(game_id), game_id)
                pipeline.sismember(ACTIVE_GAMES.former, game_id)
            flags = pipeline.execute()
        return [game_id for number, game_id in enumerate(game_ids) if any(flags[2 * number :][:2])]

    def active_games(self) -> Iterator[str]:
        """Iterate over the ids of all games that have not ended; an id may be repeated."""
        with unavailable_on_error():
            for key in ACTIVE_GAMES.all:
                for member in self._redis.sscan_iter(key, count=SCAN_PAGE):
                    game_id = to_text(member)
                    if key == ACTIVE_GAMES.former and game_id.encode() == member:
                        self._redis.sadd(ACTIVE_GAMES.key(game_id), game_id)
                        self._redis.srem(key, game_id)
                    yield game_id


def encode_receipt(receipt: JsonObject) -> str:
    """Return a receipt in the form in which it is stored beside its event."""
    return f"{receipt['key']} {receipt['signature']}"


def decode_receipt(event: Event, stored: str) -> JsonObject:
    """Return the receipt for an event from the form in which it is stored."""
    key, _, signature = stored.partition(" ")
    fields: JsonObject = {**event}
    receipt = {name: fields[name] for name in RECEIPT_FIELDS}
    return {**receipt, "key": key, "signature": signature}


def _each(pipeline: Pipeline, decode: Callable[[Any], T]) -> Iterator[T | Unreadable]:
    """Execute a pipeline and iterate over its replies, decoded; a damaged value becomes an error.

    `decode` may raise Unreadable.
    """
    for reply in pipeline.execute(raise_on_error=False):
        if isinstance(reply, redis.ResponseError) and WRONG_TYPE in str(reply):
            yield Unreadable.with_message("the key has another type than it should have")
        elif isinstance(reply, Exception):
            raise reply
        else:
            try:
                yield decode(reply)
            except Unreadable as error:
                yield error


def _last_event_type(entries: Any) -> str | None:
    """Return the type of the only event in a reply; None for an empty reply. Raises Unreadable."""
    event = _last_event(entries)
    if event is None:
        return None
    event_type: object = event.get("type")
    if not isinstance(event_type, str):
        raise Unreadable.with_message("the last entry is not an event")
    return event_type


def _head(entries: Any) -> Head | None:
    """Return seq and hash of the only event in a reply, None for an empty one. Raises Unreadable."""
    event = _last_event(entries)
    if event is None:
        return None
    seq, hash = event.get("seq"), event.get("hash")
    if type(seq) is not int or not isinstance(hash, str) or not is_hash(hash):
        raise Unreadable.with_message("the last entry is not an event")
    return Head(seq, hash)


def _last_event(entries: Any) -> dict[str, Any] | None:
    """Return the only event in a reply; None for an empty reply. Raises Unreadable."""
    if not entries:
        return None
    try:
        return {**decode_event(lines_of(entries)[0])}
    except Unreadable as error:
        raise Unreadable.with_message(
            "the last entry is damaged: {reason}", reason=error.why
        ) from None


def lines_of(entries: Any) -> list[bytes]:
    """Return the lines of the entries in a reply of XRANGE; an empty line for an entry without an event.

    redis-py declares the reply as a union with the replies of other commands.
    """
    return [fields.get(b"e", b"") for _, fields in entries]


def _texts(pairs: Mapping[bytes | str, bytes | str]) -> dict[str, str]:
    return {to_text(name): to_text(value) for name, value in pairs.items()}


def _conflict() -> IdempotencyConflict:
    return IdempotencyConflict.with_message(
        "this Idempotency-Key was used before, for another request"
    )

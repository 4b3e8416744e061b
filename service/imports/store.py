"""The imported records of a service: an index in Redis, and each record as one object beside the archive.

    cartulary:import:ID              hash: the facts about an imported record; its field `facts` is JSON
    cartulary:imports                sorted set by time: ids of all imported records
    cartulary:imports:public         the same for listed records
    cartulary:imports:of:PLAYER      the same for the records that a player has uploaded
    imports/ID.jsonl.gz              the record, in the place of archived games (object_store.py)

An id is in the set of its player before its object is written, and leaves it after the object was deleted. An
interrupted upload or deletion is therefore completed when the sets are next changed. Imported records are not
in any other key: no list, count, rating or log of the games of this server can contain them.
"""

import gzip
import secrets
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final, Literal, TypeAlias

import orjson
import redis
from redis.client import Pipeline

from domain.errors import Unreadable
from domain.messages import plural_message
from service import wall_clock
from service.bounded_collections import store_if_fewer
from service.bounds import Bounds
from service.connection import to_text, unavailable_on_error
from service.errors import Conflict, NotFound
from service.store.object_store import ObjectStore
from service.stored_objects import decode_object

PREFIX: Final = "import-"
ID_BYTES: Final = 16
"""The number of random bytes of an id, so that it cannot be guessed."""
ALL: Final = "cartulary:imports"
PUBLIC: Final = "cartulary:imports:public"
_FACTS: Final = "facts"
_UNFINISHED_SECONDS: Final = 60.0
"""The age of an id without facts at which its upload counts as interrupted."""
_LEVEL: Final = 6


Verdict: TypeAlias = Literal["holds", "differs", "unknown"]
"""The result of the audit of a record: sound, broken, or unknown."""


@dataclass(frozen=True, slots=True)
class ImportedRecord:
    """The facts about an imported record.

    `uploader` is the id of the player who uploaded it. `game` is the id in the record, `players` are the
    names in its header by seat, and `server` is its stated origin: these are claims, which are not verified.
    `key` is the id of the key that its header names; `is_own_key` is True if that is a key of this server
    whose signature is valid. `verdict` is that of the audit at the time of the upload; `differs_at` is the
    first event with a fault, None if there is none at an event. Pages replay the first `intact` of its
    `events`.
    """

    id: str
    uploader: str
    uploaded: str
    is_public: bool
    game: str
    rules: str
    seats: int
    players: tuple[str, ...]
    events: int
    intact: int
    bytes: int
    key: str
    is_own_key: bool
    server: str | None
    verdict: Verdict
    differs_at: int | None


class TooManyImports(Conflict):
    """The player, or the server, has as many imported records as are allowed."""


class ImportStore:
    """Stores imported records. Thread-safe. Every method raises Unavailable if a store does not respond."""

    def __init__(self, client: redis.Redis, objects: ObjectStore, bounds: Bounds) -> None:
        self._redis = client
        self._objects = objects
        self._bounds = bounds

    def add(self, record: ImportedRecord, data: bytes) -> None:
        """Store a record, which is never changed afterwards.

        Raises TooManyImports if its uploader, or the server, has the most records that are allowed.
        """
        now = wall_clock.now().timestamp()
        for key, maximum in self._maxima(record.uploader).items():
            is_listed = store_if_fewer(
                self._redis,
                key,
                maximum,
                partial(_count, key=key),
                partial(_list, key=key, id=record.id, now=now),
            )
            if not is_listed:
                with unavailable_on_error():
                    self._redis.zrem(_of(record.uploader), record.id)
                raise _too_many(key, maximum)
        self._objects.put(_object(record.id), gzip.compress(data, _LEVEL, mtime=0))
        with unavailable_on_error():
            self._redis.hset(_key(record.id), _FACTS, orjson.dumps(asdict(record)))
            if record.is_public:
                self._redis.zadd(PUBLIC, {record.id: now})

    def get(self, import_id: str) -> ImportedRecord:
        """Return an imported record. Raises NotFound."""
        record = self._get_each([import_id])[0] if is_import_id(import_id) else None
        if record is None:
            raise NotFound.with_message("there is no such imported record, or it was deleted")
        return record

    def data(self, record: ImportedRecord) -> bytes:
        """Return the bytes of a record as they were uploaded. Raises NotFound and Unreadable."""
        stored = self._objects.get(_object(record.id))
        if stored is None:
            raise NotFound.with_message("there is no such imported record, or it was deleted")
        decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            data = decompressor.decompress(stored, self._bounds.max_import_bytes + 1)
        except zlib.error:
            data = b""
        if len(data) != record.bytes:
            raise Unreadable.with_message("the stored record is damaged")
        return data

    def of_player(self, player: str) -> list[ImportedRecord]:
        """Return all records that a player has uploaded, the newest first."""
        return [record for record in self._get_each(self._ids(_of(player))) if record is not None]

    def public(self, after: int, limit: int) -> list[ImportedRecord]:
        """Return listed records, the newest first, without the first `after` ones."""
        with unavailable_on_error():
            ids: Any = self._redis.zrange(PUBLIC, after, after + limit - 1, desc=True)
        records = self._get_each([to_text(id) for id in ids])
        return [record for record in records if record is not None]

    def require_room(self, player: str) -> None:
        """Raise TooManyImports if a player, or the server, has the most records that are allowed."""
        self.clean(player)
        for key, maximum in self._maxima(player).items():
            with unavailable_on_error():
                count = int(self._redis.zcard(key))
            if count >= maximum:
                raise _too_many(key, maximum)

    def _maxima(self, player: str) -> Mapping[str, int]:
        """Return the most records that a player and the server can have, by the keys of their lists."""
        return {_of(player): self._bounds.max_imports_per_player, ALL: self._bounds.max_imports}

    def delete(self, import_id: str, uploader: str) -> None:
        """Delete a record, if it exists."""
        with unavailable_on_error():
            self._redis.delete(_key(import_id))
            self._redis.zrem(PUBLIC, import_id)
        self._objects.delete(_object(import_id))
        with unavailable_on_error():
            for key in (ALL, _of(uploader)):
                self._redis.zrem(key, import_id)

    def delete_all_of(self, player: str) -> None:
        """Delete all records that a player has uploaded, including those of interrupted uploads."""
        for import_id in self._ids(_of(player)):
            self.delete(import_id, player)

    def clean(self, player: str) -> None:
        """Complete interrupted uploads and deletions of a player's records."""
        upto = wall_clock.now().timestamp() - _UNFINISHED_SECONDS
        with unavailable_on_error():
            old: Any = self._redis.zrange(_of(player), "-inf", str(upto), byscore=True)
        ids = [to_text(id) for id in old]
        for import_id, record in zip(ids, self._get_each(ids), strict=True):
            if record is None:
                self.delete(import_id, player)

    def _ids(self, key: str) -> list[str]:
        with unavailable_on_error():
            ids: Any = self._redis.zrange(key, 0, -1, desc=True)
        return [to_text(id) for id in ids]

    def _get_each(self, ids: list[str]) -> list[ImportedRecord | None]:
        if not ids:
            return []
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for import_id in ids:
                pipeline.hget(_key(import_id), _FACTS)
            values = pipeline.execute()
        return [None if value is None else _decode(value) for value in values]


def new_id() -> str:
    """Return the id of a new imported record. No game has one of this form."""
    return PREFIX + secrets.token_hex(ID_BYTES)


def is_import_id(text: str) -> bool:
    """Return whether a text has the form of the id of an imported record."""
    digits = text.removeprefix(PREFIX)
    return digits != text and len(digits) == 2 * ID_BYTES and set(digits) <= set("0123456789abcdef")


def _count(pipeline: Pipeline, key: str) -> int:
    return int(pipeline.zcard(key))


def _list(pipeline: Pipeline, key: str, id: str, now: float) -> None:
    pipeline.zadd(key, {id: now})


def _too_many(key: str, maximum: int) -> TooManyImports:
    if key == ALL:
        return TooManyImports.with_message(
            "the server has as many imported records as it keeps: ask its operator"
        )
    return TooManyImports(
        plural_message(
            "there is one imported record of yours already: delete it first",
            "there are {count} imported records of yours already: delete one first",
            count=maximum,
        )
    )


def _key(import_id: str) -> str:
    return f"cartulary:import:{import_id}"


def _of(player: str) -> str:
    return f"cartulary:imports:of:{player}"


def _object(import_id: str) -> str:
    return f"imports/{import_id}.jsonl.gz"


def _decode(value: bytes) -> ImportedRecord:
    fields = orjson.loads(value)
    return decode_object(ImportedRecord, {**fields, "players": tuple(fields["players"])})

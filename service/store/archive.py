"""The archive: games that ended some time ago, each as one object outside of Redis.

    cartulary:{GAME}:archived  hash, the stub of an archived game: the name of its object, SHA-256 and size of
                               the object, and the last event with its seq
    cartulary:{GAME}:objects   hash, name of another object of the game -> `pending` while it is written, or
                               since when it has been obsolete

A game is either in Redis or has a stub, because one script changes both. An object never changes: a game that
is moved again gets a new object. A game is moved in these steps, after each of which the process may die:

1. the game is copied, and the copy is encoded,
2. the name of the new object is stored as pending,
3. the object is written, read back and verified,
4. one script compares the game with the copy, removes it, and stores the stub.

A name that is pending after a process has died becomes obsolete when the game is moved again. To recall a
game, one script writes everything back, and makes the object obsolete. Obsolete objects are deleted after
GRACE_SECONDS, during which Redis may still lose its last writes, unless a backup is copying them.
"""

import hashlib
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, Final

import redis
from cachetools import LRUCache

from domain.errors import Unreadable
from domain.event import ENDINGS
from service.bounds import Bounds
from service.connection import to_text, unavailable_on_error
from service.errors import Conflict, Unavailable
from service.keyring import Keyring
from service.store.archive_file import ArchivedGame, decode, encode, verify
from service.store.archive_schedule import ArchiveSchedule, now
from service.store.object_store import ObjectStore
from service.store.redis_event_store import ARCHIVED, game_key

PARTS: Final = ("secrets", "receipts", "messages")
"""The hashes beside a log that move with it. Others expire, or belong to listings."""
PROVENANCE: Final = "provenance"
"""The part of an archived game that has the provenance of its events, by seq."""
GRACE_SECONDS: Final = 60.0
LEASE_SECONDS: Final = 300.0
"""The time after which an unfinished move counts as interrupted."""
MAX_ATTEMPTS: Final = 20
"""The number of times that a game is recalled for one write, while other processes archive it again."""
WAIT_SECONDS: Final = 1.0
"""The time for which a read waits for another one to end."""
_PENDING: Final = "pending"
_OBJECT_NAME: Final = re.compile(r"[0-9a-f]{2}/(?P<game>[^/]+)-[0-9a-f]{16}\.jsonl\.gz")
_STUB_FIELDS: Final = ("object", "sha256", "bytes", "seq", "line")
_LINES: Final = 500


class NotMovable(Conflict):
    """The game cannot be moved into the archive now: it is not over, or it does not exist."""


@dataclass(frozen=True, slots=True)
class Stub:
    """The data that Redis keeps of an archived game: its object, and the last event (`line`) with its seq."""

    object: str
    sha256: str
    size: int
    seq: int
    line: bytes


class Archive:
    """All archived games. Thread-safe. Methods raise Unavailable if Redis or the store does not respond."""

    def __init__(
        self,
        client: redis.Redis,
        objects: ObjectStore,
        schedule: ArchiveSchedule,
        keyring: Keyring,
        bounds: Bounds,
    ) -> None:
        self.objects = objects
        self.schedule = schedule
        self._redis = client
        self._keyring = keyring
        self._cache: LRUCache[str, ArchivedGame] = LRUCache(
            bounds.cached_archive_bytes, getsizeof=lambda game: game.size
        )
        self._cache_lock = Lock()
        self._reads = BoundedSemaphore(bounds.archive_reads)
        self._begin, self._finish, self._recall, self._change = (
            client.register_script(_script(name))
            for name in ("begin", "finish", "recall", "change")
        )

    def stub(self, game_id: str) -> Stub | None:
        """Return the stub of a game; None if it is not archived."""
        return self.stubs([game_id]).get(game_id)

    def stubs(self, game_ids: Iterable[str]) -> dict[str, Stub]:
        """Return the stubs of the games that are archived, by id, in one round trip."""
        game_ids = list(game_ids)
        if not game_ids:
            return {}
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for game_id in game_ids:
                pipeline.hgetall(game_key(game_id, ARCHIVED))
            replies = pipeline.execute()
        return {
            game_id: _stub(fields)
            for game_id, fields in zip(game_ids, replies, strict=True)
            if fields
        }

    def game(self, game_id: str, stub: Stub | None = None) -> ArchivedGame | None:
        """Return an archived game; None if it is not archived, or no longer. Raises Unreadable.

        `stub` is its stub if that was read just now.
        """
        stub = stub or self.stub(game_id)
        while stub is not None:
            game = self.read(stub)
            if game is not None:
                return game
            before, stub = stub, self.stub(game_id)
            if stub == before:
                raise Unreadable.with_message(
                    "the archive has no object {name}, which contains game {game}",
                    name=before.object,
                    game=game_id,
                )
        return None

    def part(self, game_id: str, part: str) -> Mapping[str, str]:
        """Return one of PARTS of an archived game; an empty one if the game is not archived."""
        game = self.game(game_id)
        return {} if game is None else game.parts.get(part, {})

    def read(self, stub: Stub) -> ArchivedGame | None:
        """Return the game of a stub; None if the object does not exist, or no longer.

        Only a few threads read at the same time, so that a slow store does not occupy all of them. Raises
        Unreadable if the object is damaged.
        """
        with self._cache_lock:
            cached = self._cache.get(stub.object)
        if cached is not None:
            return cached
        if not self._reads.acquire(timeout=WAIT_SECONDS):
            raise Unavailable.with_message("too many archived games are read at the same time")
        try:
            with self._cache_lock:
                cached = self._cache.get(stub.object)
            if cached is not None:
                return cached
            game = self.read_again(stub)
        finally:
            self._reads.release()
        with self._cache_lock:
            if game is not None and game.size <= self._cache.maxsize:
                self._cache[stub.object] = game
        return game

    def read_again(self, stub: Stub) -> ArchivedGame | None:
        """Return the game of a stub like `read`, but as it is stored now."""
        data = self.objects.get(stub.object)
        if data is None:
            return None
        if hashlib.sha256(data).hexdigest() != stub.sha256:
            raise Unreadable.with_message(
                "the object {name} of the archive was changed", name=stub.object
            )
        return decode(data)

    def move(self, game_id: str) -> bool:
        """Move a game that has ended into the archive; return False if it has changed in the meantime.

        Does nothing if it is archived already. Raises NotMovable, and Unreadable for a game that is damaged;
        such a game is tried again a day later.
        """
        self.schedule.add_work(game_id, LEASE_SECONDS)
        try:
            is_moved = self._move(game_id)
        except (NotMovable, Unreadable):
            self.schedule.postpone(game_id)
            raise
        finally:
            self.clean(game_id)
        return is_moved

    def _move(self, game_id: str) -> bool:
        copy = self._copy(game_id)
        if copy is None:
            self.schedule.remove(game_id)
            if self.stub(game_id) is None:
                raise NotMovable.with_message("there is no game {game}", game=game_id)
            return True
        self._require_end(copy)
        data = encode(copy, self._keyring)
        name = _object_name(game_id)
        keys = self._keys(game_id)
        with unavailable_on_error():
            if not self._begin(keys=keys[:3], args=[name, now()]):
                return False
        try:
            self.objects.put(name, data)
            verify(self.objects.get(name), data, copy, self._keyring)
            with unavailable_on_error():
                result = self._finish(keys=keys, args=_finish_arguments(name, data, copy))
        except BaseException:
            self._discard(game_id, name)
            raise
        if result != 1:
            self._discard(game_id, name)
            return False
        self.schedule.remove(game_id)
        self.schedule.count("moved", len(data))
        return True

    def recall(self, game_id: str, *, for_write: bool = False) -> bool:
        """Move a game back into Redis; return False if it is not archived.

        With `for_write`, it returns into the archive soon after the write. Raises Unreadable.
        """
        stub = self.stub(game_id)
        if stub is None:
            return False
        game = self.game(game_id)
        if game is None:
            return True
        self.schedule.add_work(game_id, GRACE_SECONDS)
        self.schedule.add_recalled(game_id, for_write=for_write)
        args: list[str | bytes | int | float] = [stub.object, now(), len(game.lines)]
        provenance = game.parts.get(PROVENANCE, {})
        for seq, line in enumerate(game.lines, 1):
            args += (line, provenance.get(str(seq), ""))
        for part in PARTS:
            fields = game.parts.get(part, {})
            args.append(len(fields))
            for name, value in fields.items():
                args += (name, value)
        keys = self._keys(game_id)
        with unavailable_on_error():
            is_back = self._recall(keys=[*keys[:3], *keys[4:]], args=args)
        if is_back:
            self.schedule.count("recalled", stub.size)
        return True

    def change(
        self,
        game_id: str,
        part: str,
        to_set: Mapping[str, str | bytes] | None = None,
        to_delete: Sequence[str] = (),
        *,
        recalls: bool = True,
    ) -> bool:
        """Set and delete fields of one of PARTS of a game, which is recalled first if it is archived.

        Without `recalls`, an archived game stays as it is. Returns whether the fields were changed. Raises
        Unreadable.
        """
        args: list[str | bytes | int] = [len(to_set or {})]
        for name, value in (to_set or {}).items():
            args += (name, value)
        keys = [game_key(game_id, part), game_key(game_id, ARCHIVED)]
        for _ in range(MAX_ATTEMPTS):
            with unavailable_on_error():
                if self._change(keys=keys, args=[*args, *to_delete]):
                    return True
            if not recalls:
                return False
            self.recall(game_id, for_write=True)
        raise Unavailable.with_message("the game is moved into the archive again and again")

    def clean(self, game_id: str, *, after: float = GRACE_SECONDS) -> None:
        """Delete the objects of a game that have been obsolete for `after` seconds.

        Objects that are being written are kept, and so are all objects during a backup.
        """
        key = game_key(game_id, "objects")
        is_held = self.schedule.is_held
        with unavailable_on_error():
            states = {to_text(n): to_text(v) for n, v in self._redis.hgetall(key).items()}
        waits = [LEASE_SECONDS] if _PENDING in states.values() else []
        for name, state in states.items():
            if state == _PENDING:
                continue
            wait = float(state) + after - now()
            if wait > 0 or is_held:
                waits.append(max(wait, GRACE_SECONDS))
                continue
            self.objects.delete(name)
            with unavailable_on_error():
                self._redis.hdel(key, name)
        if waits:
            self.schedule.add_work(game_id, min(waits))
            return
        self.schedule.remove_work(game_id)
        with unavailable_on_error():
            # Another process may have begun a move since the states were read.
            if self._redis.exists(key):
                self.schedule.add_work(game_id, LEASE_SECONDS)

    def resume(self, game_id: str) -> None:
        """Finish or undo an interrupted move of a game, and delete its obsolete objects."""
        key = game_key(game_id, "objects")
        with unavailable_on_error():
            is_interrupted = any(to_text(v) == _PENDING for v in self._redis.hvals(key))
        if is_interrupted:
            with unavailable_on_error():
                self._begin(keys=self._keys(game_id)[:3], args=["", now()])
            if self.stub(game_id) is None:
                with suppress(NotMovable):
                    self.move(game_id)
        self.clean(game_id)

    def restore_stub(self, name: str) -> bool:
        """Store the stub of the game in an object, if the game has neither a log nor a stub.

        Returns whether it was stored; False also if the object does not contain a sound game. No other
        process may use the store.
        """
        match = _OBJECT_NAME.fullmatch(name)
        if match is None:
            return False
        keys = self._keys(match["game"])
        with unavailable_on_error():
            if self._redis.exists(*keys[:2]):
                return False
        data = self.objects.get(name)
        try:
            if data is None:
                return False
            game = decode(data)
            verify(data, data, game, self._keyring)
        except Unreadable:
            return False
        if game.id != match["game"] or game.last_event["type"] not in ENDINGS:
            return False
        values = _finish_arguments(name, data, game)
        fields: Any = dict(zip(_STUB_FIELDS, values, strict=False))
        with unavailable_on_error(), self._redis.pipeline() as pipeline:
            # Parts that are left in Redis are in the object, too.
            pipeline.delete(*keys[3:])
            pipeline.hset(keys[1], mapping=fields)
            pipeline.execute()
        return True

    def check(self) -> None:
        """Write, read and delete an object. Raises Unavailable."""
        name, data = f"check-{secrets.token_hex(8)}", secrets.token_bytes(64)
        self.objects.put(name, data)
        try:
            if self.objects.get(name) != data:
                raise Unavailable.with_message("the archive has not kept what was written")
        finally:
            self.objects.delete(name)

    def _copy(self, game_id: str) -> ArchivedGame | None:
        """Return a copy of a game in Redis; None if it has no log there."""
        lines: list[bytes] = []
        provenance: dict[str, str] = {}
        with unavailable_on_error():
            while True:
                page: Any = self._redis.xrange(
                    game_key(game_id, "log"), f"{len(lines) + 1}-0", "+", _LINES
                )
                for _, fields in page:
                    lines.append(fields[b"e"])
                    if b"p" in fields:
                        provenance[str(len(lines))] = to_text(fields[b"p"])
                if len(page) < _LINES:
                    break
            if not lines:
                return None
            parts = {PROVENANCE: provenance} if provenance else {}
            for part in PARTS:
                stored = self._redis.hgetall(game_key(game_id, part))
                try:
                    fields = {_decode(name): _decode(value) for name, value in stored.items()}
                except UnicodeDecodeError:
                    raise Unreadable.with_message(
                        "a stored value of game {game} is no text", game=game_id
                    ) from None
                if fields:
                    parts[part] = fields
        return ArchivedGame(game_id, lines, parts)

    def _require_end(self, copy: ArchivedGame) -> None:
        """Raise NotMovable unless a game has ended, and has no work in its outbox."""
        try:
            has_ended = copy.last_event["type"] in ENDINGS
        except (LookupError, TypeError, ValueError) as error:
            raise Unreadable.with_message("the last entry is not an event") from error
        if not has_ended:
            raise NotMovable.with_message("game {game} has not ended", game=copy.id)
        with unavailable_on_error():
            if self._redis.exists(game_key(copy.id, "notes")):
                raise NotMovable.with_message(
                    "game {game} has work in its outbox; try again later", game=copy.id
                )

    def _discard(self, game_id: str, name: str) -> None:
        """Make an object obsolete that is not needed."""
        with unavailable_on_error():
            self._redis.hset(game_key(game_id, "objects"), name, str(now()))

    def _keys(self, game_id: str) -> list[str]:
        parts = ("log", ARCHIVED, "objects", "notes", *PARTS)
        return [game_key(game_id, part) for part in parts]


def _script(name: str) -> str:
    return (Path(__file__).parent / f"archive_{name}.lua").read_text(encoding="utf-8")


def _stub(fields: Mapping[bytes, bytes]) -> Stub:
    return Stub(
        object=to_text(fields[b"object"]),
        sha256=to_text(fields[b"sha256"]),
        size=int(fields[b"bytes"]),
        seq=int(fields[b"seq"]),
        line=fields[b"line"],
    )


def _decode(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _object_name(game_id: str) -> str:
    """Return a new name for an object of a game, in one of 256 folders."""
    folder = hashlib.sha256(game_id.encode()).hexdigest()[:2]
    return f"{folder}/{game_id}-{secrets.token_hex(8)}.jsonl.gz"


def _finish_arguments(name: str, data: bytes, copy: ArchivedGame) -> list[str | bytes | int]:
    sha256 = hashlib.sha256(data).hexdigest()
    digests = [_digest(copy.parts.get(part, {})) for part in PARTS]
    return [name, sha256, len(data), len(copy.lines), copy.lines[-1], *digests]


def _digest(fields: Mapping[str, str]) -> str:
    """Return the digest of a hash, as archive_finish.lua computes it."""
    digests = [_sha1(_sha1(name) + _sha1(value)) for name, value in fields.items()]
    return _sha1("".join(sorted(digests)))


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

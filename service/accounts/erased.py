"""The data that is kept of erased players: their ids, and digests of their handles.

    cartulary:{erased-players:N}     set, the ids of erased players, in shards (service/store/shards.py)
    cartulary:erasures               sorted set, the ids of players whose erasure may be incomplete, by the
                                     time (ms) at which it began
    cartulary:{erased-handles:N}     set, HMAC-SHA256 of the handles of erased players and of their skeletons,
                                     in shards
    cartulary:erased-handles-secret  the key of these HMACs
    DATA/erased-players              the ids, one a line

The ids are also in a file outside of Redis, so that they survive when an older backup of Redis is restored:
the players in the file are then erased again (`erasure`). An id reveals nothing about a person.

Nobody can register a handle that an erased player had, or one that looks like it, and pass for that player.
The HMACs allow nothing else: a handle cannot be computed from one, no id is stored with it, and only somebody
who has the key can test a guessed handle.
"""

import hmac
import logging
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import redis

from service import wall_clock
from service.accounts.handles import fold_case, skeletons
from service.connection import read_members, to_text, unavailable_on_error
from service.errors import Unavailable, log_text
from service.operation.data_folder import ERASED_PLAYERS
from service.store.shards import Shards

log = logging.getLogger(__name__)

_IDS: Final = Shards("erased-players")
_UNFINISHED: Final = "cartulary:erasures"
_HANDLES: Final = Shards("erased-handles")
_SECRET: Final = "cartulary:erased-handles-secret"  # noqa: S105 # the name of a key in Redis
_SECRET_BYTES: Final = 32
_COMPARED_IDS: Final = 100
"""The number of last ids of the file that Redis must have, too."""


class ErasedPlayers:
    """The erased players of a service. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, data: Path) -> None:
        """`data` is the data folder, which is created when it is needed."""
        self._redis = client
        self._file = data / ERASED_PLAYERS

    def add(self, player_id: str) -> None:
        """Add a player whose erasure begins now. Raises Unavailable, also if the file cannot be written."""
        self._write([player_id])
        # The file already lists the player, so either of the two is enough to continue after an interruption.
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            pipeline.sadd(_IDS.key(player_id), player_id)
            pipeline.zadd(_UNFINISHED, {player_id: _now()})
            pipeline.execute()

    def begin_again(self, player_id: str) -> None:
        """Note that the erasure of a player who was added earlier begins again now."""
        with unavailable_on_error():
            self._redis.zadd(_UNFINISHED, {player_id: _now()})

    def has_lost_players(self) -> bool:
        """Return whether Redis and the file may list different ids, as after a restore.

        Both lists only grow, so they are equal if they are equally long and have the same last ids. The cost
        does not depend on their length, except for reading the file. Raises Unavailable if it cannot be read.
        """
        in_file = list(dict.fromkeys(self._read()))
        last = in_file[-_COMPARED_IDS:]
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for key in _IDS.all:
                pipeline.scard(key)
            for key in _IDS.all if last else ():
                pipeline.smismember(key, last)
            replies = pipeline.execute()
        counts, memberships = replies[: len(_IDS.all)], replies[len(_IDS.all) :]
        # An id in two keys counts twice; `synchronize` moves it.
        return sum(counts) != len(in_file) or not all(map(any, zip(*memberships, strict=True)))

    def synchronize(self) -> frozenset[str]:
        """Make Redis and the file list the same ids, and return them.

        If the file cannot be written, the error is logged. Raises Unavailable if it cannot be read.
        """
        in_file = set(self._read())
        with unavailable_on_error():
            for shards in (_IDS, _HANDLES):
                shards.move_former_members(self._redis)
            stored = {id for key in _IDS.all for id in read_members(self._redis, key)}
            for key, ids in _IDS.by_key(in_file - stored).items():
                self._redis.sadd(key, *ids)
        if stored - in_file:
            try:
                self._write(sorted(stored - in_file))
            except Unavailable as error:
                log.warning("%s: it lacks %d ids", log_text(error), len(stored - in_file))
        return frozenset(in_file | stored)

    def unfinished(self, min_age_seconds: float = 0) -> list[str]:
        """Return the players whose erasure began that long ago and may be incomplete."""
        latest = _now() - 1000 * min_age_seconds
        with unavailable_on_error():
            members: list[Any] = self._redis.zrangebyscore(_UNFINISHED, "-inf", latest)
        return [to_text(id) for id in members]

    def finish(self, player_id: str) -> None:
        """Note that the erasure of a player is complete."""
        with unavailable_on_error():
            self._redis.zrem(_UNFINISHED, player_id)

    def reserve_handle(self, handle: str) -> None:
        """Reserve a handle, and the handles that look like it; see `is_reserved`."""
        with unavailable_on_error():
            self._redis.set(_SECRET, secrets.token_hex(_SECRET_BYTES), nx=True)
            digests = self._digests(handle, self._redis.get(_SECRET))
            for key, members in _HANDLES.by_key(digests).items():
                self._redis.sadd(key, *members)

    def is_reserved(self, handle: str) -> bool:
        """Return whether an erased player had this handle, or one that looks like it."""
        with unavailable_on_error():
            secret = self._redis.get(_SECRET)
            if secret is None:
                return False
            with self._redis.pipeline(transaction=False) as pipeline:
                for digest in self._digests(handle, secret):
                    for key in (_HANDLES.key(digest), _HANDLES.former):
                        pipeline.sismember(key, digest)
                return any(pipeline.execute())

    def _digests(self, handle: str, secret: bytes | str | None) -> list[str]:
        assert secret is not None, "the secret is stored before it is used"
        key = bytes.fromhex(to_text(secret))
        texts = [f"handle {fold_case(handle)}", *(f"skeleton {text}" for text in skeletons(handle))]
        return [hmac.digest(key, text.encode(), "sha256").hex() for text in texts]

    def _read(self) -> list[str]:
        try:
            return self._file.read_text(encoding="ascii").split()
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise Unavailable.with_message(
                "the file of erased players cannot be read: {reason}", reason=_reason(error)
            ) from error

    def _write(self, ids: Iterable[str]) -> None:
        """Add ids to the file; when this returns, they are on disk."""
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(handle, "".join(f"{id}\n" for id in ids).encode())
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise Unavailable.with_message(
                "the file of erased players cannot be written: {reason}", reason=_reason(error)
            ) from error


def _now() -> int:
    """Return the time in milliseconds since 1970."""
    return int(wall_clock.now().timestamp() * 1000)


def _reason(error: OSError | ValueError) -> str:
    """Return the reason of an error, without the path of the file."""
    return getattr(error, "strerror", None) or type(error).__name__

"""What is known of the backups that the settings schedule: which there are, and when the next one is due.

    cartulary:backups            hash: name -> JSON of a backup (`Backup`)
    cartulary:backup-lock        exists while a process makes or verifies one, and expires
    cartulary:backup-requested   exists if an administrator has requested one

The files are on the machine whose scheduler has made them (service/recovery/scheduled_backups.py); this is in
Redis, so that all processes know it, and a process goes on where one that was killed has stopped.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

import orjson
import redis

from service import wall_clock
from service.connection import unavailable_on_error
from service.stored_objects import decode_object, members_of

BackupStatus: TypeAlias = Literal["writing", "written", "verified", "broken", "failed"]
"""`written`: it is complete, and not verified yet. `broken`: it was restored, and something in it is wrong.
`failed`: it could not be written or restored.
"""
UNFINISHED: Final = frozenset({"writing", "written"})
LOCK_SECONDS: Final = 60
"""The time after which the process that makes a backup counts as killed, unless it has shown otherwise."""
MAX_ATTEMPTS: Final = 3
"""The number of processes that go on with the same backup."""
LONGEST_PAUSE: Final = timedelta(hours=1)
"""The time after which another backup is made instead of one that is not good."""
_BACKUPS: Final = "cartulary:backups"
_LOCK: Final = "cartulary:backup-lock"
_REQUESTED: Final = "cartulary:backup-requested"
_RELEASE: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""
_KEEP: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
"""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup on the machine `host`. `games` is the number of games that were audited after restoring it."""

    name: str
    host: str
    started: str
    status: BackupStatus
    attempts: int = 1
    bytes: int = 0
    games: int = 0
    reason: str | None = None
    """Why it is broken or has failed, in English."""
    finished: str | None = None
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class Backups:
    """The scheduled backups of a service. Thread-safe. Methods raise Unavailable without Redis."""

    def __init__(self, client: redis.Redis, interval: timedelta) -> None:
        """`interval` is the time from the beginning of a backup to that of the next one."""
        self._redis = client
        self.interval = interval
        self._release = client.register_script(_RELEASE)
        self._keep = client.register_script(_KEEP)

    def all(self) -> list[Backup]:
        """Return all backups that have not been deleted, the newest first."""
        with unavailable_on_error():
            values: Any = self._redis.hvals(_BACKUPS)
        backups = [decode_object(Backup, value) for value in values]
        return sorted(backups, key=lambda one: one.started, reverse=True)

    def store(self, backup: Backup) -> None:
        """Store a backup, or its new state."""
        with unavailable_on_error():
            self._redis.hset(_BACKUPS, backup.name, orjson.dumps(members_of(backup)))

    def forget(self, name: str) -> None:
        """Delete what is stored of a backup whose files were deleted."""
        with unavailable_on_error():
            self._redis.hdel(_BACKUPS, name)

    def request(self) -> None:
        """Request a backup before the next one is due."""
        with unavailable_on_error():
            self._redis.set(_REQUESTED, wall_clock.format(wall_clock.now()))

    def is_requested(self) -> bool:
        """Return whether a backup was requested that has not begun yet."""
        with unavailable_on_error():
            return bool(self._redis.exists(_REQUESTED))

    def clear_request(self) -> None:
        """Take note of the request: the backup begins now."""
        with unavailable_on_error():
            self._redis.delete(_REQUESTED)

    def is_due(self, now: datetime) -> bool:
        """Return whether a process should begin a backup, or go on with one, now."""
        if self.is_locked():
            return False
        latest = next(iter(self.all()), None)
        if latest is None or self.is_requested():
            return True
        if latest.status in UNFINISHED and latest.attempts < MAX_ATTEMPTS:
            return True
        age = now - wall_clock.parse(latest.started)
        pause = min(self.interval, LONGEST_PAUSE)
        return age >= (self.interval if latest.status == "verified" else pause)

    def is_locked(self) -> bool:
        """Return whether a process makes a backup now."""
        with unavailable_on_error():
            return bool(self._redis.exists(_LOCK))

    def lock(self) -> str | None:
        """Return a token if no other process makes a backup; it is valid for LOCK_SECONDS."""
        token = secrets.token_hex(8)
        with unavailable_on_error():
            is_free = self._redis.set(_LOCK, token, nx=True, ex=LOCK_SECONDS)
        return token if is_free else None

    def keep_lock(self, token: str) -> None:
        """Show that the process with a token still works."""
        with unavailable_on_error():
            self._keep(keys=[_LOCK], args=[token, LOCK_SECONDS])

    def unlock(self, token: str) -> None:
        """Let other processes make backups."""
        with unavailable_on_error():
            self._release(keys=[_LOCK], args=[token])

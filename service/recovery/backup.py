"""Backups of a whole service, which are made while it runs, and restored into an empty one.

    BACKUP/redis.rdb               a snapshot of the Redis of the logs
    BACKUP/erased-players          the ids of the players who have left for good
    BACKUP/signing-key.checkpoint  the last checkpoint that was signed on this machine
    BACKUP/archive/                the archived games, if the archive is a folder
    BACKUP/signing-key.pem, BACKUP/vapid-key.pem   the private keys, if they are asked for
    BACKUP/SHA256SUMS              the hash of each file, as `sha256sum` writes it

Redis makes the snapshot as it does for a new replica: all data at one moment, while it continues to work. The
files are copied afterwards, so that none of them is older than the snapshot: erased data stays erased, and a
transparency log that has lost its end is recognized. No archived game is deleted until it has been copied. A
bucket of an object store is not part of a backup.
"""

import hashlib
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final

import redis

from domain.errors import CartularyError
from ledger.files.durable_files import new_file, sync_folder
from ledger.files.os_errors import os_reason
from service.connection import connect, is_cluster, unavailable_on_error
from service.errors import Unavailable
from service.operation.append_only_file.parts import SINGLE_FILE, find_parts
from service.operation.append_only_file.takeover import record_engine
from service.operation.data_folder import (
    ARCHIVE,
    ERASED_PLAYERS,
    SIGNING_KEY,
    VAPID_KEY,
    DataFolderLock,
    make_private,
)
from service.operation.embedded_redis import EmbeddedRedis, EmbeddedRedisError
from service.operation.engine import find_engine
from service.settings import Settings, archive_folder
from service.store.archive_schedule import HOLD_SECONDS, ArchiveSchedule
from service.transparency.last_signed import checkpoint_file
from service.transparency.restores import mark_restored

SNAPSHOT: Final = "redis.rdb"
SUMS: Final = "SHA256SUMS"
CHECKPOINT: Final = "signing-key.checkpoint"
SECONDS_TO_RESPOND: Final = 60.0
"""The longest silence of Redis before and during a snapshot; it sends a keepalive each second."""
BLOCK: Final = 1 << 20
"""The number of bytes that are read, copied and hashed at a time."""
KEYS_AT_ONCE: Final = 200
"""The number of keys that are copied to another Redis in one round trip."""

Progress = Callable[[int], None]


class BackupError(CartularyError):
    """A backup cannot be made or restored."""


def back_up(
    settings: Settings, folder: Path, *, with_keys: bool = False, on_progress: Progress
) -> int:
    """Write a backup into a new folder, and return the number of bytes of the snapshot.

    `on_progress` is called with the number of bytes that have arrived, after each block. The folder appears
    under its name when the backup is complete. Raises BackupError and Unavailable.
    """
    if folder.exists():
        raise BackupError.with_message("{path} exists already", path=str(folder))
    if is_cluster(settings.redis_url):
        raise BackupError.with_message(
            "a Redis Cluster has no moment that is the same on all nodes: back its nodes up with the"
            " tools of Redis"
        )
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    hold = _Hold(settings)
    try:
        make_private(unfinished)
        with new_file(unfinished / SNAPSHOT) as file:
            size = _write_snapshot(settings.redis_url, file, hold.during(on_progress))
        _copy_archive(archive_folder(settings.archive), unfinished / ARCHIVE, hold.refresh)
        for name, source in _files(settings, with_keys=with_keys).items():
            if source.exists():
                _copy(source, unfinished / name)
        with new_file(unfinished / SUMS) as file:
            file.write(_sums(unfinished).encode())
        sync_folder(unfinished)
        unfinished.rename(folder)
        sync_folder(folder.absolute().parent)
    except OSError as error:
        raise BackupError.with_message(
            "{path} cannot be written: {reason}", path=str(folder), reason=os_reason(error)
        ) from error
    finally:
        hold.release()
        shutil.rmtree(unfinished, ignore_errors=True)
    return size


def restore(settings: Settings, folder: Path) -> int:
    """Restore a backup, and return the number of keys in Redis.

    The data goes into the data folder of the settings, and into their Redis if it is not the embedded one.
    Both must be empty, except for keys of the service and a newer list of erased players, which is completed.
    The transparency log then continues as a new epoch. Raises BackupError, Unavailable, and the errors of
    EmbeddedRedis.
    """
    try:
        _check(folder)
        target = archive_folder(settings.archive)
        if target is None and (folder / ARCHIVE).exists():
            raise BackupError.with_message(
                "the backup contains archived games, which need a folder: unset CARTULARY_ARCHIVE_URL"
            )
        if settings.is_embedded:
            count = _restore_embedded(settings.data, folder / SNAPSHOT)
        else:
            count = _restore_into(settings.redis_url, folder / SNAPSHOT)
            make_private(settings.data)
        _restore_files(settings, folder)
        if target is not None:
            _copy_archive(folder / ARCHIVE, target)
    except OSError as error:
        raise BackupError.with_message(
            "the backup cannot be restored: {reason}", reason=os_reason(error)
        ) from error
    mark_restored(settings.data)
    return count


def _files(settings: Settings, *, with_keys: bool) -> dict[str, Path]:
    """Return the files of a service, by their names in a backup."""
    files = {
        ERASED_PLAYERS: settings.data / ERASED_PLAYERS,
        CHECKPOINT: checkpoint_file(settings.signing_key),
    }
    if with_keys:
        files |= {SIGNING_KEY: settings.signing_key, VAPID_KEY: settings.data / VAPID_KEY}
    return files


class _Hold:
    """Prevents the deletion of archived games while a backup is made."""

    def __init__(self, settings: Settings) -> None:
        self._client = connect(settings.redis_url)
        self._schedule = ArchiveSchedule(self._client, settings.archive_after_days)
        self._shown_at = 0.0
        folder = archive_folder(settings.archive)
        self._has_objects = folder is not None and folder.is_dir()
        self.refresh()

    def refresh(self) -> None:
        """Extend the hold, unless that was done just now."""
        is_due = not self._shown_at or time.monotonic() - self._shown_at > HOLD_SECONDS / 10
        if self._has_objects and is_due:
            self._schedule.hold()
            self._shown_at = time.monotonic()

    def during(self, on_progress: Progress) -> Progress:
        """Return a function that also refreshes."""

        def progress(size: int) -> None:
            self.refresh()
            on_progress(size)

        return progress

    def release(self) -> None:
        """Allow the deletion of archived games again; without Redis, the hold expires."""
        with suppress(Unavailable):
            if self._has_objects:
                self._schedule.release()
        self._client.close()


def _copy_archive(
    source: Path | None, target: Path, on_file: Callable[[], None] = lambda: None
) -> None:
    """Copy the objects of an archive that is a folder, except for those that the target has already.

    An object that is deleted in the meantime was obsolete before the snapshot.
    """
    if source is None or not source.is_dir():
        return
    make_private(target)
    for path in sorted(source.glob("*/*.gz")):
        on_file()
        copy = target / path.relative_to(source)
        copy.parent.mkdir(mode=0o700, exist_ok=True)
        if not copy.exists():
            with suppress(FileNotFoundError):
                _copy(path, copy)
    for folder in (*target.iterdir(), target):
        sync_folder(folder)


def _write_snapshot(url: str, file: BinaryIO, on_progress: Progress) -> int:
    """Write a snapshot of a Redis into a file, and return its size. Raises BackupError and Unavailable.

    The command SYNC is answered by `$SIZE` and the snapshot, or by `$EOF:MARK`, the snapshot and the mark of
    40 bytes, and then by the writes that follow.
    """
    client = connect(url, seconds_to_respond=SECONDS_TO_RESPOND)
    with unavailable_on_error():
        connection = client.connection_pool.get_connection()
    try:
        with unavailable_on_error():
            connection.send_command("SYNC")  # type: ignore[no-untyped-call] # redis-py has no annotations here
            stream: Any = connection._sock  # noqa: SLF001 # redis-py has no other access to the bytes
            with stream.makefile("rb") as reply:
                header = b"\n"
                while header == b"\n":
                    header = reply.readline()
                if not header.startswith(b"$"):
                    reason = header.decode(errors="replace").strip().removeprefix("-")
                    raise BackupError.with_message(
                        "Redis gives no snapshot: {reason}", reason=reason or "-"
                    )
                length = header[1:].strip()
                if length.startswith(b"EOF:"):
                    blocks = _until(reply, length.removeprefix(b"EOF:"))
                else:
                    blocks = _exactly(reply, int(length))
                size = 0
                for block in blocks:
                    file.write(block)
                    size += len(block)
                    on_progress(size)
                return size
    except TimeoutError as error:
        raise BackupError.with_message("Redis has stopped sending its snapshot") from error
    finally:
        connection.disconnect()  # type: ignore[no-untyped-call] # the same
        client.close()


def _exactly(reply: BinaryIO, count: int) -> Iterator[bytes]:
    while count:
        block = reply.read(min(BLOCK, count))
        if not block:
            raise BackupError.with_message("Redis has stopped sending its snapshot")
        count -= len(block)
        yield block


def _until(reply: BinaryIO, mark: bytes) -> Iterator[bytes]:
    """Yield the data before the mark, which Redis has chosen at random."""
    kept = b""
    while True:
        block = reply.read1(BLOCK)  # type: ignore[attr-defined] # the reader of a socket has it
        if not block:
            raise BackupError.with_message("Redis has stopped sending its snapshot")
        kept += block
        end = kept.find(mark)
        if end >= 0:
            yield kept[:end]
            return
        # The mark may begin at the end of the data that has arrived.
        whole = max(0, len(kept) - len(mark) + 1)
        yield kept[:whole]
        kept = kept[whole:]


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as content, new_file(target) as file:
        shutil.copyfileobj(content, file, BLOCK)


def _sums(folder: Path) -> str:
    """Return the contents of SHA256SUMS for the files of a folder."""
    lines = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if name != SUMS:
            with path.open("rb") as file:
                lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}\n")
    return "".join(lines)


def _check(folder: Path) -> None:
    """Raise BackupError unless the folder is a complete backup in which no file has changed."""
    try:
        stored = (folder / SUMS).read_text(encoding="ascii")
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        raise BackupError.with_message(
            "{path} is not a backup: it has no file {file}", path=str(folder), file=SUMS
        ) from None
    if stored != _sums(folder) or f"  {SNAPSHOT}\n" not in stored:
        raise BackupError.with_message(
            "the files in {path} are not those of the backup", path=str(folder)
        )


def _restore_embedded(data: Path, snapshot: Path) -> int:
    """Put a snapshot into the folder of the embedded Redis, and return the number of its keys.

    An append-only file may begin with a snapshot, so a snapshot alone is a valid one.
    """
    folder = data / "redis"
    with DataFolderLock(data):
        if find_parts(folder):
            raise BackupError.with_message("{path} contains data already", path=str(folder))
        _copy(snapshot, folder / SINGLE_FILE)
        record_engine(folder, find_engine())
        sync_folder(folder)
    try:
        with EmbeddedRedis(data) as server:
            return _count_keys(server.url)
    except EmbeddedRedisError:
        (folder / SINGLE_FILE).unlink(missing_ok=True)
        raise


def _restore_into(url: str, snapshot: Path) -> int:
    """Copy the keys of a snapshot into an empty Redis, and return their number."""
    with (
        connect(url, seconds_to_respond=SECONDS_TO_RESPOND) as target,
        TemporaryDirectory(prefix="cartulary-restore-") as name,
        unavailable_on_error(),
    ):
        if target.dbsize():
            raise BackupError.with_message("the Redis of the settings contains data already")
        data = Path(name)
        make_private(data / "redis")
        _copy(snapshot, data / "redis" / SINGLE_FILE)
        record_engine(data / "redis", find_engine())
        with (
            EmbeddedRedis(data) as server,
            connect(server.url, seconds_to_respond=SECONDS_TO_RESPOND) as source,
        ):
            _copy_keys(source, target)
        return _count_keys(url)


def _copy_keys(source: redis.Redis, target: redis.Redis) -> None:
    """Copy all keys with their values and times to live."""
    keys: list[bytes] = []

    def copy() -> None:
        with source.pipeline(transaction=False) as reading:
            for key in keys:
                reading.dump(key)
                reading.pttl(key)
            values = reading.execute()
        with target.pipeline(transaction=False) as writing:
            for key, value, left in zip(keys, values[::2], values[1::2], strict=True):
                # A key that has expired in the meantime has no value.
                if value is not None:
                    writing.restore(key, max(left, 0), value, replace=True)
            writing.execute()
        keys.clear()

    for key in source.scan_iter(count=KEYS_AT_ONCE):
        keys.append(key)
        if len(keys) == KEYS_AT_ONCE:
            copy()
    copy()


def _count_keys(url: str) -> int:
    with connect(url, seconds_to_respond=SECONDS_TO_RESPOND) as client, unavailable_on_error():
        return int(client.dbsize())


def _restore_files(settings: Settings, folder: Path) -> None:
    """Copy the files of a backup that are missing, and complete the list of erased players."""
    for name, target in _files(settings, with_keys=True).items():
        source = folder / name
        if not source.exists():
            continue
        if not target.exists():
            _copy(source, target)
        elif name == ERASED_PLAYERS:
            listed = set(target.read_text(encoding="ascii").split())
            with target.open("a", encoding="ascii") as file:
                for id in source.read_text(encoding="ascii").split():
                    if id not in listed:
                        file.write(f"{id}\n")

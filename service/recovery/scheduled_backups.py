"""Makes the backup that the settings schedule, verifies it, and deletes old ones.

    FOLDER/2026-11-30T130000Z/         a backup (backup.py); a second one of this second ends in -2
    FOLDER/.2026-11-30T130000Z.unfinished, FOLDER/.verify-…    what a process that was killed has left

A backup is verified by restoring it into a Redis that is started for that, and auditing a sample of its
games. A process that is killed leaves the stage of the backup in Redis: the next one writes it again if it
was not complete, and goes on with the verification otherwise.
"""

import itertools
import logging
import secrets
import shutil
import socket
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Final

from domain.errors import CartularyError
from domain.messages import message
from ledger.files.os_errors import os_reason
from replay.audit.runner import audit
from replay.language.renderer import english
from service import wall_clock
from service.administration.backups import LOCK_SECONDS, UNFINISHED, Backup, Backups, BackupStatus
from service.bootstrap import Service, build
from service.errors import Unavailable, log_text
from service.operation.data_folder import ARCHIVE, SIGNING_KEY, make_private
from service.operation.embedded_redis import EmbeddedRedis
from service.recovery.backup import back_up, restore
from service.settings import Settings, archive_folder

SAMPLE: Final = 20
"""The number of games of a backup that are audited, chosen at random."""
MAX_GAMES: Final = 100_000
"""The number of games from which the sample is chosen."""
_VERIFICATION: Final = ".verify-"
_UNFINISHED: Final = ".unfinished"

log = logging.getLogger(__name__)


class NoBackupFolder(CartularyError):
    """The settings name no folder for backups."""


class BackupUnderWay(CartularyError):
    """Another process makes a backup."""


def make_scheduled_backup(
    service: Service, on_progress: Callable[[int], None] = lambda _: None
) -> Backup:
    """Make a backup or go on with an unfinished one, verify it, delete old ones, and return it.

    `on_progress` is called with the number of bytes that have been written. Raises NoBackupFolder,
    BackupUnderWay and Unavailable. A backup that fails is returned as such.
    """
    if service.settings.backup_folder is None:
        raise NoBackupFolder.with_message("set CARTULARY_BACKUP_FOLDER to the folder for backups")
    folder = Path(service.settings.backup_folder)
    with _locked(service.backups):
        make_private(folder)
        _clean(folder)
        backup = _begun(service.backups, folder)
        service.backups.store(backup)
        service.backups.clear_request()
        try:
            if backup.status == "writing":
                size = back_up(service.settings, folder / backup.name, on_progress=on_progress)
                backup = replace(backup, status="written", bytes=size)
                service.backups.store(backup)
            backup = _verified(service.settings, folder, backup)
        except Unavailable:
            raise
        except CartularyError as error:
            backup = replace(backup, status="failed", reason=log_text(error))
        except OSError as error:
            backup = replace(
                backup,
                status="failed",
                reason=english(message("{reason}", reason=os_reason(error))),
            )
        backup = replace(backup, finished=wall_clock.format(wall_clock.now()))
        service.backups.store(backup)
        _delete_old(service.backups, folder, service.settings.backups_kept)
        return backup


@contextmanager
def _locked(backups: Backups) -> Iterator[None]:
    """Let no other process make a backup during the block. Raises BackupUnderWay."""
    token = backups.lock()
    if token is None:
        raise BackupUnderWay.with_message("another process makes a backup now")
    has_ended = Event()

    def keep() -> None:
        while not has_ended.wait(LOCK_SECONDS / 4):
            with suppress(Unavailable):
                backups.keep_lock(token)

    thread = Thread(target=keep, name="backup lock", daemon=True)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        thread.join()
        with suppress(Unavailable):
            backups.unlock(token)


def _clean(folder: Path) -> None:
    """Delete what processes that were killed have left; no other one works in the folder now."""
    for path in folder.iterdir():
        is_unfinished = path.name.startswith(".") and path.name.endswith(_UNFINISHED)
        if is_unfinished or path.name.startswith(_VERIFICATION):
            shutil.rmtree(path, ignore_errors=True)


def _begun(backups: Backups, folder: Path) -> Backup:
    """Return the backup that a killed process has left on this machine, or a new one."""
    host = socket.gethostname()
    latest = next(iter(backups.all()), None)
    if latest is not None and latest.host == host and latest.status in UNFINISHED:
        # The folder has its name when it is complete.
        is_complete = (folder / latest.name).is_dir()
        status: BackupStatus = "written" if is_complete else "writing"
        return replace(latest, status=status, attempts=latest.attempts + 1)
    now = wall_clock.now()
    taken = {backup.name for backup in backups.all()}
    return Backup(_new_name(now, folder, taken), host, wall_clock.format(now), "writing")


def _new_name(now: datetime, folder: Path, taken: Collection[str]) -> str:
    """Return the time of a backup as its name, with a number if one of this second has that name."""
    time = f"{now:%Y-%m-%dT%H%M%SZ}"
    names = itertools.chain([time], (f"{time}-{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in taken and not (folder / name).exists())


def _verified(settings: Settings, folder: Path, backup: Backup) -> Backup:
    """Return a backup with the result of restoring it and auditing a sample of its games."""
    source = folder / backup.name
    with TemporaryDirectory(prefix=_VERIFICATION, dir=folder) as name:
        data = Path(name) / "data"
        scratch = replace(
            settings,
            data=data,
            redis_url=EmbeddedRedis(data).url,
            queue_url=EmbeddedRedis(data).url,
            # Records are signed with a key that exists for this only, wherever the keys of the service are.
            signing_key=data / SIGNING_KEY,
            archive_url=settings.archive_url
            if archive_folder(settings.archive) is None
            else (data / ARCHIVE).as_uri(),
            wait_replicas=0,
            is_embedded=True,
        )
        restore(scratch, source)
        with EmbeddedRedis(data):
            restored = build(scratch)
            try:
                return _audited(restored, backup)
            finally:
                restored.redis.close()


def _audited(restored: Service, backup: Backup) -> Backup:
    """Return a backup with the result of auditing a sample of the games of the restored service."""
    games = [
        game_id for game_id, _ in zip(restored.store.game_ids(), range(MAX_GAMES), strict=False)
    ]
    sample = secrets.SystemRandom().sample(games, min(SAMPLE, len(games)))
    keys = [str(entry["public"]) for entry in restored.keyring.public_keys()]
    for count, game_id in enumerate(sample):
        try:
            report = audit(BytesIO(b"".join(restored.games.queries.record(game_id))), keys=keys)
            first = report.first
        except CartularyError as error:
            reason = f"game {game_id}: {log_text(error)}"
            return replace(backup, status="broken", games=count, reason=reason)
        if first is not None:
            reason = f"game {game_id}: {english(first.located_problem)}"
            return replace(backup, status="broken", games=count, reason=reason)
    return replace(backup, status="verified", games=len(sample), reason=None)


def _delete_old(backups: Backups, folder: Path, kept: int) -> None:
    """Delete the backups of this machine but the newest `kept` ones, and the newest that is verified."""
    host = socket.gethostname()
    own = [backup for backup in backups.all() if backup.host == host]
    good = next((backup.name for backup in own if backup.status == "verified"), None)
    for backup in own[kept:]:
        if backup.name != good:
            shutil.rmtree(folder / backup.name, ignore_errors=True)
            backups.forget(backup.name)
            log.info("backup %s is deleted: %d newer ones are kept", backup.name, kept)

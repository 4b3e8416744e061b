"""Detects that the stored data was restored from a backup, so that the log does not sign a fork.

    DATA/restored    exists from a restore to the declaration of a new epoch of the transparency log
    DATA/folder-id   the id of the data folder: a new file in every data folder
    cartulary:data-folder   the same id, and the inode and the time of the last change (ctime) of that file

A copy of the folder has a different file, because a copy cannot have the same time of change. A data folder
that was restored or copied as a whole is therefore detected, if its Redis is the embedded one. The reset of a
whole file system, such as the disk of a virtual machine, is not: the operator has to declare it, or a witness
shows the contradiction.
"""

import logging
import secrets
from pathlib import Path
from typing import Final

import redis

from ledger.files.durable_files import replace_file
from ledger.files.os_errors import os_reason
from service.connection import to_text, unavailable_on_error
from service.errors import Unavailable
from service.operation.data_folder import FOLDER_ID, RESTORED

log = logging.getLogger(__name__)

_KEY: Final = "cartulary:data-folder"


def mark_restored(data: Path) -> None:
    """Note that the data of the service with this data folder was restored. Raises Unavailable."""
    _write(data / RESTORED, "")


class Restores:
    """Detects and marks restores of the data of a service. For use under the lock of LastSigned.

    Methods raise Unavailable if Redis does not respond or a file cannot be written.
    """

    def __init__(self, client: redis.Redis, data: Path, *, is_embedded: bool) -> None:
        """`is_embedded` is True if the logs are in this data folder, and are copied and restored with it."""
        self._redis = client
        self._data = data
        self._is_folder_checked = not is_embedded

    @property
    def is_marked(self) -> bool:
        """Whether a restore was recognized, and no epoch was declared since."""
        return (self._data / RESTORED).exists()

    @property
    def needs_attention(self) -> bool:
        """Whether a restore is marked, or this process has not yet examined the folder."""
        return not self._is_folder_checked or self.is_marked

    def mark(self) -> None:
        """Note that the data was restored."""
        mark_restored(self._data)

    def unmark(self) -> None:
        """Note that a new epoch was declared."""
        (self._data / RESTORED).unlink(missing_ok=True)

    def examine_folder(self) -> None:
        """Mark a restore if the data folder is a copy of the one that this Redis belongs to."""
        if self._is_folder_checked:
            return
        with unavailable_on_error():
            stored = self._redis.get(_KEY)
        identity = self._identity()
        if stored is None or to_text(stored) != identity:
            if stored is not None:
                log.critical(
                    "the data folder %s is a copy, such as a restored backup: the transparency log begins a"
                    " new epoch",
                    self._data,
                )
                self.mark()
            _write(self._data / FOLDER_ID, f"{secrets.token_hex(16)}\n")
            with unavailable_on_error():
                self._redis.set(_KEY, self._identity() or "")
        self._is_folder_checked = True

    def _identity(self) -> str | None:
        """Return the identity of the folder; None if it has no id yet."""
        path = self._data / FOLDER_ID
        try:
            id, status = path.read_text(encoding="ascii").strip(), path.stat()
        except (OSError, UnicodeDecodeError):
            return None
        return f"{id} {status.st_ino} {status.st_ctime_ns}"


def _write(path: Path, text: str) -> None:
    """Replace a file durably. Raises Unavailable."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(path, text.encode())
    except OSError as error:
        raise Unavailable.with_message(
            "{file} cannot be written: {reason}", file=str(path), reason=os_reason(error)
        ) from None

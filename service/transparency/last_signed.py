"""The last checkpoint that this machine has signed or served, in a file next to the signing key.

Redis may lose its last writes in a failover, and with them leaves of the transparency log. The file is not
lost, so that a smaller or different tree is never signed as a continuation of what witnesses have seen.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from domain.errors import Unreadable
from ledger.files.durable_files import replace_file
from ledger.transparency.checkpoint import Checkpoint
from ledger.transparency.signed_note import SignedNote
from service.errors import Unavailable

log = logging.getLogger(__name__)


SECONDS_TO_LOCK: Final = 5.0


def checkpoint_file(signing_key: Path) -> Path:
    """Return the path of the file for a signing key."""
    return signing_key.with_suffix(".checkpoint")


class LastSigned:
    """The last checkpoint that was signed or served here. Safe for concurrent processes and threads.

    If the folder of the key cannot be written, the checkpoint is only kept in memory.
    """

    def __init__(self, signing_key: Path) -> None:
        self._path = checkpoint_file(signing_key)
        self._lock = FileLock(f"{self._path}.lock", timeout=SECONDS_TO_LOCK, mode=0o600)
        self._in_memory: Checkpoint | None = None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes of this machine from signing a checkpoint. Raises Unavailable."""
        try:
            self._lock.acquire()
        except Timeout:
            raise Unavailable.with_message("another process is signing a checkpoint") from None
        except OSError as error:
            log.warning("the folder of the signing key cannot be written: %s", error)
            yield
            return
        try:
            yield
        finally:
            self._lock.release()

    def read(self) -> Checkpoint | None:
        """Return the checkpoint; None if nothing was signed yet. Raises Unreadable."""
        try:
            note = self._path.read_bytes()
        except OSError:
            return self._in_memory
        try:
            stored = Checkpoint.of_note(SignedNote.parse(note))
        except Unreadable as error:
            raise Unreadable.with_message(
                "{file} does not contain a checkpoint: {reason}",
                file=str(self._path),
                reason=error.why,
            ) from None
        in_memory = self._in_memory
        if in_memory is None or in_memory.origin != stored.origin:
            return stored
        # The file is older if it could not be written last time.
        return max(stored, in_memory, key=lambda checkpoint: checkpoint.size)

    def write(self, note: SignedNote) -> None:
        """Replace the checkpoint, atomically and durably. Call it before the note is published."""
        self._in_memory = Checkpoint.of_note(note)
        try:
            replace_file(self._path, str(note).encode())
        except OSError as error:
            log.warning("%s cannot be written: %s", self._path, error)

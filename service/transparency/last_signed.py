"""The last checkpoint that this machine has signed, in a file next to the signing key.

Redis may lose its last writes in a failover, and with them leaves of the transparency log. The file does not
lose them, so that a smaller or another tree is never signed as a continuation of what witnesses have seen.
"""

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from domain.errors import Unreadable
from ledger.checkpoint import Checkpoint
from ledger.signed_note import SignedNote

log = logging.getLogger(__name__)


class LastSigned:
    """The last checkpoint that was signed with a key. Safe for concurrent processes and threads.

    If the folder of the key cannot be written, the checkpoint is only kept in memory.
    """

    def __init__(self, signing_key: Path) -> None:
        self._path = signing_key.with_suffix(".checkpoint")
        self._lock = FileLock(f"{self._path}.lock", mode=0o600)
        self._in_memory: Checkpoint | None = None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from signing a checkpoint."""
        try:
            self._lock.acquire()
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
            return Checkpoint.of_note(SignedNote.parse(note))
        except Unreadable as error:
            raise Unreadable(f"{self._path} does not contain a checkpoint: {error}") from None

    def write(self, note: SignedNote) -> None:
        """Replace the checkpoint, atomically and durably. Call it before the note is published."""
        self._in_memory = Checkpoint.of_note(note)
        try:
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(str(note).encode())
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(self._path)
            except OSError:
                Path(name).unlink()
                raise
        except OSError as error:
            log.warning("%s cannot be written: %s", self._path, error)

"""The folder of a witness: its own key, the keys of the server, and the copy of the log.

    witness-key.pem    the key that cosigns
    server-keys        the keys of the server's log, one a line; the last one is in use
    checkpoints.jsonl  a line for each checkpoint: note, consistency path from the one before, time
    leaves             the hashes of all leaves, 32 bytes each
    epoch-ID.note      the declaration of the server with which the log ended, if it did

The copy only grows: leaves are on disk before the checkpoint that covers them. Data that a crash has left
after the last complete checkpoint is cut off when the folder is opened for writing.
"""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from domain.errors import CartularyError, Unreadable
from domain.messages import message
from ledger.canonical import canonical, decode, unhex
from ledger.files.os_errors import os_reason
from ledger.keys import SigningKey
from ledger.transparency.checkpoint import Checkpoint
from ledger.transparency.merkle import HASH_BYTES, MemoryTree
from ledger.transparency.signed_note import NoteKey, SignedNote

WITNESS_KEY: Final = "witness-key.pem"
SERVER_KEYS: Final = "server-keys"
CHECKPOINTS: Final = "checkpoints.jsonl"
LEAVES: Final = "leaves"
_MAX_LINE: Final = 1 << 19
_PAGE_LEAVES: Final = 1 << 14

Pages: TypeAlias = Callable[[Iterable[int], int], Iterable[int]]
"""Iterates over page numbers, given their count, and can show the progress."""


def no_progress(pages: Iterable[int], _count: int) -> Iterable[int]:
    """Return the pages as they are."""
    return pages


class FolderInUse(CartularyError):
    """Another process follows the server with this folder."""


@dataclass(frozen=True, slots=True)
class KeptCheckpoint:
    """A checkpoint in the copy: the note with its signatures, and the path from the checkpoint before."""

    note: SignedNote
    checkpoint: Checkpoint
    path: tuple[bytes, ...]
    seen_at: str


class WitnessFolder:
    """The copy of a log in memory, and its files. Not thread-safe."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.server_keys: list[NoteKey] = []
        self.checkpoints: list[KeptCheckpoint] = []
        self.tree = MemoryTree()

    @classmethod
    def read(cls, path: Path, pages: Pages = no_progress) -> "WitnessFolder":
        """Return the contents of a folder without changing them. Raises Unreadable."""
        folder = cls(path)
        try:
            if (path / SERVER_KEYS).exists():
                lines = (path / SERVER_KEYS).read_text(encoding="utf-8").splitlines()
                folder.server_keys = [NoteKey.parse(line) for line in lines]
            if (path / CHECKPOINTS).exists():
                folder.checkpoints = list(_read_checkpoints(path / CHECKPOINTS))
            last = folder.last
            if last is not None and last.checkpoint.size:
                for hashes in _read_leaves(path / LEAVES, last.checkpoint.size, pages):
                    folder.tree.append(hashes)
        except UnicodeError:
            raise Unreadable.with_message(
                "the copy in {folder} contains text that is not UTF-8", folder=str(path)
            ) from None
        except OSError as error:
            raise Unreadable.with_message(
                "the copy in {folder} cannot be read: {reason}",
                folder=str(path),
                reason=os_reason(error),
            ) from None
        if last is not None and folder.tree.root() != last.checkpoint.root:
            raise Unreadable.with_message(
                "the copy in {folder} is damaged: its leaves have another root", folder=str(path)
            )
        return folder

    @classmethod
    @contextmanager
    def locked(cls, path: Path, pages: Pages = no_progress) -> Iterator["WitnessFolder"]:
        """Open a folder for writing; create it if there is none. Raises FolderInUse, Unreadable, OSError."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise FolderInUse.with_message(
                    "another process uses the folder {folder}", folder=str(path)
                ) from None
            folder = cls.read(path, pages)
            folder.cut_incomplete_writes()
            yield folder
        finally:
            os.close(handle)

    @property
    def last(self) -> KeptCheckpoint | None:
        """The last checkpoint; None if there is none yet."""
        return self.checkpoints[-1] if self.checkpoints else None

    @property
    def server_key(self) -> NoteKey | None:
        """The key of the server's log that is in use; None if the server was never seen."""
        return self.server_keys[-1] if self.server_keys else None

    def witness_key(self) -> SigningKey:
        """Return the witness's own key, which is generated if there is none."""
        return SigningKey.load_or_generate(self.path / WITNESS_KEY)

    def pin(self, key: NoteKey) -> None:
        """Use a key of the server from now on."""
        _append(self.path / SERVER_KEYS, f"{key}\n".encode())
        self.server_keys.append(key)

    def append(
        self, note: SignedNote, path: Sequence[bytes], leaf_hashes: Sequence[bytes], seen_at: str
    ) -> None:
        """Add a checkpoint and the leaves that are new in it. They must have been verified."""
        if leaf_hashes:
            _append(self.path / LEAVES, b"".join(leaf_hashes))
        line = {"checkpoint": str(note), "path": [hash.hex() for hash in path], "seen_at": seen_at}
        _append(self.path / CHECKPOINTS, canonical(line) + b"\n")
        self.tree.append(leaf_hashes)
        self.checkpoints.append(
            KeptCheckpoint(note, Checkpoint.of_note(note), tuple(path), seen_at)
        )

    def epochs(self) -> Iterator[SignedNote]:
        """Iterate over the kept declarations of new epochs. Raises Unreadable and OSError."""
        for path in sorted(self.path.glob("epoch-*.note")):
            yield SignedNote.parse(path.read_bytes())

    def keep(self, name: str, data: bytes) -> Path:
        """Write a file durably, unless a file of this name exists, and return its path."""
        path = self.path / name
        with suppress(FileExistsError):
            write_new(path, data)
        return path

    def save(self, name: str, data: bytes) -> Path:
        """Write a new file durably, and return its path. A number is added to a name that is taken."""
        stem, dot, suffix = name.rpartition(".")
        for number in range(1, 1000):
            path = self.path / (name if number == 1 else f"{stem}-{number}{dot}{suffix}")
            try:
                write_new(path, data)
            except FileExistsError:
                continue
            return path
        raise Unreadable.with_message(
            "the folder {folder} has too many files named like {file}",
            folder=str(self.path),
            file=name,
        )

    def cut_incomplete_writes(self) -> None:
        """Cut off the data that a crash has left after the last complete checkpoint."""
        size = 0 if self.last is None else self.last.checkpoint.size
        for name, length in (
            (LEAVES, size * HASH_BYTES),
            (CHECKPOINTS, _complete_bytes(self.path / CHECKPOINTS)),
        ):
            path = self.path / name
            if path.exists() and path.stat().st_size > length:
                os.truncate(path, length)


def write_new(path: Path, data: bytes) -> None:
    """Write a new file durably. Raises FileExistsError, OSError."""
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _complete_bytes(path: Path) -> int:
    """Return the length of the complete lines of a file."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(len(line) for line in file if line.endswith(b"\n"))


def _read_checkpoints(path: Path) -> Iterator[KeptCheckpoint]:
    """Yield the checkpoints in a file. An incomplete last line is left out. Raises Unreadable."""
    size = 0
    with path.open("rb") as file:
        for number in range(1, 1 << 31):
            line = file.readline(_MAX_LINE)
            if not line.endswith(b"\n"):
                if len(line) == _MAX_LINE:
                    raise Unreadable(
                        message(
                            "{file} has a line of more than {limit} bytes",
                            file=str(path),
                            limit=_MAX_LINE,
                        ),
                        number,
                    )
                return
            try:
                value = decode(line[:-1])
                note = SignedNote.parse(value["checkpoint"])
                hashes = tuple(unhex(hash) for hash in value["path"])
                checkpoint = KeptCheckpoint(
                    note, Checkpoint.of_note(note), hashes, str(value["seen_at"])
                )
            except (Unreadable, KeyError, TypeError, ValueError, AttributeError):
                raise Unreadable(
                    message("{file} contains a line that is not a checkpoint", file=str(path)),
                    number,
                ) from None
            if checkpoint.checkpoint.size < size:
                raise Unreadable(
                    message("{file} contains a checkpoint that is smaller", file=str(path)), number
                )
            size = checkpoint.checkpoint.size
            yield checkpoint


def _read_leaves(path: Path, count: int, pages: Pages) -> Iterator[list[bytes]]:
    starts = range(0, count, _PAGE_LEAVES)
    with path.open("rb") as file:
        for start in pages(starts, len(starts)):
            size = min(count - start, _PAGE_LEAVES) * HASH_BYTES
            data = file.read(size)
            if len(data) < size:
                raise Unreadable.with_message("{file} has too few leaves", file=str(path))
            yield [data[at : at + HASH_BYTES] for at in range(0, size, HASH_BYTES)]

"""Makes a new append-only file from the intact writes of a damaged one, and replaces the damaged file.

The new file is made in a separate folder (service/recovery/intact_copy.py), where a Redis can load it and
report what is missing. The damaged file is not changed before a person agrees. Then the folders change
places, in steps that the next start completes if they are interrupted:

    redis/repaired/             the new file; it exists from the decision to the end of the repair
    redis/repaired/damaged/     the damaged file, which becomes redis/cut-TIME-XXXXXXXX/
"""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ledger.files.durable_files import sync_folder
from ledger.files.os_errors import os_reason
from service import wall_clock
from service.operation.append_only_file.parts import (
    ENGINE_FILE,
    FOLDER,
    SINGLE_FILE,
    AppendOnlyFileError,
    Part,
    find_parts,
    unreadable_file,
)
from service.operation.append_only_file.writes import (
    IntactWrites,
    Range,
    find_events,
    find_intact_writes,
)

ARCHIVE_PREFIX: Final = "cut-"
_REPLACEMENT: Final = "repaired"
_DAMAGED: Final = "damaged"


@dataclass(frozen=True, slots=True)
class Contents:
    """The parts of an append-only file with the intact writes of each, in order.

    `events` are the ids of games and the seqs of their events that can be recognized outside of intact
    writes.
    """

    parts: tuple[tuple[Part, IntactWrites], ...]
    events: tuple[tuple[str, int], ...]

    @property
    def damaged_snapshots(self) -> tuple[tuple[Part, IntactWrites], ...]:
        """The parts whose snapshot is damaged."""
        return tuple((part, writes) for part, writes in self.parts if writes.entries is not None)

    @property
    def is_complete(self) -> bool:
        """Whether all bytes of all parts belong to intact writes."""
        return not self.gaps and not self.damaged_snapshots

    @property
    def gaps(self) -> tuple[tuple[Part, Range], ...]:
        """The ranges that contain no intact write, with the part of each."""
        return tuple((part, gap) for part, writes in self.parts for gap in writes.gaps)


def read_contents(folder: Path) -> Contents:
    """Return the contents of the append-only file in a Redis's folder.

    Raises AppendOnlyFileError if a part cannot be read, and ManifestError.
    """
    parts: list[tuple[Part, IntactWrites]] = []
    events: tuple[tuple[str, int], ...] = ()
    for part in find_parts(folder):
        try:
            writes = find_intact_writes(part.path)
            events += find_events(part.path, writes.gaps)
        except OSError as error:
            raise unreadable_file(str(part.path), error) from error
        parts.append((part, writes))
    return Contents(tuple(parts), events)


def append_intact(contents: Contents, path: Path) -> None:
    """Append the intact writes of all parts to a file, durably; without the entries of damaged snapshots.

    Raises AppendOnlyFileError if the disk is full.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        # Not opened for appending: the system cannot copy from file to file into such a file.
        with path.open("r+b") as target:
            os.lseek(target.fileno(), 0, os.SEEK_END)
            for part, writes in contents.parts:
                with part.path.open("rb") as source:
                    for start, end in writes.ranges:
                        if start >= writes.start:
                            _copy_range(source.fileno(), target.fileno(), start, end)
            os.fsync(target.fileno())
        sync_folder(path.parent)
    except OSError as error:
        raise AppendOnlyFileError.with_message(
            "{file} cannot be written: {reason}", file=str(path), reason=os_reason(error)
        ) from error


def replace_by(folder: Path, new: Path) -> Path:
    """Replace the file in `folder` by the one in the folder `new`; return the folder with the old file.

    Redis must not run on either of them. Raises AppendOnlyFileError; the file is then the old or the new one.
    """
    try:
        (new / _DAMAGED).mkdir(mode=0o700)
        new.rename(folder / _REPLACEMENT)
        sync_folder(folder)
    except OSError as error:
        raise _not_replaced(folder, error) from error
    archive = complete_replacement(folder)
    assert archive is not None
    return archive


def complete_replacement(folder: Path) -> Path | None:
    """Complete a replacement that was begun; return the folder with the old file, or None if none was begun.

    Raises AppendOnlyFileError.
    """
    replacement = folder / _REPLACEMENT
    if not replacement.is_dir():
        return None
    archive, damaged = None, replacement / _DAMAGED
    try:
        for name in (FOLDER, SINGLE_FILE):
            if (replacement / name).exists():
                for old in (folder / FOLDER, folder / SINGLE_FILE):
                    if old.exists():
                        old.rename(damaged / old.name)
                (replacement / name).rename(folder / name)
                sync_folder(folder)
        if (replacement / ENGINE_FILE).exists():
            (replacement / ENGINE_FILE).replace(folder / ENGINE_FILE)
        if damaged.is_dir():
            timestamp = wall_clock.format(wall_clock.now())[:19].replace(":", "")
            archive = Path(tempfile.mkdtemp(prefix=f"{ARCHIVE_PREFIX}{timestamp}-", dir=folder))
            damaged.replace(archive)
        shutil.rmtree(replacement)
        sync_folder(folder)
    except OSError as error:
        raise _not_replaced(folder, error) from error
    return archive


def _not_replaced(folder: Path, error: OSError) -> AppendOnlyFileError:
    return AppendOnlyFileError.with_message(
        "{file} cannot be repaired: {reason}", file=str(folder), reason=os_reason(error)
    )


def _copy_range(source: int, target: int, start: int, end: int) -> None:
    """Append a range of the file `source` to the file `target`. Raises OSError."""
    while start < end:
        copied = os.sendfile(target, source, start, end - start)
        if not copied:
            raise OSError(5, os.strerror(5))
        start += copied

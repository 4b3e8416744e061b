"""Repairs an append-only file that the embedded Redis cannot load: an incomplete last write is cut off.

The part that is cut off is kept in a separate folder. Any other damage is left to a person, who runs the
command `repair` (salvage.py).
"""

import logging
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ledger.files.durable_files import new_file, sync_folder
from ledger.files.os_errors import os_reason
from service import wall_clock
from service.operation.append_only_file.parts import (
    AppendOnlyFileError,
    ManifestError,
    Part,
    find_parts,
    unreadable_file,
)
from service.operation.append_only_file.salvage import ARCHIVE_PREFIX, complete_replacement
from service.operation.append_only_file.writes import Damage, find_damage

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DamagedPart:
    """The first damaged part of an append-only file; `is_last`: no part comes after it."""

    part: Part
    is_last: bool
    damage: Damage

    @property
    def is_incomplete_write(self) -> bool:
        """Whether the only damage is an incomplete last write, which was never acknowledged."""
        return self.damage.kind == "incomplete write" and self.is_last


def find_damaged_part(folder: Path) -> DamagedPart | None:
    """Return the first damaged part in the folder of an embedded Redis, or None if all writes are complete.

    Raises AppendOnlyFileError if the parts cannot be read.
    """
    parts = find_parts(folder)
    for index, part in enumerate(parts):
        try:
            damage = find_damage(part.path)
        except OSError as error:
            raise unreadable_file(str(part.path), error) from error
        if damage is not None:
            return DamagedPart(part, index == len(parts) - 1, damage)
    return None


def _cut_off(folder: Path, part: Part, offset: int) -> Path:
    """Truncate a part at an offset, and return the folder with the bytes that were cut off.

    Redis must not be running. Raises AppendOnlyFileError if the disk is full; then nothing has changed.
    """
    try:
        archive = _copy_end(part.path, offset, folder)
        _separate(part.path)
        with part.path.open("r+b") as file:
            file.truncate(offset)
            os.fsync(file.fileno())
    except OSError as error:
        raise AppendOnlyFileError.with_message(
            "{file} cannot be repaired: {reason}", file=str(part.path), reason=os_reason(error)
        ) from error
    return archive


def cut_off_incomplete_write(folder: Path) -> bool:
    """Cut off an incomplete write at the end of the append-only file; return whether there was one.

    Redis acknowledges a write only when it is on disk, so an incomplete write was never acknowledged. The cut
    is logged. Raises AppendOnlyFileError for any other damage, which is left for a person to decide on.
    """
    damaged_part = find_damaged_part(folder)
    if damaged_part is None:
        return False
    path, damage = damaged_part.part.path, damaged_part.damage
    if damage.kind == "damaged snapshot":
        raise AppendOnlyFileError.with_message(
            "the snapshot in {file} is damaged, so that nothing after it can be loaded. Restore a"
            " backup, or run {command}, which keeps every intact value and write, reports what is lost,"
            " and asks before it changes anything",
            file=str(path),
            command=repair_command(folder),
        )
    if not damaged_part.is_incomplete_write:
        raise AppendOnlyFileError.with_message(
            "{file} is damaged after byte {offset} of {size}. Restore a backup, or run {command},"
            " which keeps every intact write, reports what is lost, and asks before it changes"
            " anything",
            file=str(path),
            offset=damage.offset,
            size=damage.size,
            command=repair_command(folder),
        )
    archive = _cut_off(folder, damaged_part.part, damage.offset)
    log.warning(
        "%s ended with an incomplete write, to which nobody had got a response;"
        " it was cut off, and its %d bytes are in %s",
        path,
        damage.size - damage.offset,
        archive,
    )
    return True


def check_parts(folder: Path) -> None:
    """Check, before Redis loads them, that all parts of the append-only file exist and can be read.

    An interrupted repair is completed. Raises AppendOnlyFileError, which says what to do.
    """
    complete_replacement(folder)
    try:
        find_parts(folder)
    except ManifestError as error:
        raise AppendOnlyFileError.with_message(
            "{fault}, so that the server would begin without some or all of the data: restore a backup, or"
            " run {command}",
            fault=error.message,
            command=repair_command(folder),
        ) from error


def repair_command(folder: Path) -> str:
    """Return the command that repairs the data in the folder of an embedded Redis, for messages."""
    return f"`cartulary repair --data {folder.parent}`"


def _separate(path: Path) -> None:
    """Replace a file that has several names by a copy: former data (takeover.py) may be a link to it.

    Raises OSError.
    """
    if path.stat().st_nlink > 1:
        copy = path.with_name(f"{path.name}.separate")
        shutil.copy2(path, copy)
        with copy.open("rb") as file:
            os.fsync(file.fileno())
        copy.replace(path)
        sync_folder(path.parent)


def _copy_end(path: Path, offset: int, folder: Path) -> Path:
    """Copy the bytes of a file after an offset, durably, to a new folder in `folder`; return the new folder.

    Raises OSError, and then leaves no folder behind.
    """
    timestamp = wall_clock.format(wall_clock.now())[:19].replace(":", "")
    archive = Path(tempfile.mkdtemp(prefix=f"{ARCHIVE_PREFIX}{timestamp}-", dir=folder))
    try:
        copy = archive / f"{path.name}.from-byte-{offset}"
        with path.open("rb") as reader, new_file(copy) as writer:
            reader.seek(offset)
            shutil.copyfileobj(reader, writer)
        sync_folder(archive)
        sync_folder(folder)
    except OSError:
        shutil.rmtree(archive, ignore_errors=True)
        raise
    return archive

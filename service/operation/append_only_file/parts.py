"""The parts of an append-only file, in the order in which Redis loads them.

Up to Redis 6, it is one file, `appendonly.aof`. Since Redis 7, it is a folder, `appendonlydir`, with a
snapshot (the base), the writes since then in one or more files, and a manifest with a line for each of them:

    file appendonly.aof.2.base.rdb seq 2 type b
    file appendonly.aof.2.incr.aof seq 2 type i

Redis 7 and later start without any data if the manifest is missing, and then overwrite the other files.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ledger.durable_files import replace_file
from ledger.os_errors import os_reason
from service.errors import ServiceError

SINGLE_FILE: Final = "appendonly.aof"
FOLDER: Final = "appendonlydir"
MANIFEST: Final = "appendonly.aof.manifest"

_MANIFEST_LINE: Final = re.compile(r'file (?P<name>[^/"\\ ]+) seq \d+ type (?P<type>[bhi])')
_PART_NAME: Final = re.compile(r"appendonly\.aof\.(?P<seq>\d+)\.(?P<type>base|incr)\.(rdb|aof)")


class AppendOnlyFileError(ServiceError):
    """The append-only file cannot be read, or its parts are not complete."""


class ManifestError(AppendOnlyFileError):
    """The manifest is missing or damaged, although there are parts."""


def unreadable_file(path: str, error: OSError) -> AppendOnlyFileError:
    """Return the error for a file that the operating system does not let this process read."""
    return AppendOnlyFileError.with_message(
        "{file} cannot be read: {reason}", file=path, reason=os_reason(error)
    )


@dataclass(frozen=True, slots=True)
class Part:
    """One file. `manifest_line` is its line in the manifest, or "" if there is no manifest."""

    path: Path
    manifest_line: str = ""


def manifest_of(folder: Path) -> Path:
    """Return the path of the manifest in the folder of an embedded Redis."""
    return folder / FOLDER / MANIFEST


def find_parts(folder: Path) -> tuple[Part, ...]:
    """Return the parts of the append-only file in a Redis's folder; none if there is no data yet.

    Raises ManifestError, and AppendOnlyFileError if a part is missing or cannot be read.
    """
    manifest = manifest_of(folder)
    try:
        if manifest.exists():
            parts = _parts_in_manifest(folder, manifest.read_text(encoding="utf-8"))
        elif _part_files(folder):
            raise ManifestError.with_message("{file} is missing", file=str(manifest))
        else:
            single = folder / SINGLE_FILE
            parts = (Part(single),) if single.exists() else ()
        for part in parts:
            with part.path.open("rb"):
                pass
    except FileNotFoundError as error:
        raise AppendOnlyFileError.with_message(
            "{file}, which {manifest} lists, is missing",
            file=str(error.filename),
            manifest=str(manifest),
        ) from None
    except UnicodeDecodeError:
        raise ManifestError.with_message("{file} is damaged", file=str(manifest)) from None
    except OSError as error:
        raise unreadable_file(str(error.filename), error) from error
    return parts


def manifest_from_names(folder: Path) -> str:
    """Return a manifest of the part files in a folder, made from their names.

    Raises AppendOnlyFileError if the names do not determine it: there must be exactly one base.
    """
    names = [(match["type"], int(match["seq"]), match[0]) for match in _part_files(folder)]
    if [kind for kind, _, _ in names].count("base") != 1:
        raise AppendOnlyFileError.with_message(
            "{file} is missing or damaged, and cannot be made from the names of the files in {folder},"
            " because there is not exactly one base among them: restore a backup",
            file=str(manifest_of(folder)),
            folder=str(folder / FOLDER),
        )
    return _manifest_text(
        [f"file {name} seq {seq} type {kind[0]}" for kind, seq, name in sorted(names)]
    )


def write_manifest(folder: Path, text: str) -> None:
    """Replace the manifest, atomically and durably. Raises OSError."""
    replace_file(manifest_of(folder), text.encode())


def _parts_in_manifest(folder: Path, manifest: str) -> tuple[Part, ...]:
    parts = []
    for line in manifest.splitlines():
        match = _MANIFEST_LINE.fullmatch(line)
        if match is None:
            raise ManifestError.with_message("{file} is damaged", file=str(manifest_of(folder)))
        if match["type"] != "h":  # history: replaced by a rewrite, and about to be deleted
            path = folder / FOLDER / match["name"]
            if not path.exists() and (folder / match["name"]).exists():
                path = folder / match["name"]  # an upgrade from Redis 6 that was interrupted
            parts.append(Part(path, line))
    # Redis loads the base first, and the others in the order of the manifest.
    return tuple(sorted(parts, key=lambda part: not part.manifest_line.endswith("b")))


def _part_files(folder: Path) -> list[re.Match[str]]:
    """Return the matches of the names of part files in the folder for them."""
    if not (folder / FOLDER).is_dir():
        return []
    matches = [_PART_NAME.fullmatch(path.name) for path in (folder / FOLDER).iterdir()]
    return [match for match in matches if match is not None]


def _manifest_text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)

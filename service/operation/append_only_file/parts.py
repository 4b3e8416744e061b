"""The parts of an append-only file, in the order in which Redis loads them.

Up to Redis 6, it is one file, `appendonly.aof`. Since Redis 7, it is a folder, `appendonlydir`, with a
base, the writes since then in one or more files (the increments), and a manifest with a line for each of
them:

    file appendonly.aof.2.base.aof seq 2 type b
    file appendonly.aof.2.incr.aof seq 2 type i

Redis 8.2 and later add the offsets of replication at which an increment begins and ends.

A base contains all data at one moment, as commands, or as a snapshot (`.rdb`) if earlier versions of this
program have started the server. Redis 7 and later start without any data if the manifest is missing, and then
overwrite the other files.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ledger.files.durable_files import replace_file
from ledger.files.os_errors import os_reason
from service.errors import ServiceError

SINGLE_FILE: Final = "appendonly.aof"
FOLDER: Final = "appendonlydir"
MANIFEST: Final = "appendonly.aof.manifest"
ENGINE_FILE: Final = "engine"
"""The file beside them that names the engine that used them last (takeover.py)."""

_MANIFEST_LINE: Final = re.compile(
    r'file (?P<name>[^/"\\ ]+) seq (?P<seq>\d+) type (?P<type>[bhi])(?: (?:start|end)offset \d+){0,2}'
)
SNAPSHOT_MAGIC: Final = (b"REDIS", b"VALKEY")
"""The first bytes of a snapshot."""
SNAPSHOT_HEADER: Final = re.compile(rb"(?:REDIS|VALKEY)(\d{3,4})")
"""The header of a snapshot, with the version of its format."""
_SNAPSHOT_HEADER_BYTES: Final = 9

_PART_NAME: Final = re.compile(r"appendonly\.aof\.(?P<seq>\d+)\.(?P<type>base|incr)\.(rdb|aof)")


class AppendOnlyFileError(ServiceError):
    """The append-only file cannot be read, or its parts are not complete."""


class ManifestError(AppendOnlyFileError):
    """The manifest is missing or damaged, or does not match the files."""


def unreadable_file(path: str, error: OSError) -> AppendOnlyFileError:
    """Return the error for a file that this process cannot read."""
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

    Raises ManifestError, and AppendOnlyFileError if a part cannot be read.
    """
    manifest = manifest_of(folder)
    try:
        if manifest.exists():
            parts = _parts_in_manifest(folder, manifest.read_text(encoding="utf-8"))
            _check_unlisted(folder, manifest)
        elif _part_files(folder):
            raise ManifestError.with_message("{file} is missing", file=str(manifest))
        else:
            single = folder / SINGLE_FILE
            parts = (Part(single),) if single.exists() else ()
        for part in parts:
            with part.path.open("rb"):
                pass
    except FileNotFoundError as error:
        raise ManifestError.with_message(
            "{file}, which {manifest} lists, is missing",
            file=str(error.filename),
            manifest=str(manifest),
        ) from None
    except UnicodeDecodeError:
        raise _damaged_manifest(folder) from None
    except OSError as error:
        raise unreadable_file(str(error.filename), error) from error
    return parts


def is_base(path: Path) -> bool:
    """Return whether a part is a base that a rewrite has made, rather than the former single file."""
    match = _PART_NAME.fullmatch(path.name)
    return match is not None and match["type"] == "base"


def snapshot_version(folder: Path) -> int | None:
    """Return the version of the snapshot with which the append-only file in a Redis's folder begins.

    None if it begins with commands. Raises AppendOnlyFileError if the parts cannot be read.
    """
    for part in find_parts(folder):
        with part.path.open("rb") as file:
            match = SNAPSHOT_HEADER.match(file.read(_SNAPSHOT_HEADER_BYTES))
        if match is not None:
            return int(match[1])
    return None


def manifest_from_names(folder: Path) -> str:
    """Return a manifest of the part files in a folder, derived from their names.

    If there are several bases, the manifest has the oldest, and then all increments: while a rewrite ends,
    the new base exists beside the files from which it was made, and the old base is the first of them to be
    deleted.
    """
    names = sorted((match["type"], int(match["seq"]), match[0]) for match in _part_files(folder))
    bases = [it for it in names if it[0] == "base"][:1]
    increments = [it for it in names if it[0] == "incr"]
    return _manifest_text(
        [f"file {name} seq {seq} type {kind[0]}" for kind, seq, name in (*bases, *increments)]
    )


def write_manifest(folder: Path, text: str) -> None:
    """Replace the manifest, atomically and durably. Raises OSError."""
    replace_file(manifest_of(folder), text.encode())


def _parts_in_manifest(folder: Path, manifest: str) -> tuple[Part, ...]:
    """Return the parts that a manifest lists, except history, which a rewrite has replaced."""
    lines = []
    for line in manifest.splitlines():
        match = _MANIFEST_LINE.fullmatch(line)
        if match is None:
            raise _damaged_manifest(folder)
        lines.append(match)
    increments = [int(match["seq"]) for match in lines if match["type"] == "i"]
    replaced = [
        int(match["seq"]) for match in lines if match["type"] == "h" and ".incr." in match["name"]
    ]
    is_ordered = increments == sorted(set(increments))
    is_history_old = not replaced or (increments and max(replaced) < increments[0])
    if not is_ordered or not is_history_old or [m["type"] for m in lines].count("b") > 1:
        raise _damaged_manifest(folder)
    # The engine loads the base first, and the others in the order of the manifest.
    current = sorted((it for it in lines if it["type"] != "h"), key=lambda it: it["type"] != "b")
    return tuple(Part(_path_of(folder, match["name"]), match[0]) for match in current)


def _path_of(folder: Path, name: str) -> Path:
    path = folder / FOLDER / name
    # An upgrade from Redis 6 may have been interrupted before the file was moved.
    return folder / name if not path.exists() and (folder / name).exists() else path


def _check_unlisted(folder: Path, manifest: Path) -> None:
    """Raise ManifestError if the engine would ignore a file with data because the manifest leaves it out.

    An engine creates an increment before it lists it, but writes nothing into it until then. While a rewrite
    ends, the new base exists, but the old one is still listed.
    """
    listed = manifest.read_text(encoding="utf-8")
    has_base = re.search(r" type b\b", listed) is not None
    for match in _part_files(folder):
        path = folder / FOLDER / match[0]
        is_needed = match["type"] == "incr" or not has_base
        if is_needed and f"file {match[0]} " not in listed and path.stat().st_size:
            raise ManifestError.with_message(
                "{file} contains data, and {manifest} does not list it",
                file=str(path),
                manifest=str(manifest),
            )


def _damaged_manifest(folder: Path) -> ManifestError:
    return ManifestError.with_message("{file} is damaged", file=str(manifest_of(folder)))


def _part_files(folder: Path) -> list[re.Match[str]]:
    """Return the matches of the names of part files in the folder for them."""
    if not (folder / FOLDER).is_dir():
        return []
    matches = [_PART_NAME.fullmatch(path.name) for path in (folder / FOLDER).iterdir()]
    return [match for match in matches if match is not None]


def _manifest_text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)

"""Repairs the data of an embedded Redis: what the command `repair` does."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Final

from cartulary.language import text
from cartulary.terminal import confirm, echo
from domain.errors import CartularyError
from domain.messages import Message, Value, comma_list, message, plural_message
from service.append_only_file.parts import (
    ManifestError,
    find_parts,
    manifest_from_names,
    manifest_of,
    write_manifest,
)
from service.append_only_file.repair import DamagedPart, cut_off, find_damaged_part
from service.data_folder import DataFolderLock
from service.embedded_redis import EmbeddedRedis
from service.settings import load_settings

_EXPLANATIONS: Final = {
    "incomplete write": message("It ends in the middle of a write, as after a power failure."),
    "zero bytes": message("It ends with bytes that are zero, as after a power failure."),
    "damaged bytes": message("What follows is not a complete write."),
}


def repair(environ: Mapping[str, str], *, yes: bool) -> None:
    """Check the data folder of the settings in `environ`, and repair a damaged file after asking.

    With `yes`, nothing is asked. Raises CartularyError if there is nothing to repair it from.
    """
    data = load_settings(environ).data
    folder = data / "redis"
    if not folder.is_dir():
        raise CartularyError(
            message(
                "the data folder {folder} contains no data of an embedded Redis", folder=str(data)
            )
        )
    with DataFolderLock(data):
        _repair_manifest(folder, yes=yes)
        damaged_part = find_damaged_part(folder)
        if damaged_part is None:
            echo(text(message("every write is complete")))
        else:
            _repair_part(folder, damaged_part, yes=yes)
    with EmbeddedRedis(data):
        echo(text(message("Redis loads the data")))


def _repair_manifest(folder: Path, *, yes: bool) -> None:
    try:
        find_parts(folder)
    except ManifestError as error:
        manifest = manifest_from_names(folder)
        heading = message(
            "{fault}. These files are there, in the order in which they were written:",
            fault=error.message,
        )
        echo(f"{text(heading)}\n{manifest}")
        if not yes:
            confirm(message("Write a manifest with these lines?"))
        write_manifest(folder, manifest)
        echo(text(message("wrote {path}", path=str(manifest_of(folder)))))


def _repair_part(folder: Path, damaged_part: DamagedPart, *, yes: bool) -> None:
    path, damage = damaged_part.part.path, damaged_part.damage
    if damage.kind == "damaged snapshot":
        raise CartularyError(
            message("the snapshot in {path} is damaged: restore a backup", path=str(path))
        )
    for line in _description(damaged_part):
        echo(text(line))
    for line in _event_lines(damaged_part.events):
        echo(f"  {text(line)}")
    if not yes:
        confirm(
            message("Cut {path} off after byte {offset}?", path=str(path), offset=damage.offset)
        )
    archive = cut_off(folder, damaged_part)
    echo(text(message("cut off; the rest is in {path}", path=str(archive))))


def _description(damaged_part: DamagedPart) -> Iterable[Message]:
    """Yield what is damaged, and what is removed when the damaged file is cut off."""
    damage = damaged_part.damage
    yield message(
        "{path} contains complete writes up to byte {offset} of {size}. {explanation}",
        path=str(damaged_part.part.path),
        offset=damage.offset,
        size=damage.size,
        explanation=_EXPLANATIONS[damage.kind],
    )
    yield plural_message(
        "Cutting it off there removes {count} byte.",
        "Cutting it off there removes {count} bytes.",
        count=damage.size - damage.offset,
    )
    if damaged_part.later:
        paths = comma_list(str(later.path) for later in damaged_part.later)
        yield message("These later files are removed as well: {paths}", paths=paths)
    if damaged_part.events:
        yield message("These events are lost:")
    else:
        yield message("No event can be recognized in what is removed.")


def _event_lines(events: Iterable[tuple[str, int]]) -> Iterable[Message]:
    """Yield a line for each game, with the seqs of its events."""
    for game, group in groupby(sorted(set(events)), key=lambda event: event[0]):
        seqs = comma_list(_ranges([seq for _, seq in group]))
        yield message("game {game}: events {seqs}", game=game, seqs=seqs)


def _ranges(numbers: list[int]) -> Iterable[Value]:
    """Yield the ranges of ascending numbers: for [1, 2, 3, 5], `1 to 3` and `5`."""
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        first, *others = (number for _, number in group)
        yield message("{first} to {last}", first=first, last=others[-1]) if others else first

"""Repairs the data of an embedded Redis: what the command `repair` does."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

import click

from cartulary.terminal import echo
from domain.errors import CartularyError
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

_EXPLANATIONS = {
    "incomplete write": "It ends in the middle of a write, as after a power failure.",
    "zero bytes": "It ends with bytes that are zero, as after a power failure.",
    "damaged bytes": "What follows is not a complete write.",
}


def repair(environ: Mapping[str, str], *, yes: bool) -> None:
    """Check the data folder of the settings in `environ`, and repair a damaged file after asking.

    With `yes`, nothing is asked. Raises CartularyError if there is nothing to repair it from.
    """
    data = load_settings(environ).data
    folder = data / "redis"
    if not folder.is_dir():
        raise CartularyError(f"the data folder {data} contains no data of an embedded Redis")
    with DataFolderLock(data):
        _repair_manifest(folder, yes=yes)
        damaged_part = find_damaged_part(folder)
        if damaged_part is None:
            echo("every write is complete")
        else:
            _repair_part(folder, damaged_part, yes=yes)
    with EmbeddedRedis(data):
        echo("Redis loads the data")


def _repair_manifest(folder: Path, *, yes: bool) -> None:
    try:
        find_parts(folder)
    except ManifestError as error:
        manifest = manifest_from_names(folder)
        echo(
            f"{error}. These files are there, in the order in which they were written:\n{manifest}"
        )
        if not yes:
            click.confirm("Write a manifest with these lines?", abort=True)
        write_manifest(folder, manifest)
        echo(f"wrote {manifest_of(folder)}")


def _repair_part(folder: Path, damaged_part: DamagedPart, *, yes: bool) -> None:
    path, damage = damaged_part.part.path, damaged_part.damage
    if damage.kind == "damaged snapshot":
        raise CartularyError(f"the snapshot in {path} is damaged: restore a backup")
    echo(
        f"{path} contains complete writes up to byte {damage.offset} of {damage.size}."
        f" {_EXPLANATIONS[damage.kind]}"
    )
    echo(f"Cutting it off there removes {damage.size - damage.offset} bytes", newline=False)
    for later in damaged_part.later:
        echo(f", and all of {later.path}", newline=False)
    echo(
        ", with these events:" if damaged_part.events else ", in which no event can be recognized."
    )
    for line in _event_lines(damaged_part.events):
        echo(f"  {line}")
    if not yes:
        click.confirm(f"Cut {path} off after byte {damage.offset}?", abort=True)
    archive = cut_off(folder, damaged_part)
    echo(f"cut off; the rest is in {archive}")


def _event_lines(events: Iterable[tuple[str, int]]) -> Iterable[str]:
    """Yield a line for each game, with the seqs of its events."""
    for game, group in groupby(sorted(set(events)), key=lambda event: event[0]):
        seqs = [seq for _, seq in group]
        yield f"game {game}: events {', '.join(_ranges(seqs))}"


def _ranges(numbers: list[int]) -> Iterable[str]:
    """Yield the ranges of ascending numbers: [1, 2, 3, 5] gives `1 to 3` and `5`."""
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        members = [number for _, number in group]
        yield str(members[0]) if len(members) == 1 else f"{members[0]} to {members[-1]}"

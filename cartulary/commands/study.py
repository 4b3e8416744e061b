"""The command study: checks notes and variations against the record of their game, and shows them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from cartulary.command_line import PathType, bad_parameter, command, option
from cartulary.commands.options import (
    color_option,
    force_option,
    json_option,
    source_argument,
    source_options,
)
from cartulary.language import command_renderer
from cartulary.source import errors_naming, read_source
from cartulary.terminal import Color, echo, result_styler, unwritable_file, width, write_output
from domain.errors import Malformed
from domain.messages import message
from ledger.canonical import canonical
from ledger.files.os_errors import os_reason


@command(
    "study",
    help=(
        message("Show a study of a finished game: notes on its events, and variations."),
        message(
            "The study is checked first: it must be of this game, and every action of its variations must"
            " be possible. With --json, it is printed as a file of a study that has been checked. With"
            " --pictures, each of its positions is drawn: after the events that have notes or variations,"
            " and at the end of each variation."
        ),
    ),
)
@source_argument
@option(
    "--notes",
    "path",
    required=True,
    type=PathType(exists=True, dir_okay=False),
    help=message("File with the study, as docs/formats.md describes it."),
)
@option(
    "--pictures",
    "folder",
    type=PathType(file_okay=False),
    help=message("Folder to which the pictures are written, as SVG."),
)
@force_option
@json_option
@color_option
@source_options
def study(
    source: str,
    path: Path,
    folder: Path | None,
    force: bool,  # noqa: FBT001 # click passes options by name
    as_json: bool,  # noqa: FBT001 # see above
    color: Color,
) -> None:
    from replay.history.event_values import names_of
    from replay.study import checked_study, study_pictures, study_text

    raw = _json_in(path)
    record = read_source(source)
    renderer = command_renderer(names_of(record))
    with errors_naming(source):
        try:
            checked = checked_study(raw, record)
        except Malformed as error:
            faults = [f"{field}: {renderer(fault)}" for field, fault in error.fields.items()]
            raise click.ClickException("\n".join([f"{path}:", *faults])) from None
        if folder is not None:
            pictures = list(study_pictures(checked, record, renderer))
            _write(pictures, folder, force=force)
        if as_json:
            echo(canonical(checked.as_json()).decode())
            return
        text = study_text(checked, record, renderer, result_styler(color), width())
    echo(text, newline=False)


def _write(pictures: Sequence[tuple[str, str]], folder: Path, *, force: bool) -> None:
    """Write pictures into a folder, which is made if there is none. Raises ClickException."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable_file(folder, error) from None
    for name, picture in pictures:
        write_output(folder / name, picture.encode(), force=force)


def _json_in(path: Path) -> Any:
    """Return the JSON of the file that the option names. Raises BadParameter."""
    import orjson

    from replay.study import MAX_FILE_BYTES

    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            fault = message(
                "{path} has more than {count} bytes", path=str(path), count=MAX_FILE_BYTES
            )
            raise bad_parameter(fault, "--notes")
        return orjson.loads(data)
    except OSError as error:
        fault = message("cannot read {path}: {reason}", path=str(path), reason=os_reason(error))
        raise bad_parameter(fault, "--notes") from None
    except orjson.JSONDecodeError:
        raise bad_parameter(message("{path} is not JSON", path=str(path)), "--notes") from None

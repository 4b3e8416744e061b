"""The command audit: runs every check on one or more records, and counts the verdicts."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import click

from cartulary.command_line import (
    File,
    IntRange,
    PathType,
    argument,
    bad_parameter,
    command,
    option,
    usage_error,
)
from cartulary.commands.options import color_option, json_option, public_key, source_options
from cartulary.language import command_renderer
from cartulary.source import SourceNotFound, open_source
from cartulary.terminal import Color, echo, print_message, progress, result_styler, width
from domain.errors import Unreadable
from domain.json_types import JsonObject
from domain.messages import Message, Value, comma_list, message, message_in, plural_message
from ledger.canonical import canonical

if TYPE_CHECKING:
    from cartulary.audit_runs import Result
    from ledger.transparency.signed_note import NoteKey
    from replay.audit.findings import Outcome
    from replay.compare.histories import History

    _Counts: TypeAlias = Counter[Outcome | Literal["missing"]]

RECORDS: Final = "*.jsonl"
"""Pattern of the names of record files in a folder."""
EXIT_STATUS: Final[dict["Outcome", int]] = {"sound": 0, "broken": 1, "unknown": 3}
"""The exit status for each verdict; 2 stays bad usage."""


@command(
    "audit",
    help=(
        message("Run every check on records, and report what was checked and what was found."),
        message(
            "SOURCE is a record file, a folder of record files (*.jsonl), - for standard input, the address"
            " of a game on a server, or the id of a live game. A source that cannot be found is reported,"
            " and the others are checked."
        ),
        message(
            "Exit status: 0 when every check of every record holds, 1 when something is broken, 2 when"
            " a source is missing, 3 when nothing is broken but something cannot be known from a record."
        ),
    ),
)
@argument("sources", metavar=message_in("metavar", "SOURCE..."), nargs=-1, required=True)
@option(
    "--key",
    "keys",
    multiple=True,
    metavar="HEX",
    help=message(
        "Public key that must have signed the record, 32 bytes in hex; may be repeated. Default: a"
        " key that is trusted (`cartulary trust`)."
    ),
)
@option(
    "--receipt",
    "receipts",
    multiple=True,
    type=File(),
    help=message("File with receipts, as JSON, to check against the record; may be repeated."),
)
@option(
    "--receipts",
    "kept_receipts_path",
    type=PathType(exists=True),
    help=message(
        "Folder of receipts (*.receipts), or a file such as a browser saves; those for other games are"
        " skipped and counted. Receipts that your programs have kept are always checked."
    ),
)
@option(
    "--against",
    metavar=message_in("metavar", "OLD"),
    help=message("An older record of the game, which SOURCE must continue."),
)
@option(
    "--witness",
    "witnesses",
    multiple=True,
    metavar=message_in("metavar", "KEY"),
    help=message(
        "Key of a witness that must have cosigned the log of the server; may be repeated."
    ),
)
@option(
    "--quick",
    is_flag=True,
    help=message(
        "Check only the form, the hash chain and the signature of the head, without replaying the"
        " games."
    ),
)
@option(
    "--jobs",
    type=IntRange(1, 64),
    help=message(
        "Processes that audit record files; default: one per core, if there are enough files."
    ),
)
@json_option
@color_option
@source_options
def audit(
    sources: tuple[str, ...],
    keys: tuple[str, ...],
    receipts: tuple[Any, ...],
    witnesses: tuple[str, ...],
    kept_receipts_path: Path | None,
    against: str | None,
    quick: bool,  # noqa: FBT001 # click passes options by name
    jobs: int | None,
    as_json: bool,  # noqa: FBT001 # click passes options by name
    color: Color,
) -> None:
    from cartulary.audit_runs import AuditOptions, SourceError, audit_all, default_jobs
    from cartulary.trusted_keys import TrustedKeysFile
    from client.receipts import ReceiptFileError, receipts_by_game, receipts_in, user_folder
    from replay.audit.report import report_line, report_page

    try:
        extra_receipts = [receipt for file in receipts for receipt in receipts_in(file, file.name)]
        kept_receipts = {} if kept_receipts_path is None else receipts_by_game(kept_receipts_path)
    except ReceiptFileError as error:
        raise bad_parameter(error.message, "--receipt") from None
    if quick and (receipts or kept_receipts_path or witnesses or against):
        raise usage_error(message("--quick checks no receipts, witnesses or older records"))
    paths = list(_expanded(sources))
    if against is not None and len(paths) != 1:
        raise usage_error(message("--against needs exactly one SOURCE"))
    trusted_file = TrustedKeysFile(os.environ)
    options = AuditOptions(
        keys=[public_key(key) for key in keys],
        trusted=trusted_file.load(),
        receipts=extra_receipts,
        witnesses=[_witness_key(key) for key in witnesses],
        kept_receipts=kept_receipts,
        evidence_folder=user_folder(os.environ),
        against=None if against is None else _older_history(against),
        is_quick=quick,
    )
    has_several = len(paths) > 1
    styler, renderer = result_styler(color), command_renderer(in_utc=as_json)

    def audit_here(source: str) -> "Result":
        try:
            with open_source(source) as file:
                # Read again: the key of the service of a live game has become trusted with the game.
                return replace(options, trusted=trusted_file.load()).audit(file)
        except click.ClickException as error:
            if not has_several:
                raise
            return SourceError(error.message, is_missing=isinstance(error, SourceNotFound))

    counts: _Counts = Counter()
    output = _JsonOutput() if as_json else None
    results = audit_all(paths, jobs or default_jobs(paths), options, audit_here)
    for source, result in progress(results, len(paths), message("audit")):
        if isinstance(result, SourceError):
            counts["missing" if result.is_missing else "broken"] += 1
            print_message(message("{source}: {reason}", source=source, reason=result.message))
            if output is not None:
                reason = renderer(result.message)
                output.add({"source": source, "sound": False, "error": reason})
            continue
        counts[result.verdict] += 1
        name: Value = message("standard input") if source == "-" else source
        if output is not None:
            output.add({"source": source, **result.as_json(renderer)})
        elif result.is_sound and has_several:
            echo(report_line(result, name, styler, renderer))
        else:
            echo(report_page(result, name, styler, width(), renderer), newline=False)
    verdict = _worst(counts)
    if output is not None:
        output.finish("broken" if counts["missing"] else verdict)
    elif has_several:
        echo(renderer(_totals(counts)))
    if counts["missing"] and verdict != "broken":
        sys.exit(2)
    sys.exit(EXIT_STATUS[verdict])


class _JsonOutput:
    """Writes one canonical JSON object, record by record, so that no more than one is kept in memory."""

    def __init__(self) -> None:
        self._separator = '{"records":['

    def add(self, entry: JsonObject) -> None:
        """Write the entry of one more record."""
        echo(self._separator + canonical(entry).decode(), newline=False)
        self._separator = ","

    def finish(self, verdict: "Outcome") -> None:
        """Write the verdict on all records."""
        end = canonical({"sound": verdict == "sound", "verdict": verdict}).decode()
        start = self._separator if self._separator != "," else ""
        echo(f"{start}],{end[1:]}")


def _worst(counts: "_Counts") -> "Outcome":
    """The verdict on several records: broken if any is, else unknown if any is."""
    if counts["broken"]:
        return "broken"
    return "unknown" if counts["unknown"] else "sound"


def _totals(counts: "_Counts") -> Message:
    parts = [
        plural_message(
            "{count} of {total} sound",
            "{count} of {total} sound",
            count=counts["sound"],
            total=counts.total(),
        )
    ]
    if unknown := counts["unknown"]:
        parts.append(
            plural_message("{count} cannot be known", "{count} cannot be known", count=unknown)
        )
    if broken := counts["broken"]:
        parts.append(plural_message("{count} broken", "{count} broken", count=broken))
    if missing := counts["missing"]:
        parts.append(plural_message("{count} missing", "{count} missing", count=missing))
    return message("{parts}", parts=comma_list(parts))


def _expanded(sources: tuple[str, ...]) -> Iterator[str]:
    """Yield the sources, each folder replaced by the record files in it, in order of their names."""
    for source in sources:
        folder = Path(source)
        if len(source) < 256 and folder.is_dir():
            paths = sorted(folder.glob(RECORDS))
            if not paths:
                raise bad_parameter(
                    message(
                        "the folder {folder} contains no {pattern} file",
                        folder=source,
                        pattern=RECORDS,
                    )
                )
            yield from map(str, paths)
        else:
            yield source


def _witness_key(key_text: str) -> "NoteKey":
    from ledger.transparency.signed_note import COSIGNATURE, NoteKey

    try:
        key = NoteKey.parse(key_text)
    except Unreadable as error:
        raise bad_parameter(error.why, "--witness") from None
    if key.type != COSIGNATURE:
        raise bad_parameter(message("this is not the key of a witness"), "--witness")
    return key


def _older_history(source: str) -> "History":
    from replay.compare.histories import read_history

    with open_source(source) as file:
        return read_history(file)

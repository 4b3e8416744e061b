"""The command audit: runs every check on one or more records, and counts the verdicts."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cartulary.commands.options import color_option, json_option, redis_option
from cartulary.source import SourceNotFound, open_source
from cartulary.terminal import Color, echo, message, progress, result_styler, width
from domain.errors import Unreadable
from ledger.canonical import canonical

if TYPE_CHECKING:
    from ledger.signed_note import NoteKey
    from replay.audit.findings import Outcome
    from replay.compare.histories import History

RECORDS: Final = "*.jsonl"
"""Pattern of the names of record files in a folder."""
EXIT_STATUS: Final[dict["Outcome", int]] = {"sound": 0, "broken": 1, "unknown": 3}
"""The exit status for each verdict; 2 stays bad usage."""


@click.command("audit")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="HEX",
    help="Public key that must have signed the record, 32 bytes in hex; may be repeated. Default: a key that"
    " is trusted (`cartulary trust`).",
)
@click.option(
    "--receipt",
    "receipts",
    multiple=True,
    type=click.File("rb"),
    help="File with receipts, as JSON, to check against the record; may be repeated.",
)
@click.option(
    "--receipts",
    "receipt_folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of receipts (*.receipts); those for other games are skipped and counted.",
)
@click.option(
    "--against",
    metavar="OLD",
    help="An older record of the game, which SOURCE must continue.",
)
@click.option(
    "--witness",
    "witnesses",
    multiple=True,
    metavar="KEY",
    help="Key of a witness that must have cosigned the log of the server; may be repeated.",
)
@json_option
@color_option
@redis_option
@click.pass_context
def audit(
    ctx: click.Context,
    sources: tuple[str, ...],
    keys: tuple[str, ...],
    receipts: tuple[Any, ...],
    witnesses: tuple[str, ...],
    receipt_folder: Path | None,
    against: str | None,
    as_json: bool,  # noqa: FBT001 # click passes options by name
    color: Color,
    redis: str | None,
) -> None:
    """Run every check on records, and report what was checked and what was found.

    SOURCE is a record file, a folder of record files (*.jsonl), - for standard input, or the id of a live
    game. A source that cannot be found is reported, and the others are checked.

    Exit status: 0 when every check of every record holds, 1 when something is broken, 2 when a source is
    missing, 3 when nothing is broken but something cannot be known from a record.
    """
    from cartulary.trusted_keys import TrustedKeysFile
    from replay.audit import audit as run_audit
    from replay.audit.report import report_line, report_page
    from replay.receipts.folder import ReceiptFileError, receipts_by_game, receipts_in

    expected_keys = [_public_key(ctx, key) for key in keys]
    witness_keys = [_witness_key(ctx, key) for key in witnesses]
    try:
        extra_receipts = [receipt for file in receipts for receipt in receipts_in(file, file.name)]
        kept_receipts = {} if receipt_folder is None else receipts_by_game(receipt_folder)
    except ReceiptFileError as error:
        raise click.BadParameter(str(error), ctx, param_hint="--receipt") from None
    paths = list(_expanded(sources))
    if against is not None and len(paths) != 1:
        raise click.UsageError("--against needs exactly one SOURCE", ctx)
    older = None if against is None else _older_history(ctx, against, redis)
    has_several = len(paths) > 1
    styler = result_styler(color)
    missing_count, entries = 0, []
    counts: Counter[Outcome] = Counter()
    for source in progress(paths, len(paths), "audit"):
        try:
            with open_source(ctx, source, redis) as file:
                # Read after the source is opened: the key of a live game's service becomes trusted with it.
                trusted = TrustedKeysFile(os.environ).load()
                report = run_audit(
                    file,
                    keys=expected_keys,
                    trusted=trusted,
                    receipts=extra_receipts,
                    witnesses=witness_keys,
                    kept_receipts=kept_receipts,
                    against=older,
                )
        except click.ClickException as error:
            if not has_several:
                raise
            is_missing = isinstance(error, SourceNotFound)
            missing_count += is_missing
            counts["broken"] += not is_missing
            entries.append({"source": source, "sound": False, "error": error.message})
            message(f"{source}: {error.message}")
            continue
        counts[report.verdict] += 1
        name = "standard input" if source == "-" else source
        entries.append({"source": source, **report.as_json()})
        if as_json:
            continue
        if report.is_sound and has_several:
            echo(report_line(report, name, styler))
        else:
            echo(report_page(report, name, styler, width()), newline=False)
    if as_json:
        verdict = "broken" if counts["broken"] or missing_count else _worst(counts)
        result = {"verdict": verdict, "sound": verdict == "sound", "records": entries}
        echo(canonical(result).decode())
    elif has_several:
        echo(_totals(counts, missing_count))
    if missing_count and not counts["broken"]:
        sys.exit(2)
    sys.exit(EXIT_STATUS[_worst(counts)])


def _worst(counts: Counter["Outcome"]) -> "Outcome":
    """The verdict on several records: broken if any is, else unknown if any is."""
    if counts["broken"]:
        return "broken"
    return "unknown" if counts["unknown"] else "sound"


def _totals(counts: Counter["Outcome"], missing_count: int) -> str:
    parts = [f"{counts['sound']} of {counts.total() + missing_count} sound"]
    if counts["unknown"]:
        parts.append(f"{counts['unknown']} cannot be known")
    if counts["broken"]:
        parts.append(f"{counts['broken']} broken")
    if missing_count:
        parts.append(f"{missing_count} missing")
    return ", ".join(parts)


def _expanded(sources: tuple[str, ...]) -> Iterator[str]:
    """Yield the sources, each folder replaced by the record files in it, in order of their names."""
    for source in sources:
        folder = Path(source)
        if len(source) < 256 and folder.is_dir():
            paths = sorted(folder.glob(RECORDS))
            if not paths:
                raise click.BadParameter(f"the folder {source} contains no {RECORDS} file")
            yield from map(str, paths)
        else:
            yield source


def _public_key(ctx: click.Context, key: str) -> str:
    try:
        if len(bytes.fromhex(key)) == 32:
            return key.lower()
    except ValueError:
        pass
    raise click.BadParameter("a public key is 32 bytes in hex", ctx, param_hint="--key")


def _witness_key(ctx: click.Context, text: str) -> "NoteKey":
    from ledger.signed_note import COSIGNATURE, NoteKey

    try:
        key = NoteKey.parse(text)
    except Unreadable as error:
        raise click.BadParameter(error.why, ctx, param_hint="--witness") from None
    if key.type != COSIGNATURE:
        raise click.BadParameter("this is not the key of a witness", ctx, param_hint="--witness")
    return key


def _older_history(ctx: click.Context, source: str, redis: str | None) -> "History":
    from replay.compare.histories import read_history

    with open_source(ctx, source, redis) as file:
        return read_history(file)

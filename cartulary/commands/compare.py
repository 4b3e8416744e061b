"""The command compare: whether one record is a continuation of another, and what a difference proves."""

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Final

from cartulary.command_line import argument, command, option, usage_error
from cartulary.commands.options import color_option, json_option, public_key, source_options
from cartulary.language import command_renderer
from cartulary.source import errors_naming, open_source, unreadable_source
from cartulary.terminal import Color, echo, print_message, progress, result_styler, width
from domain.errors import Unreadable
from domain.json_types import JsonObject
from domain.messages import Message, message, plural_message
from ledger.canonical import canonical
from ledger.keys import key_id

if TYPE_CHECKING:
    from client.witness.split_view import SplitView
    from replay.compare.histories import History

WITNESS_SUFFIX: Final = ".witness"
EXIT_STATUS: Final = {"continuation": 0, "divergence": 1, "unknown": 3}
"""The exit status of each verdict of a comparison."""
_WITNESS_VERDICTS: Final = {
    "continuation": message("continuation: what the server signed here is of one history"),
    "divergence": message("divergence: what the server signed here cannot be of one history"),
    "unknown": message(
        "cannot be known: nothing here contradicts itself, and not everything can be compared. A record of"
        " the game decides it"
    ),
}
_UNKNOWN_SIGNER: Final = message(
    "If you know whose key it is, accept it with `cartulary trust` or name it with --key."
)


@command(
    "compare",
    help=(
        message(
            "Report whether one record is a continuation of another, and what a divergence proves."
        ),
        message(
            "A and B are record files, - for standard input (one of them), addresses of games on servers, or"
            " ids of live games. One of them may be a file of receipts (*.receipts)."
        ),
        message(
            "Files that browsers have saved (*.witness) are compared with a record, with each other, or"
            " one in itself: what a server signed in them must be of one history."
        ),
        message(
            "Exit status: 0 when they are equal or one continues the other, 1 when they diverge, 3"
            " when it cannot be known."
        ),
    ),
)
@argument("a", metavar="A")
@argument("b", metavar="[B]", required=False)
@option(
    "--key",
    "keys",
    multiple=True,
    metavar="HEX",
    help=message("Public key of the server that you know, 32 bytes in hex; may be repeated."),
)
@json_option
@color_option
@source_options
def compare(
    a: str,
    b: str | None,
    keys: tuple[str, ...],
    as_json: bool,  # noqa: FBT001 # click passes options by name
    color: Color,
) -> None:
    from cartulary.trusted_keys import TrustedKeysFile
    from replay.compare.comparison import compare_histories
    from replay.compare.report import comparison_page

    sources = [a] if b is None else [a, b]
    remembered = TrustedKeysFile(os.environ).load().keys
    trusted = [*(public_key(key) for key in keys), *(key.public for key in remembered)]
    if all(source.endswith(WITNESS_SUFFIX) for source in sources):
        _compare_witness_files(sources, trusted, as_json=as_json)
        return
    if b is None:
        raise usage_error(message("name two records to compare"))
    if a == b == "-":
        raise usage_error(message("only one of the records can come from standard input"))
    comparison = compare_histories(
        _history(a),
        _history(b),
        trusted=trusted,
        progress=partial(progress, description=message("receipts")),
    )
    renderer = command_renderer(in_utc=as_json)
    if as_json:
        echo(canonical(comparison.as_json(renderer)).decode())
    else:
        page = comparison_page(comparison, (a, b), result_styler(color), width(), renderer)
        echo(page, newline=False)
    sys.exit(EXIT_STATUS[comparison.verdict])


def _compare_witness_files(sources: list[str], trusted: list[str], *, as_json: bool) -> None:
    """Compare what browsers have seen, print the result, and exit with its status."""
    from client.witness.comparison import NotComparable, split_in, view_of_file
    from client.witness.comparison import compare as compare_views
    from replay.compare.witness_files import MAX_FILE_BYTES, WitnessFile, compare_heads

    files = []
    for source in sources:
        with open_source(source) as file, errors_naming(source):
            files.append(WitnessFile.parse(file.read(MAX_FILE_BYTES + 1)))
    heads = compare_heads(files, trusted)
    splits = [split for split in map(split_in, files) if split is not None]
    compared = heads.compared
    if len(files) == 2 and all(file.checkpoints for file in files):
        try:
            result = compare_views(*map(view_of_file, files, sources))
        except NotComparable as error:
            print_message(error.message)
        else:
            compared += result.compared
            splits += [] if result.split is None else [result.split]
    proofs = [contradiction.message for contradiction in heads.contradictions]
    proofs += [_proof_of(split) for split in splits]
    is_decided = bool(compared) and not heads.undecided
    verdict = "divergence" if proofs else "continuation" if is_decided else "unknown"
    renderer = command_renderer(in_utc=as_json)
    if as_json:
        document: JsonObject = {
            "verdict": verdict,
            "heads": [contradiction.as_json() for contradiction in heads.contradictions],
            "checkpoints": [split.key.public.hex() for split in splits],
            "compared": compared,
            "undecided": heads.undecided,
            "invalid": heads.invalid,
        }
        echo(canonical(document).decode())
    else:
        if heads.invalid:
            echo(
                renderer(
                    plural_message(
                        "{count} head is not signed by a key of its file, and proves nothing",
                        "{count} heads are not signed by a key of their file, and prove nothing",
                        count=heads.invalid,
                    )
                )
            )
        for proof in proofs:
            echo(renderer(proof))
        if proofs and not any(head.is_trusted for head in heads.contradictions):
            echo(renderer(_UNKNOWN_SIGNER))
        echo(renderer(_WITNESS_VERDICTS[verdict]))
    sys.exit(EXIT_STATUS[verdict])


def _proof_of(split: "SplitView") -> Message:
    return message(
        "Proof against the holder of key {key}, who signed two checkpoints of different lists of all games.",
        key=key_id(split.key.public),
    )


def _history(source: str) -> "History":
    """Read a record, or a file of receipts. Raises ClickException."""
    from client.receipts import SUFFIX, receipts_in
    from replay.compare.histories import history_of_receipts, read_history
    from replay.compare.witness_files import MAX_FILE_BYTES, WitnessFile

    with open_source(source) as file:
        if source.endswith(WITNESS_SUFFIX):
            with errors_naming(source):
                heads = WitnessFile.parse(file.read(MAX_FILE_BYTES + 1)).heads
            return history_of_receipts(heads)
        if not source.endswith(SUFFIX):
            history = read_history(file)
            if not history.record.header and not history.events:
                fault = history.faults[0]
                raise unreadable_source(source, Unreadable(fault.why, fault.line))
            return history
        return history_of_receipts([*receipts_in(file, source)])

"""The command compare: whether one record is a continuation of another, and what a difference proves."""

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from cartulary.command_line import argument, command, option
from cartulary.commands.options import (
    color_option,
    json_option,
    public_key,
    redis_option,
    token_file_option,
)
from cartulary.language import command_renderer, text
from cartulary.source import open_source, unreadable_source
from cartulary.terminal import Color, echo, progress, result_styler, width
from domain.errors import Unreadable
from domain.messages import message
from ledger.canonical import canonical

if TYPE_CHECKING:
    from replay.compare.histories import History

EXIT_STATUS: Final = {"continuation": 0, "divergence": 1, "unknown": 3}
"""The exit status of each verdict of a comparison."""


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
            "Exit status: 0 when they are equal or one continues the other, 1 when they diverge, 3"
            " when it cannot be known."
        ),
    ),
)
@argument("a", metavar="A")
@argument("b", metavar="B")
@option(
    "--key",
    "keys",
    multiple=True,
    metavar="HEX",
    help=message("Public key of the server that you know, 32 bytes in hex; may be repeated."),
)
@json_option
@color_option
@redis_option
@token_file_option
@click.pass_context
def compare(
    ctx: click.Context,
    a: str,
    b: str,
    keys: tuple[str, ...],
    as_json: bool,  # noqa: FBT001 # click passes options by name
    color: Color,
    redis: str | None,
) -> None:
    from cartulary.trusted_keys import TrustedKeysFile
    from replay.compare import comparison_page
    from replay.compare.comparison import compare_histories

    if a == b == "-":
        raise click.UsageError(
            text(message("only one of the records can come from standard input")), ctx
        )
    remembered = TrustedKeysFile(os.environ).load().keys
    trusted = [*(public_key(ctx, key) for key in keys), *(key.public for key in remembered)]
    comparison = compare_histories(
        _history(ctx, a, redis),
        _history(ctx, b, redis),
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


def _history(ctx: click.Context, source: str, redis: str | None) -> "History":
    """Read a record, or a file of receipts. Raises ClickException."""
    from client.receipts import SUFFIX, ReceiptFileError, receipts_in
    from replay.compare.histories import history_of_receipts, read_history

    with open_source(ctx, source, redis) as file:
        if not source.endswith(SUFFIX):
            history = read_history(file)
            if not history.record.header and not history.events:
                fault = history.faults[0]
                raise unreadable_source(source, Unreadable(fault.why, fault.line))
            return history
        try:
            return history_of_receipts([*receipts_in(file, source)])
        except ReceiptFileError as error:
            raise click.ClickException(text(error.message)) from None

"""The commands that show events: log and inspect."""

import click

from cartulary.commands.options import color_option, json_option, redis_option, source_argument
from cartulary.source import read_source, unreadable_source
from cartulary.terminal import Color, echo, result_styler, width
from domain.errors import Unreadable
from ledger.canonical import canonical
from replay.timeline import PositionNotFound, step_at, unreadable_on_error


@click.command("log")
@source_argument
@json_option
@color_option
@redis_option
@click.pass_context
def log(ctx: click.Context, source: str, as_json: bool, color: Color, redis: str | None) -> None:  # noqa: FBT001 # click passes options by name
    """List a game's events, one readable line for each."""
    from replay.log_view import log_lines

    record = read_source(ctx, source, redis)
    if as_json:
        for line in record.lines:
            echo(line.decode())
        return
    try:
        for text in log_lines(record, result_styler(color)):
            echo(text)
    except Unreadable as error:
        raise unreadable_source(source, error) from None


@click.command("inspect")
@source_argument
@click.argument("seq", metavar="N", type=click.IntRange(1))
@json_option
@color_option
@redis_option
@click.pass_context
def inspect(
    ctx: click.Context,
    source: str,
    seq: int,
    as_json: bool,  # noqa: FBT001 # click passes options by name
    color: Color,
    redis: str | None,
) -> None:
    """Explain one event: the actor, the time, the action, its outcome, the clauses, the changes."""
    from replay.inspect import explain_event, explanation_page

    record = read_source(ctx, source, redis)
    try:
        openings = record.openings.get(seq, {})
        explanation = explain_event(step_at(record, seq), openings, ended=record.has_ended)
        with unreadable_on_error(seq):
            text = (
                canonical(explanation).decode()
                if as_json
                else explanation_page(explanation, result_styler(color), width())
            )
    except PositionNotFound as error:
        raise click.UsageError(str(error), ctx) from None
    except Unreadable as error:
        raise unreadable_source(source, error) from None
    echo(text, newline=as_json)

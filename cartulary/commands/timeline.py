"""The command that shows the scores through a game: timeline."""

from pathlib import Path

import click

from cartulary.command_line import PathType, command, option
from cartulary.commands.options import color_option, force_option, source_argument, source_options
from cartulary.language import command_renderer
from cartulary.source import errors_naming, read_source
from cartulary.terminal import Color, echo, result_styler, width, write_output
from domain.messages import message
from ledger.canonical import canonical
from ledger.record import Record


@command(
    "timeline",
    help=(
        message("Show the scores through a game, as a chart or as a table."),
        message(
            "Rounds that were scored, forfeited turns, seats that left, disputes and play that resumed"
            " from an earlier event are marked."
        ),
    ),
)
@source_argument
@option(
    "--format",
    "output_format",
    type=click.Choice(["svg", "text", "json"]),
    default="svg",
    show_default=True,
)
@option("--out", type=PathType(dir_okay=False), help=message("File to write."))
@force_option
@color_option
@source_options
def timeline(
    source: str,
    output_format: str,
    out: Path | None,
    force: bool,  # noqa: FBT001 # click passes options by name
    color: Color,
) -> None:
    record = read_source(source)
    with errors_naming(source):
        result = _result(record, output_format, "never" if out is not None else color)
    if out is None:
        echo(result, newline=False)
        return
    write_output(out, result.encode(), force=force)


def _result(record: Record, output_format: str, color: Color) -> str:
    """Return the scores in a format. Raises NoScores, Unreadable."""
    from replay.history.event_values import names_of
    from replay.history.score_chart import score_chart, score_table

    chart = score_chart(record)
    renderer = command_renderer(names_of(record), in_utc=output_format == "json")
    match output_format:
        case "json":
            return canonical(chart.as_json(renderer)).decode() + "\n"
        case "text":
            return score_table(chart, renderer, result_styler(color), width())
        case _:
            from replay.history.score_chart_svg import score_chart_svg

            return score_chart_svg(chart, renderer)

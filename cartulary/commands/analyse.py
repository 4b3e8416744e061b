"""The command that computes what a finished game meant: analyse."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cartulary.command_line import IntRange, PathType, bad_parameter, command, option
from cartulary.commands.options import (
    color_option,
    json_option,
    seed_of,
    source_argument,
    source_options,
)
from cartulary.language import command_renderer
from cartulary.source import errors_naming, read_source
from cartulary.terminal import Color, echo, progress, result_styler, unwritable_file, width
from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import message, message_in
from ledger.canonical import canonical
from ledger.files.os_errors import os_reason
from replay.analysis.settings import DEFAULT, LEAST_BUDGET, MOST_BUDGET, Settings, settings_of

if TYPE_CHECKING:
    from replay.analysis.positions import FinishedGame


@command(
    "analyse",
    help=(
        message("Compute what a finished game meant."),
        message(
            "Shows the share of winning of each seat at the beginning of each turn, actions that were worse"
            " than another one, with the line that shows why, the turning point, and each player's"
            " accuracy. Equal records, budgets and seeds have equal results, on any machine and with any"
            " number of processes."
        ),
    ),
)
@source_argument
@option(
    "--budget",
    type=IntRange(LEAST_BUDGET, MOST_BUDGET),
    default=DEFAULT.budget,
    show_default=True,
    help=message("Playouts of each position."),
)
@option(
    "--seed",
    metavar="HEX",
    default=DEFAULT.seed.hex(),
    help=message("Seed of all chance, 32 bytes; default: zeros."),
)
@option(
    "--jobs",
    type=IntRange(1, 64),
    default=1,
    show_default=True,
    help=message("Processes that play positions out."),
)
@option(
    "--puzzle",
    "puzzle_seq",
    metavar="N",
    type=IntRange(1),
    help=message(
        "Examine as a puzzle only the position before event N, with ten times the budget: is one action"
        " clearly best in two checks?"
    ),
)
@option(
    "--state",
    "state_path",
    type=PathType(dir_okay=False),
    help=message("File that keeps what is done, and from which the analysis goes on."),
)
@option(
    "--compare",
    "other_path",
    type=PathType(exists=True, dir_okay=False),
    help=message("File with another result, as --json prints it: say where they differ."),
)
@json_option
@color_option
@source_options
def analyse(
    source: str,
    budget: int,
    seed: str,
    jobs: int,
    puzzle_seq: int | None,
    state_path: Path | None,
    other_path: Path | None,
    as_json: bool,  # noqa: FBT001 # click passes options by name
    color: Color,
) -> None:
    from replay.analysis.compare import differences
    from replay.analysis.positions import finished_game
    from replay.analysis.text import analysis_text, puzzle_text
    from replay.history.event_values import names_of

    if puzzle_seq is not None and (state_path is not None or jobs > 1):
        name = "--jobs" if state_path is None else "--state"
        raise bad_parameter(message("cannot be used with --puzzle"), name)
    try:
        settings = settings_of(budget, seed_of(seed))
    except Malformed as error:
        ((field, fault),) = error.fields.items()
        raise bad_parameter(fault, f"--{field}") from None
    other = None if other_path is None else _analysis_in(other_path, "--compare")
    record = read_source(source)
    with errors_naming(source):
        game = finished_game(record)
        if puzzle_seq is None:
            result = _analysed(game, settings, jobs, state_path)
        else:
            result = _examined(game, settings, puzzle_seq)
    if other is not None:
        texts = list(differences(result, other))
        renderer = command_renderer()
        for text in texts or [message("The results are equal.")]:
            echo(renderer(text))
        sys.exit(1 if texts else 0)
    if as_json:
        echo(canonical(result).decode())
        return
    renderer = command_renderer(names_of(record))
    if puzzle_seq is not None:
        echo(puzzle_text(result, renderer, width()), newline=False)
        return
    echo(analysis_text(result, renderer, result_styler(color), width()), newline=False)


def _examined(game: "FinishedGame", settings: Settings, seq: int) -> JsonObject:
    """Return the result for the position before an event. Raises NoPuzzle."""
    from replay.analysis.puzzle import continued, new_search, progress_of, puzzle_position

    position = puzzle_position(game, seq, Settings(10 * settings.budget, settings.seed))
    start = new_search(position)
    _, count = progress_of(position, start)
    *_, result = progress(continued(position, start), count, message_in("progress", "steps"))
    return result


def _analysed(
    game: "FinishedGame", settings: Settings, jobs: int, state_path: Path | None
) -> JsonObject:
    """Return the complete analysis, from the state in the file on; the file has the state after each turn.

    Raises BadParameter, ClickException.
    """
    from ledger.files.output_files import write_file
    from replay.analysis.analysis import continued, new_analysis, progress_of

    state = new_analysis(game, settings)
    if state_path is not None and state_path.exists():
        state = _analysis_in(state_path, "--state")
    done, count = progress_of(state)
    try:
        states = progress(
            continued(game, settings, state, jobs),
            max(1, count - done),
            message_in("progress", "turns"),
        )
        for state in states:
            if state_path is not None:
                write_file(state_path, canonical(state), overwrite=True)
    except Malformed as error:
        raise bad_parameter(error.message, "--state") from None
    except OSError as error:
        raise unwritable_file(str(state_path), error) from None
    return state


def _analysis_in(path: Path, name: str) -> JsonObject:
    """Return the analysis in a file that an option names. Raises BadParameter."""
    import orjson

    from replay.analysis.compare import check_format

    try:
        value: Any = orjson.loads(path.read_bytes())
        return check_format(value)
    except OSError as error:
        fault = message("cannot read {path}: {reason}", path=str(path), reason=os_reason(error))
        raise bad_parameter(fault, name) from None
    except orjson.JSONDecodeError:
        fault = message("{path} is not JSON", path=str(path))
        raise bad_parameter(fault, name) from None
    except Malformed as error:
        raise bad_parameter(error.message, name) from None

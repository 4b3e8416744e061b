"""The commands that show positions: replay and diff."""

from dataclasses import replace as with_fields
from typing import Any

import click

from cartulary.command_line import IntRange, argument, bad_parameter, command, option, usage_error
from cartulary.commands.options import color_option, json_option, source_argument, source_options
from cartulary.language import command_renderer, text
from cartulary.source import errors_naming, read_source
from cartulary.terminal import Color, echo, result_styler, width
from domain.errors import Unreadable
from domain.game import Game
from domain.json_types import JsonObject
from domain.life_cycle_messages import places_taken
from domain.messages import Message, listing, message, message_in
from ledger.canonical import canonical
from ledger.record import Record
from replay.history.branches import branch
from replay.history.event_text import game_title
from replay.history.timeline import after_round, after_turn, game_at, head, unreadable_on_error
from replay.render.geometry import is_drawable


@command(
    "replay",
    help=(
        message("Show the position of a game."),
        message(
            "SOURCE is a record file, - for standard input, the address of a game on a server, or the id of a"
            " live game. A game has"
            " several branches if a ruling or a takeback let play continue from an earlier event."
        ),
    ),
)
@source_argument
@option("--seq", type=IntRange(1), help=message("After this event; default: the last."))
@option("--turn", type=IntRange(1), help=message("At the end of this turn."))
@option("--round", type=IntRange(0), help=message("At the end of this round; 0: of the set-up."))
@option(
    "--branch",
    "branch_number",
    type=IntRange(1),
    help=message("On this branch, counted from 1; default: the current one."),
)
@option(
    "--as",
    "viewer",
    type=IntRange(0),
    metavar=message_in("metavar", "SEAT"),
    help=message("As this seat sees it."),
)
@option("--format", "output_format", type=click.Choice(["text", "json", "svg"]), default="text")
@option(
    "--wide",
    is_flag=True,
    help=message("With --format svg: a wide page, with the cards beside the board."),
)
@color_option
@source_options
def replay(
    source: str,
    seq: int | None,
    turn: int | None,
    round: int | None,
    branch_number: int | None,
    viewer: int | None,
    output_format: str,
    wide: bool,  # noqa: FBT001 # click passes options by name
    color: Color,
) -> None:
    if sum(value is not None for value in (seq, turn, round)) > 1:
        raise usage_error(
            message(
                "give at most one of {options}", options=listing(["--seq", "--turn", "--round"])
            )
        )
    if wide and output_format != "svg":
        raise usage_error(message("--wide needs --format svg"))
    record = read_source(source)
    with errors_naming(source):
        chosen = None if branch_number is None else branch(record, branch_number)
        if seq is not None:
            game = game_at(record, seq, chosen)
        elif turn is not None:
            game = after_turn(record, turn, chosen)
        elif round is not None:
            game = after_round(record, round, chosen)
        else:
            game = head(record, chosen)
        if viewer is not None and viewer >= game.seats:
            fault = message("the seats are 0 to {last}", last=game.seats - 1)
            raise bad_parameter(fault, "--as")
        with unreadable_on_error(game.seq):
            echo(
                _position_as(output_format, record, game, viewer, round, color, wide=wide),
                newline=False,
            )


def _position_as(
    output_format: str,
    record: Record,
    game: Game,
    viewer: int | None,
    round: int | None,
    color: Color,
    *,
    wide: bool,
) -> str:
    """Return the position as JSON, SVG or text."""
    from replay.history.event_values import names_of

    position = game.position(viewer, ended=record.has_ended)
    if output_format == "json":
        return canonical(position).decode() + "\n"
    renderer = command_renderer(names_of(record))
    if position is None:
        if output_format == "svg":
            reason = message("the game has not started: there is no board to draw")
            raise click.ClickException(renderer(reason))
        reason = message(
            "the game has not started: {places}", places=places_taken(len(game.places), game.seats)
        )
        return renderer.sentence(message("{reason}.", reason=reason)) + "\n"
    event: Any = record.events[game.seq - 1]
    scene = game.rules.scene(position, event)
    if round is not None and game.state is not None and game.state.round != round:
        # At the end of a round the position itself is already that of the next round's first turn.
        scene = with_fields(scene, title=_round_title(game, round))
    if not is_drawable(scene):
        raise Unreadable.with_message("the board is too wide to be drawn")
    if output_format == "svg":
        from replay.render.svg import svg

        return svg(scene, renderer, wide=wide)
    from replay.render.text import text as drawing

    return drawing(scene, renderer, result_styler(color), width())


def _round_title(game: Game, round: int) -> Message:
    """Return the title of a position at the end of a round."""
    title = game_title(game.rules, game.options)
    if round == 0:
        return message("{game}, end of the set-up", game=title)
    return message("{game}, end of round {round}", game=title, round=round)


@command(
    "diff", help=(message("Show the differences between the positions after events N and M."),)
)
@source_argument
@argument("before", metavar="N", type=IntRange(1))
@argument("after", metavar="M", type=IntRange(1))
@json_option
@source_options
def diff(
    source: str,
    before: int,
    after: int,
    as_json: bool,  # noqa: FBT001 # click passes options by name
) -> None:
    from replay.history.diff import change_lines, changes
    from replay.history.event_values import names_of

    record = read_source(source)
    with errors_naming(source):
        old, new = (_spectator_position(record, seq) for seq in (before, after))
        rules = game_at(record, 1).rules
        with unreadable_on_error(after):
            differences = changes(old, new)
            report = canonical({"before": before, "after": after, "changes": differences}).decode()
    if as_json:
        echo(report)
    elif differences:
        renderer = command_renderer(names_of(record))
        echo("\n".join(change_lines(differences, rules, renderer)))
    else:
        same = message(
            "the positions after events {before} and {after} are the same",
            before=before,
            after=after,
        )
        echo(text(same))


def _spectator_position(record: Record, seq: int) -> JsonObject | None:
    game = game_at(record, seq)
    with unreadable_on_error(seq):
        return game.position(None, ended=record.has_ended)

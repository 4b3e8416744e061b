"""The commands that show events: log and inspect."""

from cartulary.command_line import IntRange, argument, bad_parameter, command, option
from cartulary.commands.options import color_option, json_option, source_argument, source_options
from cartulary.language import command_renderer
from cartulary.source import errors_naming, live_details, read_source
from cartulary.terminal import Color, echo, line_width, result_styler, width
from domain.errors import Malformed
from domain.messages import message, message_in
from ledger.canonical import canonical
from ledger.record import Record
from replay.history.event_filter import EventFilter, parse_filter, split_conditions
from replay.history.timeline import game_at, transition_at, unreadable_on_error

_CONDITIONS = "seat, type, clause, from, to, hex"


@command(
    "log",
    help=(
        message("List a game's events, one readable line for each."),
        message(
            "Conditions of --filter are, for example, seat=1, type=KnightsMoved,TurnForfeited,"
            " clause=BY-MOV, from=2026-11-20T09:15:00Z, to=2026-11-21, from=10 (a seq) and hex=0,-1."
        ),
    ),
)
@source_argument
@option(
    "--filter",
    "conditions",
    multiple=True,
    metavar=message_in("metavar", "NAME=VALUE"),
    help=message(
        "List only events that meet this condition ({names}); several conditions, given in one option or"
        " in several, must all be met.",
        names=_CONDITIONS,
    ),
)
@json_option
@color_option
@source_options
def log(
    source: str,
    conditions: tuple[str, ...],
    as_json: bool,  # noqa: FBT001 # click passes options by name
    color: Color,
) -> None:
    from replay.history.event_values import names_of
    from replay.history.log_view import filtered_steps, log_lines

    record = read_source(source)
    with errors_naming(source):
        event_filter = _parse_filter(record, conditions)
        if as_json:
            # Without conditions the lines are shown even if the game cannot be folded.
            seqs = (
                [transition.event["seq"] for transition in filtered_steps(record, event_filter)]
                if conditions
                else range(1, len(record.lines) + 1)
            )
            for seq in seqs:
                echo(record.lines[seq - 1].decode())
            return
        renderer = command_renderer(names_of(record))
        lines = log_lines(record, renderer, result_styler(color), event_filter, line_width())
        for line in lines:
            echo(line)


def _parse_filter(record: Record, conditions: tuple[str, ...]) -> EventFilter:
    """Return the filter that the option asks for. Raises UsageError, and Unreadable for an unknown game."""
    try:
        return parse_filter(split_conditions(conditions), game_at(record, 1).rules)
    except Malformed as error:
        raise bad_parameter(error.why, "--filter") from None


@command(
    "inspect",
    help=(
        message(
            "Explain one event: who acted, when, what they saw and could do, what followed, and by"
            " which clauses."
        ),
        message(
            "For a live game, the notifications about the event are shown too, and the request or the job"
            " that appended it, whose id is in the lines of the service's log."
        ),
    ),
)
@source_argument
@argument("seq", metavar="N", type=IntRange(1))
@option(
    "--all-actions", is_flag=True, help=message("List all legal actions, however many there were.")
)
@option("--no-board", is_flag=True, help=message("Do not draw the board that the player saw."))
@json_option
@color_option
@source_options
def inspect(
    source: str,
    seq: int,
    all_actions: bool,  # noqa: FBT001 # click passes options by name
    no_board: bool,  # noqa: FBT001 # click passes options by name
    as_json: bool,  # noqa: FBT001 # click passes options by name
    color: Color,
) -> None:
    from replay.audit.signatures import is_signed_as_it_is
    from replay.history.event_values import names_of
    from replay.history.inspect import explain_event, record_context
    from replay.history.inspect_page import explanation_page

    record = read_source(source)
    with errors_naming(source):
        transition = transition_at(record, seq)
        with unreadable_on_error(seq):
            details = live_details(source, seq)
            context = record_context(
                record,
                transition.event,
                details.deliveries,
                is_signed_as_it_is=is_signed_as_it_is(record),
            )
            renderer = command_renderer(names_of(record), in_utc=as_json)
            explanation = explain_event(
                transition, renderer, context, lists_all_actions=all_actions
            )
            explanation["provenance"] = details.provenance
            page = (
                canonical(explanation).decode()
                if as_json
                else explanation_page(
                    explanation,
                    transition.after.rules,
                    renderer,
                    result_styler(color),
                    width(),
                    has_board=not no_board,
                )
            )
    echo(page, newline=as_json)

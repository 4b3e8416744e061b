"""The command that checks the laws of a rule system: check-game."""

import click

from cartulary.command_line import Integer, IntRange, argument, command, option, usage_error
from cartulary.commands.options import json_option
from cartulary.language import text
from cartulary.terminal import echo, progress
from domain.json_fields import one_of
from domain.messages import message, message_in
from domain.registry import rule_systems
from ledger.canonical import canonical
from replay.history.event_text import rules_title


@command(
    "check-game",
    help=(
        message("Check that a game keeps the laws of the contract of rule systems."),
        message(
            "Bots play whole games with every number of seats. In each position, what the parts of the game"
            " say is compared. Exit status: 0 when every law holds, 1 when one is broken."
        ),
    ),
)
@argument("name", metavar=message_in("metavar", "NAME"), type=click.Choice(sorted(rule_systems())))
@option(
    "--seats",
    type=Integer(),
    multiple=True,
    help=message("Number of players; may be repeated, default: every number that is possible."),
)
@option(
    "--games",
    type=IntRange(1, 1000),
    default=1,
    show_default=True,
    help=message("Games with each number of seats."),
)
@json_option
def check_game(
    name: str,
    seats: tuple[int, ...],
    games: int,
    as_json: bool,  # noqa: FBT001 # click passes options by name
) -> None:
    from replay.laws import game_laws

    entry = rule_systems()[name]
    possible = game_laws.possible_seats(entry.system, entry.options)
    if not set(seats) <= set(possible):
        raise usage_error(message("--seats: {fault}", fault=one_of(map(str, possible))))
    chosen = sorted(set(seats)) or possible
    checks = game_laws.check_game(entry.rules, entry.system, entry.options, chosen, games)
    *_, report = progress(checks, games * len(chosen), rules_title(name))
    if as_json:
        echo(canonical({"checked": report.checked, "broken": report.broken}).decode())
    else:
        for law, sentence in game_laws.LAWS.items():
            case = report.broken.get(law)
            state = message("Holds.") if case is None else message("Broken: {case}", case=case)
            line = message("{law} {state}", law=sentence, state=state)
            echo(text(line))
    if not report.has_held:
        raise SystemExit(1)

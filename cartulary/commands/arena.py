"""The command that plays bots against each other: arena."""

import click

from cartulary.command_line import FloatRange, Integer, IntRange, command, option, usage_error
from cartulary.commands.options import json_option, seed_of
from cartulary.language import text
from cartulary.terminal import echo, print_message, progress
from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import Message, comma_list, message, message_in, plural_message, semicolon_list
from domain.registry import rule_systems
from ledger.canonical import canonical
from replay.bots.playout import STRONG
from replay.bots.thinking_time import LONGEST_THINKING_TIME
from replay.history.event_text import rules_title

MOST_PLAYOUTS = 10_000


@command(
    "arena",
    help=(
        message("Play bots against each other, and report how strong they are."),
        message(
            "Each bot plays every other one, on each seat equally often and on the same set-ups. Reported"
            " are ratings on the scale of Elo, wins, average scores and places, with margins of error at a"
            " confidence of 95 %. With --seed, and without --seconds, equal arguments have equal results."
        ),
    ),
)
@option(
    "--rules",
    "names",
    type=click.Choice(sorted(rule_systems())),
    multiple=True,
    help=message("Play this game; may be repeated, default: all."),
)
@option(
    "--seats",
    type=Integer(),
    multiple=True,
    default=(2,),
    show_default=True,
    help=message("Number of players; may be repeated."),
)
@option(
    "--bots",
    metavar=message_in("metavar", "NAMES"),
    default=f"sensible,{STRONG}",
    show_default=True,
    help=message("The bots, separated by commas."),
)
@option(
    "--games",
    type=IntRange(1),
    default=20,
    show_default=True,
    help=message("Games of each choice of bots that fill the seats."),
)
@option("--seed", metavar="HEX", help=message("Seed of all chance; default: random."))
@option(
    "--playouts",
    type=IntRange(1, MOST_PLAYOUTS),
    help=message("Playouts of a bot that searches; default: its own number."),
)
@option(
    "--seconds",
    type=FloatRange(0.001, LONGEST_THINKING_TIME),
    help=message("Thinking time of a bot that searches, instead of a number of playouts."),
)
@option("--jobs", type=IntRange(1, 64), default=1, help=message("Processes that play."))
@json_option
def arena(
    names: tuple[str, ...],
    seats: tuple[int, ...],
    bots: str,
    games: int,
    seed: str | None,
    playouts: int | None,
    seconds: float | None,
    jobs: int,
    as_json: bool,  # noqa: FBT001 # click passes options by name
) -> None:
    from replay.bots.arena import arena_plan, play_games, summary

    if playouts is not None and seconds is not None:
        raise usage_error(message("--playouts and --seconds exclude each other"))
    seed_bytes = seed_of(seed)
    systems = rule_systems()
    bot_names = [name.strip() for name in bots.split(",")]
    try:
        plans = [
            arena_plan(
                systems[name],
                count,
                bot_names,
                games,
                seed_bytes,
                playouts=playouts,
                seconds=seconds,
            )
            for name in dict.fromkeys(names or systems)
            for count in dict.fromkeys(seats)
        ]
    except Malformed as error:
        faults = semicolon_list(
            message("--{option}: {fault}", option=field, fault=fault)
            for field, fault in error.fields.items()
        )
        raise usage_error(faults) from None
    print_message(message("seed {seed}", seed=seed_bytes.hex()))
    for plan in plans:
        played = progress(
            play_games(plan, jobs),
            plan.number_of_games,
            message_in(
                "progress", "{rules}, {seats} seats", rules=rules_title(plan.name), seats=plan.seats
            ),
        )
        result = summary(plan, played)
        if as_json:
            echo(canonical(result).decode())
        else:
            _show(result)


def _games(count: int) -> Message:
    return plural_message("{count} game", "{count} games", count=count)


def _show(result: JsonObject) -> None:
    """Print a summary of `replay.bots.arena` as text."""
    heading = message(
        "{rules}, {seats} seats: {games}",
        rules=rules_title(result["rules"]),
        seats=result["seats"],
        games=_games(result["games"]),
    )
    echo(text(heading))
    for bot in result["bots"]:
        line = message(
            "{bot}: rating {rating} ± {margin}, first in {wins} of {games}, average score {score},"
            " average place {place}",
            bot=bot["bot"],
            rating=round(bot["rating"]),
            margin=round(bot["rating_margin"]),
            wins=f"{bot['wins']:g}",
            games=_games(bot["games"]),
            score=f"{bot['average_score']:.1f}",
            place=f"{bot['average_place']:.2f}",
        )
        echo(f"  {text(line)}")
    for pair in result["pairs"]:
        low, high = pair["share_interval"]
        line = message(
            "{bots}: {ahead} ahead, {tied} tied, {behind} behind; share {share} % ({low} to {high} %)",
            bots=comma_list(pair["bots"]),
            ahead=pair["ahead"],
            tied=pair["tied"],
            behind=pair["behind"],
            share=f"{100 * pair['share']:.1f}",
            low=f"{100 * low:.1f}",
            high=f"{100 * high:.1f}",
        )
        echo(f"  {text(line)}")

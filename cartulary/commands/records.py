"""The commands that write records, and the one that brings a game back from its record."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cartulary.command_line import (
    File,
    Integer,
    IntRange,
    PathType,
    argument,
    command,
    option,
    usage_error,
)
from cartulary.commands.options import (
    force_option,
    json_option,
    live_redis_option,
    public_key,
    seed_of,
    with_service,
)
from cartulary.language import text
from cartulary.source import live_record
from cartulary.terminal import (
    echo,
    existing_file,
    print_message,
    progress,
    unwritable_file,
    write_output,
)
from domain.errors import CartularyError, Malformed
from domain.json_types import JsonObject
from domain.messages import (
    Listing,
    Message,
    comma_list,
    message,
    message_in,
    plural_message,
    semicolon_list,
)
from domain.registry import EXPANSIONS, RULES
from ledger.canonical import canonical
from replay.bots.playout import DEFAULT_BOTS

if TYPE_CHECKING:
    from service.bootstrap import Service


@command(
    "export", help=(message("Write the record of a live game to standard output or to a file."),)
)
@argument("game", metavar="ID")
@option("--out", type=PathType(dir_okay=False), help=message("File to write."))
@force_option
@live_redis_option
def export(game: str, out: Path | None, force: bool) -> None:  # noqa: FBT001 # click passes options by name
    if out is not None and out.exists() and not force:
        raise existing_file(out)
    record = live_record(game)
    if out is None:
        click.echo(record, nl=False)
        return
    write_output(out, record, force=force)


def _expansion_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Add a flag for every expansion, with the name of the option that turns it on."""
    for rules, expansion in reversed(list(EXPANSIONS)):
        command = option(
            f"--{expansion}",
            is_flag=True,
            help=message(
                "With this expansion of {rules}, which allows more players.",
                rules=RULES[rules].TITLE,
            ),
        )(command)
    return command


@command(
    "playout",
    help=(message("Play whole games among bots, without a server, and write a record of each."),),
)
@option("--rules", type=click.Choice(sorted(RULES)), default=next(iter(RULES)), show_default=True)
@option("--seats", type=Integer(), default=2, show_default=True, help=message("Number of players."))
@_expansion_flags
@option("--seed", metavar="HEX", help=message("Seed of all chance; default: random."))
@option("--games", type=IntRange(1), default=1, show_default=True)
@option(
    "--out",
    type=PathType(file_okay=False),
    default=Path(),
    help=message("Folder for the records; default: the current one."),
)
@force_option
@option(
    "--bots",
    metavar=message_in("metavar", "NAMES"),
    default=",".join(DEFAULT_BOTS),
    show_default=True,
    help=message("The players, seated in turn."),
)
@option(
    "--round-limit",
    type=IntRange(0),
    help=message("Maximum number of rounds, 0: no limit; default: a limit that bots seldom reach."),
)
@option("--jobs", type=IntRange(1, 64), default=1, help=message("Processes that play."))
@json_option
def playout(
    rules: str,
    seats: int,
    seed: str | None,
    games: int,
    out: Path,
    force: bool,  # noqa: FBT001 # click passes options by name
    bots: str,
    round_limit: int | None,
    jobs: int,
    as_json: bool,  # noqa: FBT001 # click passes options by name
    **expansions: bool,
) -> None:
    from cartulary.trusted_keys import trust_own_key
    from replay.audit.trusted_keys import PLAYOUT
    from replay.bots.playout import plan, play_to_files, record_path

    seed_bytes = seed_of(seed)
    names = [name.strip() for name in bots.split(",")]
    options = {option: True for option, is_chosen in expansions.items() if is_chosen}
    try:
        playout_plan = plan(rules, seats, seed_bytes, options, names, round_limit)
    except Malformed as error:
        raise usage_error(_as_options(error)) from None
    print_message(message("seed {seed}", seed=seed_bytes.hex()))
    if not force:
        for number in range(1, games + 1):
            if (path := record_path(playout_plan, out, number)).exists():
                raise existing_file(path)
    try:
        out.mkdir(parents=True, exist_ok=True)
        trust_own_key(os.environ, playout_plan.signing_key().public, PLAYOUT)
        results = play_to_files(playout_plan, games, out, jobs, overwrite=force)
        for result in progress(results, games, message_in("progress", "playout")):
            echo(canonical(result).decode() if as_json else text(_summary(result)))
    except FileExistsError as error:
        raise existing_file(error.filename or out) from None
    except OSError as error:
        raise unwritable_file(error.filename or out, error) from None


def _as_options(error: Malformed) -> Listing:
    """Return the faults with the options of the command instead of the invalid fields of a plan."""
    return semicolon_list(
        message(
            "--{option}: {fault}",
            option=field.removeprefix("options.").replace("_", "-"),
            fault=fault,
        )
        for field, fault in error.fields.items()
    )


def _summary(result: JsonObject) -> Message:
    """Return one line about a game: its file, its length and its ranking."""
    ranking = (
        message("{player} {score}", player=place["player"], score=place["score"])
        for place in result["ranking"]
    )
    return message(
        "{file}  {events}, {rounds}: {ranking}",
        file=result["file"],
        events=plural_message("{count} event", "{count} events", count=result["events"]),
        rounds=plural_message("{count} round", "{count} rounds", count=result["rounds"]),
        ranking=comma_list(ranking),
    )


@command(
    "import",
    help=(
        message("Bring games back into a service from their records."),
        message(
            "Every record is audited first, and a key of the service must have signed it. A record can"
            " create a game that is missing, or continue one that is a prefix of it. Stored events never"
            " change."
        ),
    ),
)
@argument(
    "records", metavar=message_in("metavar", "RECORD..."), nargs=-1, required=True, type=File()
)
@option(
    "--key",
    metavar=message_in("metavar", "KEY"),
    help=message(
        "Accept records that this public key has signed, instead of the keys of the service."
    ),
)
@option(
    "--incomplete",
    is_flag=True,
    help=message("Accept a record that ends before what the transparency log has of its game."),
)
@with_service
def import_command(
    service: "Service",
    records: tuple[Any, ...],
    key: str | None,
    incomplete: bool,  # noqa: FBT001 # click passes options by name
) -> None:
    from ledger.record import MAX_RECORD_BYTES
    from service.errors import Unavailable
    from service.recovery.record_import import import_record

    keys = None if key is None else [public_key(key)]
    is_any_refused = False
    for file in records:
        try:
            imported = import_record(
                service, file.read(MAX_RECORD_BYTES + 1), keys, is_incomplete=incomplete
            )
        except Unavailable:
            raise
        except CartularyError as error:
            is_any_refused = True
            refusal = message("{file}: {reason}", file=file.name, reason=error.message)
            print_message(refusal)
            continue
        line = message(
            "{file}: game {game}, events {first} to {last} imported",
            file=file.name,
            game=imported.game,
            first=imported.first,
            last=imported.last,
        )
        if imported.last < imported.first:
            line = message(
                "{file}: game {game} has all events already", file=file.name, game=imported.game
            )
        echo(text(line))
    if is_any_refused:
        raise click.exceptions.Exit(1)

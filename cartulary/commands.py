"""The commands that look back at games: replay, log, inspect, diff, audit, export, playout.

Here are arguments, output and exit status (0 done, 1 something is wrong, 2 not called as it has to be); what
the commands do is in the modules beside this one. The context's object is the `LiveSource` that opens live
games, or None: this floor knows no server.
"""

import secrets
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import click

from cartulary.source import (
    ink,
    live_record,
    open_source,
    read_source,
    show,
    tell,
    terminal_width,
    unreadable_at,
)
from domain.contract import Json
from domain.errors import Malformed, Unreadable
from domain.game import Game
from domain.hexes import distance
from domain.registry import EXPANSIONS, RULES
from ledger.canonical import canonical, decode_any
from ledger.record import Record
from replay.bots import USUAL
from replay.timeline import (
    PositionNotFound,
    after_round,
    after_turn,
    game_at,
    head,
    reading,
    step_at,
)

_WIDEST: Final = 200
"""Hexes from one to another on a board that is drawn: a picture of a made-up board could fill all memory."""

_redis: Final = click.option(
    "--redis", metavar="URL", help="Redis of a live game; default: as for the service."
)
_json: Final = click.option("--json", "as_json", is_flag=True, help="For programs, as JSON.")
_source: Final = click.argument("source")


@click.command()
@_source
@click.option("--seq", type=click.IntRange(1), help="After this event; default: the last.")
@click.option("--turn", type=click.IntRange(1), help="When this turn was over.")
@click.option("--round", type=click.IntRange(0), help="At the end of this round; 0: of the set-up.")
@click.option(
    "--as", "viewer", type=click.IntRange(0), metavar="SEAT", help="As this seat sees it."
)
@click.option("--format", "form", type=click.Choice(["text", "json", "svg"]), default="text")
@_redis
@click.pass_context
def replay(
    ctx: click.Context,
    source: str,
    seq: int | None,
    turn: int | None,
    round: int | None,
    viewer: int | None,
    form: str,
    redis: str | None,
) -> None:
    """Show the position of a game: of a record file, of - (standard input), or of a live game's id."""
    if sum(place is not None for place in (seq, turn, round)) > 1:
        raise click.UsageError("one of --seq, --turn and --round at most", ctx)
    record = read_source(ctx, source, redis)
    try:
        if seq is not None:
            game = game_at(record, seq)
        elif turn is not None:
            game = after_turn(record, turn)
        elif round is not None:
            game = after_round(record, round)
        else:
            game = head(record)
        if viewer is not None and viewer >= game.seats:
            raise click.BadParameter(
                f"there are seats 0 to {game.seats - 1}", ctx, param_hint="--as"
            )
        with reading(game.seq):
            show(_drawn(record, game, viewer, form), newline=False)
    except PositionNotFound as not_there:
        raise click.UsageError(str(not_there), ctx) from None
    except Unreadable as unreadable:
        raise unreadable_at(source, unreadable) from None


def _drawn(record: Record, game: Game, viewer: int | None, form: str) -> str:
    position = game.position(viewer, ended=record.has_ended)
    if form == "json":
        return canonical(position).decode() + "\n"
    if position is None:
        if form == "svg":
            raise click.ClickException("there is no board to draw: the game has not started")
        places = f"{len(game.places)} of {game.seats} places taken"
        return f"The game has not started: {places}, it is {game.status}.\n"
    event: Any = record.events[game.seq - 1]
    scene = game.rules.scene(position, event)
    for cell in scene.cells:
        if distance(cell.at, scene.cells[0].at) > _WIDEST:
            raise Unreadable(f"the board is too wide to be drawn: it has a hex {cell.at}")
    if form == "svg":
        from replay.render.svg import svg

        return svg(scene)
    from replay.render.text import text

    return text(scene, colour=ink().on, width=terminal_width())


@click.command("log")
@_source
@_json
@_redis
@click.pass_context
def log(ctx: click.Context, source: str, as_json: bool, redis: str | None) -> None:  # noqa: FBT001 # click
    """List a game's events, one readable line each."""
    from replay.log_view import chronicle

    record = read_source(ctx, source, redis)
    if as_json:
        for line in record.lines:
            show(line.decode())
        return
    try:
        for told in chronicle(record, ink()):
            show(told)
    except Unreadable as unreadable:
        raise unreadable_at(source, unreadable) from None


@click.command("inspect")
@_source
@click.argument("seq", metavar="N", type=click.IntRange(1))
@_json
@_redis
@click.pass_context
def inspect(ctx: click.Context, source: str, seq: int, as_json: bool, redis: str | None) -> None:  # noqa: FBT001 # click
    """Explain one event: who, when, the action, what came of it, the clauses, what differs."""
    from replay.inspect import inspected, page

    record = read_source(ctx, source, redis)
    try:
        opens = record.opens.get(seq, {})
        shown = inspected(step_at(record, seq), opens, ended=record.has_ended)
        with reading(seq):
            text = canonical(shown).decode() if as_json else page(shown, ink(), terminal_width())
    except PositionNotFound as not_there:
        raise click.UsageError(str(not_there), ctx) from None
    except Unreadable as unreadable:
        raise unreadable_at(source, unreadable) from None
    show(text, newline=as_json)


@click.command("diff")
@_source
@click.argument("before", metavar="N", type=click.IntRange(1))
@click.argument("after", metavar="M", type=click.IntRange(1))
@_json
@_redis
@click.pass_context
def diff(
    ctx: click.Context,
    source: str,
    before: int,
    after: int,
    as_json: bool,  # noqa: FBT001 # click
    redis: str | None,
) -> None:
    """Show what differs between the positions after events N and M."""
    from replay.diff import as_text, changes

    record = read_source(ctx, source, redis)
    try:
        old, new = (_position(record, seq) for seq in (before, after))
        with reading(after):
            changed = changes(old, new)
            shown = canonical({"before": before, "after": after, "changes": changed}).decode()
    except PositionNotFound as not_there:
        raise click.UsageError(str(not_there), ctx) from None
    except Unreadable as unreadable:
        raise unreadable_at(source, unreadable) from None
    if as_json:
        show(shown)
    elif changed:
        show("\n".join(as_text(changed)))
    else:
        show(f"the positions after events {before} and {after} are the same")


def _position(record: Record, seq: int) -> Json | None:
    game = game_at(record, seq)
    with reading(seq):
        return game.position(None, ended=record.has_ended)


@click.command("audit")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="HEX",
    help="Public key that the record must be signed by, 32 bytes in hex; may be given several times.",
)
@click.option(
    "--receipt",
    "receipts",
    multiple=True,
    type=click.File("rb"),
    help="File with a receipt, as JSON, to check along; may be given several times.",
)
@_json
@_redis
@click.pass_context
def audit(
    ctx: click.Context,
    sources: tuple[str, ...],
    keys: tuple[str, ...],
    receipts: tuple[Any, ...],
    as_json: bool,  # noqa: FBT001 # click
    redis: str | None,
) -> None:
    """Check records in every way there is; exit status 1 where anything is wrong."""
    from replay.audit import audit as audited
    from replay.audit.report import one_line, page

    pinned = [_public_key(ctx, key) for key in keys]
    held = [_receipt(ctx, file) for file in receipts]
    is_sound, reports = True, []
    for number, source in enumerate(sources, 1):
        if len(sources) > 1:
            _progress(f"{number} of {len(sources)}: {source}")
        with open_source(ctx, source, redis) as file:
            report = audited(file, keys=pinned, receipts=held)
        is_sound = is_sound and report.is_sound
        name = "standard input" if source == "-" else source
        if as_json:
            reports.append({"source": source, **report.as_json()})
        elif report.is_sound and len(sources) > 1:
            show(one_line(report, name, ink()))
        else:
            show(page(report, name, ink(), terminal_width()), newline=False)
    if as_json:
        show(canonical({"sound": is_sound, "records": reports}).decode())
    if not is_sound:
        sys.exit(1)


def _public_key(ctx: click.Context, key: str) -> str:
    try:
        if len(bytes.fromhex(key)) == 32:
            return key.lower()
    except ValueError:
        pass
    raise click.BadParameter("a public key is 32 bytes in hex", ctx, param_hint="--key")


def _receipt(ctx: click.Context, file: Any) -> Json:
    """A receipt as the server gave it, alone or in the answer to an action."""
    try:
        held = decode_any(file.read())
    except Unreadable as unreadable:
        raise click.BadParameter(str(unreadable), ctx, param_hint="--receipt") from None
    if isinstance(held, dict) and isinstance(held.get("receipt"), dict):
        held = held["receipt"]
    if not isinstance(held, dict) or "signature" not in held:
        raise click.BadParameter(f"{file.name} holds no receipt", ctx, param_hint="--receipt")
    return held


@click.command("export")
@click.argument("game", metavar="ID")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="File to write.")
@_redis
@click.pass_context
def export(ctx: click.Context, game: str, out: Path | None, redis: str | None) -> None:
    """Write the record of a live game, to standard output or a file."""
    if ctx.obj is None:
        raise click.UsageError("no service is known here", ctx)
    record = live_record(ctx.obj, game, redis)
    if out is None:
        click.echo(record, nl=False)
    else:
        _write(out, record)


def _expansions(command: Callable[..., None]) -> Callable[..., None]:
    """A flag for every expansion there is, by the name of the option that asks for it."""
    for rules, option in reversed(list(EXPANSIONS)):
        help = f"With this expansion of {rules}, which may seat more players."
        command = click.option(f"--{option}", is_flag=True, help=help)(command)
    return command


@click.command("playout")
@click.option(
    "--rules", type=click.Choice(sorted(RULES)), default=next(iter(RULES)), show_default=True
)
@click.option("--seats", type=int, default=2, show_default=True, help="How many play.")
@_expansions
@click.option("--seed", metavar="HEX", help="What all chance comes of; default: drawn.")
@click.option("--games", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder for the records; default: the one you are in.",
)
@click.option(
    "--bots", default=",".join(USUAL), show_default=True, help="Who plays, seated in turn."
)
@click.option(
    "--round-limit",
    type=click.IntRange(0),
    help="Rounds at most, 0: no limit; default: a limit that bots seldom reach.",
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Processes that play.")
@_json
@click.pass_context
def playout(
    ctx: click.Context,
    /,
    rules: str,
    seats: int,
    seed: str | None,
    games: int,
    out: Path,
    bots: str,
    round_limit: int | None,
    jobs: int,
    as_json: bool,  # noqa: FBT001 # click
    **expansions: bool,
) -> None:
    """Play whole games among bots, without a server, and write a record of each."""
    from replay.playout import plan
    from replay.tournament import played_to_files

    try:
        source = secrets.token_bytes(32) if seed is None else bytes.fromhex(seed)
    except ValueError:
        raise click.BadParameter("not bytes in hex", ctx, param_hint="--seed") from None
    names = [name.strip() for name in bots.split(",")]
    options = {option: True for option, is_wanted in expansions.items() if is_wanted}
    try:
        planned = plan(rules, seats, source, options, names, round_limit)
    except Malformed as refused:
        raise click.UsageError(str(refused.why), ctx) from None
    tell(f"seed {source.hex()}")
    try:
        out.mkdir(parents=True, exist_ok=True)
        for number, told in enumerate(played_to_files(planned, games, out, jobs), 1):
            show(canonical(told).decode() if as_json else _line(told))
            if not number % 25:
                _progress(f"{number} of {games} games")
    except OSError as error:
        raise click.ClickException(f"{error.filename or out}: {error.strerror}") from None


def _line(told: Json) -> str:
    ranked = ", ".join(f"{place['player']} {place['score']}" for place in told["ranking"])
    return f"{told['file']}  {told['events']} events, {told['rounds']} rounds: {ranked}"


def _progress(sentence: str) -> None:
    """A message that says how far it is, where somebody may be waiting."""
    tell(sentence)


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from None


COMMANDS: Final[Iterable[click.Command]] = (replay, log, inspect, diff, audit, export, playout)

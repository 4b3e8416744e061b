"""The command line: `cartulary` with all its subcommands, and what their errors look like.

Exit status 0: done; 1: something is wrong, and a sentence on stderr says what; 2: not called as it has to
be. What a command does is elsewhere, and imported only when it is called: `--help` is quick.
"""

import logging
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
from typing_extensions import override

from cartulary.commands import COMMANDS
from cartulary.parent_watch import hold_on
from domain.errors import CartularyError
from service.settings import Settings, load_settings
from workers.tasks import GAMES, NOTICES, QUEUES

QUEUE_NAMES = {"games": GAMES, "notices": NOTICES}


class Commands(click.Group):
    """A group in which whatever is raised on purpose becomes one sentence and status 1."""

    @override
    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except CartularyError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("cartulary"), prog_name="cartulary")
@click.pass_context
def cartulary(ctx: click.Context) -> None:
    """A play-by-mail game server on which every action is on the record.

    `serve` runs all of it on this machine; `web`, `worker` and `scheduler` are its parts, for several
    machines. The other commands look back at games: at the file of a record, at - for standard input,
    or, by its id, at a game of a running service.

    Settings are environment variables that begin with CARTULARY_; see docs/running.md.
    """
    ctx.obj = _live


_host = click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
_port = click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 for any that is free.",
)


@cartulary.command()
@_host
@_port
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the games and the signing key; default: CARTULARY_DATA, else the user's.",
)
def serve(host: str, port: int, data: Path | None) -> None:
    """Run the whole service on this machine: web server, worker, scheduler, and a Redis of its own
    unless CARTULARY_REDIS_URL names one. Ctrl-C stops all of it.
    """
    from cartulary.serve import serve as run

    environ = dict(os.environ)
    if data is not None:
        environ["CARTULARY_DATA"] = str(data)
    logging.basicConfig(format="%(message)s")
    run(load_settings(environ), environ, host, port, click.echo, _say)


@cartulary.command()
@_host
@_port
@click.option(
    "--processes",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Processes that share the port, one a core at most.",
)
def web(host: str, port: int, processes: int) -> None:
    """Serve HTTP."""
    from service.server.processes import run_web

    run_web(_settings(), host, port, workers=processes)


@cartulary.command()
@click.option(
    "--queue",
    "names",
    multiple=True,
    type=click.Choice(list(QUEUE_NAMES)),
    help="Do only what waits in this queue; may be given twice, the first goes first.",
)
def worker(names: tuple[str, ...]) -> None:
    """Do what games call for: score rounds, end games, forfeit turns, send notices."""
    from workers.run import run_worker

    run_worker(_settings(), tuple(QUEUE_NAMES[name] for name in names) or QUEUES)


@cartulary.command()
def scheduler() -> None:
    """See that what games call for is done, deadlines at their time. Several may run at once."""
    from workers.run import run_scheduler

    run_scheduler(_settings())


@cartulary.command()
@click.option("--redis", "redis_url", help="Redis of the service; default: as for the service.")
def reindex(redis_url: str | None) -> None:
    """Make again from the logs what is worked out from them: listings, and what is to be done. May run
    while games are played.
    """
    from cartulary.live import opened
    from cartulary.reindex import reindex as run

    with opened(os.environ, redis_url) as service:
        count = run(service, lambda so_far: _say(f"{so_far} games ..."))
    click.echo(f"{count} games are listed and noted")


@cartulary.command("retire-key")
@click.argument("key")
@click.option("--redis", "redis_url", help="Redis of the service; default: as for the service.")
def retire_key(key: str, redis_url: str | None) -> None:
    """Say in the list of public keys that KEY signs nothing any more, from now on.

    What it has signed stays valid. Have the service sign with another key before.
    """
    from cartulary.live import opened

    with opened(os.environ, redis_url) as service:
        entry = service.keyring.retire(key)
    click.echo(f"key {entry['key']} is retired since {entry['until']}")


for command in COMMANDS:
    cartulary.add_command(command)


def main() -> None:
    """The entry point of the program."""
    cartulary(prog_name="cartulary")


def _live(game: str, redis_url: str | None) -> bytes:
    """The record of a live game, for the commands that read records."""
    from cartulary.live import open_live

    return open_live(os.environ, game, redis_url)


def _settings() -> Settings:
    """The settings for one of the service's processes, which logs JSON lines and ends with its parent."""
    from service.http import access_log

    hold_on(os.environ)
    access_log.configure()
    return load_settings(os.environ)


def _say(sentence: str) -> None:
    click.echo(sentence, file=sys.stderr)

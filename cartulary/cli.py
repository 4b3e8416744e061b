"""The command line: `cartulary` with its subcommands, and how errors are reported.

Exit status 0: success; 1: something is wrong, and one sentence on standard error says what; 2: bad usage.
"""

import os
from importlib.metadata import version
from typing import Any

import click
from typing_extensions import override

from cartulary.commands import RECORD_COMMANDS, SERVICE_COMMANDS
from cartulary.language import select_language, text
from cartulary.server_extra import server_extra_missing
from cartulary.source import LIVE_DELIVERIES
from domain.errors import CartularyError
from domain.json_types import JsonObject


class Group(click.Group):
    """A group that reports the project's own errors in one sentence, and lists whole help lines."""

    @override
    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a CartularyError becomes exit status 1, and so does a missing extra."""
        try:
            try:
                return super().invoke(ctx)
            except ModuleNotFoundError as error:
                raise server_extra_missing(error) from error
        except CartularyError as error:
            raise click.ClickException(text(error.message)) from error

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands; click itself would cut long lines short."""
        rows = [
            (name, command.get_short_help_str(limit=1000))
            for name, command in sorted(self.commands.items())
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--lang",
    metavar="LANGUAGE",
    expose_value=False,
    is_eager=True,
    callback=select_language,
    help="Language of the output: en, fr or es; default: that of the locale.",
)
@click.version_option(version("cartulary"), prog_name="cartulary")
@click.pass_context
def cartulary(ctx: click.Context) -> None:
    """A play-by-mail game server on which every action is on the record.

    `serve` runs the whole service on this machine; `web`, `worker` and `scheduler` are its parts, for a
    deployment on several machines. The other commands look back at games: they read a record file, standard
    input (-), or a live game of a running service by its id.

    Settings are environment variables that begin with CARTULARY_; see docs/running.md.
    """
    ctx.obj = _live_record
    ctx.meta[LIVE_DELIVERIES] = _live_deliveries


for _command in (*SERVICE_COMMANDS, *RECORD_COMMANDS):
    cartulary.add_command(_command)


def main() -> None:
    """Run the program: the entry point of the `cartulary` script."""
    cartulary(prog_name="cartulary")


def _live_record(game: str, redis_url: str | None) -> bytes:
    """Return the record of a live game, for the commands that read records."""
    try:
        from cartulary.running_service import read_live_record
    except ModuleNotFoundError as error:
        raise server_extra_missing(error) from error

    return read_live_record(os.environ, game, redis_url)


def _live_deliveries(game: str, seq: int, redis_url: str | None) -> list[JsonObject]:
    """Return the deliveries of notifications about an event of a live game."""
    from cartulary.running_service import read_live_deliveries

    return read_live_deliveries(os.environ, game, seq, redis_url)

"""The command line: `cartulary` with its subcommands, and how errors are reported.

Exit status 0: success; 1: something is wrong, and one sentence on standard error says what; 2: bad usage.
"""

from importlib.metadata import version
from typing import Any

import click
from typing_extensions import override

from cartulary.command_line import Group, group, option, server_extra_missing
from cartulary.commands import RECORD_COMMANDS, SERVICE_COMMANDS
from cartulary.language import text
from cartulary.terminal import echo
from domain.errors import CartularyError
from domain.messages import message


class Program(Group):
    """The program, which reports the project's own errors in one sentence."""

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


def _print_version(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:  # noqa: FBT001 # click passes values by position
    if is_asked and not ctx.resilient_parsing:
        echo(text(message("cartulary, version {version}", version=version("cartulary"))))
        ctx.exit()


@group(
    "cartulary",
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        message("A play-by-mail game server on which every action is on the record."),
        message(
            "`serve` runs the whole service on this machine; `web`, `worker` and `scheduler` are its parts,"
            " for a deployment on several machines. The other commands look back at games: they read a record"
            " file, standard input (-), or a live game of a running service by its id."
        ),
        message(
            "Settings are environment variables that begin with CARTULARY_; see docs/running.md."
        ),
    ),
)
@option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help=message("Show the version and exit."),
)
@click.pass_context
def cartulary(ctx: click.Context) -> None:
    """The program `cartulary`."""
    ctx.obj = True  # live games can be read: see cartulary/source.py


for _command in (*SERVICE_COMMANDS, *RECORD_COMMANDS):
    cartulary.add_command(_command)


def main() -> None:
    """Run the program: the entry point of the `cartulary` script."""
    cartulary(prog_name="cartulary")

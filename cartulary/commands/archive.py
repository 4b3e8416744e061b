"""The commands `archive` and `recall`, which move games that are over into the archive and back."""

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import click

from cartulary.command_line import FloatRange, argument, command, option
from cartulary.commands.options import redis_option, with_service
from cartulary.language import text
from cartulary.terminal import echo, print_message
from domain.errors import Unreadable
from domain.messages import message, message_in, plural_message

if TYPE_CHECKING:
    from service.bootstrap import Service

SECONDS_PER_DAY: Final = 24 * 3600


@command(
    "archive",
    help=(
        message("Move games that are over out of Redis into the archive."),
        message(
            "The archive is a folder, or a bucket of an object store (CARTULARY_ARCHIVE_URL). Each game is"
            " verified there before it leaves Redis. It can be read as before, and whatever is written"
            " recalls it. May run while games are played; if it is interrupted, run it again."
        ),
    ),
)
@argument("games", metavar=message_in("metavar", "GAME..."), nargs=-1)
@option(
    "--older-than",
    metavar=message_in("metavar", "DAYS"),
    type=FloatRange(min=0),
    help=message("Move all games that have been over for so many days."),
)
@redis_option
@click.pass_context
def archive(
    ctx: click.Context, games: tuple[str, ...], older_than: float | None, redis: str | None
) -> None:
    from cartulary.running_service import open_service
    from service.store.archive_schedule import now

    if not games and older_than is None:
        raise click.UsageError(text(message("name games, or pass --older-than")))
    with open_service(os.environ, redis) as service:
        chosen = list(dict.fromkeys(games))
        if older_than is not None:
            ended = service.archive.schedule.ended_before(now() - older_than * SECONDS_PER_DAY)
            chosen = list(dict.fromkeys([*chosen, *ended]))
        count = _each(chosen, service.archive.move)
    echo(text(plural_message("{count} game archived", "{count} games archived", count=count)))
    if count < len(chosen):
        ctx.exit(1)


@command(
    "recall",
    help=(
        message("Bring games back from the archive into Redis."),
        message("They stay there as if they had just ended. Their objects are deleted soon."),
    ),
)
@argument("games", metavar=message_in("metavar", "GAME..."), nargs=-1, required=True)
@with_service
def recall(service: "Service", games: tuple[str, ...]) -> None:
    chosen = list(dict.fromkeys(games))
    count = _each(chosen, service.archive.recall)
    echo(text(plural_message("{count} game recalled", "{count} games recalled", count=count)))
    if count < len(chosen):
        raise click.exceptions.Exit(1)


def _each(games: Iterable[str], work: Callable[[str], bool]) -> int:
    """Do the work on each game, report where it was not done, and return the number of the others."""
    from service.errors import ServiceError, Unavailable

    count = 0
    for game in games:
        try:
            if work(game):
                count += 1
            else:
                print_message(message("{game}: nothing was moved", game=game))
        except Unavailable:
            raise
        except (ServiceError, Unreadable) as error:
            print_message(message("{game}: {reason}", game=game, reason=error.message))
    return count

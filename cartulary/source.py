"""Where the commands read records from: a file, standard input, or a game of a running service."""

import os
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

import click

from cartulary.command_line import HAS_FAULT, ServerExtraMissing
from cartulary.language import text
from cartulary.terminal import print_message
from domain.errors import CartularyError, Unreadable
from domain.json_types import JsonObject
from domain.messages import Message, message, message_in
from ledger.os_errors import os_reason
from ledger.record import Record, first_contradiction, scan

LiveSource: TypeAlias = Callable[[str, str | None], bytes]
"""Returns the record of a live game, given its id and the URL of its Redis (None: that of the settings)."""

LiveDeliveries: TypeAlias = Callable[[str, int, str | None], list[JsonObject]]
"""Returns the deliveries of notifications about an event of a live game, given the game's id, the event's seq
and the URL of its Redis (None: that of the settings).
"""
LIVE_DELIVERIES: Final = "cartulary.source.deliveries"
"""The name in the context's `meta` of a LiveDeliveries, which is missing where there is no service."""


class SourceNotFound(click.BadParameter):
    """There is no record file of this name, and no live game of this id."""

    def __init__(self, fault: Message, ctx: click.Context) -> None:
        super().__init__(text(fault), ctx, param_hint=text(message_in("metavar", "SOURCE")))


def open_source(ctx: click.Context, source: str, redis: str | None) -> BinaryIO:
    """Open a record: standard input for `-`, else a file, else a live game of that id.

    Raises SourceNotFound, and ClickException for a source that cannot be opened.
    """
    if source == "-":
        return sys.stdin.buffer
    if os.path.exists(source):  # noqa: PTH110 # Path.exists raises OSError for a name that is too long
        try:
            return Path(source).open("rb")
        except IsADirectoryError:
            raise SourceNotFound(message("{path} is a directory", path=source), ctx) from None
        except OSError as error:
            fault = message("cannot open {path}: {reason}", path=source, reason=os_reason(error))
            raise click.ClickException(text(fault)) from None
    live: LiveSource | None = ctx.obj
    if live is None or not all(char.isalnum() or char in "-_" for char in source):
        raise SourceNotFound(message("there is no file {path}", path=source), ctx)
    try:
        return BytesIO(live_record(live, source, redis))
    except ServerExtraMissing as error:
        fault = message(
            "there is no file {path}. To read live games: {reason}",
            path=source,
            reason=error.message,
        )
        raise SourceNotFound(fault, ctx) from None


def live_record(live: LiveSource, game: str, redis: str | None) -> bytes:
    """Return the record of a live game. Raises ClickException, ServerExtraMissing."""
    try:
        return live(game, redis)
    except ServerExtraMissing:
        raise
    except CartularyError as error:
        raise _unreadable_game(game, error) from None


def live_deliveries(
    ctx: click.Context, source: str, seq: int, redis: str | None
) -> list[JsonObject] | None:
    """Return the deliveries about an event if the source is a live game, else None. Raises ClickException."""
    deliveries: LiveDeliveries | None = ctx.meta.get(LIVE_DELIVERIES)
    if deliveries is None or source == "-" or os.path.exists(source):  # noqa: PTH110 # see open_source
        return None
    try:
        return deliveries(source, seq, redis)
    except CartularyError as error:
        raise _unreadable_game(source, error) from None


def read_source(ctx: click.Context, source: str, redis: str | None) -> Record:
    """Read a record. Raises ClickException if it is not a record, and the errors of `open_source`.

    A record with a line that cannot be read, such as one that was cut short, is read up to this line, with a
    warning, and the command exits with status 1. A record whose lines contradict each other is read, with a
    warning: in a dispute, people have to look at such records too.
    """
    with open_source(ctx, source, redis) as file:
        record, faults = scan(file, max_faults=1)
    if faults:
        unreadable = Unreadable(faults[0].why, faults[0].line)
        if not record.header or not record.events:
            raise unreadable_source(source, unreadable)
        print_message(
            message(
                "{source}: {reason}. What follows is the game up to there, event {seq}.",
                source=source,
                reason=unreadable.message,
                seq=len(record.events),
            )
        )
        ctx.meta[HAS_FAULT] = True
        return record
    if (fault := first_contradiction(record)) is not None:
        print_message(
            message(
                "{source}: line {line}: {fault} (`cartulary audit` checks everything)",
                source=source,
                line=fault.line,
                fault=fault.why,
            )
        )
    return record


def unreadable_source(source: str, error: Unreadable) -> click.ClickException:
    """Return the error of a command whose record cannot be read."""
    fault = message("{source}: {reason}", source=source, reason=error.message)
    return click.ClickException(text(fault))


def _unreadable_game(game: str, error: CartularyError) -> click.ClickException:
    fault = message("cannot read game {game}: {reason}", game=game, reason=error.message)
    return click.ClickException(text(fault))

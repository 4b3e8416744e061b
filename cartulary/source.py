"""Where commands read records from, and what they know of the terminal that they write to."""

import os
import shutil
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import click

from domain.errors import CartularyError, Unreadable
from ledger.record import Record, read
from replay.render.ansi import Ansi

LiveSource: TypeAlias = Callable[[str, str | None], bytes]
"""Gives the record of a live game: by the game's id, and the URL of the Redis (None: as for the service)."""


def open_source(ctx: click.Context, source: str, redis: str | None) -> BinaryIO:
    """A record, opened: standard input for `-`, else a file, else a live game of that id.

    Raises BadParameter where there is no such thing, ClickException where it cannot be opened.
    """
    if source == "-":
        return sys.stdin.buffer
    if os.path.exists(source):  # noqa: PTH110 # unlike Path, it has no trouble with a name too long
        try:
            return Path(source).open("rb")
        except OSError as error:
            raise click.ClickException(f"{source} cannot be opened: {error.strerror}") from None
    live: LiveSource | None = ctx.obj
    if live is None or not all(char.isalnum() or char in "-_" for char in source):
        raise click.BadParameter(f"there is no file {source}", ctx=ctx, param_hint="SOURCE")
    return BytesIO(live_record(live, source, redis))


def live_record(live: LiveSource, game: str, redis: str | None) -> bytes:
    """The record of a live game. Raises ClickException."""
    try:
        return live(game, redis)
    except CartularyError as error:
        raise click.ClickException(f"game {game} cannot be read: {error}") from None


def read_source(ctx: click.Context, source: str, redis: str | None) -> Record:
    """The record, read. Raises ClickException for one that is not of the form, and like `open_source`."""
    with open_source(ctx, source, redis) as file:
        try:
            return read(file)
        except Unreadable as unreadable:
            raise unreadable_at(source, unreadable) from None


def unreadable_at(source: str, unreadable: Unreadable) -> click.ClickException:
    """What is said of a record that cannot be read."""
    return click.ClickException(f"{source}: {unreadable}")


def show(text: str, *, newline: bool = True) -> None:
    """Write to standard output; characters that it has none for are replaced."""
    encoding: Any = getattr(sys.stdout, "encoding", None) or "utf-8"
    click.echo(text.encode(encoding, "replace").decode(encoding), nl=newline, color=True)


def tell(sentence: str) -> None:
    """Write a message to standard error."""
    click.echo(sentence, err=True)


def ink() -> Ansi:
    """Colours where standard output is a terminal and nobody has said NO_COLOR (no-color.org)."""
    return Ansi(sys.stdout.isatty() and not os.environ.get("NO_COLOR"))


def terminal_width() -> int:
    """Columns that a page may take."""
    return shutil.get_terminal_size((100, 24)).columns

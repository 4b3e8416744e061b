"""Output of the commands: results on standard output, messages and progress on standard error.

`--color`, NO_COLOR (no-color.org) and FORCE_COLOR (force-color.org), in this order, decide whether results
are coloured; without any of them, they are coloured in a terminal.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar

import click

from cartulary.language import text
from domain.messages import Message, Value, message, message_in
from ledger.files.os_errors import os_reason
from replay.render.styles import Styler

Color: TypeAlias = Literal["auto", "always", "never"]

DEFAULT_WIDTH: Final = 100
"""Columns of a page where the width of the terminal is not known."""

LONG_DOWNLOAD_BYTES: Final = 1 << 18
"""Bytes from which on the progress of a download is shown."""

T = TypeVar("T")


def echo(result: str, *, newline: bool = True) -> None:
    """Write a result to standard output; characters that its encoding lacks are replaced."""
    encoding: Any = getattr(sys.stdout, "encoding", None) or "utf-8"
    click.echo(result.encode(encoding, "replace").decode(encoding), nl=newline, color=True)


def print_message(message: Value) -> None:
    """Write a message to standard error."""
    click.echo(text(message), err=True)


def confirm(question: Message, *, err: bool = False) -> None:
    """Ask a question, on standard error with `err`; raise click.Abort unless the answer is yes.

    The answers are words of the language of the command; `y` and `n` are understood in every language.
    """
    # Translators: the answers that mean yes, the shortest first.
    yes = text(message_in("answers", "y, yes"))
    # Translators: the answers that mean no, the shortest first.
    no = text(message_in("answers", "n, no"))
    positive, negative = ({word.strip() for word in words.split(",")} for words in (yes, no))
    prompt = f"{text(question)} [{yes[0]}/{no[0].upper()}]"
    while True:
        answer = click.prompt(prompt, default="", show_default=False, err=err).strip().lower()
        if answer in positive | {"y"}:
            return
        if answer in negative | {"n", ""}:
            raise click.Abort
        click.echo(text(message("please answer {yes} or {no}", yes=yes[0], no=no[0])), err=err)


def write_output(path: Path, data: bytes, *, force: bool) -> None:
    """Write a file that a command produces. Raises ClickException if there is one already, unless forced."""
    from ledger.files.output_files import write_file

    try:
        write_file(path, data, overwrite=force)
    except FileExistsError:
        raise existing_file(path) from None
    except OSError as error:
        raise unwritable_file(path, error) from None


def existing_file(path: Path | str) -> click.ClickException:
    """Return the error of a command that would overwrite a file."""
    fault = message("{path} exists already; --force overwrites it", path=str(path))
    return click.ClickException(text(fault))


def unwritable_file(path: Path | str, error: OSError) -> click.ClickException:
    """Return the error of a command that cannot write a file."""
    fault = message("cannot write {path}: {reason}", path=str(path), reason=os_reason(error))
    return click.ClickException(text(fault))


def result_styler(color: Color) -> Styler:
    """Return the styler for results, which `color`, the environment or the terminal switches on or off."""
    if color != "auto":
        return Styler(is_on=color == "always")
    if os.environ.get("NO_COLOR"):
        return Styler(is_on=False)
    return Styler(is_on=bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty())


def width() -> int:
    """Return the number of columns that a page may take."""
    return shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns


def line_width() -> int | None:
    """Return the number of columns of a line; None where lines of any length can be written, as to a file."""
    return width() if sys.stdout.isatty() or os.environ.get("COLUMNS") else None


def progress(items: Iterable[T], total: int | None, description: Value) -> Iterator[T]:
    """Iterate over items that each take a while, with a progress bar where standard error is a terminal.

    `total` is the number of items, None if it is not known.
    """
    if (total is not None and total < 2) or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(items, total=total, description=text(description))


@contextmanager
def download_progress(description: Value) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows how many bytes there are so far, of a long download to a terminal."""
    if not sys.stderr.isatty():
        yield lambda _count: None
        return
    from rich.console import Console
    from rich.progress import DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), DownloadColumn(), TransferSpeedColumn())
    with ExitStack() as stack:
        bar: Progress | None = None

        def show(count: int) -> None:
            nonlocal bar
            if bar is None and count >= LONG_DOWNLOAD_BYTES:
                bar = stack.enter_context(
                    Progress(*columns, console=Console(stderr=True), transient=True)
                )
                bar.add_task(text(description), total=None)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=count)

        yield show

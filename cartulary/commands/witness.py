"""The command witness: follows the transparency log of a server, and compares what it has shown to two
parties.
"""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import click
from typing_extensions import override

from cartulary.command_line import (
    File,
    FloatRange,
    Group,
    PathType,
    argument,
    bad_parameter,
    group,
    option,
)
from cartulary.commands.options import force_option, json_option, server_address
from cartulary.language import command_renderer, text, without_language
from cartulary.terminal import echo, print_message, progress, write_output
from domain.errors import CartularyError, Unreadable
from domain.json_types import JsonObject
from domain.messages import Message, message, message_in, plural_message
from ledger.canonical import canonical
from ledger.files.os_errors import os_reason

if TYPE_CHECKING:
    from client.witness.folder import WitnessFolder
    from client.witness.follow import Follower, Observation
    from client.witness.split_view import SplitView

CANNOT_BE_KNOWN: Final = 3
FOLLOW: Final = "follow"


class WitnessGroup(Group):
    """A group whose command `follow` need not be named: `cartulary witness URL`."""

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = next(iter(without_language(args)), None)
        if first is not None and first not in {*self.commands, *ctx.help_option_names}:
            args = [FOLLOW, *args]
        return super().parse_args(ctx, args)


@group(
    "witness",
    cls=WitnessGroup,
    no_args_is_help=True,
    help=(
        message(
            "Follow the transparency log of a server, so that it cannot show two histories unnoticed."
        ),
        message(
            "`cartulary witness URL` is the same as `cartulary witness follow URL`. docs/witnessing.md"
            " explains what a witness proves."
        ),
    ),
)
def witness() -> None:
    """The subcommands do the work."""


@witness.command(
    FOLLOW,
    help=(
        message("Follow a server: check, copy and cosign each new checkpoint of its log."),
        message(
            "The first key that the server shows is remembered, as ssh does; a changed one is an error"
            " until --key accepts it."
        ),
        message(
            "Exit status: 0 after an interrupt or, with --once, when everything holds; 1 when the"
            " server has shown something that contradicts what it showed before, or another key; with"
            " --once, 3 when it does not respond."
        ),
    ),
)
@argument("url", metavar="URL")
@option(
    "--dir",
    "folder",
    type=PathType(file_okay=False),
    help=message(
        "Folder of the copy; default: witness- and the server's address, in the current folder."
    ),
)
@option("--once", is_flag=True, help=message("Check the server once, and exit."))
@option(
    "--interval",
    type=FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    help=message("Seconds between two checks."),
)
@option("--submit", is_flag=True, help=message("Submit the cosignatures to the server."))
@option(
    "--name",
    metavar=message_in("metavar", "NAME"),
    default="",
    help=message("Name of the witness's key; default: from the key."),
)
@option(
    "--key",
    metavar=message_in("metavar", "KEY"),
    help=message("Accept this key of the server from now on."),
)
@option(
    "--since",
    type=PathType(exists=True, dir_okay=False),
    metavar=message_in("metavar", "FILE"),
    help=message(
        "Check first that the log continues the checkpoint in this file, which a browser has saved"
        " (*.witness)."
    ),
)
@json_option
def follow(
    url: str,
    folder: Path | None,
    once: bool,  # noqa: FBT001 # click passes options by name
    interval: float,
    submit: bool,  # noqa: FBT001 # click passes options by name
    name: str,
    key: str | None,
    since: Path | None,
    as_json: bool,  # noqa: FBT001 # click passes options by name
) -> None:
    from client.clients import Client
    from client.errors import ClientError
    from client.retries import UNTRUSTED_SERVER
    from client.witness.folder import WitnessFolder
    from client.witness.follow import Follower
    from ledger.transparency.signed_note import check_name

    address = server_address(url)
    if name:
        try:
            check_name(name)
        except Unreadable as error:
            raise bad_parameter(error.why, "--name") from None
    path = folder or Path(f"witness-{address}")
    pages = partial(progress, description=message("witness"))
    stop = _stop_on_signals()
    language = command_renderer().language
    client_of_log = Client(url, language=language, limits=UNTRUSTED_SERVER)
    with _errors_of_files(), WitnessFolder.locked(path, pages) as copy, client_of_log as client:
        follower = Follower(
            client, copy, now=time.time, format_time=_format_time, name=name, pages=pages
        )
        if key is not None:
            follower.accept_key(key)
        print_message(message("this witness cosigns as {key}", key=str(follower.cosigning_key)))
        while not stop.is_set():
            try:
                _observe(follower, as_json=as_json, submit=submit)
            except ClientError as error:
                print_message(error.message_with_status)
                if once:
                    sys.exit(CANNOT_BE_KNOWN)
            else:
                if since is not None:
                    _check_since(since, copy)
                    since = None
            if once:
                return
            stop.wait(interval)


@witness.command(
    "compare",
    help=(
        message("Compare what a server has shown to two parties."),
        message(
            "FIRST and SECOND are folders of witnesses, records with a proof of inclusion, or files"
            " with a checkpoint."
        ),
        message(
            "Exit status: 0 when all checkpoints are of one log; 1 when the server has shown two logs:"
            " the proof is written to a file, which `cartulary witness verify` checks; 3 when that"
            " cannot be known."
        ),
    ),
)
@argument("first", metavar=message_in("metavar", "FIRST"), type=PathType(exists=True))
@argument("second", metavar=message_in("metavar", "SECOND"), type=PathType(exists=True))
@option(
    "--out",
    type=PathType(dir_okay=False),
    default=Path("split-view.json"),
    show_default=True,
    help=message("File to write if there is a proof."),
)
@force_option
def compare_command(first: Path, second: Path, out: Path, *, force: bool) -> None:
    from client.witness.comparison import NotComparable, compare, read_view

    try:
        pages = partial(progress, description=message("compare"))
        result = compare(read_view(first, pages), read_view(second, pages))
    except NotComparable as error:
        print_message(error.message)
        sys.exit(CANNOT_BE_KNOWN)
    if result.split is not None:
        proof = message(
            "the proof is in {file}: anybody can check it with `cartulary witness verify {file}`",
            file=str(out),
        )
        echo(text(_two_logs(result.split)))
        write_output(out, result.split.encode(), force=force)
        echo(text(proof))
        sys.exit(1)
    if result.undecided or not result.compared:
        undecided = plural_message(
            "cannot be known: {count} checkpoint cannot be compared without a copy of the log"
            " (`cartulary witness URL` keeps one)",
            "cannot be known: {count} checkpoints cannot be compared without a copy of the log"
            " (`cartulary witness URL` keeps one)",
            count=result.undecided,
        )
        echo(text(undecided))
        sys.exit(CANNOT_BE_KNOWN)
    one_log = plural_message(
        "the server has shown one log to both: {count} checkpoint compared",
        "the server has shown one log to both: {count} checkpoints compared",
        count=result.compared,
    )
    echo(text(one_log))


@witness.command(
    "verify",
    help=(
        message("Check the proof that a server has shown two logs; nothing else is needed."),
        message(
            "Exit status: 0 when it is a proof, 1 when it is not, 3 when the file shows two"
            " checkpoints that the server has signed, and no contradiction between them."
        ),
    ),
)
@argument("file", metavar=message_in("metavar", "FILE"), type=File())
@option(
    "--key",
    metavar=message_in("metavar", "KEY"),
    help=message("The server's key: its note key, or 32 bytes in hex."),
)
def verify(file: Any, key: str | None) -> None:
    from client.witness.split_view import MAX_FILE_BYTES, SplitView

    split = SplitView.parse(file.read(MAX_FILE_BYTES + 1))
    if key is not None and key.lower() not in (str(split.key).lower(), split.key.public.hex()):
        raise CartularyError.with_message(
            "the proof is about another key: {key}", key=str(split.key)
        )
    is_proof = split.check()
    lines = (
        message("the log:  {origin}", origin=split.key.name),
        message("its key:  {key}", key=str(split.key)),
        message(
            "the key in hex, as in the server's list of keys:  {key}", key=split.key.public.hex()
        ),
    )
    for line in lines:
        echo(text(line))
    if not is_proof:
        unknown = message(
            "cannot be known: this key signed two checkpoints: {checkpoints}. They contradict each other"
            " unless the server can prove that the larger one continues the smaller one, which it did not",
            checkpoints=_two_checkpoints(split),
        )
        echo(text(unknown))
        sys.exit(CANNOT_BE_KNOWN)
    proven = message(
        "proven: this key signed two checkpoints of different logs: {checkpoints}",
        checkpoints=_two_checkpoints(split),
    )
    echo(text(proven))
    if key is None:
        advice = message(
            "pass the key that you know as the server's with --key, to be sure that it is this one"
        )
        print_message(advice)


def _observe(follower: "Follower", *, as_json: bool, submit: bool) -> None:
    """Check the server once, and report the result. Exits with status 1 if it has shown two logs."""
    from client.errors import ClientError
    from client.witness.follow import LogBroken

    try:
        observation = follower.observe()
    except LogBroken as broken:
        print_message(broken.message)
        if broken.evidence is not None:
            print_message(_evidence_in(broken.evidence))
        sys.exit(1)
    if observation.pinned is not None:
        pinned = message(
            "the server's key is remembered: {key} ({public}). Compare it with what the operator or other"
            " players say",
            key=str(observation.pinned),
            public=observation.pinned.public.hex(),
        )
        print_message(pinned)
    document = _as_json(observation)
    echo(canonical(document).decode() if as_json else text(_line(observation)))
    if submit and not observation.is_older:
        try:
            follower.submit()
        except ClientError as error:
            fault = message(
                "the cosignature was not accepted: {reason}", reason=error.message_with_status
            )
            print_message(fault)


def _check_since(path: Path, copy: "WitnessFolder") -> None:
    """Check that the log continues what a file states. Exits with status 1 if it does not, and 3 if unknown.

    The proof is saved in the folder.
    """
    from client.witness.comparison import NotComparable, compare, read_view

    try:
        result = compare(read_view(path), read_view(copy.path))
    except NotComparable as error:
        print_message(error.message)
        sys.exit(CANNOT_BE_KNOWN)
    if result.split is not None:
        saved = copy.save("split-view.json", result.split.encode())
        print_message(_two_logs(result.split))
        print_message(_evidence_in(saved))
        sys.exit(1)
    if not result.compared:
        print_message(message("{file} has a later checkpoint than the server now", file=str(path)))
        sys.exit(CANNOT_BE_KNOWN)
    echo(text(message("the log continues the checkpoint in {file}", file=str(path))))


def _as_json(observation: "Observation") -> JsonObject:
    checkpoint = observation.checkpoint
    return {
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        "root": checkpoint.root.hex(),
        "new": observation.new_entries,
        "older": observation.is_older,
    }


def _line(observation: "Observation") -> Message:
    checkpoint = observation.checkpoint
    if observation.is_older:
        return plural_message(
            "{origin}: {count} entry, older than the last checkpoint, and consistent with it",
            "{origin}: {count} entries, older than the last checkpoint, and consistent with it",
            count=checkpoint.size,
            origin=checkpoint.origin,
        )
    return plural_message(
        "{origin}: {count} entry, {new} new, consistent",
        "{origin}: {count} entries, {new} new, consistent",
        count=checkpoint.size,
        origin=checkpoint.origin,
        new=observation.new_entries,
    )


def _two_logs(split: "SplitView") -> Message:
    return message(
        "the server has shown two logs: {checkpoints}", checkpoints=_two_checkpoints(split)
    )


def _evidence_in(path: Path) -> Message:
    return message(
        "the evidence is in {file}: check it with `cartulary witness verify {file}`", file=str(path)
    )


def _two_checkpoints(split: "SplitView") -> Message:
    """Return the sizes and roots of the two checkpoints, in words."""
    from ledger.transparency.checkpoint import Checkpoint

    first, second = (Checkpoint.of_note(note) for note in (split.first, split.second))
    return message(
        "{first}, and {second}",
        first=_checkpoint(first.size, first.root),
        second=_checkpoint(second.size, second.root),
    )


def _checkpoint(size: int, root: bytes) -> Message:
    return plural_message(
        "{count} entry with the root {root}…",
        "{count} entries with the root {root}…",
        count=size,
        root=root.hex()[:16],
    )


def _format_time(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def _stop_on_signals() -> threading.Event:
    """Return an event that SIGINT and SIGTERM set, so that the check under way is finished."""
    stop = threading.Event()

    def handle(number: int, _frame: FrameType | None) -> None:
        stop.set()
        # A second signal ends the program immediately. The copy survives that too.
        signal.signal(number, signal.SIG_DFL)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handle)
        signal.signal(signal.SIGTERM, handle)
    return stop


@contextmanager
def _errors_of_files() -> Iterator[None]:
    """Turn errors of the file system into one sentence."""
    try:
        yield
    except OSError as error:
        raise CartularyError.with_message(
            "{file}: {reason}", file=str(error.filename), reason=os_reason(error)
        ) from None

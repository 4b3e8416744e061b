"""Where the commands read records from: a file, standard input, the address of a game on a server, or a game
of a running service.

What a server sends is bounded in bytes and in time, and no redirection is followed. Its signature and its
hash chain are checked with the keys that are trusted before anything of it is shown.
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

import click

from cartulary.command_line import HAS_FAULT, bad_parameter, server_extra_missing, usage_error
from cartulary.language import command_renderer, text
from cartulary.terminal import download_progress, print_message
from domain.errors import CartularyError, Unreadable
from domain.json_types import JsonObject
from domain.messages import Text, message, message_in
from ledger.files.os_errors import os_reason
from ledger.record import MAX_RECORD_BYTES, Record, first_contradiction, scan
from replay.history.branches import BranchNotFound
from replay.history.timeline import PositionNotFound

if TYPE_CHECKING:
    from client.clients import Client


class OperatorDetails(NamedTuple):
    """What only the operator of a service may see of an event."""

    deliveries: list[JsonObject] | None = None
    """The deliveries of notifications about it; None if they are not known."""
    provenance: JsonObject | None = None
    """The `kind` (`request` or `job`) and the `id` of what appended it; None if it is not known."""


TOKEN_VARIABLE: Final = "CARTULARY_TOKEN"  # noqa: S105 # the name of a variable
TOKEN_FILE: Final = "cartulary.token-file"  # noqa: S105 # the name of a key
"""The name in the context's `meta` of the file with a player's token, which an option names."""
REDIS: Final = "cartulary.redis"
"""The name in the context's `meta` of the URL of the Redis of live games, which an option names."""
_MAX_TOKEN_BYTES: Final = 4096
_ID_OF_SERVER: Final = re.compile(r"[0-9a-f]{16}")
"""The ids that servers give to games. A word of another form is more likely the name of a file."""


class SourceNotFound(click.BadParameter):
    """There is no record file of this name, and no live game of this id."""

    def __init__(self, fault: Text) -> None:
        super().__init__(text(fault), param_hint=text(message_in("metavar", "SOURCE")))


def open_source(source: str) -> BinaryIO:
    """Open a record: standard input for `-`, the game at a URL, else a file, else a live game of that id.

    Raises SourceNotFound, and ClickException for a source that cannot be opened.
    """
    if source == "-":
        return sys.stdin.buffer
    if is_url(source):
        return BytesIO(_downloaded_record(source))
    if os.path.exists(source):  # noqa: PTH110 # Path.exists raises OSError for a name that is too long
        try:
            return Path(source).open("rb")
        except IsADirectoryError:
            raise SourceNotFound(message("{path} is a directory", path=source)) from None
        except OSError as error:
            fault = message("cannot open {path}: {reason}", path=source, reason=os_reason(error))
            raise click.ClickException(text(fault)) from None
    if not _may_be_live() or not all(char.isalnum() or char in "-_" for char in source):
        raise SourceNotFound(message("there is no file {path}", path=source))
    return BytesIO(_found_record(source))


def _found_record(source: str) -> bytes:
    """Return the record of the live game whose id may be this source, which is no file.

    Raises SourceNotFound, and ClickException for the id of a game of a service that does not respond.
    """
    try:
        from cartulary.running_service import ServiceAway, read_live_record
    except ModuleNotFoundError as error:
        fault = message(
            "there is no file {path}. To read live games: {reason}",
            path=source,
            reason=server_extra_missing(error).message,
        )
        raise SourceNotFound(fault) from None
    from service.errors import NotFound

    redis = click.get_current_context().meta.get(REDIS)
    try:
        return read_live_record(os.environ, source, redis)
    except NotFound:
        fault = message("there is neither a file nor a live game {path}", path=source)
        raise SourceNotFound(fault) from None
    except ServiceAway as error:
        if redis is not None or _ID_OF_SERVER.fullmatch(source):
            raise _unreadable_game(source, error) from None
        fault = message(
            "there is no file {path}. To read live games: {reason}",
            path=source,
            reason=error.message,
        )
        raise SourceNotFound(fault) from None
    except CartularyError as error:
        raise _unreadable_game(source, error) from None


def _may_be_live() -> bool:
    """Return whether a source may be a game of a service on this machine: the object of the context."""
    return bool(click.get_current_context().obj)


def live_record(game: str) -> bytes:
    """Return the record of a live game. Raises UsageError, ClickException, ServerExtraMissing."""
    if not _may_be_live():
        raise usage_error(message("no service is configured here"))
    try:
        from cartulary.running_service import read_live_record
    except ModuleNotFoundError as error:
        raise server_extra_missing(error) from error
    try:
        return read_live_record(os.environ, game, click.get_current_context().meta.get(REDIS))
    except CartularyError as error:
        raise _unreadable_game(game, error) from None


def live_details(source: str, seq: int) -> OperatorDetails:
    """Return the details of an event if the source is a live game, else none. Raises ClickException."""
    if not _may_be_live() or source == "-" or is_url(source) or os.path.exists(source):  # noqa: PTH110 # see open_source
        return OperatorDetails()
    from cartulary.running_service import read_live_details

    try:
        redis = click.get_current_context().meta.get(REDIS)
        return OperatorDetails(*read_live_details(os.environ, source, seq, redis))
    except CartularyError as error:
        raise _unreadable_game(source, error) from None


def read_source(source: str) -> Record:
    """Read a record. Raises ClickException if it is not a record, and the errors of `open_source`.

    A record with a line that cannot be read, such as one that was cut short, is read up to this line, with a
    warning, and the command exits with status 1. A record whose lines contradict each other is read, with a
    warning: in a dispute, people have to look at such records too.
    """
    with open_source(source) as file:
        if is_url(source):
            _check_signature(source, file)
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
        click.get_current_context().meta[HAS_FAULT] = True
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


def is_url(source: str) -> bool:
    """Return whether a source is the address of a game on a server."""
    return source.startswith(("http://", "https://"))


def required_token(server: str) -> str:
    """Return the player's token for a server: a given one, or that of the session of `cartulary play`.

    Raises BadParameter, UsageError.
    """
    from cartulary.terminal_client.tokens import TokensFile

    token = given_token() or TokensFile(os.environ).token(server)
    if token is None:
        fault = message("set {variable}, or name a file with --token-file", variable=TOKEN_VARIABLE)
        raise usage_error(fault)
    return token


def given_token() -> str | None:
    """Return the token in the file that the option names, or else in the environment; None if there is none.

    It is never an argument, which other users could see in the list of processes. Raises BadParameter,
    UsageError.
    """
    path: Path | None = click.get_current_context().meta.get(TOKEN_FILE)
    if path is None:
        token = os.environ.get(TOKEN_VARIABLE, "")
    else:
        try:
            with path.open("rb") as file:
                token = file.read(_MAX_TOKEN_BYTES).decode("ascii", "replace")
        except OSError as error:
            fault = message("cannot read {path}: {reason}", path=str(path), reason=os_reason(error))
            raise bad_parameter(fault, "--token-file") from None
    token = token.strip()
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise usage_error(message("the token has characters that no token has"))
    return token or None


def client_of(url: str, **bounds: Any) -> "Client":
    """Return a client of the server at a URL for reading records, with these of the `Limits`.

    Raises BadParameter.
    """
    from cartulary.addresses import Address, InvalidAddress
    from client.clients import Client
    from client.evidence import Evidence
    from client.retries import Limits

    try:
        server = Address.parse(url).server
    except InvalidAddress as error:
        raise bad_parameter(error.message) from None
    limits = Limits(max_record_bytes=MAX_RECORD_BYTES, **bounds)
    return Client(
        server, language=command_renderer().language, limits=limits, evidence=Evidence.none()
    )


def _downloaded_record(source: str) -> bytes:
    """Return the record of the game at a URL; of one whose download breaks off, what there is.

    Raises SourceNotFound, ClickException.
    """
    from cartulary.addresses import Address, InvalidAddress
    from cartulary.terminal_client.tokens import TokensFile
    from client.errors import ClientError, NotFound, ServerUnreachable, Unauthorised

    try:
        address = Address.parse(source)
    except InvalidAddress as error:
        raise SourceNotFound(error.message) from None
    if address.game is None:
        raise SourceNotFound(message("{url} is not the address of a game", url=source))
    token = given_token()
    received = bytearray()
    try:
        with (
            client_of(address.server, timeout=20.0, attempts=1) as client,
            download_progress(message("download")) as show,
        ):

            def take(part: bytes) -> None:
                received.extend(part)
                show(len(received))

            client.token = token or TokensFile(os.environ).token(address.server)
            try:
                return client.record(address.game, on_part=take)
            except Unauthorised:
                if click.get_current_context().meta.get(TOKEN_FILE) or TOKEN_VARIABLE in os.environ:
                    raise
                # The session that was kept has ended; most games can be read without one.
                client.token = None
                received.clear()
                return client.record(address.game, on_part=take)
    except NotFound as error:
        fault = message(
            "{source}: {reason} (a private game needs the token of a player)",
            source=source,
            reason=error.message_with_status,
        )
        raise SourceNotFound(fault) from None
    except ClientError as error:
        fault = message("{source}: {reason}", source=source, reason=error.message_with_status)
        if isinstance(error, ServerUnreachable) and received:
            print_message(fault)
            return bytes(received)
        raise click.ClickException(text(fault)) from None


def _check_signature(source: str, file: BinaryIO) -> None:
    """Report what is wrong with the signature or the hash chain of a record from a server, and whether its
    key is not trusted. The file is read, and then positioned at its beginning.
    """
    from cartulary.trusted_keys import TrustedKeysFile
    from replay.audit import quick_audit

    report = quick_audit(file, trusted=TrustedKeysFile(os.environ).load())
    file.seek(0)
    for check in report.checks:
        if check.name == "form":
            continue
        for finding in check.findings:
            click.get_current_context().meta[HAS_FAULT] = True
            reason = finding.located_problem
            print_message(message("{source}: {reason}", source=source, reason=reason))
        for unknown in check.unknowns:
            print_message(
                message(
                    "{source}: cannot be known: {question}. {evidence}",
                    source=source,
                    question=unknown.problem,
                    evidence=unknown.evidence,
                )
            )


def unreadable_source(source: str, error: Unreadable) -> click.ClickException:
    """Return the error of a command whose record cannot be read."""
    fault = message("{source}: {reason}", source=source, reason=error.message)
    return click.ClickException(text(fault))


@contextmanager
def errors_naming(source: str) -> Iterator[None]:
    """Turn an error in this block into that of a command, which names a source that cannot be read.

    Raises ClickException, and UsageError if the record has no such position.
    """
    try:
        yield
    except (PositionNotFound, BranchNotFound) as error:
        raise usage_error(error.message) from None
    except Unreadable as error:
        raise unreadable_source(source, error) from None


def _unreadable_game(game: str, error: CartularyError) -> click.ClickException:
    fault = message("cannot read game {game}: {reason}", game=game, reason=error.message)
    return click.ClickException(text(fault))

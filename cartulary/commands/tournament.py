"""The command tournament: checks the record of a tournament with those of its games."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from cartulary.command_line import argument, bad_parameter, group, option
from cartulary.commands.audit import EXIT_STATUS
from cartulary.commands.options import json_option, public_key
from cartulary.language import command_renderer
from cartulary.source import SourceNotFound, client_of, is_url
from cartulary.terminal import echo
from domain.errors import CartularyError, Unreadable
from domain.messages import Message, message, message_in
from ledger.canonical import canonical
from ledger.files.os_errors import os_reason
from ledger.record import MAX_RECORD_BYTES

if TYPE_CHECKING:
    from client.clients import Client
    from replay.tournaments.audit import TournamentVerdict


@group("tournament", help=(message("Look into the records of tournaments."),))
def tournament() -> None:
    """Do nothing: the subcommands do the work."""


@tournament.command(
    "audit",
    help=(
        message(
            "Check a tournament: its chain, draws, pairings, results and standings, and the records of its"
            " games."
        ),
        message(
            "SOURCE is the record of a tournament, or its address on a server. The records of its games"
            " (ID.jsonl) are in the folder of that file, unless --games names another folder or a server."
        ),
        message(
            "Exit status: 0 when it holds, 1 when it differs, 2 when the source is missing, 3 when records"
            " are missing to know it."
        ),
    ),
)
@argument("source", metavar=message_in("metavar", "SOURCE"))
@option(
    "--games",
    metavar=message_in("metavar", "SOURCE"),
    help=message("The folder, or the server, with the records of the games."),
)
@option(
    "--key",
    metavar="HEX",
    help=message("Public key of the server, which must have signed the record, 32 bytes in hex."),
)
@json_option
def audit_tournament(
    source: str,
    games: str | None,
    key: str | None,
    as_json: bool,  # noqa: FBT001 # click passes options by name
) -> None:
    from replay.tournaments.audit import audit_tournament as run
    from replay.tournaments.log import read_tournament

    expected = None if key is None else public_key(key)
    with ExitStack() as stack:
        if is_url(source):
            server, id = _parts_of(source)
            client = stack.enter_context(client_of(server))
            data = client.tournaments.get_record(id)
            load_game = _games_of(client)
        else:
            data = _read_file(Path(source))
            load_game = _games_in(Path(source).parent)
        if games is not None and is_url(games):
            load_game = _games_of(stack.enter_context(client_of(games)))
        elif games is not None:
            load_game = _games_in(_folder(games))
        record = read_tournament(data)
        keys = [
            entry
            for entry in record.header["keys"]
            if expected is None or entry["public"] == expected
        ]
        if not keys:
            raise Unreadable.with_message("the record does not list this key")
        verdict = run(record, load_game, keys)
    _print(verdict, len(record.events), as_json=as_json)
    sys.exit(EXIT_STATUS[verdict.outcome])


def _print(verdict: "TournamentVerdict", events: int, *, as_json: bool) -> None:
    renderer = command_renderer(in_utc=as_json)
    if as_json:
        entry = {
            "verdict": verdict.outcome,
            "event": verdict.seq,
            "reason": renderer(verdict.reason),
            "missing": list(verdict.missing),
            "events": events,
        }
        echo(canonical(entry).decode())
        return
    reason: Message = verdict.reason
    if verdict.seq is not None:
        reason = message("event {event}: {reason}", event=verdict.seq, reason=verdict.reason)
    states = {
        "sound": message("The tournament holds: {reason}.", reason=reason),
        "broken": message("The tournament differs: {reason}.", reason=reason),
        "unknown": message(
            "Whether the tournament holds cannot be known: {reason}.", reason=reason
        ),
    }
    echo(renderer(states[verdict.outcome]))


def _parts_of(url: str) -> tuple[str, str]:
    """Return the server and the id in the address of a tournament. Raises SourceNotFound."""
    from cartulary.addresses import Address, InvalidAddress

    try:
        address = Address.parse(url)
    except InvalidAddress as error:
        raise SourceNotFound(error.message) from None
    if address.tournament is None:
        raise SourceNotFound(message("{url} is not the address of a tournament", url=url))
    return address.server, address.tournament


def _read_file(path: Path) -> bytes:
    """Return the bytes of a file. Raises Unreadable; BadParameter if it cannot be opened."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_RECORD_BYTES + 1)
    except OSError as error:
        fault = message("cannot open {path}: {reason}", path=str(path), reason=os_reason(error))
        raise SourceNotFound(fault) from None


def _folder(path: str) -> Path:
    """Return the path of a folder. Raises BadParameter if there is none."""
    folder = Path(path)
    if not folder.is_dir():
        raise bad_parameter(message("there is no folder {path}", path=path), "--games")
    return folder


def _games_in(folder: Path) -> Callable[[str], bytes | None]:
    """Return a function that reads the record of a game from a folder."""

    def load(game_id: str) -> bytes | None:
        path = folder / f"{game_id}.jsonl"
        return path.read_bytes() if path.is_file() else None

    return load


def _games_of(client: "Client") -> Callable[[str], bytes | None]:
    """Return a function that downloads the record of a game; what cannot be downloaded is missing."""

    def load(game_id: str) -> bytes | None:
        try:
            return client.record(game_id)
        except CartularyError:
            return None

    return load

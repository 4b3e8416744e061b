"""The command ratings: computes the ratings of a server again from records, and compares."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cartulary.command_line import PathType, argument, bad_parameter, command, option, usage_error
from cartulary.commands.audit import EXIT_STATUS, RECORDS
from cartulary.commands.options import json_option, public_key, token_file_option
from cartulary.language import command_renderer
from cartulary.source import client_of, is_url, required_token
from cartulary.terminal import echo, print_message, progress
from domain.errors import CartularyError, Unreadable
from domain.json_types import JsonObject
from domain.messages import Instant, message, message_in, plural_message
from ledger.canonical import canonical, decode_any
from ledger.files.os_errors import os_reason

if TYPE_CHECKING:
    from client.clients import Client
    from replay.ratings.audit import Verdict
    from replay.ratings.player_ratings import RatingExclusion

RATINGS_FILE: Final = "ratings.json"
"""The file in a folder of records with what the server says about its ratings."""
_MAX_FILE_BYTES: Final = 1 << 28


class _Published(NamedTuple):
    """What a server says about its ratings."""

    statement: Any
    lines: list[Any]
    keys: list[JsonObject]

    @classmethod
    def of(cls, statement: object, lines: list[Any], keys: list[Any]) -> "_Published":
        """Return it with those of the keys that have the form of a key."""
        return cls(
            statement,
            lines,
            [key for key in keys if isinstance(key, dict) and isinstance(key.get("public"), str)],
        )


@command(
    "ratings",
    help=(
        message("Compute the ratings of a server again from its records, and compare them."),
        message(
            "SOURCE is the address of a server, or a folder of records (*.jsonl) with the file {file}, which"
            " --save writes. docs/ratings.md explains which games count.",
            file=RATINGS_FILE,
        ),
        message(
            "With --club, the ratings are those in a club, which its members check with a token. A folder of"
            " these needs no option."
        ),
        message(
            "Exit status: 0 when the ratings are those of the records, 1 when they differ or a record is"
            " broken, 2 when the source is missing, 3 when records are missing to know it."
        ),
    ),
)
@argument("source", metavar=message_in("metavar", "SOURCE"))
@option(
    "--save",
    type=PathType(file_okay=False),
    metavar=message_in("metavar", "FOLDER"),
    help=message(
        "Keep what is downloaded in this folder; records that are there, with the proof of their end, are not"
        " read again."
    ),
)
@option(
    "--key",
    metavar="HEX",
    help=message(
        "Public key of the server, which must have signed the statement, 32 bytes in hex."
    ),
)
@option(
    "--club",
    metavar=message_in("metavar", "CLUB"),
    help=message("Check the ratings in the club with this id instead of those of the server."),
)
@token_file_option
@json_option
def ratings(
    source: str,
    save: Path | None,
    key: str | None,
    club: str | None,
    as_json: bool,  # noqa: FBT001 # click passes options by name
) -> None:
    from replay.ratings.audit import Verdict

    expected = None if key is None else public_key(key)
    with ExitStack() as stack:
        if is_url(source):
            client = stack.enter_context(client_of(source))
            if club is not None:
                client.token = required_token(source)
            published = _download(client, club)
            paths = _download_records(client, save, published, club)
            verdict = _check(published, paths, expected)
        else:
            if save is not None:
                raise usage_error(message("--save needs the address of a server"))
            if club is not None:
                raise usage_error(message("--club needs the address of a server"))
            published = _read_published(Path(source))
            folder = sorted(Path(source).glob(RECORDS))
            verdict = _check(published, (path.read_bytes() for path in folder), expected)
    assert isinstance(verdict, Verdict)
    renderer = command_renderer(in_utc=as_json)
    games = len(published.lines)
    if as_json:
        entry: JsonObject = {
            "verdict": verdict.outcome,
            "number": verdict.number,
            "reason": renderer(verdict.reason),
            "games": games,
            "excluded": list(verdict.excluded),
        }
        echo(canonical(entry).decode())
    elif verdict.outcome == "sound":
        echo(
            renderer(
                plural_message(
                    "The ratings hold: {count} rated game leads to the history that the server has signed.",
                    "The ratings hold: {count} rated games lead to the history that the server has signed.",
                    count=games,
                )
            )
        )
    else:
        template = (
            message("{reason}", reason=verdict.reason)
            if verdict.number is None
            else message("game {number}: {reason}", number=verdict.number, reason=verdict.reason)
        )
        state = (
            message("The ratings differ. {reason}", reason=template)
            if verdict.outcome == "broken"
            else message("Whether the ratings hold cannot be known. {reason}", reason=template)
        )
        echo(renderer(state))
    if verdict.excluded and not as_json:
        _print_exclusions(verdict.excluded)
    sys.exit(EXIT_STATUS[verdict.outcome])


def _print_exclusions(exclusions: "Sequence[RatingExclusion]") -> None:
    """Print which games do not count by rulings of administrators, and why."""
    renderer = command_renderer()
    echo(
        renderer(
            plural_message(
                "{count} game does not count by a ruling of an administrator",
                "{count} games do not count by rulings of administrators",
                count=len(exclusions),
            )
        )
    )
    for exclusion in exclusions:
        line = message(
            "{time}: {reason}", time=Instant(exclusion["at"]), reason=exclusion["reason"]
        )
        echo(f"  {exclusion['game']} {renderer(line)}")


def _check(published: _Published, records: Iterator[bytes], expected: str | None) -> "Verdict":
    """Compare what a server says with records."""
    from replay.ratings.audit import (
        RatedRecord,
        Verdict,
        check_ratings,
        club_of_statement,
        examine_record,
    )

    club = club_of_statement(published.statement)
    keys = published.keys
    if expected is not None:
        keys = [entry for entry in keys if entry["public"] == expected]
    log = published.statement.get("log") if isinstance(published.statement, dict) else ""
    examined: list[RatedRecord] = []
    for data in records:
        try:
            examined.append(examine_record(data, str(log), published.keys, club))
        except Unreadable as error:
            return Verdict("broken", message("{reason}", reason=error.why))
    return check_ratings(published.statement, published.lines, keys, examined)


def _read_published(folder: Path) -> _Published:
    """Return what a folder has of a server. Raises BadParameter, ClickException."""
    path = folder / RATINGS_FILE
    try:
        with path.open("rb") as file:
            stored = decode_any(file.read(_MAX_FILE_BYTES))
        return _Published.of(stored["statement"], list(stored["games"]), list(stored["keys"]))
    except OSError as error:
        fault = message("cannot open {path}: {reason}", path=str(path), reason=os_reason(error))
        raise bad_parameter(fault) from None
    except (Unreadable, KeyError, TypeError):
        raise CartularyError.with_message(
            "{path} does not have the form of its kind", path=str(path)
        ) from None


def _download(client: "Client", club: str | None) -> _Published:
    """Return what a server says about its ratings, or those in a club, as of one statement.

    Raises CartularyError if the server has signed a statement about other ratings.
    """
    from client.witness import calls
    from replay.ratings.audit import club_of_statement

    statement = client.run(calls.ratings_statement(club))
    if club_of_statement(statement) != club:
        raise CartularyError.with_message("the server has sent a statement about other ratings")
    lines: list[Any] = []
    games = statement.get("games")
    while isinstance(games, int) and len(lines) < games:
        page = client.run(calls.ratings_page(len(lines), club))
        if not page:
            break
        lines += page
    keys = client.run(calls.public_keys())
    return _Published.of(statement, lines[: games if isinstance(games, int) else 0], keys)


def _download_records(
    client: "Client", folder: Path | None, published: _Published, club: str | None
) -> Iterator[bytes]:
    """Yield the records of the rated games of a server: those of its history, and other finished ones."""
    from ledger.envelope import is_game_id

    named = [line.get("game") for line in published.lines if isinstance(line, dict)]
    named += _finished_games(client, club)
    # They become names of files.
    games = dict.fromkeys(game for game in named if isinstance(game, str) and is_game_id(game))
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        ratings = {
            "statement": published.statement,
            "games": published.lines,
            "keys": published.keys,
        }
        (folder / RATINGS_FILE).write_bytes(canonical(ratings) + b"\n")
    pairs = ((game, game) for game in games)
    for game, _ in progress(pairs, len(games), message("download")):
        path = None if folder is None else folder / f"{game}.jsonl"
        stored = path.read_bytes() if path is not None and path.exists() else None
        if stored is not None and not _is_provisional(stored):
            yield stored
            continue
        try:
            data = client.record(game)
        except CartularyError as error:
            print_message(message("{source}: {reason}", source=game, reason=error.message))
            if stored is not None:
                yield stored
            continue
        if path is not None:
            partial = path.with_suffix(".part")
            partial.write_bytes(data)
            partial.replace(path)
        yield data


def _is_provisional(data: bytes) -> bool:
    """Return whether a record that is downloaded again may show more. One that is broken stays as it is."""
    from replay.ratings.audit import proves_end

    try:
        return not proves_end(data)
    except Unreadable:
        return False


def _finished_games(client: "Client", club: str | None) -> Iterator[str]:
    """Yield the rated ones among the finished games that a server lists, public ones or those of a club."""
    cursor: str | None = None
    while True:
        page = client.games(status="finished", club=club, cursor=cursor, limit=100)
        yield from (game.id for game in page.games if game.options.get("rated") is True)
        cursor = page.next
        if cursor is None:
            return

"""The file of an archived game: a line with data that records do not contain, and the record.

A file consists of lines of JSON, compressed with gzip. The first one has the hashes that are beside a log in
Redis, by their names:

    {"archive": 1, "game": GAME, "parts": {"secrets": {…}, "receipts": {…}, "messages": {…}}}

The other lines are the record of the game (docs/formats.md), with all openings, signed when it was archived.
Its header does not name the players, so that it need not be changed when the account of one of them is
erased.
"""

import gzip
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any, Final

import orjson

from domain.contract import STATEMENT
from domain.errors import Unreadable
from domain.fold import fold
from domain.json_types import JsonObject
from ledger import record
from ledger.canonical import canonical
from replay.audit.quick import quick_audit
from service.keyring import Keyring

VERSION: Final = 1
MAX_BYTES: Final = 2 * record.MAX_RECORD_BYTES
"""The most bytes of the lines of a file."""
LEVEL: Final = 6
"""The compression level: higher ones take longer and save less than one percent."""

Parts = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class ArchivedGame:
    """The lines of the log of a game, and the hashes beside it, by part."""

    id: str
    lines: Sequence[bytes]
    parts: Parts

    @cached_property
    def size(self) -> int:
        """The approximate size of its contents in bytes."""
        return sum(map(len, self.lines)) + sum(
            len(name) + len(value) for part in self.parts.values() for name, value in part.items()
        )

    @property
    def last_event(self) -> dict[str, Any]:
        """The last event, decoded."""
        event: dict[str, Any] = orjson.loads(self.lines[-1])
        return event


def encode(game: ArchivedGame, keyring: Keyring) -> bytes:
    """Return the file of a game. Raises Unreadable if the game is damaged, and the errors of the keyring."""
    first: JsonObject = {
        "archive": VERSION,
        "game": game.id,
        "parts": {name: dict(values) for name, values in game.parts.items()},
    }
    try:
        openings = _openings(game.parts.get("secrets", {}))
        events = [orjson.loads(line) for line in game.lines]
        opened = {
            seq: {name: opening["value"] for name, opening in of_event.items() if name != STATEMENT}
            for seq, of_event in openings.items()
        }
        head = fold(events, None, opened)
        assert head is not None, "there are events"
    except (AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Unreadable.with_message(
            "the log of game {game} is damaged: {reason}", game=game.id, reason=repr(error)
        ) from error
    header = record.header(head, keyring.public_keys(), keyring.sign_head)
    lines = record.write(header, game.lines, openings)
    return gzip.compress(b"".join([canonical(first), b"\n", *lines]), LEVEL, mtime=0)


def decode(data: bytes) -> ArchivedGame:
    """Return the game in a file. Raises Unreadable."""
    lines = _decompress(data).split(b"\n")
    try:
        first = orjson.loads(lines[0])
        version = first["archive"]
        count = orjson.loads(lines[1])["head"]["seq"]
        game = ArchivedGame(first["game"], lines[2 : 2 + count], first["parts"])
        last = game.last_event["seq"]
    except (LookupError, TypeError, ValueError) as error:
        raise Unreadable.with_message(
            "the archived game is damaged: {reason}", reason=repr(error)
        ) from None
    if version != VERSION:
        raise Unreadable.with_message("the archived game is of a later version")
    if last != count:
        raise Unreadable.with_message("the archived game is damaged: it has no last event")
    return game


def verify(stored: bytes | None, data: bytes, game: ArchivedGame, keyring: Keyring) -> None:
    """Raise Unreadable unless the stored file equals `data`, and contains this game with a sound record.

    The form of the record, its hash chain and the signature of its head are checked as by an audit.
    """
    if stored != data or decode(stored) != game:
        raise Unreadable.with_message("the archive has not kept what was written")
    lines = _decompress(stored).partition(b"\n")[2]
    keys = [str(entry["public"]) for entry in keyring.public_keys()]
    problem = quick_audit(BytesIO(lines), keys=keys).first
    if problem is not None:
        raise Unreadable.with_message(
            "the record is broken: {problem}", problem=problem.located_problem
        )


def _openings(secrets: Mapping[str, str]) -> dict[int, dict[str, Any]]:
    """Return the openings of all secrets by seq and name; after the end of a game, all of them are public."""
    openings: dict[int, dict[str, Any]] = {}
    for key, opening in secrets.items():
        seq, _, name = key.partition("/")
        if name:
            openings.setdefault(int(seq), {})[name] = orjson.loads(opening)
    return openings


def _decompress(data: bytes) -> bytes:
    decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        lines = decompressor.decompress(data, MAX_BYTES)
    except zlib.error as error:
        raise Unreadable.with_message(
            "the archived game is damaged: {reason}", reason=str(error)
        ) from None
    if not decompressor.eof:
        raise Unreadable.with_message("the archived game is incomplete, or too large")
    return lines

"""Writes and reads game records: a record is one game in one file that stands alone (docs/formats.md).

The reader checks that every line is canonical JSON, has the required fields, and is in a permitted place.
`replay.audit` checks whether the lines are true.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any, BinaryIO, Final

from domain.errors import Unreadable
from domain.event import ENDINGS, ZEROS, Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Text, message
from ledger.canonical import canonical, decode
from ledger.files.os_errors import os_reason
from ledger.record_schema import (
    FORMAT,
    Opening,
    check_event,
    check_header,
    check_openings,
    check_receipt,
    reject,
)

MAX_LINE_BYTES: Final = 1 << 20
"""Length of a line with its line feed. The longest events, with a whole board, have some thousands."""
MAX_RECORD_BYTES: Final = 1 << 26
"""Length of a record. A long game has some hundred thousands."""
MAX_VALUES: Final = 1 << 22
"""Commas and opening brackets in a record, which bound the memory that its values take. A record of
`MAX_RECORD_BYTES` from a real game has about as many: one for every 14 to 18 bytes.
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """A line (counted from 1) of a record that is not valid, and why."""

    line: int
    why: Text


@dataclass(slots=True)
class Record:
    """A decoded game record. Event `seq` is in line `seq` + 1 of the file.

    `lines` are the canonical lines of the events, without line feeds. `openings` holds the opened
    secrets by seq and name. `opening_lines` and `receipt_lines` are the numbers of their lines in the file.
    """

    header: JsonObject
    events: list[Event] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    openings: dict[int, dict[str, Opening]] = field(default_factory=dict)
    receipts: list[JsonObject] = field(default_factory=list)
    opening_lines: dict[int, int] = field(default_factory=dict)
    receipt_lines: list[int] = field(default_factory=list)

    @property
    def game(self) -> str:
        """The game's id."""
        id: str = self.header["game"]
        return id

    @property
    def has_ended(self) -> bool:
        """Whether the last event ends the game, so that no secrets are left."""
        return bool(self.events) and self.events[-1]["type"] in ENDINGS

    @property
    def names(self) -> dict[str, str]:
        """The handles of the players, by id, as the header states them. No hash covers them, so a name proves
        nothing. Players without a handle (whose account was erased) are left out.
        """
        return {
            player["id"]: player["handle"]
            for player in self.header.get("players", ())
            if player["handle"] is not None
        }

    def opened_values(self) -> dict[int, dict[str, Any]]:
        """Return the values of all opened secrets, by the seq of their event and by name."""
        return {
            seq: {name: opening["value"] for name, opening in by_name.items()}
            for seq, by_name in self.openings.items()
        }


@cache
def engine() -> str:
    """Return the version of this program, as the header of a record names it."""
    return version("cartulary")


def header(
    game: Game,
    keys: Iterable[JsonObject],
    sign_head: Callable[[JsonObject], JsonObject],
    players: Sequence[JsonObject] = (),
    inclusion: JsonObject | None = None,
    log: str | None = None,
) -> JsonObject:
    """Return the signed header for a record of all events of a game so far.

    `keys` are all published keys, including retired ones, as `{"key", "public", "from", "until"}`;
    `sign_head` is `SigningKey.sign_head`. `players` names the players, as `{"id", "handle", "keys"}`, and is
    left out when it is empty. `log` is the name of the transparency log that the server publishes, and
    `inclusion` proves that this log contains a head of the game.
    """
    unsigned: JsonObject = {
        "format": FORMAT,
        "game": game.id,
        "rules": game.rules.NAME,
        "keys": list(keys),
        "head": {"seq": game.seq, "hash": game.hash},
        "engine": engine(),
    }
    if players:
        unsigned["players"] = list(players)
    if log is not None:
        unsigned["log"] = log
    if inclusion is not None:
        unsigned["inclusion"] = inclusion
    return sign_head(unsigned)


def write(
    header: JsonObject,
    lines: Iterable[bytes],
    openings: Mapping[int, Mapping[str, Opening]],
    receipts: Iterable[JsonObject] = (),
) -> Iterator[bytes]:
    """Iterate over the lines of a record, each with its line feed.

    `lines` are the canonical lines of the events, without line feeds. `openings` holds, by seq and name, the
    openings of the secrets that the reader may see.
    """
    yield canonical(header) + b"\n"
    for line in lines:
        yield line + b"\n"
    for seq in sorted(openings):
        if openings[seq]:
            yield canonical({"seq": seq, "open": dict(openings[seq])}) + b"\n"
    for receipt in receipts:
        yield canonical({"receipt": receipt}) + b"\n"


def read(source: BinaryIO, *, max_line_values: int = MAX_VALUES) -> Record:
    """Return the record in a binary file. Raises Unreadable for the first line that is not valid.

    A line with more than `max_line_values` commas and opening brackets is not decoded.
    """
    record, faults = scan(source, max_faults=1, max_line_values=max_line_values)
    if faults:
        raise Unreadable(faults[0].why, faults[0].line)
    return record


def scan(
    source: BinaryIO, *, max_faults: int = 20, max_line_values: int = MAX_VALUES
) -> tuple[Record, list[Fault]]:
    """Return the readable part of a record, and its faults in the order of lines.

    An invalid header is read as {}. Events are kept up to the first faulty line; openings and receipts are
    kept wherever they are valid. Reading stops after `max_faults` faults, and at a line with more than
    `max_line_values` commas and opening brackets.
    """
    reader = RecordReader()
    try:
        for number, line in enumerate(_lines(source, max_line_values), start=1):
            reader.take(number, line)
            if len(reader.faults) == max_faults:
                break
    except Unreadable as unreadable:
        reader.faults.append(Fault(unreadable.line or 1, unreadable.why))
    if not reader.faults and not reader.record.events:
        is_empty = not reader.record.header
        reader.faults.append(
            Fault(1, message("the record is empty"))
            if is_empty
            else Fault(2, message("there are no events"))
        )
    return reader.record, reader.faults


def first_contradiction(record: Record) -> Fault | None:
    """Return the first line that is valid by itself but contradicts another one; None if there is none.

    Compares the events' games, numbers and `prev` with each other, and the header with the last event. Hashes
    are not computed again: this is a quick check before a record is shown, not an audit.
    """
    header, events = record.header, record.events
    game, prev = header["game"], ZEROS
    for seq, event in enumerate(events, 1):
        line = seq + 1
        if event["game"] != game:
            return Fault(
                line,
                message(
                    "it is an event of game {other}, in a record of game {game}",
                    other=event["game"],
                    game=game,
                ),
            )
        if event["seq"] != seq:
            return Fault(
                line,
                message(
                    "event {event} follows event {previous}", event=event["seq"], previous=seq - 1
                ),
            )
        if event["prev"] != prev:
            return Fault(line, message("its prev is not the hash of the previous event"))
        prev = event["hash"]
    head = header["head"]
    if head["seq"] > len(events):
        return Fault(
            len(events) + 2,
            message(
                "the events end with {last}, but the signed head is event {head}",
                last=len(events),
                head=head["seq"],
            ),
        )
    if head["seq"] < len(events) or head["hash"] != prev:
        return Fault(1, message("the signed head is not the last event of the record"))
    if header["rules"] != events[0]["data"]["rules"]:
        return Fault(
            1,
            message(
                "the header names the rules {rules}, and the first event others",
                rules=header["rules"],
            ),
        )
    return None


def _lines(source: BinaryIO, max_line_values: int) -> Iterator[bytes]:
    """Yield the lines without line feeds. Raises Unreadable for a line or a record over a limit."""
    total = number = values = 0
    while True:
        number += 1
        try:
            line = source.readline(MAX_LINE_BYTES + 1)
        except OSError as error:
            raise Unreadable(
                message("it cannot be read: {reason}", reason=os_reason(error)), number
            ) from None
        if not line:
            return
        size = len(line)
        total += size
        line_values = line.count(b",") + line.count(b"[") + line.count(b"{")
        values += line_values
        if size > MAX_LINE_BYTES:
            raise Unreadable(
                message("the line has more than {most} bytes", most=MAX_LINE_BYTES), number
            )
        if line_values > max_line_values:
            raise Unreadable(
                message("the line has more than {most} values", most=max_line_values), number
            )
        if total > MAX_RECORD_BYTES:
            raise Unreadable(
                message("the record has more than {most} bytes", most=MAX_RECORD_BYTES), number
            )
        if values > MAX_VALUES:
            raise Unreadable(
                message("the record has more than {most} values", most=MAX_VALUES), number
            )
        yield line.removesuffix(b"\n")


class RecordReader:
    """Adds the lines of a record to a `Record`, one by one."""

    def __init__(self) -> None:
        self.record = Record({})
        self.faults: list[Fault] = []
        self._is_past_events = False
        self._is_cut = False
        """Whether an event could not be read, so that the events after it have no known seq."""

    def take(self, number: int, line: bytes) -> None:
        """Add another line, or the fault in it."""
        try:
            value = decode(line)
            if not isinstance(value, dict):
                reject(message("a line must be a JSON object"))
            if number == 1:
                self.record.header = check_header(value)
            elif "receipt" in value:
                self._receipt(number, value)
            elif "open" in value:
                self._open(number, value)
            else:
                self._event(line, value)
        except Unreadable as unreadable:
            self.faults.append(Fault(number, unreadable.why))
            if number > 1 and not self._is_past_events:
                self._is_cut = True

    def _event(self, line: bytes, value: JsonObject) -> None:
        if self._is_past_events:
            reject(message("an event comes after openings or receipts"))
        if self._is_cut:
            return
        record = self.record
        record.events.append(check_event(value, len(record.events) + 1))
        record.lines.append(line)

    def _open(self, number: int, value: JsonObject) -> None:
        if self.record.receipts:
            reject(message("openings come after receipts"))
        self._is_past_events = True
        seq, openings = check_openings(value)
        if self.record.opening_lines and seq <= max(self.record.opening_lines):
            reject(
                message(
                    "the openings of event {event} come twice, or after those of a later event",
                    event=seq,
                )
            )
        self.record.openings[seq] = openings
        self.record.opening_lines[seq] = number

    def _receipt(self, number: int, value: JsonObject) -> None:
        self._is_past_events = True
        self.record.receipts.append(check_receipt(value))
        self.record.receipt_lines.append(number)

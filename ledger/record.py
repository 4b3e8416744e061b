"""The game record: one game in one file that stands alone, as docs/formats.md has it.

Here records are written, and read with their form checked: each line canonical, in its place, with the fields
it must have. What the lines say is believed here; whether it is true is `replay.audit`'s business.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any, BinaryIO, Final

from domain.contract import Json
from domain.errors import Unreadable
from domain.event import ENDINGS, Event
from domain.game import Game
from ledger.canonical import canonical, decode
from ledger.record_form import (
    FORMAT,
    Opening,
    checked_event,
    checked_header,
    checked_openings,
    checked_receipt,
    wrong,
)

LONGEST_LINE: Final = 1 << 20
"""Bytes of a line, its end included; the longest events, with a whole board, have some thousands."""
MOST_BYTES: Final = 1 << 26
"""Bytes of a record; a long game has one million."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a record that is not of the form: in which line (from 1), and why."""

    line: int
    why: str


@dataclass(slots=True)
class Record:
    """A game record, decoded. The event of `seq` stands in line `seq` + 1 of the file.

    `lines` are the events' canonical lines without line feeds; `opens` has by seq and name what was opened;
    `open_lines` and `receipt_lines` say in which lines of the file these stand.
    """

    header: Json
    events: list[Event] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    opens: dict[int, dict[str, Opening]] = field(default_factory=dict)
    receipts: list[Json] = field(default_factory=list)
    open_lines: dict[int, int] = field(default_factory=dict)
    receipt_lines: list[int] = field(default_factory=list)

    @property
    def game(self) -> str:
        """The game's id."""
        id: str = self.header["game"]
        return id

    @property
    def has_ended(self) -> bool:
        """Whether the game is over with its last event, so that nothing in it is secret any more."""
        return bool(self.events) and self.events[-1]["type"] in ENDINGS

    def opened(self) -> dict[str, Any]:
        """All opened secret values, by name."""
        return {
            name: opening["value"]
            for opens in self.opens.values()
            for name, opening in opens.items()
        }


@cache
def engine() -> str:
    """What wrote a record: this program's version."""
    return version("cartulary")


def header(game: Game, keys: Iterable[Json], sign_head: Callable[[Json], Json]) -> Json:
    """The header for a record of all of a game's events so far; `sign_head` is `SigningKey.sign_head`.

    `keys` are the published ones, retired ones too, `{"key", "public", "from", "until"}`.
    """
    return sign_head(
        {
            "format": FORMAT,
            "game": game.id,
            "rules": game.rules.NAME,
            "keys": list(keys),
            "head": {"seq": game.seq, "hash": game.hash},
            "engine": engine(),
        }
    )


def write(
    header: Json,
    lines: Iterable[bytes],
    opens: Mapping[int, Mapping[str, Opening]],
    receipts: Iterable[Json] = (),
) -> Iterator[bytes]:
    """The lines of a record, each ending with a line feed. `lines` are the events', canonical, without it.

    `opens` holds what the reader may see, by seq and name.
    """
    yield canonical(header) + b"\n"
    for line in lines:
        yield line + b"\n"
    for seq in sorted(opens):
        if opens[seq]:
            yield canonical({"seq": seq, "open": dict(opens[seq])}) + b"\n"
    for receipt in receipts:
        yield canonical({"receipt": receipt}) + b"\n"


def read(source: BinaryIO) -> Record:
    """The record in a binary file. Raises Unreadable for the first thing that is not of the form."""
    record, faults = scan(source, most_faults=1)
    if faults:
        raise Unreadable(faults[0].why, faults[0].line)
    return record


def scan(source: BinaryIO, *, most_faults: int = 20) -> tuple[Record, list[Fault]]:
    """As much of a record as can be read, and what in it is not of the form, in order of lines.

    A header that is not of the form is {}. Of the events those before the first faulty line are kept, of
    what follows them every line that is of the form. Nothing is read after `most_faults`.
    """
    reader = _Reader()
    try:
        for number, line in enumerate(_lines(source), start=1):
            reader.take(number, line)
            if len(reader.faults) == most_faults:
                break
    except Unreadable as unreadable:
        reader.faults.append(Fault(unreadable.line or 1, unreadable.why))
    if not reader.faults and not reader.record.events:
        is_empty = not reader.record.header
        reader.faults.append(
            Fault(1, "it is empty") if is_empty else Fault(2, "there are no events")
        )
    return reader.record, reader.faults


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """The lines without their ends. Raises Unreadable for what is too long to be looked at."""
    total = number = 0
    while True:
        number += 1
        try:
            line = source.readline(LONGEST_LINE + 1)
        except OSError as error:
            raise Unreadable(f"it cannot be read: {error.strerror}", number) from None
        if not line:
            return
        total += len(line)
        if len(line) > LONGEST_LINE:
            raise Unreadable(f"the line has more than {LONGEST_LINE} bytes", number)
        if total > MOST_BYTES:
            raise Unreadable(f"the record has more than {MOST_BYTES} bytes", number)
        yield line.removesuffix(b"\n")


class _Reader:
    """Takes the lines of a record one by one and puts each where it belongs."""

    def __init__(self) -> None:
        self.record = Record({})
        self.faults: list[Fault] = []
        self._is_past_events = False
        self._is_cut = False
        """Whether an event could not be read: what follows it has no place in the order."""

    def take(self, number: int, line: bytes) -> None:
        """One more line; what is wrong with it is noted."""
        try:
            value = decode(line)
            if not isinstance(value, dict):
                wrong("a line holds one JSON object")
            if number == 1:
                self.record.header = checked_header(value)
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

    def _event(self, line: bytes, value: Json) -> None:
        if self._is_past_events:
            wrong("an event stands behind openings or receipts")
        if self._is_cut:
            return
        self.record.events.append(checked_event(value, len(self.record.events) + 1))
        self.record.lines.append(line)

    def _open(self, number: int, value: Json) -> None:
        if self.record.receipts:
            wrong("openings stand before receipts")
        self._is_past_events = True
        seq, opens = checked_openings(value)
        if self.record.open_lines and seq <= max(self.record.open_lines):
            wrong(f"openings of event {seq} stand behind those of a later one, or twice")
        self.record.opens[seq] = opens
        self.record.open_lines[seq] = number

    def _receipt(self, number: int, value: Json) -> None:
        self._is_past_events = True
        self.record.receipts.append(checked_receipt(value))
        self.record.receipt_lines.append(number)

"""The histories in two records: their common events, and the first event that differs.

No hash that a file states is trusted: the unbroken part of its hash chain is computed first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final, Literal, TypeAlias

from domain.event import ZEROS, Event
from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.pending import hash_in
from ledger.record import Fault, Record, scan

Side: TypeAlias = Literal["a", "b"]
SIDES: Final[tuple[Side, Side]] = ("a", "b")
Relation: TypeAlias = Literal[
    "equal", "b_continues_a", "a_continues_b", "diverged", "other_game", "receipts", "unknown"
]
DivergenceKind: TypeAlias = Literal["edited", "missing", "moved", "rewritten", "other_history"]

_CONTENT: Final = ("type", "by", "action", "data", "at")
"""The fields of an event that do not change if earlier events are changed and all are sealed again."""


@dataclass(frozen=True, slots=True)
class History:
    """The events of one file.

    The first `intact` events form an unbroken hash chain of one game, so that the hash of each of them stands
    for all events up to it. `is_cut` states that a line of the events cannot be read, so that there are more
    events than the record has.
    """

    record: Record
    faults: Sequence[Fault]
    intact: int
    is_cut: bool

    @property
    def events(self) -> Sequence[Event]:
        """The events that can be read."""
        return self.record.events

    @property
    def game(self) -> str | None:
        """The id of the game, as the first event states it; None if there is no event."""
        return self.events[0]["game"] if self.events else None

    @property
    def has_only_receipts(self) -> bool:
        """Whether this is a file of receipts, and not a record."""
        return not self.record.header and not self.faults and bool(self.record.receipts)

    def contains(self, seq: int, hash: str) -> bool:
        """Return whether the event `seq` of the intact chain has this hash."""
        return 1 <= seq <= self.intact and self.events[seq - 1]["hash"] == hash

    def contradicts(self, seq: int, hash: str) -> bool:
        """Return whether the event `seq` of the intact chain has another hash."""
        return 1 <= seq <= self.intact and self.events[seq - 1]["hash"] != hash


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference of two records of one game, which is after event `after`.

    Both have this event; 0 stands for the start. `side` is the record that was edited, or that lacks events,
    if that is known. `first` and `last` are the seqs of the missing events in the other record.
    """

    kind: DivergenceKind
    after: int
    side: Side | None = None
    first: int | None = None
    last: int | None = None

    def as_json(self) -> JsonObject:
        """Return all fields as a JSON object."""
        return {
            "kind": self.kind,
            "after": self.after,
            "side": self.side,
            "first_missing": self.first,
            "last_missing": self.last,
        }


def history_of_receipts(receipts: Sequence[JsonObject]) -> History:
    """Return a history that is known only from receipts for some of its events."""
    lines = [*range(1, len(receipts) + 1)]
    return History(Record({}, receipts=[*receipts], receipt_lines=lines), (), 0, is_cut=False)


def read_history(source: BinaryIO) -> History:
    """Return the readable part of the history in a binary file."""
    return history_of(*scan(source))


def history_of(record: Record, faults: Sequence[Fault]) -> History:
    """Return the history in a record that has been read, with these faults."""
    is_cut = any(fault.line == len(record.events) + 2 for fault in faults)
    return History(record, faults, _intact(record), is_cut)


def _intact(record: Record) -> int:
    """Return the number of events, from the first, whose hashes, seqs and game are right."""
    prev = ZEROS
    for count, (event, line) in enumerate(zip(record.events, record.lines, strict=True)):
        is_next = event["seq"] == count + 1 and event["prev"] == prev
        if not is_next or event["game"] != record.events[0]["game"]:
            return count
        if hash_in(line, event["hash"]) != event["hash"]:
            return count
        prev = event["hash"]
    return len(record.events)


def relation(a: History, b: History) -> tuple[Relation, Divergence | None]:
    """Return the relation of two histories, and their divergence, if any."""
    if not a.events or not b.events:
        has_receipts = any(history.has_only_receipts for history in (a, b))
        return ("receipts" if has_receipts and (a.events or b.events) else "unknown"), None
    if a.game != b.game:
        return "other_game", None
    common = common_events(a, b)
    if common < min(len(a.events), len(b.events)):
        return "diverged", _divergence(a, b, common)
    if len(a.events) == len(b.events):
        return ("unknown", None) if a.is_cut or b.is_cut else ("equal", None)
    shorter, longer = (a, b) if len(a.events) < len(b.events) else (b, a)
    if shorter.is_cut or longer.intact <= common:
        return "unknown", None
    return ("b_continues_a" if shorter is a else "a_continues_b"), None


def common_events(a: History, b: History) -> int:
    """Return the number of events, from the first, that are the same in both."""
    common = 0
    for line, other in zip(a.record.lines, b.record.lines, strict=False):
        if line != other:
            break
        common += 1
    return common


def _divergence(a: History, b: History, common: int) -> Divergence:
    rest_a, rest_b = _contents(a.events[common:]), _contents(b.events[common:])
    if (edited := _edited_side(a, b, common)) is not None:
        return Divergence("edited", common, edited)
    for side, short, long in (("a", rest_a, rest_b), ("b", rest_b, rest_a)):
        if (gap := _index(long, short[0])) is not None:
            # The first event of one side comes later on the other side: the events in between are missing,
            # unless they come later on the first side too.
            if _index(short, long[0]) is not None:
                return Divergence("moved", common)
            lacking: Side = "a" if side == "a" else "b"
            return Divergence("missing", common, lacking, common + 1, common + gap)
    first_a, first_b = a.events[common], b.events[common]
    goes_on_alike = len(rest_a) > 1 and len(rest_b) > 1 and rest_a[1] == rest_b[1]
    is_same_moment = (first_a["at"], first_a["by"]) == (first_b["at"], first_b["by"])
    if goes_on_alike or is_same_moment:
        return Divergence("rewritten", common)
    return Divergence("other_history", common)


def _edited_side(a: History, b: History, common: int) -> Side | None:
    """Return the record whose first differing event does not match its own hash, if the other one's does.

    An event that follows a gap has a right hash, so only its content is hashed here.
    """
    line_a, line_b = a.record.lines[common], b.record.lines[common]
    is_sealed_a = hash_in(line_a, a.events[common]["hash"]) == a.events[common]["hash"]
    is_sealed_b = hash_in(line_b, b.events[common]["hash"]) == b.events[common]["hash"]
    if is_sealed_a == is_sealed_b:
        return None
    return "b" if is_sealed_a else "a"


def _contents(events: Sequence[Event]) -> list[bytes]:
    fields: list[JsonObject] = [dict(event) for event in events]
    return [canonical([event[name] for name in _CONTENT]) for event in fields]


def _index(contents: Sequence[bytes], content: bytes) -> int | None:
    try:
        return contents.index(content, 1)
    except ValueError:
        return None

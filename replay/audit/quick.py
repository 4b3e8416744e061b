"""The quick audit: the form of a record, its hash chain and the signature of its head. No game is replayed.

Nearly every line of a record is an event in the usual form. Such a line is checked with a few comparisons of
bytes, and not kept. If any line of a record is unexpected, the checks of the complete audit read the whole
record again, and find the place and the reason.
"""

from collections.abc import Sequence
from hashlib import sha256
from io import BytesIO
from typing import Any, BinaryIO, Final

import orjson

from domain.errors import Unreadable
from domain.event import ENDINGS, ZEROS, Event
from domain.json_types import JsonObject
from ledger.canonical import CANONICAL_OPTIONS, decode, find_exponent
from ledger.envelope import FIELDS, MAX_SEATS, TIMESTAMP, is_actor, is_timestamp
from ledger.pending import hash_in
from ledger.record import MAX_LINE_BYTES, MAX_RECORD_BYTES, MAX_VALUES, Record, RecordReader, scan
from ledger.record_schema import HEADER_FIELDS, check_event
from replay.audit.chain import check_chain
from replay.audit.evidence_holders import name_holders
from replay.audit.findings import Check, Report
from replay.audit.signatures import check_form, check_head
from replay.audit.summary import described, summarized
from replay.audit.trusted_keys import NO_TRUSTED_KEYS, TrustedKeys

_DIGEST: Final = 64
_HASH_FIELD: Final = len(b'"hash":"",') + _DIGEST
_VERSION: Final = b',"v":1}\n'
"""The end of an event in the current version of the envelope."""
_FIELDS_OF_ALL_EVENTS: Final = 11
"""Fields of an event without `secrets` and `signature`, which few events have."""
_LINE_OPTIONS: Final = CANONICAL_OPTIONS | orjson.OPT_APPEND_NEWLINE
_MAX_BYTES: Final = MAX_VALUES
"""The size up to which a record has at most `MAX_VALUES` values, so that they need not be counted."""


def quick_audit(
    source: BinaryIO, *, keys: Sequence[str] = (), trusted: TrustedKeys = NO_TRUSTED_KEYS
) -> Report:
    """Check the form of a record, its hash chain and its head, as the complete audit does.

    `keys` and `trusted` are as for `audit`.
    """
    try:
        data = source.read(MAX_RECORD_BYTES + 1)
    except OSError:
        data = b""  # read again below, where the error is reported
    return _audit_usual(data, keys, trusted) or _audit_any(source, data, keys, trusted)


def _audit_any(source: BinaryIO, data: bytes, keys: Sequence[str], trusted: TrustedKeys) -> Report:
    record, faults = scan(BytesIO(data) if data else source)
    form = check_form(record, faults)
    if not record.events:
        return summarized(Report({"game": None, "events": 0}, [form], is_quick=True))
    is_cut = any(fault.line == len(record.events) + 2 for fault in faults)
    head = check_head(record, keys, trusted, is_cut=is_cut)
    summary = _summary(record.header, record.events[0], record.events[-1], len(record.events))
    checks = [form, head, check_chain(record)]
    name_holders(checks, record.events)
    return summarized(Report(summary, checks, is_quick=True))


def _audit_usual(data: bytes, keys: Sequence[str], trusted: TrustedKeys) -> Report | None:
    """Audit a record without faults; None if there may be any before the head."""
    lines = BytesIO(data).readlines()
    if not lines or len(data) > _MAX_BYTES or max(map(len, lines)) > MAX_LINE_BYTES:
        return None
    reader = RecordReader()
    reader.take(1, lines[0].removesuffix(b"\n"))
    header = reader.record.header
    if not header or header.keys() - HEADER_FIELDS:
        return None
    chain = _read_chain(lines, header["game"])
    if chain is None:
        return None
    first, last, count = chain
    for number in range(count + 1, len(lines)):
        reader.take(number + 1, lines[number].removesuffix(b"\n"))
    if reader.faults or reader.record.events:
        return None
    ends = Record(header, [first, last])
    checks = [
        Check("form", len(lines)),
        check_head(ends, keys, trusted, is_cut=False, event_count=count),
        Check("chain", count),
    ]
    return summarized(Report(_summary(header, first, last, count), checks, is_quick=True))


def _read_chain(lines: Sequence[bytes], game: str) -> tuple[Event, Event, int] | None:
    """Return the first and the last event, and their number, up to the first line after the header that is
    not the next event of the chain; None without events.

    An event in the usual form has the fields that every event has, and a type that has occurred before. This
    loop repeats the checks of `check_envelope` for such events, without a call for each field.
    """
    before_hash = b',"game":"%b","hash":"' % game.encode()
    to_hash = len(before_hash) - len(b'"hash":"')
    types: set[str] = set()
    prev, at, count = ZEROS, "", 0
    first: Event | None = None
    last: Event | None = None
    for line in lines[1:]:
        seq = count + 1
        event: Any = None
        end = line.rfind(before_hash)
        # The only point before the game is that of the time, so no number there is a fraction.
        if (
            end > 0
            and line.count(b".", 0, end) == 1
            and find_exponent(line, 0, end) is None
            and line.endswith(_VERSION)
        ):
            cut = end + to_hash
            try:
                event = orjson.loads(line)
                by, state, moment = event["by"], event["state"], event["at"]
                is_usual = (
                    orjson.dumps(event, option=_LINE_OPTIONS) == line
                    and len(event) == _FIELDS_OF_ALL_EVENTS
                    and event["prev"] == prev
                    and type(event["seq"]) is int
                    and event["seq"] == seq
                    and event["type"] in types
                    and sha256(line[:cut] + line[cut + _HASH_FIELD : -1]).hexdigest()
                    == event["hash"]
                    and (event["action"] is None or type(event["action"]) is dict)
                    and type(event["data"]) is dict
                    and len(state) == _DIGEST
                    and bytes.fromhex(state).hex() == state
                    and moment >= at
                    and TIMESTAMP.fullmatch(moment) is not None
                    and (moment[:10] == at[:10] or is_timestamp(moment))
                    and (type(by.get("seat")) is int or is_actor(by))
                    and len(by) == 1
                    and 0 <= by.get("seat", 0) < MAX_SEATS
                )
            except (AttributeError, LookupError, TypeError, ValueError):
                is_usual = False
            if not is_usual or not line.isascii():
                event = None
        if event is None:
            event = _any_event(line.removesuffix(b"\n"), game, prev, seq)
            if event is None or event["at"] < at:
                break
            if event["type"] != "GameCreated":
                types.add(event["type"])
            if first is None:
                first = event
        count, last = seq, event
        prev, at = event["hash"], event["at"]
    return None if first is None or last is None else (first, last, count)


def _any_event(line: bytes, game: str, prev: str, seq: int) -> Event | None:
    try:
        value = decode(line)
        if not isinstance(value, dict) or value.keys() - FIELDS or "hash" not in value:
            return None
        event = check_event(value, seq)
    except Unreadable:
        return None
    follows = (
        event["seq"] == seq
        and event["prev"] == prev
        and event["game"] == game
        and hash_in(line, event["hash"]) == event["hash"]
    )
    return event if follows else None


def _summary(header: JsonObject, first: Event, last: Event, count: int) -> JsonObject:
    endings = {"GameFinished": "finished", "GameAbandoned": "abandoned"}
    status = endings[last["type"]] if last["type"] in ENDINGS else None
    return described(header, first, count, status)

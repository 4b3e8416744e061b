"""The quick audit: the form of a record, its hash chain and the signature of its head. No game is replayed.

Nearly every line of a record is an event in the usual form. Such a line is checked with a few comparisons of
bytes, and nothing of it is kept. If any line of a record is not as expected, the whole record is read again
by the checks of the complete audit, which find the place and the reason.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from io import BytesIO
from typing import Any, BinaryIO, Final

import orjson

from domain.errors import Unreadable
from domain.event import ENDINGS, ZEROS, Event
from domain.json_types import JsonObject
from ledger.canonical import CANONICAL_OPTIONS, decode, may_have_fraction
from ledger.envelope import FIELDS, is_actor, is_timestamp
from ledger.record import (
    MAX_LINE_BYTES,
    MAX_RECORD_BYTES,
    MAX_VALUES,
    Record,
    RecordReader,
    scan,
)
from ledger.record_schema import HEADER_FIELDS, check_event
from ledger.seal import hash_in
from replay.audit.chain import check_chain
from replay.audit.findings import Check, Report
from replay.audit.signatures import check_form, check_head
from replay.audit.trusted_keys import NO_TRUSTED_KEYS, TrustedKeys

_HASH_FIELD: Final = len(b'"hash":"')
_DIGEST: Final = 64
_FIELDS_OF_ALL_EVENTS: Final = 11
"""Fields of an event without `secrets` and `signature`, which few events have."""
_MAX_BYTES: Final = MAX_VALUES
"""Size of a record that cannot have more than `MAX_VALUES` values, so that they need not be counted."""
_is_end: Final = re.compile(rb'[0-9a-f]{64}","type":"[A-Z][A-Za-z]*","v":1\}').fullmatch
"""Matches a canonical event from the value of `state` on."""


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
    """Audit any bytes."""
    record, faults = scan(BytesIO(data) if data else source)
    form = check_form(record, faults)
    if not record.events:
        return Report({"game": None, "events": 0}, [form], is_quick=True)
    is_cut = any(fault.line == len(record.events) + 2 for fault in faults)
    head = check_head(record, keys, trusted, is_cut=is_cut)
    summary = _summary(record.header, record.events[0], record.events[-1], len(record.events))
    return Report(summary, [form, head, check_chain(record)], is_quick=True)


def _audit_usual(data: bytes, keys: Sequence[str], trusted: TrustedKeys) -> Report | None:
    """Audit a record without faults; None if there may be any before the head."""
    if len(data) > _MAX_BYTES:
        return None
    lines = data.removesuffix(b"\n").split(b"\n")
    if max(map(len, lines)) >= MAX_LINE_BYTES:
        return None
    reader = RecordReader()
    reader.take(1, lines[0])
    header = reader.record.header
    if not header or header.keys() - HEADER_FIELDS:
        return None
    chain = _read_chain(lines, header["game"])
    if chain is None:
        return None
    first, last, count = chain
    for number in range(count + 1, len(lines)):
        reader.take(number + 1, lines[number])
    if reader.faults or reader.record.events:
        return None
    ends = Record(header, [first, last])
    checks = [
        Check("form", "lines read", len(lines)),
        check_head(ends, keys, trusted, is_cut=False, event_count=count),
        Check("chain", "events hashed again", count),
    ]
    return Report(_summary(header, first, last, count), checks, is_quick=True)


def _read_chain(lines: Sequence[bytes], game: str) -> tuple[Event, Event, int] | None:
    """Return the first and the last event, and how many there are, up to the first line after the header that
    is not the next event of the chain. None if there is no event.
    """
    before_hash = b',"game":"%b","hash":"' % game.encode()
    skip = len(before_hash)
    prev, at = ZEROS.encode(), ""
    first: Event | None = None
    last: Event | None = None
    count = 0
    for line in lines[1:]:
        seq = count + 1
        # The fields from `game` on end the line. All their values but that of `state` are known before.
        start = line.rfind(before_hash)
        stated = start + skip
        rest = stated + _DIGEST
        claimed = line[stated:rest]
        follows = b'","prev":"%b","seq":%d,"state":"' % (prev, seq)
        event: Event | None = None
        if (
            start > 0
            and line.startswith(follows, rest)
            and _is_end(line, rest + len(follows)) is not None
            and sha256(line[: stated - _HASH_FIELD] + line[rest + 2 :]).hexdigest().encode()
            == claimed
        ):
            event = _usual_event(line, start)
        if event is None:
            event = _any_event(line, game, prev.decode(), seq)
            if event is None:
                break
            claimed = event["hash"].encode()
        if event["at"] < at:
            break
        first, last, count = first or event, event, seq
        prev, at = claimed, event["at"]
    return None if first is None or last is None else (first, last, count)


def _usual_event(line: bytes, end: int) -> Any:
    """Return the event of a line whose fields from byte `end` on are valid; None if the others may not be."""
    if may_have_fraction(line, end) or not line.isascii():
        return None
    try:
        event = orjson.loads(line)
        if orjson.dumps(event, option=CANONICAL_OPTIONS) != line:
            return None
        action = event["action"]
        is_valid = (
            (action is None or type(action) is dict)
            and len(event) == _FIELDS_OF_ALL_EVENTS
            and type(event["data"]) is dict
            and event["type"] != "GameCreated"
            and is_actor(event["by"])
            and is_timestamp(event["at"])
        )
    except (LookupError, TypeError, ValueError):
        return None
    return event if is_valid else None


def _any_event(line: bytes, game: str, prev: str, seq: int) -> Event | None:
    """Return the event of a line if it is valid and follows the one before; None if it is not."""
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


def _summary(header: JsonObject, first: Event, last: Event, count: int) -> dict[str, Any]:
    endings = {"GameFinished": "finished", "GameAbandoned": "abandoned"}
    return {
        "game": first["game"],
        "rules": first["data"]["rules"],
        "seats": first["data"]["seats"],
        "events": count,
        "status": endings[last["type"]] if last["type"] in ENDINGS else None,
        "signed_by": header["head"]["key"] if header else None,
        "origin": header.get("origin"),
    }

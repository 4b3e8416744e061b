"""The checks of lines and signatures alone: the form of the file, its head, and receipts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import Instant, Message, message, plural_message
from ledger.envelope import FIELDS
from ledger.keys import RECEIPT_FIELDS, BadSignature, check_signed
from ledger.keys import check_head as check_signed_head
from ledger.record import Fault, Record
from ledger.record_schema import HEAD_FIELDS, HEADER_FIELDS
from replay.audit.chain import check_chain
from replay.audit.findings import Check
from replay.audit.head_key import check_listed_keys, check_period, check_trust
from replay.audit.kept_evidence import NO_EVIDENCE, KeptEvidence, note_kept_receipts
from replay.audit.trusted_keys import TrustedKeys
from replay.history.event_values import quoted

_INTACT_COPY: Final = message("An intact copy of the record decides it.")
_NEWER_PROGRAM: Final = message("A newer version of this program may know the field.")
_EVENT_FIELDS: Final = frozenset(FIELDS)


def check_form(record: Record, faults: Sequence[Fault]) -> Check:
    """Check that every line is canonical JSON, in its place, with all its fields."""
    check = Check("form")
    openings, receipts = len(record.openings), len(record.receipts)
    check.count = bool(record.header) + len(record.events) + openings + receipts + len(faults)
    for fault in faults:
        check.add(
            message("{reason}", reason=fault.why),
            message("The file was damaged or changed, or was not written as a game record."),
            line=fault.line,
            basis="unsigned",
        )
    for name in sorted(record.header.keys() - HEADER_FIELDS):
        check.add_unknown(
            message("what the field {field} of the header means", field=name),
            _NEWER_PROGRAM,
            line=1,
        )
    for name in sorted(record.header.get("head", {}).keys() - HEAD_FIELDS):
        check.add_unknown(
            message("what the field {field} of the head means", field=name), _NEWER_PROGRAM, line=1
        )
    for name, seq in sorted(_unknown_fields(record).items()):
        check.add_unknown(
            message("what the field {field} of event {seq} means", field=name, seq=seq),
            _NEWER_PROGRAM,
            line=seq + 1,
            seq=seq,
        )
    return check


def _unknown_fields(record: Record) -> dict[str, int]:
    """Return the fields of events that this version does not know, each with the first event that has it."""
    unknown: dict[str, int] = {}
    for seq, event in enumerate(record.events, 1):
        for name in event.keys() - _EVENT_FIELDS:
            unknown.setdefault(name, seq)
    return unknown


def check_head(
    record: Record,
    expected_keys: Sequence[str],
    trusted: TrustedKeys,
    *,
    is_cut: bool,
    event_count: int | None = None,
) -> Check:
    """Check that the header belongs to these events, and is signed by a key that was valid and is trusted.

    If there are `expected_keys` (public keys in hex), the key must be one of those; otherwise it should be
    one of the `trusted` ones. `is_cut` states that lines after the last event of `record` could not be read.
    `event_count` is the number of events in the file, if `record` contains only the first and the last one.
    """
    check = Check("head")
    if not record.header:
        check.add_unknown(
            message("who signed the record and with which head, because the header cannot be read"),
            _INTACT_COPY,
            line=1,
        )
        return check
    header, head = record.header, record.header["head"]
    check_listed_keys(check, header["keys"])
    check.count = 1
    try:
        check_signed_head(header, header["keys"])
    except BadSignature as bad:
        check.add(
            message("the signature is not valid: {reason}", reason=bad.message),
            message(
                "The header was changed after it was signed, or was written by somebody without the key."
            ),
            line=1,
        )
    else:
        entry = next(entry for entry in header["keys"] if entry["key"] == head["key"])
        check_period(check, entry, record.events[-1] if record.events else None, trusted)
        if not expected_keys:
            check_trust(check, header, entry["public"], trusted)
        elif entry["public"] not in expected_keys:
            check.add(
                message(
                    "the record is signed by key {key}, which is none of those expected",
                    key=head["key"],
                ),
                message("This record was not written by the server whose key you have."),
                line=1,
            )
    if is_cut or not record.events:
        check.add_unknown(
            message(
                "whether the signed head is the last event, because not all lines could be read"
            ),
            _INTACT_COPY,
        )
        return check
    _compare_with_last_event(check, head, record.events[-1], event_count or len(record.events))
    first = record.events[0]
    for name, in_header, in_event in (
        ("game", header["game"], first["game"]),
        ("rules", header["rules"], first["data"]["rules"]),
    ):
        if in_header != in_event:
            check.add(
                message(
                    "{field} is {in_header} in the header, and {in_event} in the first event",
                    field=name,
                    in_header=in_header,
                    in_event=in_event,
                ),
                message("The header and the events are not from the same game."),
                line=1,
            )
    return check


def is_signed_as_it_is(record: Record) -> bool:
    """Return whether a key that the header lists has signed the header, and with it all events: each contains
    the hash of the one before it, and the header that of the last one. The owner of the key is not known
    here.
    """
    try:
        check_signed_head(record.header, record.header["keys"])
    except (BadSignature, LookupError):
        return False
    is_last = bool(record.events) and record.events[-1]["hash"] == record.header["head"]["hash"]
    return is_last and all(finding.basis != "links" for finding in check_chain(record).findings)


def _compare_with_last_event(check: Check, head: JsonObject, last: Event, count: int) -> None:
    seq = last["seq"]
    if seq < head["seq"]:
        check.add(
            message(
                "the events end with {seq}, but the signed head is event {head}",
                seq=seq,
                head=head["seq"],
            ),
            message("The record has been cut off: the events after it are missing."),
            line=count + 2,
            seq=seq + 1,
        )
    elif seq > head["seq"]:
        check.add(
            message(
                "the signed head is event {head}, but the events go on to {seq}",
                head=head["seq"],
                seq=seq,
            ),
            message("Events were added that nobody has signed."),
            line=head["seq"] + 2,
            seq=head["seq"] + 1,
        )
    elif last["hash"] != head["hash"]:
        check.add(
            message("the hash of the last event is not that of the signed head"),
            message("This is another history than the one that was signed."),
            line=count + 1,
            seq=seq,
        )


KeptReceipts: TypeAlias = Mapping[str, Sequence[JsonObject]]
"""Receipts that a player has kept, by the game that they are for."""
NO_KEPT_RECEIPTS: Final[KeptReceipts] = {}


def check_receipts(
    record: Record,
    extra: Iterable[JsonObject],
    trusted: TrustedKeys,
    kept: KeptReceipts = NO_KEPT_RECEIPTS,
    evidence: KeptEvidence = NO_EVIDENCE,
) -> Check:
    """Check that the receipts in the record and the extra ones are genuine, and match the events.

    They must be signed by a key that the record lists or that is `trusted`. Receipts in `kept` for other
    games are skipped and counted. `evidence` is the evidence that the player's programs have kept of this
    game.
    """
    check = Check("receipts")
    of_game = kept.get(record.events[0]["game"], ())
    numbered: list[tuple[int | None, JsonObject]] = [
        *zip(record.receipt_lines, record.receipts, strict=True),
        *((None, receipt) for receipt in (*extra, *of_game)),
    ]
    given = [receipt for _, receipt in numbered]
    numbered += [(None, receipt) for receipt in evidence.receipts if receipt not in given]
    note_kept_receipts(check, evidence)
    if skipped := sum(map(len, kept.values())) - len(of_game):
        check.note(
            plural_message(
                "{count} of the receipts that were kept is for another game and was skipped.",
                "{count} of the receipts that were kept are for other games and were skipped.",
                count=skipped,
            )
        )
    if numbered and not record.header:
        check.add_unknown(
            message(
                "whether the receipts are genuine, because the header with the keys cannot be read"
            ),
            _INTACT_COPY,
            line=1,
            topic="copy",
        )
        return check
    keys = trusted.known_entries(record.header["keys"]) if numbered else []
    for line, receipt in numbered:
        check.count += 1
        _check_one_receipt(check, record, keys, line, receipt)
    return check


def _check_one_receipt(
    check: Check, record: Record, keys: Sequence[JsonObject], line: int | None, receipt: JsonObject
) -> None:
    seq = receipt.get("seq")
    event = None
    if type(seq) is int and 1 <= seq <= len(record.events):
        event = record.events[seq - 1]
    try:
        check_signed(receipt, keys)
    except BadSignature as bad:
        check.add(
            message("a receipt is not valid: {reason}", reason=bad.message),
            message("The receipt was changed, or was never issued by the server."),
            line=line,
            seq=None if event is None else seq,
            basis="unsigned",
        )
        return
    if receipt.get("game") != record.events[0]["game"]:
        check.add(
            message("a receipt is for another game, {game}", game=quoted(receipt.get("game"))),
            message("It proves nothing about this one."),
            line=line,
            basis="unsigned",
        )
        return
    if event is None and not record.has_ended:
        check.add_unknown(
            message(
                "whether the server omits event {seq}, for which it issued a receipt: the record ends before"
                " it, and the game had not ended then",
                seq=quoted(seq),
            ),
            message("A record that the server signs after that event decides it."),
            line=line,
        )
        return
    if event is None:
        check.add(
            message(
                "the server issued a receipt for event {seq}, which is not in the record",
                seq=quoted(seq),
            ),
            message("The server accepted that action, and the record omits it."),
            line=line,
            basis="receipt",
        )
        return
    _compare_with_event(check, receipt, event, keys, line or event["seq"] + 1)


def _compare_with_event(
    check: Check, receipt: JsonObject, event: Event, keys: Sequence[JsonObject], line: int
) -> None:
    """Compare a genuine receipt with the event of its seq, and its time with the period of its key."""
    seq = event["seq"]
    for name in RECEIPT_FIELDS:
        if receipt.get(name) != event.get(name):
            check.add(
                message("the receipt is for another event: its {field} differs", field=name),
                message("The server signed another history than this record."),
                line=line,
                seq=seq,
                basis="receipt",
            )
            return
    key = next(entry for entry in keys if entry["key"] == receipt["key"])
    since, until = key["from"], key["until"]
    problem: Message | None = None
    if event["at"] < since:
        problem = message(
            "the receipt is signed by key {key}, which is valid only from {since}",
            key=key["key"],
            since=Instant(since, is_exact=True),
        )
    elif until is not None and event["at"] > until:
        problem = message(
            "the receipt is signed by key {key}, which was retired on {until}",
            key=key["key"],
            until=Instant(until, is_exact=True),
        )
    if problem is not None:
        check.add(
            problem,
            message("The receipt was signed outside of its key's period of validity."),
            line=line,
            seq=seq,
            basis="unsigned",
        )

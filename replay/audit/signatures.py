"""The checks that need no game: the form of the lines, the signature of the head, receipts."""

from collections.abc import Iterable, Sequence

from domain.contract import Json
from domain.event import Event
from ledger.canonical import unhex
from ledger.keys import BadSignature, check_receipt, check_statement, key_id
from ledger.keys import check_head as check_signed_head
from ledger.record import Fault, Record
from replay.audit.findings import Check


def check_form(record: Record, faults: Sequence[Fault]) -> Check:
    """Every line canonical JSON, in its place, with the fields it must have."""
    check = Check("form", "lines read")
    openings, receipts = len(record.opens), len(record.receipts)
    check.looked_at = bool(record.header) + len(record.events) + openings + receipts + len(faults)
    for fault in faults:
        check.finds(
            fault.why,
            "The file was damaged or changed, or it was not written as a game record.",
            line=fault.line,
        )
    return check


def check_head(record: Record, pinned: Sequence[str], *, is_cut: bool) -> Check:
    """The header signed by one of its keys, and about these events; the key one of those `pinned` (hex).

    `is_cut`: lines after the last event here could not be read.
    """
    check = Check("head", "signed header")
    if not record.header:
        check.left_out = "the header cannot be read"
        return check
    header, head = record.header, record.header["head"]
    for entry in header["keys"]:
        if _id_of(entry) != entry["key"]:
            check.finds(
                f"the public key listed as {entry['key']} is another key",
                "The list of keys was changed.",
                line=1,
            )
    check.looked_at = 1
    try:
        check_signed_head(header, header["keys"])
    except BadSignature as bad:
        check.finds(
            f"the signature does not hold: {bad.why}",
            "The header was changed after it was signed, or somebody without the key wrote it.",
            line=1,
        )
    public = next((entry["public"] for entry in header["keys"] if entry["key"] == head["key"]), "")
    if pinned and public not in pinned:
        check.finds(
            f"the record is signed by key {head['key']}, which is none of those expected",
            "Whoever wrote this record is not who you hold the key of.",
            line=1,
        )
    if is_cut or not record.events:
        check.left_out = "not compared with the last event, since not all could be read"
        return check
    _compare(check, head, record.events)
    first = record.events[0]
    for name, said, told in (
        ("game", header["game"], first["game"]),
        ("rules", header["rules"], first["data"]["rules"]),
    ):
        if said != told:
            check.finds(
                f"the header says {name} {said}, the first event {told}",
                "Header and events are not of the same game.",
                line=1,
            )
    return check


def _compare(check: Check, head: Json, events: Sequence[Event]) -> None:
    last = events[-1]
    seq = last["seq"]
    if seq < head["seq"]:
        check.finds(
            f"the events end with {seq}, the signed head is event {head['seq']}",
            "The record has been cut off: what came after is missing.",
            line=len(events) + 2,
            seq=seq + 1,
        )
    elif seq > head["seq"]:
        check.finds(
            f"the signed head is event {head['seq']}, the events go on to {seq}",
            "Events were added that nobody has signed for.",
            line=head["seq"] + 2,
            seq=head["seq"] + 1,
        )
    elif last["hash"] != head["hash"]:
        check.finds(
            "the last event has another hash than the signed head",
            "This is another history than the one that was signed.",
            line=len(events) + 1,
            seq=seq,
        )


def _id_of(entry: Json) -> str:
    try:
        return key_id(unhex(entry["public"]))
    except ValueError:
        return ""


def check_receipts(record: Record, given: Iterable[Json]) -> Check:
    """Receipts of the record and others at hand: genuine, and for an event that is here as accepted."""
    check = Check("receipts", "checked")
    keys = record.header.get("keys", [])
    numbered: list[tuple[int | None, Json]] = [
        *zip(record.receipt_lines, record.receipts, strict=True),
        *((None, receipt) for receipt in given),
    ]
    if numbered and not record.header:
        check.left_out = "the header with the keys cannot be read"
        return check
    for line, receipt in numbered:
        check.looked_at += 1
        seq = receipt.get("seq")
        known = seq if type(seq) is int and 1 <= seq <= len(record.events) else None
        try:
            check_statement(receipt, keys)
        except BadSignature as bad:
            check.finds(
                f"a receipt does not hold: {bad.why}",
                "The receipt was changed, or the server never gave it.",
                line=line,
                seq=known,
            )
            continue
        if receipt.get("game") != record.events[0]["game"]:
            what = f"a receipt is for another game, {receipt.get('game')}"
            check.finds(what, "It proves nothing here.", line=line)
            continue
        if known is None:
            check.finds(
                f"the server gave a receipt for event {seq}, which is not in the record",
                "The server accepted that action; the record leaves it out.",
                line=line,
            )
            continue
        try:
            check_receipt(receipt, record.events[known - 1], keys)
        except BadSignature as bad:
            check.finds(
                bad.why,
                "The server has signed for another history than this record tells, or with a key that had"
                " been retired.",
                line=line if line is not None else known + 1,
                seq=known,
            )
    return check

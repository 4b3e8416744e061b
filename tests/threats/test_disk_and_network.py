"""Attacks by somebody with access to the disk or to the network path: rows of docs/threats.md."""

from io import BytesIO

import pytest

from domain.event import Event
from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.keys import SigningKey
from replay.compare.comparison import compare
from replay.language.renderer import english
from tests.support.records import (
    KEY,
    PLAYER_KEY,
    STRANGER,
    Table,
    audit_record,
    first_finding,
    forge_record,
    read,
)

TAKE: JsonObject = {"type": "take", "stones": 1}


def played(*stones: int) -> Table:
    """A game that begins with these actions."""
    table = Table(options={"seating": "joined"}).start()
    for count in stones:
        table.take(count)
    return table


@pytest.mark.threat("stored-log-edited")
def test_a_stored_log_whose_hashes_were_repaired_contradicts_the_receipts() -> None:
    """Without the server's key: the server itself signs the head of the changed log when it exports it."""
    table = played(2, 1)
    receipts = [KEY.receipt(sealed.event) for sealed in table.sealed if sealed.event["action"]]

    def change(events: list[Event]) -> None:
        events[5]["at"] = events[4]["at"]

    exported = forge_record(table.play_out().record(), change)
    assert audit_record(exported, keys=[KEY.public]).is_sound
    assert audit_record(exported, keys=[KEY.public], receipts=receipts).verdict == "broken"


@pytest.mark.threat("backup-restored")
def test_a_game_that_was_set_back_to_a_backup_contradicts_receipts_and_later_records() -> None:
    whole = played(2, 1, 3)
    last = whole.sealed[-1].event
    restored = whole.until(5)
    report = audit_record(restored.record(), keys=[KEY.public], receipts=[KEY.receipt(last)])
    assert report.verdict == "unknown"
    assert any(unknown.check == "receipts" for unknown in report.unknowns)
    restored.take(3)
    report = audit_record(restored.play_out().record(), receipts=[KEY.receipt(last)])
    assert any("another history" in english(finding.meaning) for finding in report.findings)
    comparison = compare(BytesIO(whole.record()), BytesIO(restored.record()), trusted=[KEY.public])
    assert [proof.public for proof in comparison.proofs] == [KEY.public]


@pytest.mark.threat("server-key-stolen")
def test_a_thief_of_the_servers_key_can_do_what_the_operator_can() -> None:
    stolen = SigningKey.from_seed(b"k" * 32)
    assert stolen.public == KEY.public
    forged = played(3, 1).play_out().record(key=stolen)
    assert audit_record(forged, keys=[KEY.public]).is_sound
    original = played(2, 1).play_out().record()
    assert compare(BytesIO(original), BytesIO(forged), trusted=[KEY.public]).proofs


@pytest.mark.threat("secrets-read")
def test_whoever_reads_the_hidden_tiles_from_the_disk_leaves_no_trace() -> None:
    table = Table("baron", 2, options={"seating": "joined"}).start()
    hidden = next(sealed.openings for sealed in table.sealed if sealed.openings)
    assert hidden["pile"]["value"]
    record = table.act_at_random(8).abandon().record()
    assert audit_record(record, keys=[KEY.public]).is_sound


@pytest.mark.threat("record-altered-in-transit")
def test_a_record_that_was_altered_on_its_way_is_found() -> None:
    data = played(2, 1).play_out().record()
    assert audit_record(data.replace(b'"stones":2', b'"stones":1', 1)).verdict == "broken"
    header, rest = data.split(b"\n", 1)
    changed = canonical({**read(data).header, "engine": "9.9.9"}) + b"\n" + rest
    assert "signature" in english(first_finding(changed, "head").problem)
    assert header != changed.split(b"\n", 1)[0]


@pytest.mark.threat("older-record-served")
def test_a_receipt_proves_that_a_record_is_not_the_latest() -> None:
    """The older record is genuine, so nothing in it is wrong, and a receipt for a later event names that."""
    whole = played(2, 1, 3)
    older = whole.until(6)
    assert audit_record(older.record(), keys=[KEY.public]).verdict != "broken"
    assert not audit_record(older.record(), keys=[KEY.public]).is_sound
    receipt = KEY.receipt(whole.sealed[-1].event)
    report = audit_record(older.record(), keys=[KEY.public], receipts=[receipt])
    assert report.verdict == "unknown"
    (unknown,) = [unknown for unknown in report.unknowns if unknown.check == "receipts"]
    assert f"omits event {whole.game.seq}" in english(unknown.problem)


@pytest.mark.threat("action-altered-in-transit")
def test_a_signed_action_that_was_altered_on_its_way_is_not_accepted_as_the_players() -> None:
    table = Table(options={"seating": "joined"}).start()
    table.add_key("player-0", PLAYER_KEY)
    signature = table.sign(TAKE, PLAYER_KEY)
    table.act_signed({"type": "take", "stones": 3}, signature)
    assert "is not valid" in english(first_finding(table.record(), "signatures").problem)


@pytest.mark.threat("keys-replaced-in-transit")
def test_a_record_with_the_keys_of_somebody_on_the_way_is_not_the_servers() -> None:
    forged = played(2, 1).play_out().record(key=STRANGER)
    finding = first_finding(forged, "head", keys=[KEY.public])
    assert "none of those expected" in english(finding.problem)

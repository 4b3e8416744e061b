"""Attacks by players, alone or together: rows of docs/threats.md. They have no key of the server."""

from typing import Any

import orjson
import pytest

from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.keys import _SMALL_ORDER, BadSignature, key_id, verify
from replay.language.renderer import english
from tests.support.records import (
    KEY,
    PLAYER_KEY,
    STRANGER,
    Table,
    audit_record,
    first_finding,
    forge_record,
)

TAKE: JsonObject = {"type": "take", "stones": 1}
ORDER = 2**252 + 27742317777372353535851937790883648493
"""The order of the group of Ed25519."""


def table_with_key() -> Table:
    """A game in which seat 0 has registered a key, and it is its turn."""
    table = Table(options={"seating": "joined"}).start()
    table.add_key("player-0", PLAYER_KEY)
    return table


def change_line(record: bytes, number: int, **fields: Any) -> bytes:
    """Return the record with other fields in one line, and nothing repaired."""
    lines = record.splitlines()
    lines[number - 1] = canonical({**orjson.loads(lines[number - 1]), **fields})
    return b"\n".join(lines) + b"\n"


@pytest.mark.threat("own-action-denied")
def test_a_player_cannot_deny_an_action_that_they_signed() -> None:
    table = table_with_key()
    table.act_signed(TAKE, table.sign(TAKE, PLAYER_KEY))
    report = audit_record(table.record(), keys=[KEY.public])
    assert report.findings == []
    assert any("seat 0 signed 1 of 1 actions." in english(n.text) for n in report.notes)


@pytest.mark.threat("action-claimed")
def test_a_player_cannot_claim_an_action_with_a_receipt_of_their_own() -> None:
    table = Table().start()
    event = table.take(1)
    claimed = STRANGER.sign({"game": "game-1", "seq": 9, "hash": "0" * 64, "at": event["at"]})
    finding = first_finding(table.record(), "receipts", receipts=[claimed])
    assert "a receipt is not valid" in english(finding.problem)


@pytest.mark.threat("receipt-altered")
@pytest.mark.parametrize(
    ("field", "value"),
    [("at", "2026-11-20T08:00:00.000Z"), ("seq", 4), ("game", "game-2"), ("hash", "0" * 64)],
)
def test_a_player_cannot_alter_a_receipt(field: str, value: object) -> None:
    table = Table().start()
    receipt = {**KEY.receipt(table.take(1)), field: value}
    finding = first_finding(table.record(), "receipts", receipts=[receipt])
    assert "a receipt is not valid" in english(finding.problem)


@pytest.mark.threat("record-edited")
def test_a_player_cannot_edit_their_copy_of_a_record(eventful: Table) -> None:
    data = eventful.record()
    event = eventful.sealed[9].event
    edited = change_line(data, 11, data={**event["data"], "points": 99})
    assert first_finding(edited, "chain").seq == 10
    repaired = forge_record(data, lambda events: events[9]["data"].update(points=99), key=STRANGER)
    first = audit_record(repaired, keys=[KEY.public]).first
    assert first is not None
    assert "none of those expected" in english(first.problem)


@pytest.mark.threat("record-cut-off")
def test_a_player_cannot_cut_off_the_end_of_a_record(eventful: Table) -> None:
    lines = eventful.record().splitlines(keepends=True)
    cut = b"".join(lines[:10])
    assert "cut off" in english(first_finding(cut, "head").meaning)
    signed_again = eventful.until(9).record(key=STRANGER)
    assert not audit_record(signed_again).is_sound
    assert audit_record(signed_again, keys=[KEY.public]).verdict == "broken"


@pytest.mark.threat("signature-reused")
def test_a_signed_action_cannot_be_used_again_in_the_game_or_in_another() -> None:
    table = table_with_key()
    signature = table.sign(TAKE, PLAYER_KEY)
    table.act_signed(TAKE, signature)
    table.take(1)
    table.act_signed(TAKE, signature)
    assert "used again" in english(first_finding(table.record(), "signatures").problem)
    other = Table(seats=2, options={"seating": "joined"}, nonce=b"another game").start()
    other.add_key("player-0", PLAYER_KEY)
    other.act_signed(TAKE, signature)
    assert "another game" in english(first_finding(other.record(), "signatures").problem)


@pytest.mark.threat("key-weak")
@pytest.mark.parametrize("y", sorted(_SMALL_ORDER))
def test_a_player_cannot_sign_with_a_key_for_which_any_signature_is_valid(y: int) -> None:
    public = y.to_bytes(32, "little")
    with pytest.raises(BadSignature):
        verify(public, bytes(64), b"any action")
    table = Table(options={"seating": "joined"}).start()
    weak = table.add_key("player-0", PLAYER_KEY)

    def change(events: list[Any]) -> None:
        events[weak["seq"] - 1]["data"] |= {"key": key_id(public), "public": public.hex()}

    assert first_finding(forge_record(table.record(), change), "signatures").seq == weak["seq"]


@pytest.mark.threat("signature-malleable")
def test_a_player_cannot_make_a_second_signature_of_one() -> None:
    """Otherwise a player could deny the hash of an event that contains their own signature."""
    table = table_with_key()
    signature = table.sign(TAKE, PLAYER_KEY)
    raw = bytes.fromhex(signature["signature"])
    other = int.from_bytes(raw[32:], "little") + ORDER
    malleated = raw[:32] + other.to_bytes(32, "little")
    table.act_signed(TAKE, {**signature, "signature": malleated.hex()})
    assert "malleable" in english(first_finding(table.record(), "signatures").problem)


@pytest.mark.threat("key-revoked")
def test_a_player_cannot_sign_with_a_key_that_they_revoked() -> None:
    table = table_with_key()
    table.revoke_key("player-0", PLAYER_KEY)
    table.act_signed(TAKE, table.sign(TAKE, PLAYER_KEY))
    assert "has revoked" in english(first_finding(table.record(), "signatures").problem)


@pytest.mark.threat("secret-exchanged")
def test_a_player_cannot_show_another_hidden_tile_than_they_were_dealt() -> None:
    table = Table("baron", 2).start().act_at_random(6)
    data = table.record()
    lines = data.splitlines()
    index = next(i for i, line in enumerate(lines) if b'"open":' in line)
    opened = orjson.loads(lines[index])
    opened["open"]["reserve/0"]["value"] = ["quarry", "quarry"]
    assert "is not what event" in english(
        first_finding(change_line(data, index + 1, **opened), "secrets").problem
    )


@pytest.mark.threat("deal-agreed")
def test_players_cannot_choose_the_deal_by_agreeing_on_their_nonces() -> None:
    """Each nonce gives another deal, and which one it is depends on a secret that only the server has."""
    deals = {
        canonical(sealed.openings["reserve/0"]["value"])
        for nonce in range(12)
        for sealed in Table("baron", 2, nonce=bytes([nonce])).start().sealed
        if sealed.openings
    }
    assert len(deals) > 1
    table = Table("baron", 2).start().act_at_random(6).abandon()

    def change(events: list[Any]) -> None:
        events[1]["data"]["nonce"] = b"the agreed nonce".hex()

    forged = forge_record(table.record(), change)
    assert "chance" in {finding.check for finding in audit_record(forged).findings}


@pytest.mark.threat("secrets-shared")
def test_players_who_tell_each_other_their_hidden_tiles_leave_no_trace() -> None:
    """A seat acts on what it can only know from its opponent: the audit has nothing to find."""
    table = Table("baron", 2).start()
    dealt = next(s.openings for s in table.sealed if s.openings)
    known = dealt["reserve/1"]["value"]
    actions = table.game.rules.legal_actions(table.game.state, 0)
    table.act(table.game.rules.action_to_json(actions[len(known) % len(actions)]), seat=0)
    report = audit_record(table.act_at_random(9).abandon().record(), keys=[KEY.public])
    assert report.is_sound


@pytest.mark.threat("players-made-up")
def test_one_person_with_two_accounts_leaves_no_trace() -> None:
    """Both players of this game are the same person."""
    table = Table(seats=2).start().play_out()
    assert audit_record(table.record(), keys=[KEY.public]).is_sound

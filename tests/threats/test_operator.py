"""Attacks by the operator, who has the server's key and repairs every hash: rows of docs/threats.md.

Some leave a record that is sound by itself. Then the test shows which other evidence exposes it, if any does.
"""

from hashlib import sha256
from io import BytesIO
from itertools import product
from typing import Any

import orjson
import pytest

from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import message
from ledger.canonical import canonical
from ledger.pending import commitment
from replay.audit import Report
from replay.audit.kept_evidence import KeptEvidence
from replay.compare.comparison import compare
from replay.language.renderer import english
from tests.support.explanations import explain
from tests.support.forger import shift_time
from tests.support.records import (
    KEY,
    PLAYER_KEY,
    SECRET,
    SINCE,
    STRANGER,
    Table,
    audit_record,
    first_finding,
    forge_record,
    read,
)

TAKE: JsonObject = {"type": "take", "stones": 1}


def audit_trusting_the_server(data: bytes, **options: Any) -> Report:
    """Audit a record as somebody who has the server's key from elsewhere."""
    return audit_record(data, keys=[KEY.public], **options)


def receipts(table: Table) -> list[JsonObject]:
    """The receipts that the players of a game have kept."""
    return [KEY.receipt(sealed.event) for sealed in table.sealed if sealed.event["action"]]


def assert_exposed(original: Table, forged: bytes) -> None:
    """Check that a record is sound by itself, and exposed by a kept receipt and by the original record."""
    assert audit_trusting_the_server(forged).is_sound
    report = audit_trusting_the_server(forged, receipts=receipts(original))
    assert "receipts" in {finding.check for finding in report.findings}
    (proof,) = compare(BytesIO(original.record()), BytesIO(forged), trusted=[KEY.public]).proofs
    assert (proof.public, proof.player, proof.is_trusted) == (KEY.public, None, True)


def change_header(data: bytes, **fields: Any) -> bytes:
    """Return the record with other fields in its header, signed again."""
    line, rest = data.split(b"\n", 1)
    header = orjson.loads(line)
    head = {name: header["head"][name] for name in ("seq", "hash")}
    return canonical(KEY.sign_head({**header, "head": head, **fields})) + b"\n" + rest


def played(*stones: int, nonce: bytes = b"nonce") -> Table:
    """A finished game that begins with these actions."""
    table = Table(options={"seating": "joined"}, nonce=nonce).start()
    for count in stones:
        table.take(count)
    return table.play_out()


@pytest.mark.threat("event-edited")
def test_an_edited_event_breaks_the_chain() -> None:
    data = played(2, 1).record()
    assert first_finding(data.replace(b'"stones":2', b'"stones":3', 1), "chain").seq == 5


@pytest.mark.threat("rules-broken")
def test_an_action_that_the_rules_forbid_is_found_although_it_was_sealed() -> None:
    def change(events: list[Event]) -> None:
        events[4]["action"]["stones"] = 9  # type: ignore[index] # the event of an action
        events[4]["data"]["stones"] = 9

    finding = first_finding(forge_record(played(2, 1).record(), change), "decisions")
    assert finding.seq == 5
    assert "ST-TAKE" in english(finding.problem)


@pytest.mark.threat("result-made-up")
@pytest.mark.parametrize(
    ("type", "field"), [("RoundScored", "standings"), ("GameFinished", "ranking")]
)
def test_a_result_that_was_made_up_is_found(type: str, field: str) -> None:
    table = played(2, 1)
    seq = next(sealed.event["seq"] for sealed in table.sealed if sealed.event["type"] == type)

    def change(events: list[Event]) -> None:
        events[seq - 1]["data"][field][0]["score"] += 1

    report = audit_trusting_the_server(forge_record(table.record(), change, states=True))
    assert ("decisions", seq) in {(finding.check, finding.seq) for finding in report.findings}


@pytest.mark.threat("action-made-up")
def test_an_action_that_its_player_never_made_contradicts_receipts_and_older_records() -> None:
    """The operator lets a seat take another number of stones, and the game goes on from there."""
    assert_exposed(played(2, 1), played(3, 1).record(receipts=True))


@pytest.mark.threat("action-made-up")
def test_an_action_made_up_for_a_player_who_signs_is_not_signed() -> None:
    table = Table(options={"seating": "joined"}).start()
    table.add_key("player-0", PLAYER_KEY)
    table.act_signed(TAKE, table.sign(TAKE, PLAYER_KEY))
    table.take(1)
    table.take(2)  # by the operator
    report = audit_record(table.record())
    assert any(
        "signed 1 of 2 actions: the others rest" in english(note.text) for note in report.notes
    )


@pytest.mark.threat("event-withheld")
def test_an_action_that_was_dropped_contradicts_receipts_and_older_records() -> None:
    """Without the resignation, the rest of the game is as legal as with it."""
    original = Table(seats=3, options={"seating": "joined"}).start()
    original.take(1)
    original.act({"type": "resign"}, seat=2)
    forged = Table(seats=3, options={"seating": "joined"}).start()
    forged.take(1)
    assert_exposed(original.play_out(), forged.play_out().record())


@pytest.mark.threat("order-made-up")
def test_an_action_in_another_place_contradicts_receipts_and_older_records() -> None:
    original, forged = (Table(seats=3, options={"seating": "joined"}).start() for _ in range(2))
    original.act({"type": "resign"}, seat=2)
    original.take(1)
    forged.take(1)
    forged.act({"type": "resign"}, seat=2)
    assert_exposed(original.play_out(), forged.play_out().record())


@pytest.mark.threat("times-made-up")
def test_a_backdated_event_contradicts_receipts_and_older_records() -> None:
    original = played(2, 1)

    def change(events: list[Event]) -> None:
        events[5]["at"] = events[4]["at"]

    assert_exposed(original, forge_record(original.record(), change))

    def change_further(events: list[Event]) -> None:
        events[5]["at"] = shift_time(events[4]["at"], -1)

    finding = first_finding(forge_record(original.record(), change_further), "chain")
    assert english(finding.meaning) == "The time was made up."


@pytest.mark.threat("forfeit-too-early")
def test_a_turn_that_was_forfeited_before_its_deadline_is_found() -> None:
    table = Table(clock={"per_turn": 60}).start()
    table.wait(30)
    table.forfeit()
    finding = first_finding(table.record(), "decisions")
    assert "the time for the turn was not over" in english(finding.problem)


@pytest.mark.threat("lateness-hidden")
def test_an_action_after_its_deadline_is_noted_with_its_lateness() -> None:
    table = Table(clock={"per_turn": 60}).start()
    table.wait(66)
    event = table.take(1)
    notes = [note for note in audit_record(table.record()).notes if note.seq == event["seq"]]
    assert any("late" in english(note.text) for note in notes)


@pytest.mark.threat("action-refused")
def test_an_action_that_the_server_pretends_not_to_have_received_leaves_no_trace() -> None:
    """The player acted in time. The server dropped the request, and forfeits the turn."""
    table = Table(options={"seating": "joined"}, clock={"per_turn": 60}).start()
    table.wait(60)
    table.forfeit()
    assert audit_trusting_the_server(table.play_out().record()).is_sound


@pytest.mark.threat("author-made-up")
def test_an_action_of_a_seat_whose_turn_it_is_not_is_found() -> None:
    def change(events: list[Event]) -> None:
        events[4]["by"] = {"seat": 1}

    assert first_finding(forge_record(played(2, 1).record(), change), "decisions").seq == 5


@pytest.mark.threat("author-made-up")
def test_an_action_that_needs_no_turn_can_be_given_to_another_seat_unless_players_sign() -> None:
    original, forged = (Table(seats=3, options={"seating": "joined"}).start() for _ in range(2))
    original.act({"type": "resign"}, seat=2)
    forged.act({"type": "resign"}, seat=1)
    assert_exposed(original.play_out(), forged.play_out().record())


@pytest.mark.threat("arbiter-made-up")
def test_a_removal_that_was_made_up_contradicts_receipts_and_older_records() -> None:
    original, forged = (Table(seats=3, options={"seating": "joined"}).start() for _ in range(2))
    original.take(1)
    forged.remove(2)
    forged.take(1)
    assert_exposed(original.play_out(), forged.play_out().record())


@pytest.mark.threat("draws-chosen")
def test_a_server_to_which_nobody_sent_a_last_nonce_could_have_chosen_the_draws() -> None:
    """It chooses the secret when it has the creator's nonce; with version 1, it draws a nonce itself."""
    table = Table(nonce=b"mine")
    table.add_bot("robot")
    first = Table(nonce=b"mine", seed_version=1)
    first.join("player-1", b"chosen by the server", nonce_from="server")
    for unknown_draws in (table, first):
        report = audit_trusting_the_server(unknown_draws.play_out().record())
        assert report.verdict == "unknown"
        assert {unknown.check for unknown in report.unknowns} == {"chance"}


@pytest.mark.threat("draws-chosen")
def test_a_server_cannot_choose_the_draws_after_a_nonce_of_a_person() -> None:
    """Neither bots that it adds nor players who send nothing, or leave again, change any draw."""
    seeds = set()
    for guests, bots in product((0, 1), (1, 2)):
        table = Table("barony", 4, {"seating": "joined"}, nonce=b"mine")
        table.join("person", b"a person's")
        for number in range(guests):
            table.join(f"guest-{number}", b"")
            table.leave(f"guest-{number}")
        for number in range(bots):
            table.add_bot(f"robot-{number}")
        while table.game.status == "open":
            table.join(f"player-{len(table.game.places)}", b"")
        (start,) = (s.event for s in table.sealed if s.event["type"] == "GameStarted")
        record = read(table.abandon().record())
        seeds.add(explain(record, start["seq"])["start"]["seed"])
        assert audit_trusting_the_server(table.record()).is_sound
    assert seeds == {sha256(b"cartulary seed v2" + SECRET + b"\x04mine\x0aa person's").hexdigest()}


@pytest.mark.threat("nonce-source-made-up")
def test_a_server_can_pretend_that_a_player_supplied_the_last_nonce() -> None:
    """Only that player knows that they sent none, or another one; the report names them."""
    table = Table(nonce=b"mine")
    table.join("player-1", b"chosen by the server")
    report = audit_trusting_the_server(table.play_out().record())
    assert report.is_sound
    assert any("player-1" in english(note.text) for note in report.notes if note.check == "chance")


@pytest.mark.threat("nonce-source-made-up")
def test_a_program_that_kept_its_nonce_finds_another_one_in_the_log() -> None:
    table = Table(nonce=b"mine")
    table.join("player-1", b"chosen by the server", nonce_from="player")
    data = table.play_out().record()
    commitment_of_game = table.sealed[0].event["data"]["commitment"]
    seq = next(
        s.event["seq"]
        for s in table.sealed
        if s.event["type"] == "SeatTaken" and s.event["data"]["player"] == "player-1"
    )

    def report_with(nonce: bytes, seen: str | None) -> Report:
        sent = {"game": table.game.id, "seq": seq, "nonce": nonce.hex(), "commitment": seen}
        return audit_trusting_the_server(
            data, kept_evidence=lambda _game: KeptEvidence(nonces=[sent])
        )

    replaced = report_with(b"sent by my program", commitment_of_game)
    assert [(finding.check, finding.seq) for finding in replaced.findings] == [("chance", seq)]
    other_secret = report_with(b"chosen by the server", "0" * 64)
    assert [(finding.check, finding.seq) for finding in other_secret.findings] == [("chance", 1)]
    for seen in (commitment_of_game, None):
        report = report_with(b"chosen by the server", seen)
        assert report.is_sound
        assert any("your program sent" in english(note.text) for note in report.notes)


@pytest.mark.threat("event-withheld")
def test_receipts_that_a_program_has_kept_are_checked_without_being_asked_for() -> None:
    table = Table().start()
    table.take(1)
    table.play_out()
    receipt = receipts(table)[0]
    unsigned = {name: receipt[name] for name in ("game", "seq", "at")}
    for kept, is_sound in ((receipt, True), (KEY.sign({**unsigned, "hash": "0" * 64}), False)):
        evidence = KeptEvidence(receipts=[kept])
        report = audit_trusting_the_server(
            table.record(), kept_evidence={table.game.id: evidence}.__getitem__
        )
        assert report.is_sound is is_sound
        assert any("kept by your programs" in english(note.text) for note in report.notes)
    unreadable = KeptEvidence(fault=message("it is damaged"))
    report = audit_trusting_the_server(table.record(), kept_evidence=lambda _game: unreadable)
    assert [unknown.check for unknown in report.unknowns] == ["receipts"]


@pytest.mark.threat("draws-replaced")
def test_a_set_up_that_was_not_drawn_is_found() -> None:
    table = Table("barony", options={"round_limit": 1, "seating": "joined"}).start().play_out()
    seq = next(s.event["seq"] for s in table.sealed if s.event["type"] == "GameStarted")

    def change(events: list[Event]) -> None:
        board = events[seq - 1]["data"]["board"]
        one = board[0]
        other = next(cell for cell in board if cell["terrain"] != one["terrain"])
        one["terrain"], other["terrain"] = other["terrain"], one["terrain"]

    report = audit_record(forge_record(table.record(), change))
    assert ("chance", seq) in {(finding.check, finding.seq) for finding in report.findings}


@pytest.mark.threat("secret-of-game-replaced")
def test_another_secret_than_the_one_committed_to_is_found() -> None:
    def change(events: list[Event]) -> None:
        events[-1]["data"]["secret"] = "ab" * 32

    assert first_finding(forge_record(played(1).record(), change), "secrets").check == "secrets"


@pytest.mark.threat("hidden-value-replaced")
def test_a_hidden_value_that_was_exchanged_is_found() -> None:
    """The commitment was exchanged with it, so the seed refutes it at the end of the game."""
    table = played(2, 1)
    data = table.record()
    lines = data.splitlines()
    index = next(i for i, line in enumerate(lines) if b'"open":' in line)
    opened = orjson.loads(lines[index])
    opened["open"]["lucky/0"]["value"] += 1
    lines[index] = canonical(opened)
    exchanged = b"\n".join(lines)
    assert first_finding(exchanged, "secrets").line == index + 1

    def change(events: list[Event]) -> None:
        events[opened["seq"] - 1]["secrets"]["lucky/0"] = commitment(opened["open"]["lucky/0"])

    report = audit_record(forge_record(exchanged, change, states=True))
    assert ("chance", opened["seq"]) in {(f.check, f.seq) for f in report.findings}


@pytest.mark.threat("game-made-up")
def test_a_game_of_players_who_never_existed_is_sound_and_rests_on_the_servers_word() -> None:
    report = audit_trusting_the_server(played(2, 1).record())
    assert report.is_sound
    assert any(
        "all actions rest on the server's word" in english(note.text) for note in report.notes
    )


@pytest.mark.threat("game-made-up")
def test_a_game_that_somebody_without_the_servers_key_made_up_is_not_theirs() -> None:
    forged = played(2, 1).record(key=STRANGER)
    assert audit_trusting_the_server(forged).verdict == "broken"


@pytest.mark.threat("two-histories")
def test_two_histories_of_one_game_prove_that_the_server_signed_both() -> None:
    a, b = played(2, 1).record(), played(3, 1).record()
    comparison = compare(BytesIO(a), BytesIO(b), trusted=[KEY.public])
    assert (comparison.verdict, comparison.common) == ("divergence", 4)
    assert [proof.public for proof in comparison.proofs] == [KEY.public]


@pytest.mark.threat("end-withheld")
def test_a_record_that_ends_early_is_not_sound_and_later_receipts_name_what_is_missing() -> None:
    whole = played(2, 1, 3)
    early = whole.until(6).record(opened=False)
    assert audit_trusting_the_server(early).verdict == "unknown"
    report = audit_trusting_the_server(early, receipts=receipts(whole))
    assert report.verdict == "unknown"
    assert any(
        "whether the server omits event" in english(unknown.problem) for unknown in report.unknowns
    )


@pytest.mark.threat("names-made-up")
def test_a_name_in_the_header_can_be_made_up_and_shows_when_records_are_compared() -> None:
    """No hash of the game covers the names: the header is signed anew for every record."""
    data = played(1).record()
    named = change_header(data, players=[{"id": "player-0", "handle": "Ada", "keys": []}])
    renamed = change_header(data, players=[{"id": "player-0", "handle": "Bea", "keys": []}])
    assert audit_trusting_the_server(renamed).is_sound
    assert read(named).names != read(renamed).names
    assert read(named).lines == read(renamed).lines


@pytest.mark.threat("header-made-up")
def test_the_version_and_the_dates_of_keys_in_the_header_are_the_servers_word() -> None:
    data = played(1).record()
    keys = [KEY.public_entry("2020-01-01T00:00:00.000Z")]
    forged = change_header(data, engine="0.0.1", keys=keys)
    assert audit_trusting_the_server(forged).is_sound
    assert read(forged).lines == read(data).lines


@pytest.mark.threat("settings-made-up")
def test_a_setting_that_made_no_difference_contradicts_receipts_and_older_records() -> None:
    original = played(2, 1)

    def change(events: list[Event]) -> None:
        events[0]["data"]["clock"] = {"per_turn": 3600}

    assert_exposed(original, forge_record(original.record(), change))


@pytest.mark.threat("signature-removed")
def test_a_signature_that_was_removed_contradicts_receipts_and_older_records() -> None:
    table = Table(options={"seating": "joined"}).start()
    table.add_key("player-0", PLAYER_KEY)
    event = table.act_signed(TAKE, table.sign(TAKE, PLAYER_KEY))
    table.play_out()

    def change(events: list[Event]) -> None:
        del events[event["seq"] - 1]["signature"]

    forged = forge_record(table.record(), change)
    assert_exposed(table, forged)
    assert any(
        "signed none of" in english(note.text) or "No player signed" in english(note.text)
        for note in audit_trusting_the_server(forged).notes
    )


@pytest.mark.threat("mark-made-up")
def test_a_mark_that_was_removed_or_added_contradicts_receipts_and_older_records() -> None:
    table = Table(options={"seating": "joined"}).start().act_at_random(1)
    index = table.act_as_prepared(TAKE)["seq"] - 1
    table.play_out()

    def exchange(events: list[Event]) -> None:
        del events[index]["conditional"]
        events[index + 1]["conditional"] = True

    assert_exposed(table, forge_record(table.record(), exchange))


@pytest.mark.threat("mark-made-up")
def test_the_mark_of_a_player_who_signs_what_they_prepare_proves_itself() -> None:
    table = Table(options={"seating": "joined"}).start()
    table.add_key("player-1", PLAYER_KEY)
    table.take(1)
    index = table.act_as_prepared(TAKE, PLAYER_KEY)["seq"] - 1
    data = table.record()
    assert audit_trusting_the_server(data).findings == []

    def play_otherwise(events: list[Event]) -> None:
        """Let the other player take something else, to which the player had prepared no answer."""
        assert events[index - 1]["action"] == TAKE
        events[index - 1]["action"] = {**TAKE, "stones": 2}

    def say_it_was_not_prepared(events: list[Event]) -> None:
        del events[index]["conditional"]

    for change in (play_otherwise, say_it_was_not_prepared):
        report = audit_trusting_the_server(forge_record(data, change))
        findings = [(finding.check, finding.seq) for finding in report.findings]
        assert ("signatures", index + 1) in findings

    def leave_out_the_proof(events: list[Event]) -> None:
        del events[index]["prepared"]

    report = audit_trusting_the_server(forge_record(data, leave_out_the_proof))
    assert report.findings == []
    assert not any("seat 1 signed 1 of 1" in english(note.text) for note in report.notes)


@pytest.mark.threat("player-key-made-up")
def test_a_key_that_the_operator_registers_for_a_player_stands_in_the_log() -> None:
    table = Table(options={"seating": "joined"}).start()
    table.add_key("player-0", STRANGER)  # made by the operator
    table.act_signed(TAKE, table.sign(TAKE, STRANGER))
    data = table.play_out().record()
    assert audit_trusting_the_server(data).is_sound
    added = [event for event in read(data).events if event["type"] == "PlayerKeyAdded"]
    assert [event["data"]["public"] for event in added] == [STRANGER.public]


@pytest.mark.threat("evidence-withheld")
def test_receipts_that_are_left_out_of_a_record_leave_no_trace() -> None:
    table = played(2, 1)
    assert audit_trusting_the_server(table.record(receipts=True)).is_sound
    assert audit_trusting_the_server(table.record()).is_sound


@pytest.mark.threat("games-mixed")
def test_events_of_two_games_in_one_record_are_found() -> None:
    def change(events: list[Event]) -> None:
        events[5]["game"] = "game-2"

    finding = first_finding(forge_record(played(2, 1).record(), change), "chain")
    assert english(finding.meaning) == "Events of two games were mixed."


@pytest.mark.threat("key-foreign")
def test_a_head_signed_with_another_key_under_the_id_of_the_servers_is_found() -> None:
    data = played(1).record()
    entry = {**STRANGER.public_entry(SINCE), "key": KEY.id}
    finding = first_finding(change_header(data, keys=[entry]), "head")
    assert "is a different key" in english(finding.problem)

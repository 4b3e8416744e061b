"""Audits: sound records pass every check; each fault is reported with its place and its meaning."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from domain.event import Event
from domain.json_types import JsonObject
from ledger.canonical import canonical
from replay.audit.findings import NAMES
from replay.bots import playout
from replay.language.renderer import english
from tests.support.records import (
    ENGLISH,
    KEY,
    SINCE,
    STRANGER,
    Table,
    audit_record,
    first_finding,
    forge_record,
)

Change = Callable[[list[Event]], None]


@pytest.fixture
def data(eventful: Table) -> bytes:
    return eventful.record(receipts=True)


def test_a_finished_game_passes_every_check(eventful: Table, data: bytes) -> None:
    report = audit_record(data)
    assert report.findings == []
    assert [check.name for check in report.checks] == [n for n in NAMES if n != "against"]
    events = eventful.game.seq
    actions = sum(made.event["action"] is not None for made in eventful.sealed)
    assert {check.name: check.count for check in report.checks} == {
        "form": len(data.splitlines()),
        "head": 1,
        "chain": events,
        "state": events,
        "secrets": 6,
        "chance": 6,
        "decisions": events,
        "signatures": 0,
        "receipts": actions,
        "inclusion": 0,
    }
    assert report.unknowns == []
    assert report.as_json(ENGLISH)["sound"] is True
    assert report.summary == {
        "game": "game-1",
        "rules": "stones",
        "seats": 4,
        "events": events,
        "status": "finished",
        "signed_by": KEY.id,
        "origin": None,
    }


def test_a_running_game_passes_after_each_of_its_events(eventful: Table) -> None:
    """Also without its secrets, which are not published then; the report says what could not be checked."""
    started = next(made.game.seq for made in eventful.sealed if made.openings)
    for seq in range(1, len(eventful.sealed)):
        cut = eventful.until(seq)
        report = audit_record(cut.record(opened=False))
        assert report.findings == []
        checks = {check.name: check for check in report.checks}
        assert report.verdict == "unknown"
        assert "published at the end" in english(checks["secrets"].unknowns[0].problem)
        assert checks["chance"].verdict == "unknown"
        assert all(
            "after the game has ended" in english(unknown.evidence) for unknown in report.unknowns
        )
        assert checks["decisions"].count == seq
        assert checks["decisions"].verdict == ("unknown" if seq >= started else "holds")
        report = audit_record(cut.record(opened=True))
        assert report.findings == []
        assert {check.name: check.count for check in report.checks}["decisions"] == seq


def test_an_abandoned_game_passes_whether_or_not_it_had_started() -> None:
    table = Table(seats=3)
    assert audit_record(table.abandon().record()).is_sound
    table = Table(seats=3).start()
    table.take(2)
    report = audit_record(table.abandon().record())
    assert report.is_sound
    assert {check.name: check.count for check in report.checks}["chance"] == 5


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("bots", [("sensible",), ("random", "sensible")])
def test_whole_games_of_bots_pass(seats: int, bots: tuple[str, ...]) -> None:
    plan = playout.plan("barony", seats, bytes(3), {}, bots)
    report = audit_record(playout.play(plan).record)
    assert report.findings == []
    assert report.summary["status"] == "finished"


# Files that were damaged, and records that were cut or put together otherwise


def test_a_changed_event_is_named_with_its_line(data: bytes) -> None:
    changed = data.replace(b'"values":[', b'"values":[9,', 1)
    number = next(n for n, line in enumerate(changed.splitlines(), 1) if b"[9," in line)
    first = first_finding(changed, "chain")
    assert (first.line, first.seq) == (number, number - 1)
    assert "its hash does not match its content" in english(first.problem)
    assert "changed after it was sealed" in english(first.meaning)


def test_a_record_that_was_cut_off_does_not_match_its_head(eventful: Table, data: bytes) -> None:
    last = eventful.game.seq
    lines = data.splitlines(keepends=True)
    first = first_finding(b"".join(lines[: last - 1]), "head")
    assert (first.line, first.seq) == (last, last - 1)
    assert "cut off" in english(first.meaning)
    first = first_finding(b"".join(lines[: last - 1])[:-20], "form")
    assert first.line == last - 1


@pytest.mark.parametrize("number", [3, 9, 15])
def test_an_event_that_is_removed_repeated_or_moved_is_reported(data: bytes, number: int) -> None:
    lines = data.splitlines(keepends=True)
    out = lines[: number - 1] + lines[number:]
    assert first_finding(b"".join(out), "chain").line == number
    doubled = lines[:number] + lines[number - 1 :]
    assert first_finding(b"".join(doubled), "chain").line == number + 1
    swapped = [*lines[: number - 1], lines[number], lines[number - 1], *lines[number + 1 :]]
    assert first_finding(b"".join(swapped), "chain").line == number


def test_events_that_nobody_signed_are_reported(eventful: Table) -> None:
    header = eventful.until(12).record().splitlines(keepends=True)[0]
    rest = eventful.record().splitlines(keepends=True)[1:]
    first = first_finding(header + b"".join(rest), "head")
    assert (first.line, first.seq) == (14, 13)
    assert "nobody has signed" in english(first.meaning)


def test_an_event_of_another_game_is_reported(data: bytes) -> None:
    def change(events: list[Event]) -> None:
        events[9]["game"] = "game-2"

    assert "game-2" in english(first_finding(forge_record(data, change), "chain").problem)


def test_a_time_before_that_of_the_previous_event_is_reported(data: bytes) -> None:
    def change(events: list[Event]) -> None:
        events[9]["at"] = events[7]["at"]

    first = first_finding(forge_record(data, change), "chain")
    assert (first.line, "before that of the previous event" in english(first.problem)) == (11, True)


# The head, and who signed it


def test_a_changed_signature_header_or_key_is_reported(data: bytes) -> None:
    header = orjson.loads(data.splitlines()[0])
    rest = b"".join(data.splitlines(keepends=True)[1:])

    def with_header(**fields: Any) -> bytes:
        return canonical({**header, **fields}) + b"\n" + rest

    changed: list[JsonObject] = [
        {"engine": "9.9.9"},
        {"more": 1},
        {"keys": [*header["keys"], STRANGER.public_entry(SINCE)]},
        {"keys": [KEY.public_entry("2025-01-01T00:00:00.000Z")]},
        {"keys": [{**STRANGER.public_entry(SINCE), "key": KEY.id}]},
        {"keys": []},
        {"head": {**header["head"], "key": STRANGER.id}},
        {"head": {**header["head"], "signature": header["head"]["signature"].upper()}},
    ]
    for fields in changed:
        first = first_finding(with_header(**fields), "head")
        assert first.line == 1


def test_a_record_signed_by_an_unexpected_key_is_reported(data: bytes) -> None:
    theirs = forge_record(data, key=STRANGER)
    assert audit_record(theirs).verdict == "unknown"  # it contradicts itself nowhere
    assert audit_record(theirs, keys=[STRANGER.public]).is_sound
    first = first_finding(theirs, "head", keys=[KEY.public])
    assert "none of those expected" in english(first.problem)
    assert audit_record(data, keys=[STRANGER.public, KEY.public]).is_sound


def test_the_header_of_another_game_is_reported(data: bytes) -> None:
    header = orjson.loads(data.splitlines()[0])
    rest = b"".join(data.splitlines(keepends=True)[1:])
    for name in ("game", "rules"):
        head = {field: header["head"][field] for field in ("seq", "hash")}
        other = KEY.sign_head({**header, name: "other", "head": head})
        assert "the first event" in english(
            first_finding(canonical(other) + b"\n" + rest, "head").problem
        )


def test_events_are_checked_even_if_the_header_cannot_be_read(data: bytes) -> None:
    report = audit_record(b"x" + data)
    assert [finding.check for finding in report.findings] == ["form"]
    checks = {check.name: check for check in report.checks}
    assert checks["decisions"].count == report.summary["events"] > 0
    assert "who signed the record" in english(checks["head"].unknowns[0].problem)
    assert checks["receipts"].verdict == "unknown"
    assert report.verdict == "broken"


# Receipts


def test_an_extra_receipt_is_checked(eventful: Table, data: bytes) -> None:
    receipt = KEY.receipt(eventful.sealed[8].event)
    report = audit_record(eventful.record(), receipts=[receipt])
    assert report.is_sound
    counts = {check.name: check.count for check in report.checks}
    assert counts["receipts"] == 1
    forged_receipt = {**receipt, "seq": 10}
    assert "is not valid" in english(
        first_finding(data, "receipts", receipts=[forged_receipt]).problem
    )


def test_a_receipt_proves_that_history_was_rewritten(eventful: Table) -> None:
    """Even the server, with its own key, cannot omit or replace an action that it has accepted."""
    receipt = KEY.receipt(eventful.sealed[8].event)
    other = Table(seats=4, clock={"per_turn": 60}).start()
    while other.game.seq < eventful.game.seq and other.game.to_act is not None:
        other.take(1)
    other.finish()
    first = first_finding(other.record(), "receipts", receipts=[receipt])
    assert first.seq == 9
    assert "another history" in english(first.meaning)
    late = KEY.receipt({**eventful.sealed[8].event, "seq": 999})
    first = first_finding(eventful.record(), "receipts", receipts=[late])
    assert "which is not in the record" in english(first.problem)
    elsewhere = KEY.receipt({**eventful.sealed[8].event, "game": "game-2"})
    assert "another game" in english(
        first_finding(eventful.record(), "receipts", receipts=[elsewhere]).problem
    )


def test_a_receipt_in_the_record_is_reported_with_its_line(data: bytes) -> None:
    lines = data.splitlines(keepends=True)
    lines[-1] = lines[-1].replace(b'"signature":"', b'"signature":"00', 1)
    first = first_finding(b"".join(lines), "receipts")
    assert first.line == len(lines)


def test_fields_that_this_version_does_not_know_leave_their_meaning_open(eventful: Table) -> None:
    def change(events: list[Event]) -> None:
        for event in events[4:8]:
            event["later"] = 1  # type: ignore[typeddict-unknown-key] # a field of a later version

    data = forge_record(eventful.record(), change)
    line, rest = data.split(b"\n", 1)
    header = orjson.loads(line)
    head = {name: header["head"][name] for name in ("seq", "hash")}
    signed = KEY.sign_head({**header, "head": {**head, "newer": 1}, "added": 1})
    report = audit_record(canonical(signed) + b"\n" + rest)
    assert report.findings == []
    assert report.verdict == "unknown"
    asked = [(unknown.line, english(unknown.problem)) for unknown in report.unknowns]
    assert (1, "what the field added of the header means") in asked
    assert (1, "what the field newer of the head means") in asked
    assert (6, "what the field later of event 5 means") in asked

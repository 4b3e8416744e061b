"""The audit: sound records pass whole; of everything that can be wrong it names where, and what it means."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from domain.contract import Json
from domain.event import Event
from ledger.canonical import canonical
from replay import playout
from replay.audit.findings import NAMES
from tests.support.records import KEY, SINCE, STRANGER, Table, audited, forged, found

Change = Callable[[list[Event]], None]


@pytest.fixture
def data(eventful: Table) -> bytes:
    return eventful.record(receipts=True)


def test_a_whole_game_passes_every_check(eventful: Table, data: bytes) -> None:
    report = audited(data)
    assert report.findings == []
    assert [check.name for check in report.checks] == list(NAMES)
    events = eventful.game.seq
    actions = sum(made.event["action"] is not None for made in eventful.sealed)
    looked_at = {check.name: check.looked_at for check in report.checks}
    assert looked_at == {
        "form": len(data.splitlines()),
        "head": 1,
        "chain": events,
        "state": events,
        "secrets": 6,
        "chance": 6,
        "decisions": events,
        "receipts": actions,
    }
    assert not any(check.left_out for check in report.checks)
    assert report.as_json()["sound"] is True
    assert report.about == {
        "game": "game-1",
        "rules": "heap",
        "seats": 4,
        "events": events,
        "status": "finished",
        "signed_by": KEY.id,
    }


def test_a_game_passes_at_every_moment_of_it(eventful: Table) -> None:
    """Without what is secret then: the chance and what depends on it are left out, and it is said so."""
    started = next(made.game.seq for made in eventful.sealed if made.opens)
    for seq in range(1, len(eventful.sealed)):
        cut = eventful.until(seq)
        report = audited(cut.record(opened=False))
        assert report.findings == []
        checks = {check.name: check for check in report.checks}
        assert "published at its end" in checks["secrets"].left_out
        assert checks["chance"].left_out
        assert checks["decisions"].looked_at == min(seq, started)
        assert bool(checks["decisions"].left_out) == (seq > started)
        report = audited(cut.record(opened=True))
        assert report.findings == []
        assert {check.name: check.looked_at for check in report.checks}["decisions"] == seq


def test_an_abandoned_game_passes_started_or_not() -> None:
    table = Table(seats=3)
    assert audited(table.abandon().record()).is_sound
    table = Table(seats=3).start()
    table.take(2)
    report = audited(table.abandon().record())
    assert report.is_sound
    assert {check.name: check.looked_at for check in report.checks}["chance"] == 5


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("bots", [("sensible",), ("random", "sensible")])
def test_whole_games_of_bots_pass(seats: int, bots: tuple[str, ...]) -> None:
    plan = playout.plan("barony", seats, bytes(3), {}, bots)
    report = audited(playout.play(plan).record)
    assert report.findings == []
    assert report.about["status"] == "finished"


# Files that were damaged, and records that were cut or put together otherwise


def test_a_changed_event_is_named_with_its_line(data: bytes) -> None:
    changed = data.replace(b'"values":[', b'"values":[9,', 1)
    number = next(n for n, line in enumerate(changed.splitlines(), 1) if b"[9," in line)
    first = found(changed, "chain")
    assert (first.line, first.seq) == (number, number - 1)
    assert "its hash is not that of what it says" in first.what
    assert "changed after it was sealed" in first.means


def test_a_record_cut_off_is_compared_with_its_head(eventful: Table, data: bytes) -> None:
    last = eventful.game.seq
    lines = data.splitlines(keepends=True)
    first = found(b"".join(lines[: last - 1]), "head")
    assert (first.line, first.seq) == (last, last - 1)
    assert "cut off" in first.means
    first = found(b"".join(lines[: last - 1])[:-20], "form")
    assert first.line == last - 1


@pytest.mark.parametrize("number", [3, 9, 15])
def test_an_event_left_out_doubled_or_moved_is_found(data: bytes, number: int) -> None:
    lines = data.splitlines(keepends=True)
    out = lines[: number - 1] + lines[number:]
    assert found(b"".join(out), "chain").line == number
    doubled = lines[:number] + lines[number - 1 :]
    assert found(b"".join(doubled), "chain").line == number + 1
    swapped = [*lines[: number - 1], lines[number], lines[number - 1], *lines[number + 1 :]]
    assert found(b"".join(swapped), "chain").line == number


def test_events_that_nobody_signed_for_are_found(eventful: Table) -> None:
    header = eventful.until(12).record().splitlines(keepends=True)[0]
    rest = eventful.record().splitlines(keepends=True)[1:]
    first = found(header + b"".join(rest), "head")
    assert (first.line, first.seq) == (14, 13)
    assert "nobody has signed" in first.means


def test_two_games_mixed_are_found(data: bytes) -> None:
    def change(events: list[Event]) -> None:
        events[9]["game"] = "game-2"

    assert "game-2" in found(forged(data, change), "chain").what


def test_time_that_goes_back_is_found(data: bytes) -> None:
    def change(events: list[Event]) -> None:
        events[9]["at"] = events[7]["at"]

    first = found(forged(data, change), "chain")
    assert (first.line, "before the event before" in first.what) == (11, True)


# The head, and who signed it


def test_another_signature_header_or_key_is_found(data: bytes) -> None:
    header = orjson.loads(data.splitlines()[0])
    rest = b"".join(data.splitlines(keepends=True)[1:])

    def with_header(**fields: Any) -> bytes:
        return canonical({**header, **fields}) + b"\n" + rest

    changed: list[Json] = [
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
        first = found(with_header(**fields), "head")
        assert first.line == 1


def test_a_record_of_another_signer_is_found_by_who_holds_the_key(data: bytes) -> None:
    theirs = forged(data, key=STRANGER)
    assert audited(theirs).is_sound  # it contradicts itself nowhere
    assert audited(theirs, keys=[STRANGER.public]).is_sound
    first = found(theirs, "head", keys=[KEY.public])
    assert "none of those expected" in first.what
    assert audited(data, keys=[STRANGER.public, KEY.public]).is_sound


def test_a_header_of_another_game_is_found(data: bytes) -> None:
    header = orjson.loads(data.splitlines()[0])
    rest = b"".join(data.splitlines(keepends=True)[1:])
    for name in ("game", "rules"):
        head = {field: header["head"][field] for field in ("seq", "hash")}
        other = KEY.sign_head({**header, name: "other", "head": head})
        assert "the first event" in found(canonical(other) + b"\n" + rest, "head").what


def test_events_are_checked_even_where_the_header_cannot_be_read(data: bytes) -> None:
    report = audited(b"x" + data)
    assert [finding.check for finding in report.findings] == ["form"]
    checks = {check.name: check for check in report.checks}
    assert checks["decisions"].looked_at == report.about["events"] > 0
    assert checks["head"].left_out
    assert checks["receipts"].left_out


# Receipts


def test_a_receipt_at_hand_is_checked_along(eventful: Table, data: bytes) -> None:
    receipt = KEY.receipt(eventful.sealed[8].event)
    report = audited(eventful.record(), receipts=[receipt])
    assert report.is_sound
    assert report.checks[-1].looked_at == 1
    forged_receipt = {**receipt, "seq": 10}
    assert "does not hold" in found(data, "receipts", receipts=[forged_receipt]).what


def test_a_receipt_shows_that_history_was_written_anew(eventful: Table) -> None:
    """The server itself, with its own key, leaves an accepted action out or tells another."""
    receipt = KEY.receipt(eventful.sealed[8].event)
    other = Table(seats=4, clock={"per_turn": 60}).start()
    while other.game.seq < eventful.game.seq and other.game.to_act is not None:
        other.take(1)
    other.finish()
    first = found(other.record(), "receipts", receipts=[receipt])
    assert first.seq == 9
    assert "another history" in first.means
    late = KEY.receipt({**eventful.sealed[8].event, "seq": 999})
    first = found(eventful.record(), "receipts", receipts=[late])
    assert "which is not in the record" in first.what
    elsewhere = KEY.receipt({**eventful.sealed[8].event, "game": "game-2"})
    assert "another game" in found(eventful.record(), "receipts", receipts=[elsewhere]).what


def test_a_receipt_in_the_record_is_named_by_its_line(data: bytes) -> None:
    lines = data.splitlines(keepends=True)
    lines[-1] = lines[-1].replace(b'"signature":"', b'"signature":"00', 1)
    first = found(b"".join(lines), "receipts")
    assert first.line == len(lines)

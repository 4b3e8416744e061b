"""Audits with evidence from elsewhere: an older record, and the receipts that a player has kept."""

from io import BytesIO
from typing import Any

import pytest

from domain.event import Event
from replay.audit.findings import Check
from replay.compare.histories import read_history
from replay.language.renderer import english
from tests.support.records import KEY, STRANGER, Table, audit_record, forge_record


def checked(name: str, data: bytes, **options: Any) -> Check:
    """Return one check of the audit of a record."""
    report = audit_record(data, **options)
    return next(check for check in report.checks if check.name == name)


def against(older: bytes, data: bytes) -> Check:
    return checked("against", data, against=read_history(BytesIO(older)), keys=[KEY.public])


@pytest.mark.parametrize("seq", [4, 9, 15])
def test_a_record_may_continue_an_older_one(eventful: Table, seq: int) -> None:
    check = against(eventful.until(seq).record(), eventful.record())
    assert (check.verdict, check.count) == ("holds", seq)
    assert against(eventful.record(), eventful.record()).verdict == "holds"


def test_without_an_older_record_there_is_no_such_check(eventful: Table) -> None:
    names = [check.name for check in audit_record(eventful.record()).checks]
    assert "against" not in names


def test_a_newer_record_must_not_have_fewer_events(eventful: Table) -> None:
    """The record of an earlier moment is sound by itself, and still not what the server has shown since."""
    check = against(eventful.record(), eventful.until(9).record())
    (finding,) = check.findings
    last = eventful.game.seq
    assert (
        english(finding.problem)
        == f"events 10 to {last} of the older record are missing in this record"
    )
    assert (finding.line, finding.seq) == (11, 10)


def test_another_history_is_named_with_what_it_proves(eventful: Table) -> None:
    table = eventful.until(9)
    table.wait(5)
    (finding,) = against(eventful.record(), table.play_out().record()).findings
    assert (
        english(finding.problem) == "after event 9, these are two different histories of one game"
    )
    assert (finding.line, finding.seq) == (11, 10)
    assert f"Proof against the server that has the key {KEY.id}" in english(finding.meaning)
    assert "line 1 of the older record" in english(finding.meaning)


def test_a_removed_event_is_named(eventful: Table) -> None:
    def remove(events: list[Event]) -> None:
        del events[8]

    check = against(eventful.record(), forge_record(eventful.record(), remove, key=STRANGER))
    assert (
        english(check.findings[0].problem)
        == "event 9 of the older record is missing in this record"
    )


def test_what_a_damaged_record_hides_cannot_be_known(eventful: Table) -> None:
    check = against(eventful.record()[:4000], eventful.record())
    assert check.verdict == "unknown"
    assert "line" in english(check.unknowns[0].problem)


def test_kept_receipts_for_other_games_are_skipped_and_counted(eventful: Table) -> None:
    events = [made.event for made in eventful.sealed if made.event["action"]]
    kept = {
        "game-1": [KEY.receipt(event) for event in events],
        "game-2": [KEY.receipt({**events[0], "game": "game-2"})] * 3,
    }
    check = checked("receipts", eventful.record(), kept_receipts=kept)
    assert (check.verdict, check.count) == ("holds", len(events))
    assert [english(note.text) for note in check.notes] == [
        "3 of the receipts that were kept are for other games and were skipped."
    ]


def test_a_kept_receipt_catches_a_server_that_shows_another_history(eventful: Table) -> None:
    kept = {"game-1": [KEY.receipt(made.event) for made in eventful.sealed[9:]]}
    table = eventful.until(9)
    table.wait(5)
    other = table.play_out().record()
    assert checked("receipts", other).verdict == "holds"
    assert checked("receipts", other, kept_receipts=kept).verdict == "broken"

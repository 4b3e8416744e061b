"""The proof of inclusion in a header is checked: against the events, the checkpoint and witnesses."""

from typing import Any

import pytest

from domain.json_types import JsonObject
from ledger.transparency.checkpoint import Checkpoint
from ledger.transparency.signed_note import COSIGNATURE, SignedNote, note_key
from replay.audit import Report, TrustedKey, TrustedKeys
from replay.language.renderer import english
from tests.support.records import KEY, STRANGER, Table, audit_record, first_finding, signed_again
from tests.support.witnesses import ORIGIN, WITNESS, cosigned, inclusion_of

OTHER_WITNESS = note_key("other-witness", STRANGER, COSIGNATURE)


def notes_of(report: Report) -> list[str]:
    return [
        english(note.text)
        for check in report.checks
        if check.name == "inclusion"
        for note in check.notes
    ]


def test_a_proof_with_the_cosignature_of_a_known_witness_holds(eventful: Table) -> None:
    data = eventful.record(inclusion=inclusion_of(eventful))
    report = audit_record(data, witnesses=[WITNESS])
    assert report.is_sound
    assert notes_of(report) == [
        (
            "The witness test-witness confirms that the head was in the log on"
            " Tue, Nov 14, 2023, 10:13\u202fPM (UTC)."
        )
    ]


def test_the_head_of_an_earlier_event_is_proof_too(eventful: Table) -> None:
    inclusion = inclusion_of(eventful.until(9))
    assert audit_record(eventful.record(inclusion=inclusion)).is_sound


def test_a_proof_that_no_known_witness_has_cosigned_is_noted(eventful: Table) -> None:
    cosigned_data = eventful.record(inclusion=inclusion_of(eventful))
    (text,) = notes_of(audit_record(cosigned_data))
    assert "not checked: test-witness" in text
    plain = eventful.record(inclusion=inclusion_of(eventful, is_cosigned=False))
    (text,) = notes_of(audit_record(plain))
    assert "rests on the word of the server" in text


def test_a_record_without_a_proof_is_sound_and_says_what_one_would_add(eventful: Table) -> None:
    report = audit_record(eventful.record())
    assert report.is_sound
    (text,) = notes_of(report)
    assert "no proof" in text


@pytest.mark.parametrize("is_included", [True, False])
def test_a_witness_that_has_not_cosigned_leaves_a_question_open(
    eventful: Table, is_included: bool
) -> None:
    inclusion = inclusion_of(eventful) if is_included else None
    report = audit_record(eventful.record(inclusion=inclusion), witnesses=[OTHER_WITNESS])
    assert report.verdict == "unknown"
    assert (
        english(report.unknowns[0].problem) == "whether the witness other-witness saw this history"
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"game": "other"}, "for another game"),
        ({"seq": 99}, "which is not in the record"),
        ({"seq": 0}, "which is not in the record"),
        ({"hash": "00" * 32}, "another event"),
        ({"index": 2}, "does not lead to the checkpoint"),
        ({"index": 7}, "does not lead to the checkpoint"),
        ({"path": []}, "does not lead to the checkpoint"),
        ({"path": ["00" * 32] * 3}, "does not lead to the checkpoint"),
        ({"path": ["00" * 32] * 99}, "wrong type"),
        ({"path": ["zz"]}, "wrong type"),
        ({"path": {}}, "wrong type"),
        ({"index": -1}, "wrong type"),
        ({"index": True}, "wrong type"),
        ({"seq": "1"}, "wrong type"),
        ({"hash": 1}, "wrong type"),
        ({"checkpoint": 1}, "wrong type"),
        ({"checkpoint": "no note"}, "cannot be read"),
        ({"more": 1}, "the fields of its format"),
    ],
)
def test_a_changed_proof_is_broken(eventful: Table, change: JsonObject, problem: str) -> None:
    inclusion = {**inclusion_of(eventful), **change}
    finding = first_finding(eventful.record(inclusion=inclusion), "inclusion")
    assert problem in english(finding.problem)
    assert finding.line == 1


@pytest.mark.parametrize("inclusion", [1, [], "x", {}])
def test_a_proof_of_another_form_is_broken(eventful: Table, inclusion: Any) -> None:
    first_finding(eventful.record(inclusion=inclusion), "inclusion")


def test_a_checkpoint_of_another_key_is_broken(eventful: Table) -> None:
    inclusion = inclusion_of(eventful, key=STRANGER)
    finding = first_finding(eventful.record(inclusion=inclusion), "inclusion")
    assert "none of the keys" in english(finding.problem)


def test_a_checkpoint_with_another_root_is_broken(eventful: Table) -> None:
    inclusion = inclusion_of(eventful)
    note = SignedNote.parse(inclusion["checkpoint"])
    changed = SignedNote(Checkpoint(ORIGIN, 7, b"1" * 32).text, note.signatures)
    inclusion["checkpoint"] = str(changed)
    finding = first_finding(eventful.record(inclusion=inclusion), "inclusion")
    assert "signature of the checkpoint is not valid" in english(finding.problem)


def test_a_forged_cosignature_is_broken(eventful: Table) -> None:
    inclusion = inclusion_of(eventful)
    note = SignedNote.parse(inclusion["checkpoint"])
    other = cosigned(SignedNote(Checkpoint(ORIGIN, 7, b"1" * 32).text, ()))
    forged = SignedNote(note.text, (*note.signatures[:1], *other.signatures))
    inclusion["checkpoint"] = str(forged)
    data = eventful.record(inclusion=inclusion)
    assert "cosignature is not valid" in english(
        first_finding(data, "inclusion", witnesses=[WITNESS]).problem
    )


KNOWING_THE_LOG = TrustedKeys((TrustedKey(KEY.public, "test", log=ORIGIN),))


def open_questions(report: Report) -> list[tuple[str, str, list[str]]]:
    """The check, the question and who may have the evidence, for each open question."""
    return [
        (unknown.check, english(unknown.problem), [english(holder) for holder in unknown.holders])
        for unknown in report.unknowns
    ]


def test_the_server_gains_nothing_by_removing_the_proof() -> None:
    """The header names the log, or the reader remembers that the server has one."""
    table = Table("barony", 2, {"round_limit": 1}).start().play_out()
    whole = signed_again(table.record(inclusion=inclusion_of(table)), log=ORIGIN)
    assert audit_record(whole).is_sound
    assert audit_record(whole, trusted=KNOWING_THE_LOG).is_sound
    without = signed_again(table.record(), log=ORIGIN)
    assert audit_record(table.record()).is_sound
    for data, trusted in (
        (without, TrustedKeys((TrustedKey(KEY.public, "test"),))),
        (table.record(), KNOWING_THE_LOG),
    ):
        report = audit_record(data, trusted=trusted)
        ((check, question, holders),) = open_questions(report)
        assert (report.verdict, check) == ("unknown", "inclusion")
        assert "no proof that this history is in it" in question
        last = max(sealed.event["seq"] for sealed in table.sealed if sealed.event["action"])
        assert len(holders) == 2
        assert f"may have kept a receipt for event {last}." in holders[0]


def test_a_proof_for_an_earlier_event_leaves_the_later_ones_open() -> None:
    table = Table("barony", 2, {"round_limit": 1}).start().play_out()
    earlier = max(sealed.event["seq"] for sealed in table.sealed if sealed.event["action"]) - 1
    proof = inclusion_of(table.until(earlier))
    report = audit_record(signed_again(table.record(inclusion=proof), log=ORIGIN))
    ((check, question, holders),) = open_questions(report)
    assert (report.verdict, check) == ("unknown", "inclusion")
    assert f"ends with event {earlier}" in question
    assert len(holders) == 1
    assert f"a receipt for event {earlier + 1}." in holders[0]
    assert audit_record(table.record(inclusion=proof)).is_sound


def test_a_proof_of_another_log_than_that_of_the_server_is_not_a_proof() -> None:
    table = Table("barony", 2, {"round_limit": 1}).start().play_out()
    data = table.record(inclusion=inclusion_of(table))
    finding = first_finding(signed_again(data, log="other.test"), "inclusion")
    assert "of the log log.test" in english(finding.problem)
    other = TrustedKeys((TrustedKey(KEY.public, "test", log="other.test"),))
    ((check, question, _),) = open_questions(audit_record(data, trusted=other))
    assert check == "inclusion"
    assert "continues the log other.test" in question

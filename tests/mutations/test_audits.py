"""No mutated record is sound, except for the changes that docs/threats.md lists as undetectable.

`make mutations` tries any number of mutants; here are a few, always the same ones.
"""

from io import BytesIO

import pytest

from ledger.canonical import canonical
from replay.audit import audit
from tests.mutations import audits
from tests.mutations.changes import Lines
from tests.mutations.explanations import Unexplained, rows_of
from tests.mutations.repairs import decide_again, issue_receipts_again, seal_again
from tests.mutations.subjects import SERVER_KEY, Subject, subjects
from tests.support.honest_server import refutation
from tests.support.records import KEY


def test_every_record_that_is_mutated_is_accepted_as_it_is() -> None:
    for subject in subjects():
        report = audit(BytesIO(subject.data), keys=[SERVER_KEY], witnesses=subject.witnesses)
        assert audits.is_accepted(report, subject)
        assert report.is_sound == (not subject.has_unknown_draws)
        assert refutation(subject.data) is None


def test_no_mutant_is_sound_unless_the_table_lists_it_as_undetectable() -> None:
    failures, counts = audits.failures_of(range(70))
    assert failures == []
    assert counts["broken"] > 45


def record_with(subject: Subject, event_type: str, **fields: object) -> Lines:
    """Return the lines of a record with other fields in the first event of this type, sealed again."""
    lines = subject.data.splitlines()
    events = subject.record.events
    index = next(i for i, event in enumerate(events, 1) if event["type"] == event_type)
    lines[index] = canonical({**events[index - 1], **fields})
    return issue_receipts_again(seal_again(lines, key=KEY), key=KEY)


def test_the_rows_of_a_sound_mutant_follow_from_its_differences() -> None:
    subject = subjects()[0]
    late = record_with(subject, "GameFinished", at="2026-12-01T00:00:00.000Z")
    assert rows_of(subject, b"\n".join(late)) == {"times-made-up"}
    without_receipts = b"\n".join(subject.data.splitlines()[:-3])
    assert rows_of(subject, without_receipts) == {"evidence-withheld"}


def test_a_mutant_that_no_honest_server_writes_has_no_row() -> None:
    """As if the audit had overlooked an illegal event."""
    subject = subjects()[0]
    first = next(event for event in subject.record.events if event["action"])
    illegal = record_with(subject, first["type"], action={"type": "place_city", "at": [99, 0]})
    with pytest.raises(Unexplained, match="no server that keeps to the rules writes it"):
        rows_of(subject, b"\n".join(illegal))
    added = record_with(subject, first["type"], later=1)
    with pytest.raises(Unexplained, match="differs in"):
        rows_of(subject, b"\n".join(added))


def test_outcomes_that_are_decided_again_leave_a_record_as_it_is() -> None:
    for subject in subjects():
        lines = subject.data.splitlines()
        assert decide_again(lines) == lines


def test_players_who_join_in_another_order_sit_in_another_order() -> None:
    """Found as mutant 202930: the server can say so, as their nonces are the same."""
    (subject,) = (subject for subject in subjects() if subject.name == "disputed")
    lines = subject.data.splitlines()
    lines[3], lines[4] = lines[4], lines[3]
    mutant = issue_receipts_again(seal_again(decide_again(lines), key=KEY), key=KEY)
    assert rows_of(subject, b"\n".join(mutant)) == {"order-made-up"}

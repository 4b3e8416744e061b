"""The sentence with which a report begins follows from its details, and never contradicts them."""

from collections.abc import Iterable
from io import BytesIO
from typing import get_args

import pytest

from replay.audit import Report, TrustedKeys, audit, quick_audit
from replay.audit.findings import TOPICS, Name
from replay.audit.report import report_page
from replay.audit.summary import FAULTS, MEANINGS, NUMBERS, QUESTIONS
from replay.language.renderer import english, renderer
from tests.games.records import FOLDER
from tests.mutations import audits
from tests.support.claims import CLAIMS, contradictions
from tests.support.explanations import PLAIN
from tests.support.records import TRUSTED, Table, audit_record, trusting_signer

NOT_OF_A_WHOLE_RECORD = frozenset({"lateness"})
"""A record can have actions before their deadlines and others after them."""


def page_of(report: Report) -> str:
    return report_page(report, "game.jsonl", PLAIN, 100, renderer("en"))


def conclusion_of(report: Report) -> tuple[str, str]:
    """The sentence for the whole, and what it means."""
    conclusion = report.conclusion
    return english(conclusion.sentence), " ".join(map(english, conclusion.meaning))


def check_consistent(report: Report, name: object) -> None:
    """Check that a page begins with the sentence that belongs to its verdict, and contradicts nothing."""
    page = page_of(report)
    sentence, _ = conclusion_of(report)
    beginning = {
        "sound": ("Everything checks out.", "What a quick audit checks is right."),
        "broken": ("Something is broken",),
        "unknown": ("Nothing is broken, and",),
    }[report.verdict]
    assert sentence.startswith(beginning), name
    assert " ".join(page.split()).startswith(sentence), name
    assert contradictions(page, without=NOT_OF_A_WHOLE_RECORD) == [], name
    assert report.as_json(renderer("en"))["conclusion"]["sentence"] == sentence


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.nightly)])
def test_no_report_on_a_recorded_game_contradicts_itself(step: int) -> None:
    """Every third one in a default run."""
    verdicts = set()
    for path in sorted(FOLDER.glob("*.jsonl"))[::step]:
        data = path.read_bytes()
        for trusted in (trusting_signer(data), TrustedKeys()):
            report = audit(BytesIO(data), trusted=trusted)
            check_consistent(report, path.stem)
            verdicts.add(report.verdict)
        check_consistent(quick_audit(BytesIO(data), trusted=trusting_signer(data)), path.stem)
    assert verdicts == {"sound", "unknown"}


def check_mutants(numbers: Iterable[int]) -> None:
    for number in numbers:
        mutant = audits.mutant(number)
        if mutant is not None:
            check_consistent(audit(BytesIO(mutant.data), trusted=TRUSTED), number)


def test_no_report_on_a_forged_record_contradicts_itself() -> None:
    check_mutants(range(60))


@pytest.mark.soak
def test_no_report_on_thousands_of_forged_records_contradicts_itself() -> None:
    check_mutants(range(60, 5_000))


def test_a_page_that_contradicts_itself_is_found() -> None:
    """The sentences that once stood on one page, one below the other."""
    for text, about in (
        (
            "The draws: nobody chose them\nSo the server could have chosen the draws.",
            "the first draws",
        ),
        (
            "A player supplied the last nonce.\nThe server supplied the last nonce itself.",
            "the first draws",
        ),
        ("Everything checks out.\n  ✗ chain  5 events", "the whole"),
        ("Nothing is broken, and\nbroken: line 5", "faults"),
    ):
        assert about in contradictions(text)
    assert contradictions("Everything checks out.\n  ✓ chain  5 events") == []


def test_every_topic_and_check_has_its_sentences() -> None:
    assert QUESTIONS.keys() == MEANINGS.keys() == set(TOPICS)
    assert FAULTS.keys() == set(get_args(Name))
    assert len(NUMBERS) >= len(TOPICS) - 1
    assert len({claim.about for claim in CLAIMS}) == len(CLAIMS)


def test_a_sound_record_says_what_is_right_and_who_vouches_for_the_actions() -> None:
    table = Table("barony", 2, {"round_limit": 1}).start().play_out()
    report = audit_record(table.record())
    sentence, meaning = conclusion_of(report)
    assert sentence == "Everything checks out."
    assert "nobody alone could choose what was drawn" in meaning
    assert "No player has signed an action" in meaning
    holders = [english(holder) for holder in report.conclusion.holders]
    last = max(sealed.event["seq"] for sealed in table.sealed if sealed.event["action"])
    assert len(holders) == 2
    assert f"may have kept a receipt for event {last}." in holders[0]


def test_a_forged_record_names_the_event_and_who_has_to_answer_for_it() -> None:
    data = Table("barony", 2, {"round_limit": 1}).start().play_out().record()
    edited = audit_record(
        data.replace(b'"at":"2026-11-20T09:15:09', b'"at":"2026-11-20T09:15:08', 1)
    )
    sentence, meaning = conclusion_of(edited)
    assert sentence.startswith("Something is broken at event ")
    assert sentence.endswith("something was changed, removed or inserted after it was recorded.")
    assert "this accuses nobody yet" in meaning
    unsigned = audit_record(data.replace(b'"engine":"', b'"engine":"x', 1))
    sentence, meaning = conclusion_of(unsigned)
    assert sentence == "Something is broken: the signature of the server does not fit this record."
    assert "this accuses nobody yet" in meaning


def test_several_open_questions_are_counted_in_words() -> None:
    table = Table("barony", 2, {"round_limit": 1}, nonce_from="server").start()
    table.act_first()
    report = audit_record(table.record(opened=False), trusted=TrustedKeys())
    sentence, meaning = conclusion_of(report)
    assert sentence == (
        "Nothing is broken, and these two things cannot be known: whether the key that signed the record is"
        " that of the server and what stays hidden until the game ends."
    )
    assert meaning.startswith("Everything else was checked, and is right. Anybody can make a key")

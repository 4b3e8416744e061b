"""Summarizes the findings of an audit in one sentence and its meaning.

Both are derived only from the findings and the open questions of a report, so that they cannot contradict the
details. The verifier of the pages (service/pages/static/js/verify) and the page of proofs use the same
sentences, by the same topics.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import Message, Value, listing, message, message_in
from ledger.record import Record
from replay.audit.evidence_holders import actions_of_people, receipt_holders
from replay.audit.findings import TOPICS, Check, Finding, Name, Report, Summary, Topic
from replay.audit.responsibility import Responsible, responsible
from replay.history.inspect_messages import NOBODY_ACCUSED

QUESTIONS: Final[Mapping[Topic, Message]] = {
    "copy": message("what cannot be read in this file"),
    "key": message("whether the key that signed the record is that of the server"),
    "history": message("whether everybody was shown the same history"),
    "draws": message("whether the server chose what was drawn at the start"),
    "redraws": message("whether the server chose what was drawn again during play"),
    "later": message("whether the server withholds what came later"),
    "witness": message("whether the witness saw this history"),
    "signatures": message("whether every signature is that of the player"),
    "rules": message("which version of the rules the server had"),
    "progress": message("what stays hidden until the game ends"),
    "program": message("what some fields of the file mean"),
}
"""The topics of open questions, as they follow "cannot be known:"."""
MEANINGS: Final[Mapping[Topic, Message]] = {
    "copy": message("An intact copy of the record would show it."),
    "key": message(
        "Anybody can make a key and sign a file with it: compare the key with the one that the operator"
        " publishes, and accept it once."
    ),
    "history": message(
        "The server may have signed another history for somebody else, and this record alone would not show"
        " it."
    ),
    "draws": message(
        "If the operator had favoured somebody in the draw, this record would not show it."
    ),
    "redraws": message(
        "If the operator had favoured somebody in the new draw, this record would not show it."
    ),
    "later": message(
        "There is a receipt for something that happened later: ask for a newer record."
    ),
    "witness": message(
        "The record may be older than what the witness saw, or the witness was shown something else."
    ),
    "signatures": message("Ask the players whether they have signed what is said to be theirs."),
    "rules": message(
        "Earlier rules allowed what happened, and the server may have been late in replacing them."
    ),
    "progress": message(
        "That is so in every game in progress: check the record again after the end."
    ),
    "program": message("A newer version of this program may know them."),
}
"""The meaning of each open question for the reader."""
FAULTS: Final[Mapping[Name, Message]] = {
    "form": message("the file is damaged, or was changed"),
    "head": message("the signature of the server does not fit this record"),
    "chain": message("something was changed, removed or inserted after it was recorded"),
    "state": message("the position does not follow from what happened"),
    "secrets": message("what was hidden is not what it was at first"),
    "chance": message("somebody chose what should have been drawn"),
    "decisions": message("the rules do not allow what was recorded"),
    "signatures": message("a signature is not that of the player"),
    "receipts": message("a receipt contradicts this record"),
    "inclusion": message("the log of the server does not contain this history"),
    "against": message("this record does not continue the older one"),
}
"""The kinds of faults, by the check that finds them."""
NUMBERS: Final = (
    message_in("number of things", "two"),
    message_in("number of things", "three"),
    message_in("number of things", "four"),
    message_in("number of things", "five"),
    message_in("number of things", "six"),
    message_in("number of things", "seven"),
    message_in("number of things", "eight"),
    message_in("number of things", "nine"),
    message_in("number of things", "ten"),
    message_in("number of things", "eleven"),
)
"""The numbers of open questions in words, from two on."""
MAX_MEANINGS: Final = 2
"""The most open questions whose meaning a summary explains."""

EVERYTHING_HOLDS: Final = message("Everything checks out.")
EVERYTHING_ELSE_HOLDS: Final = message("Everything else was checked, and is right.")
ALL_SIGNED: Final = message("Every action was signed by its player: nobody can have made one up.")
NONE_SIGNED: Final = message(
    "No player has signed an action: for who took them, there is only the word of the server."
)
SERVER_ANSWERS: Final = message(
    "The server has signed the record as it is, so the server has to answer for it."
)
READER_JUDGES: Final = message(
    "What you have kept shows this, and nobody has signed it: you know whether it is right, but it proves"
    " nothing to others."
)
ANSWERS: Final[Mapping[Responsible, Message]] = {
    "server": SERVER_ANSWERS,
    "anybody": NOBODY_ACCUSED,
    "reader": READER_JUDGES,
}
"""The sentences that say who answers for a fault."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about a record in a summary, besides the findings: the number of `actions` of people, the
    number of `signed` ones, and the seq of the last action of each player, by id.
    """

    actions: int = 0
    signed: int = 0
    receipts: Mapping[str, int] = field(default_factory=dict)


NO_FACTS: Final = Facts()


def described(header: JsonObject, first: Event, count: int, status: str | None) -> JsonObject:
    """Return `Report.summary` for a record with this header, first event and number of events."""
    return {
        "game": first["game"],
        "rules": first["data"]["rules"],
        "seats": first["data"]["seats"],
        "events": count,
        "status": status,
        "signed_by": header["head"]["key"] if header else None,
        "origin": header.get("origin"),
    }


def facts_of(record: Record) -> Facts:
    """Return the facts about a record in a summary, besides the findings."""
    signed = [
        (player, event["seq"], "signature" in event)
        for player, event in actions_of_people(record.events)
    ]
    return Facts(
        len(signed),
        sum(is_signed for _, _, is_signed in signed),
        {player: seq for player, seq, _ in signed},
    )


def summarized(report: Report, facts: Facts = NO_FACTS) -> Report:
    """Return a report with its summary."""
    return replace(report, conclusion=_summary(report.checks, facts, is_quick=report.is_quick))


def _summary(checks: Sequence[Check], facts: Facts, *, is_quick: bool) -> Summary:
    findings = sorted(
        (finding for check in checks for finding in check.findings),
        key=lambda finding: (finding.line is None, finding.line or 0),
    )
    if findings:
        return _broken(checks, findings[0])
    topics = {unknown.topic for check in checks for unknown in check.unknowns}
    if topics:
        holders: list[Message] = []
        for unknown in (unknown for check in checks for unknown in check.unknowns):
            holders += [holder for holder in unknown.holders if holder not in holders]
        return Summary(open_sentence(topics), [EVERYTHING_ELSE_HOLDS, *meanings(topics)], holders)
    if is_quick:
        return Summary(
            message("What a quick audit checks is right."),
            [message("Nothing was changed after it was signed. The rules were not checked.")],
        )
    has_unsigned = facts.signed < facts.actions
    return Summary(
        EVERYTHING_HOLDS,
        [_holding(checks), *signing(facts.actions, facts.signed)],
        receipt_holders(facts.receipts) if has_unsigned else (),
    )


def open_sentence(topics: Collection[Topic]) -> Message:
    """Return the sentence for a record without faults in which these questions are open."""
    questions = [QUESTIONS[topic] for topic in TOPICS if topic in topics]
    if len(questions) == 1:
        return one_open(questions[0])
    return several_open(NUMBERS[len(questions) - 2], listing(questions))


def one_open(question: Value) -> Message:
    """Return the sentence for a record with one open question."""
    return message(
        "Nothing is broken, and one thing cannot be known: {question}.", question=question
    )


def several_open(number: Value, questions: Value) -> Message:
    """Return the sentence for a record with several open questions; `number` is one of `NUMBERS`."""
    return message(
        "Nothing is broken, and these {number} things cannot be known: {questions}.",
        number=number,
        questions=questions,
    )


def checkable_sentence(topics: Collection[Topic]) -> Message:
    """Return the sentence for a game that has not been checked here, with these open questions."""
    questions = [QUESTIONS[topic] for topic in TOPICS if topic in topics]
    if not questions:
        return message("Everything about this game can be checked.")
    if len(questions) == 1:
        return message(
            "Almost everything about this game can be checked, and one thing cannot be known: {question}.",
            question=questions[0],
        )
    return message(
        "Almost everything about this game can be checked, and these {number} things cannot be known:"
        " {questions}.",
        number=NUMBERS[len(questions) - 2],
        questions=listing(questions),
    )


def broken(fault: Value, seq: Value | None) -> Message:
    """Return the sentence for a record with a fault, at event `seq` if given."""
    if seq is None:
        return message("Something is broken: {fault}.", fault=fault)
    return message("Something is broken at event {seq}: {fault}.", seq=seq, fault=fault)


def meanings(topics: Collection[Topic]) -> list[Message]:
    """Return the meanings of the first of these open questions for the reader."""
    return [MEANINGS[topic] for topic in TOPICS if topic in topics][:MAX_MEANINGS]


def signing(actions: int, signed: int) -> list[Message]:
    """Return the sentences on the signatures of players' actions; none without actions."""
    if not actions:
        return []
    if signed == actions:
        return [ALL_SIGNED]
    return [some_signed(actions, signed) if signed else NONE_SIGNED]


def some_signed(actions: Value, signed: Value) -> Message:
    """Return the sentences about actions that their players have not signed."""
    return message(
        "Players have signed {signed} of {actions} actions: for the others, there is only the word of the"
        " server.",
        signed=signed,
        actions=actions,
    )


def _holding(checks: Sequence[Check]) -> Message:
    has_draws = any(check.name == "chance" and check.count for check in checks)
    if has_draws:
        return message(
            "What happened is within the rules, nothing was changed since the server signed it, and nobody"
            " alone could choose what was drawn."
        )
    return message(
        "What happened is within the rules, and nothing was changed since the server signed it."
    )


def _broken(checks: Sequence[Check], first: Finding) -> Summary:
    sentence = broken(FAULTS[first.check], first.seq)
    has_head = any(check.name == "head" and check.verdict == "holds" for check in checks)
    bases = {finding.basis for check in checks for finding in check.findings}
    answer = ANSWERS[responsible(first.basis, bases, has_head=has_head)]
    return Summary(sentence, [first.meaning, answer])

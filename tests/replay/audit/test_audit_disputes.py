"""The audit of disputes and takebacks: each event is decided again, with everything that follows from it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from domain.contract import DomainEvent
from domain.event import Event
from ledger import commands
from ledger.canonical import canonical
from ledger.statements import AnswerDispute, WithdrawDispute
from replay.audit import Finding
from replay.language.renderer import english
from tests.support.local_game import LocalGame
from tests.support.records import audit_record, forge_record

Change = Callable[[list[Event]], None]
DISMISS = {"type": "dismiss"}
BEFORE, AFTER = (datetime(2026, 11, day, 9, tzinfo=UTC) for day in (20, 24))
"""Times before and after it became a rule that a takeback is requested once for each action."""


def findings_of(data: bytes) -> list[Finding]:
    """Return the findings of the check of decisions."""
    return [finding for finding in audit_record(data).findings if finding.check == "decisions"]


def game_with_rulings() -> LocalGame:
    """A game of three with an arbiter, a clock and takebacks.

    6-8 actions, 9 DisputeOpened, 10 DisputeAnswered, 11 DisputeRuled, 12 PlayResumed, 13 an action,
    14 TakebackRequested, 15 and 16 TakebackAnswered, 17 PlayResumed, 18 DisputeOpened, 19 DisputeRuled,
    20 PlayerRemoved, 21 DisputeOpened, 22 DisputeWithdrawn, 23 DisputeOpened, 24 DisputeRuled,
    25 GameAbandoned.
    """
    game = LocalGame(3, arbiter="zoe", per_turn=3600, takebacks=True)
    game.act(3)
    game.wait(minutes=10)
    number = game.dispute(1, about=7)
    AnswerDispute(number, "No.").add(game.pending, 0, game.secret)
    game.wait(hours=2)
    game.rule(number, {"type": "resume", "from": 6})
    game.act()
    request = game.request_takeback(1)
    game.answer_takeback(request, 0, agree=True)
    game.answer_takeback(request, 2, agree=True)
    game.rule(game.dispute(0, about=7), {"type": "remove_seat", "seat": 2})
    WithdrawDispute(game.dispute(2)).add(game.pending, 2, game.secret)
    game.rule(game.dispute(0), {"type": "abandon"})
    return game


@pytest.fixture(scope="module")
def data() -> bytes:
    return game_with_rulings().record()


@pytest.fixture(scope="module")
def agreed() -> bytes:
    """A game without an arbiter: 5 DisputeOpened, 6 and 7 RulingProposed, 8 DisputeRuled, 9 an action."""
    game = LocalGame(2)
    number = game.dispute(0, about=4)
    game.propose(number, 1, DISMISS)
    game.propose(number, 0, DISMISS)
    game.act()
    return game.record()


def test_an_honest_record_with_disputes_has_no_findings(data: bytes, agreed: bytes) -> None:
    assert audit_record(data).findings == []
    assert findings_of(agreed) == []


def game_resumed_twice() -> LocalGame:
    """A game of Baron in which play resumes from the event with which it resumed before."""
    game = LocalGame(2, rules="baron", arbiter="zoe")
    game.act(6)
    game.rule(game.dispute(0), {"type": "resume", "from": 7})
    resumed = game.game.seq
    game.act(6)
    game.rule(game.dispute(1), {"type": "resume", "from": resumed})
    game.act(6)
    return game


def test_play_that_resumes_from_an_earlier_resumption_has_no_findings() -> None:
    game = game_resumed_twice()
    data = game.record()
    assert audit_record(data).findings == []
    lines = data.splitlines(keepends=True)
    unopened = b"".join(line for line in lines if b'"open":' not in line)
    assert audit_record(unopened).findings == []
    commands.abandon(game.pending, game.secret, by=commands.ARBITER)
    assert audit_record(game.record()).findings == []


def test_a_pile_that_an_earlier_resumption_drew_is_not_drawn_again() -> None:
    """The server leaves the pile of the first resumption in place in the second."""
    game = game_resumed_twice()
    commands.abandon(game.pending, game.secret, by=commands.ARBITER)
    first, second = (
        sealed for sealed in game.pending.sealed if sealed.event["type"] == "PlayResumed"
    )
    opening = first.openings["pile"]
    lines = []
    for line in game.record().splitlines(keepends=True):
        value = orjson.loads(line)
        if value.get("seq") == second.event["seq"]:
            if "open" in value:
                value["open"]["pile"] = opening
            else:
                value["secrets"] = first.event["secrets"]
        lines.append(canonical(value))
    forged = forge_record(b"\n".join(lines) + b"\n")
    problems = [english(finding.problem) for finding in audit_record(forged).findings]
    assert any("the secret “pile” is not what the seed gives" in problem for problem in problems)


@pytest.mark.parametrize("start", [BEFORE, AFTER])
def test_a_takeback_that_is_requested_again_is_right_only_by_the_former_rule(
    start: datetime,
) -> None:
    """A request is declined, the next action is taken back, and the first one is requested again."""
    game = LocalGame(2, takebacks=True, start=start)
    game.act()
    game.answer_takeback(game.request_takeback(0), 1, agree=False)
    game.act()
    game.answer_takeback(game.request_takeback(1), 0, agree=True)
    again: Any = {"seat": 0, "from": 4}
    game.pending.add(DomainEvent("TakebackRequested", again), {"seat": 0})
    report = audit_record(game.record())
    assert report.findings == []
    notes = [english(note.text) for note in report.notes]
    unknowns = [english(unknown.problem) for unknown in report.unknowns]
    explanations, others = (notes, unknowns) if start is BEFORE else (unknowns, notes)
    assert any(
        "the number of requests for the takeback of one action" in text for text in explanations
    )
    assert not any(
        "the number of requests for the takeback of one action" in text for text in others
    )


def edit(seq: int, **fields: Any) -> Change:
    """Return a change of fields of an event; those of `data` are named `data_…`."""

    def change(events: list[Event]) -> None:
        event: Any = events[seq - 1]
        for name, value in fields.items():
            if name.startswith("data_"):
                event["data"][name.removeprefix("data_")] = value
            else:
                event[name] = value

    return change


def delete(seq: int) -> Change:
    """Return a change that deletes an event."""

    def change(events: list[Event]) -> None:
        del events[seq - 1]

    return change


def without_statement(seq: int) -> Change:
    """Return a change that removes the commitment to a statement."""

    def change(events: list[Event]) -> None:
        del events[seq - 1]["secrets"]

    return change


def set_from(seq: int, origin: int) -> Change:
    """Return a change of the event after which play continues."""
    return edit(seq, data_from=origin)


@pytest.mark.parametrize(
    ("change", "seq"),
    [
        (edit(9, data_seat=2), 9),
        (edit(9, data_about=9), 9),
        (edit(9, data_clock_stopped_until=None), 9),
        (edit(9, data_clock_stopped_until="2027-11-20T09:00:00.000Z"), 9),
        (edit(9, by={"system": "arbiter"}), 9),
        (without_statement(9), 9),
        (edit(9, action={"type": "resign"}), 9),
        (edit(10, by={"seat": 2}), 10),
        (edit(10, data_dispute=8), 10),
        (edit(11, by={"seat": 1}), 11),
        (edit(11, by={"system": "clock"}), 11),
        (edit(11, data_arbiter="ada"), 11),
        (edit(11, data_arbiter=None), 11),
        (edit(11, data_agreed_by=[0]), 11),
        (edit(11, data_ruling={"type": "resume", "from": 5}), 12),
        (edit(11, data_ruling={"type": "resume", "from": 3}), 11),
        (edit(11, data_ruling={"type": "pardon"}), 11),
        (edit(11, data_ruling=DISMISS), 12),
        (set_from(12, 7), 12),
        (edit(12, data_because=10), 12),
        (edit(12, by={"system": "takeback"}), 12),
        (edit(12, at="2026-11-20T11:10:01.000Z"), 12),
        (delete(12), 12),
        (delete(11), 11),
        (set_from(14, 5), 14),
        (edit(14, by={"seat": 0}), 14),
        (edit(15, by={"seat": 1}, data_seat=1), 15),
        (edit(15, data_agree="yes"), 15),
        (edit(15, data_agree=False), 16),
        (edit(15, data_request=9), 15),
        (delete(16), 16),
        (edit(17, by={"system": "arbiter"}), 17),
        (edit(19, data_ruling={"type": "remove_seat", "seat": 1}), 20),
        (edit(19, data_ruling={"type": "remove_seat", "seat": 7}), 19),
        (delete(20), 20),
        (edit(22, by={"seat": 0}, data_seat=0), 22),
        (delete(25), 24),
        (edit(1, data_arbiter="ada"), 1),
        (edit(1, data_arbiter="bea"), 3),
        (edit(1, data_arbiter=5), 1),
    ],
)
def test_a_forged_event_is_a_finding(data: bytes, change: Change, seq: int) -> None:
    seqs = {finding.seq for finding in findings_of(forge_record(data, change))}
    assert seq in seqs


@pytest.mark.parametrize(
    ("change", "seq"),
    [
        (delete(8), 8),
        (delete(7), 7),
        (edit(7, data_ruling={"type": "abandon"}), 8),
        (edit(7, data_ruling={"type": "result_stands"}), 7),
        (edit(8, data_agreed_by=[0]), 8),
        (edit(8, data_agreed_by=[1, 0]), 8),
        (edit(8, data_arbiter="zoe"), 8),
        (edit(8, data_ruling={"type": "result_stands"}), 8),
        (edit(6, data_ruling={"type": "remove_seat", "seat": 5}), 6),
    ],
)
def test_a_forged_agreement_is_a_finding(agreed: bytes, change: Change, seq: int) -> None:
    assert seq in {finding.seq for finding in findings_of(forge_record(agreed, change))}


def test_a_turn_that_was_forfeited_while_the_clock_stood_still_is_a_finding() -> None:
    game = LocalGame(2, per_turn=3600)
    game.wait(minutes=50)
    game.dispute(0)
    game.wait(hours=72, minutes=10)
    game.forfeit()
    honest = game.record()
    assert findings_of(honest) == []

    def forfeit_early(events: list[Event]) -> None:
        events[-1]["at"] = "2026-11-23T09:55:00.000Z"

    (finding,) = findings_of(forge_record(honest, forfeit_early))
    assert "the time for the turn was not over" in english(finding.problem)


def test_a_game_that_was_finished_before_the_ruling_is_a_finding() -> None:
    game = LocalGame(2)
    game.resign(0)
    game.dispute(0)
    game.wait(hours=72)
    commands.finish(game.pending, game.secret)
    honest = game.record()
    assert findings_of(honest) == []

    def finish_early(events: list[Event]) -> None:
        events[-1]["at"] = "2026-11-20T10:00:00.000Z"

    (finding,) = findings_of(forge_record(honest, finish_early))
    assert "waits for the ruling" in english(finding.problem)


def test_an_erased_statement_is_not_a_fault(data: bytes) -> None:
    lines = data.splitlines(keepends=True)
    erased = b"".join(line for line in lines if b"I object." not in line)
    assert erased != data
    report = audit_record(erased)
    assert report.findings == []
    assert report.verdict == "sound"


def test_a_changed_statement_is_a_finding(data: bytes) -> None:
    changed = data.replace(b"I object.", b"I accept.", 1)
    (finding,) = audit_record(changed).findings
    assert (finding.check, finding.seq) == ("secrets", 9)


@pytest.mark.parametrize("ruling", [{}, {"type": "resume"}, {"type": "remove_seat"}, 5, None])
def test_a_record_that_ends_with_a_made_up_ruling_is_a_finding(ruling: Any) -> None:
    game = LocalGame(2, arbiter="zoe")
    game.rule(game.dispute(0), {"type": "dismiss"})
    seq = game.game.seq
    data = forge_record(game.record(), edit(seq, data_ruling=ruling))
    assert seq in {finding.seq for finding in findings_of(data)}

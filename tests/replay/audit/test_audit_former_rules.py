"""Corrected rules and recorded games: the games stay as they were played, and an audit says what changed.

Each test changes a rule on purpose, as a correction in a version 9.0.0 would, and audits the games in
tests/games, which an earlier version wrote.
"""

import copy
from collections.abc import Collection
from io import BytesIO
from types import ModuleType, SimpleNamespace
from typing import Any, Final

import pytest

from domain import baron, barony, corrections
from domain.corrections import Correction
from domain.errors import Refused
from domain.event import ZEROS, Event
from domain.fold import EarlierGames, evolve
from domain.game import Game
from domain.messages import message
from ledger.canonical import canonical, digest
from replay.audit import Report, audit
from replay.language.renderer import english
from tests.games.records import FOLDER, record_of
from tests.games.scripted_game import KEY
from tests.support.records import forge_record, read

BARONY: Final = ("agreement", "duke-of-two", "one-left", "removed-by-arbiter", "round-limit")
BARON: Final = ("baron-battles", "baron-one-left", "baron-ties")
AFTER_ALL_GAMES: Final = "2027-01-01T00:00:00.000Z"
BEFORE_ALL_GAMES: Final = "2025-01-01T00:00:00.000Z"


def former(rules: ModuleType) -> Any:
    """Return a rule system that stays as this one is now."""
    return SimpleNamespace(**vars(rules))


def correct(
    monkeypatch: pytest.MonkeyPatch,
    rules: ModuleType,
    function: str,
    corrected: Any,
    clause: str,
    *,
    released: str = AFTER_ALL_GAMES,
    engine: str = "9.0.0",
    is_listed: bool = True,
) -> None:
    """Replace a function of a rule system, and list the correction unless `is_listed` is false."""
    correction = Correction(rules, former(rules), (clause,), engine, released)
    if is_listed:
        monkeypatch.setattr(corrections, "CORRECTIONS", (correction,))
    monkeypatch.setattr(rules, function, corrected)


def refuse_two_knights(monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
    """Correct BY-REC-2: a city recruits one knight, and not two."""
    decide = barony.decide

    def corrected(state: Any, seat: int, action: Any) -> Any:
        if getattr(action, "knights", 1) > 1:
            raise Refused("BY-REC-2", message("one knight at most"))
        return decide(state, seat, action)

    correct(monkeypatch, barony, "decide", corrected, "BY-REC-2", **options)


def recruited_two(name: str) -> list[int]:
    """The seqs of the events that the corrected rule refuses."""
    return [
        event["seq"]
        for event in record_of(name).events
        if event["type"] == "KnightsRecruited" and event["data"]["knights"] > 1
    ]


def audit_of(name: str) -> Report:
    return audit(BytesIO((FOLDER / f"{name}.jsonl").read_bytes()), keys=[KEY.public])


def noted(report: Report, text: str) -> list[int | None]:
    """The seqs of the notes that contain this text."""
    return [note.seq for note in report.notes if text in english(note.text)]


def assert_same_positions(names: Collection[str]) -> None:
    """Fold the games with today's rules and compare each position with that of the record."""
    for name in names:
        record, game = record_of(name), None
        earlier = EarlierGames(record.events)
        for event in record.events:
            after: Game = evolve(game, event, record.opened_values(), earlier)
            earlier.keep(after)
            position = after.position_while_on()
            state = ZEROS if position is None else digest(canonical(position))
            assert event["state"] == state, (name, event["seq"])
            game = after


def test_an_audit_notes_which_events_a_correction_would_refuse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    verdicts = {name: audit_of(name).verdict for name in BARONY}
    refuse_two_knights(monkeypatch)
    assert_same_positions(BARONY)
    for name in BARONY:
        report = audit_of(name)
        assert report.findings == []
        assert report.verdict == verdicts[name]
        assert noted(report, "corrected BY-REC-2, and the event") == recruited_two(name)
    assert len(recruited_two("duke-of-two")) > 1


def test_an_event_that_no_version_of_the_rules_allows_was_never_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The record contradicts the former rules too: five knights are more than a city ever recruited."""
    refuse_two_knights(monkeypatch)
    forged = recruited_two("duke-of-two")[0]

    def change(events: list[Any]) -> None:
        events[forged - 1]["action"]["knights"] = 5
        events[forged - 1]["data"]["knights"] = 5

    data = (FOLDER / "duke-of-two.jsonl").read_bytes()
    report = audit(BytesIO(forge_record(data, change)))
    contradicted = [finding for finding in report.findings if finding.check == "decisions"]
    assert contradicted[0].seq == forged
    assert "This was never right" in english(contradicted[0].meaning)
    assert forged not in noted(report, "the rules then said otherwise")


def test_without_a_correction_the_same_events_are_reported_as_never_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refuse_two_knights(monkeypatch, is_listed=False)
    report = audit_of("duke-of-two")
    assert [finding.seq for finding in report.findings] == recruited_two("duke-of-two")
    assert {finding.kind for finding in report.findings} == {"today"}
    assert report.verdict == "broken"


def test_an_event_after_the_release_of_a_correction_leaves_a_question_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refuse_two_knights(monkeypatch, released=BEFORE_ALL_GAMES, engine="0.0.1")
    report = audit_of("duke-of-two")
    assert report.findings == []
    assert report.verdict == "unknown"
    asked = [
        unknown.seq for unknown in report.unknowns if "version 0.0.1" in english(unknown.problem)
    ]
    assert asked == recruited_two("duke-of-two")


def test_a_record_that_an_older_program_exported_is_older_than_the_correction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refuse_two_knights(monkeypatch, released=BEFORE_ALL_GAMES)
    report = audit_of("duke-of-two")
    assert noted(report, "the rules then said otherwise") == recruited_two("duke-of-two")
    assert report.findings == []


def test_an_audit_notes_which_results_a_correction_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    standings = baron.standings

    def corrected(state: Any) -> Any:
        first, *others = standings(state)
        return [{**first, "score": first["score"] + 1}, *others]

    correct(monkeypatch, baron, "standings", corrected, "BN-END-3")
    assert_same_positions(BARON)
    for name in BARON:
        report = audit_of(name)
        scored = [e["seq"] for e in record_of(name).events if e["type"] == "RoundScored"]
        assert noted(report, "corrected BN-END-3, and the event") == scored
        assert report.findings == []


def test_an_audit_notes_draws_that_a_correction_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    set_up = barony.set_up

    def corrected(seats: int, options: Any, draws: Any) -> Any:
        draws.below(2)
        return set_up(seats, options, draws)

    correct(monkeypatch, barony, "set_up", corrected, "BY-SET-2")
    report = audit_of("one-left")
    started = [e["seq"] for e in record_of("one-left").events if e["type"] == "GameStarted"]
    assert noted(report, "corrected BY-SET-2, and the event") == started
    assert report.findings == []


def test_a_former_rule_does_not_excuse_what_it_never_allowed() -> None:
    """The former rule refused a request while another one was pending."""
    data = (FOLDER / "baron-new-draws.jsonl").read_bytes()
    seq = next(e["seq"] for e in read(data).events if e["type"] == "TakebackRequested")

    def double(events: list[Event]) -> None:
        events.insert(seq, copy.deepcopy(events[seq - 1]))
        for number, event in enumerate(events, 1):
            if number > seq + 1:
                for name in ("request", "because"):
                    if event["data"].get(name, 0) >= seq:
                        event["data"][name] += 1
            event["seq"] = number

    report = audit(BytesIO(forge_record(data, double)), keys=[KEY.public])
    assert (seq + 1, "decisions") in {(f.seq, f.check) for f in report.findings}
    assert seq + 1 not in noted(report, "the rules then said otherwise")


def test_a_game_is_not_a_rematch_of_itself() -> None:
    data = (FOLDER / "baron-new-draws.jsonl").read_bytes()

    def change(events: list[Event]) -> None:
        events[0]["data"]["options"]["rematch_of"] = events[0]["game"]

    report = audit(BytesIO(forge_record(data, change)), keys=[KEY.public])
    assert any("rematch of itself" in english(f.problem) for f in report.findings)

"""Audits of records that were sealed correctly but are false: positions, secrets, chance, decisions."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from domain.errors import Refused
from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import message
from ledger.canonical import canonical
from replay.language.renderer import english
from tests.support import token_game
from tests.support.events import event_of
from tests.support.records import Table, audit_record, first_finding, forge_record

Change = Callable[[list[Event]], None]


@pytest.fixture
def data(eventful: Table) -> bytes:
    return eventful.record(receipts=True)


def test_a_wrong_state_is_reported(data: bytes) -> None:
    def change(events: list[Event]) -> None:
        events[9]["state"] = events[8]["state"]

    first = first_finding(forge_record(data, change), "state")
    assert (first.line, first.seq) == (11, 10)


def test_an_event_that_cannot_be_applied_is_reported_once(data: bytes) -> None:
    def change(events: list[Event]) -> None:
        del events[9]["data"]["seat"]

    report = audit_record(forge_record(data, change))
    first = report.first
    assert first is not None
    assert (first.check, first.line) == ("state", 11)
    assert "cannot be applied" in english(first.problem)
    checks = {check.name: check for check in report.checks}
    assert "from event 10 on" in english(checks["state"].unknowns[0].problem)
    assert "after one that cannot be applied" in english(checks["decisions"].unknowns[0].problem)
    assert checks["decisions"].count == 10


def test_a_changed_or_missing_opening_is_reported(eventful: Table) -> None:
    data = eventful.record()
    lines = data.splitlines()
    opening = orjson.loads(lines[-1])

    def with_opening(value: JsonObject) -> bytes:
        return b"\n".join([*lines[:-1], canonical(value)]) + b"\n"

    opening["open"]["lucky/0"]["value"] += 1
    first = first_finding(with_opening(opening), "secrets")
    assert (first.line, first.seq) == (len(lines), 8)
    opening["open"]["lucky/0"]["value"] -= 1
    opening["open"]["lucky/9"] = opening["open"]["lucky/0"]
    assert "has no commitment" in english(first_finding(with_opening(opening), "secrets").problem)
    del opening["open"]["lucky/9"]
    assert audit_record(with_opening(opening)).is_sound
    report = audit_record(with_opening({**opening, "seq": 9}))
    assert any("has no commitment" in english(finding.problem) for finding in report.findings)
    del opening["open"]["lucky/0"]
    first = first_finding(with_opening(opening), "secrets")
    assert (first.line, first.seq) == (9, 8)
    assert "not opened, although the game has ended" in english(first.problem)
    assert first_finding(b"\n".join(lines[:-1]), "secrets").seq == 8


@pytest.mark.parametrize("secret", ["00" * 32, "00" * 31, "", "zz", None, 5])
def test_a_game_secret_that_was_not_committed_to_is_reported(data: bytes, secret: object) -> None:
    def change(events: list[Event]) -> None:
        events[-1]["data"]["secret"] = secret

    first = first_finding(forge_record(data, change), "secrets")
    assert "chosen by the server" in english(first.meaning)


def test_a_seating_that_was_not_drawn_is_reported(data: bytes) -> None:
    def players(events: list[Event]) -> None:
        events[7]["data"]["players"].reverse()

    first = first_finding(forge_record(data, players), "chance")
    assert (first.line, english(first.problem)) == (9, "players is not what the seed gives")

    def nonce(events: list[Event]) -> None:
        events[1]["data"]["nonce"] = "00"

    assert "is not what the seed gives" in english(
        first_finding(forge_record(data, nonce), "chance").problem
    )


def test_a_set_up_that_was_chosen_is_reported() -> None:
    table = Table("barony", options={"round_limit": 1}).start().play_out()

    def change(events: list[Event]) -> None:
        cells = events[3]["data"]["board"]
        cells[0]["terrain"] = "lake" if cells[0]["terrain"] != "lake" else "plain"

    first = first_finding(forge_record(table.record(), change, states=True), "chance")
    assert (first.seq, english(first.problem)) == (4, "board is not what the seed gives")


# Decisions that the rules cannot make


def edit(seq: int, **fields: Any) -> Change:
    def change(events: list[Event]) -> None:
        events[seq - 1].update(fields)  # type: ignore[typeddict-item] # made up on purpose

    return change


def edit_data(seq: int, **fields: Any) -> Change:
    return lambda events: events[seq - 1]["data"].update(fields)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (edit(1, by={"seat": 0}), None),
        (edit(1, by={"player": "other"}), "the first place is not its creator's"),
        (edit_data(1, clock={"per_turn": 0}), "its clock"),
        (edit_data(1, clock={"per_day": 1}), "its clock"),
        (edit_data(1, options={"seating": "drawn", "private": False}), "options"),
        (edit_data(1, more=1), "more would be null"),
        (edit(2, by={"player": "goes"}), "it is by goes, which"),
        (edit_data(2, nonce="00" * 65), "FORMAT"),
        (edit_data(3, player="player-0"), None),
        (edit(8, by={"system": "clock"}), "it is by the clock"),
        (edit(9, by={"seat": 1}), "ST-TURN"),
        (edit(9, by={"seat": 9}), "it is by seat 9"),
        (edit(9, by={"system": "start"}), "it is by the start"),
        (edit(9, action={"type": "take", "stones": 4}), "ST-TAKE"),
        (edit(9, action={"type": "take", "stones": 2}), "values would be"),
        (edit(9, action={"type": "draw"}), "FORMAT"),
        (edit(9, action=None), "follows only from an action"),
        (edit(11, by={"system": "arbiter"}), "it is by the ruling"),
        (edit(11, action={"type": "resign"}), "follows from no action"),
        (edit_data(13, round=2), None),
        (edit_data(13, standings=[]), "standings.0 would be"),
        (edit(13, by={"seat": 0}), "it is by seat 0"),
        (edit(15, by={"system": "scorer"}), "it is by the scorer"),
        (edit_data(15, seat=0), None),
    ],
)
def test_an_event_that_the_rules_cannot_bring_about_is_reported(
    eventful: Table, data: bytes, change: Change, text: str | None
) -> None:
    """The chain, the head and the positions are repaired where they can be."""
    report = audit_record(forge_record(data, change))
    assert report.verdict == "broken"
    problems = [
        english(finding.problem) for finding in report.findings if finding.check == "decisions"
    ]
    if text is not None:
        assert any(text in problem for problem in problems), problems


def test_a_turn_forfeited_before_its_deadline_is_reported(eventful: Table, data: bytes) -> None:
    forfeited = next(m.event for m in eventful.sealed if m.event["type"] == "TurnForfeited")

    def hurry(events: list[Event]) -> None:
        events[forfeited["seq"] - 1]["at"] = events[forfeited["seq"] - 2]["at"][:-4] + "999Z"

    first = first_finding(forge_record(data, hurry), "decisions")
    assert (first.seq, first.kind) == (forfeited["seq"], "today")
    assert "the time for the turn was not over" in english(first.problem)
    assert "the time for the turn was not over" in english(
        first_finding(forge_record(data, edit_data(1, clock=None)), "decisions").problem
    )


def test_a_wrong_ranking_or_a_missing_round_is_reported(data: bytes) -> None:
    def swap(events: list[Event]) -> None:
        ranking = events[-1]["data"]["ranking"]
        ranking[0]["seat"], ranking[1]["seat"] = ranking[1]["seat"], ranking[0]["seat"]

    assert "ranking" in english(
        first_finding(forge_record(data, swap, states=True), "decisions").problem
    )

    def leave_out(events: list[Event]) -> None:
        events[:] = [event for event in events if event["data"].get("round") != 2]

    report = audit_record(forge_record(data, leave_out, states=True))
    assert any("round" in english(finding.problem) for finding in report.findings)


def test_play_after_the_end_is_reported(eventful: Table) -> None:
    def again(events: list[Event]) -> None:
        events.append(dict(events[8]))  # type: ignore[arg-type] # the same event once more
        events[-1]["at"] = events[-2]["at"]

    report = audit_record(forge_record(eventful.record(), again))
    assert any(
        "today's rules say otherwise" in english(finding.problem) for finding in report.findings
    )


def test_corrected_rules_are_distinguished_from_a_damaged_record(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    legal = token_game.decide

    def stricter(state: token_game.State, seat: int, action: Any) -> Any:
        if isinstance(action, token_game.Take) and action.stones > 1:
            raise Refused("ST-TAKE", message("one stone at most"))
        return legal(state, seat, action)

    monkeypatch.setattr(token_game, "decide", stricter)
    report = audit_record(data)
    assert {finding.check for finding in report.findings} == {"decisions"}
    first = report.first
    assert first is not None
    assert (first.seq, first.kind) == (10, "today")
    assert "ST-TAKE: one stone at most" in english(first.problem)
    assert "This was never right" in english(first.meaning)


@pytest.mark.parametrize("seq", [1, 2, 4, 5])
def test_a_commitment_that_the_rules_do_not_have_is_reported(seq: int) -> None:
    """A server commits only to the secrets that the rules draw."""
    table = Table("barony").start()
    table.act(
        table.game.rules.action_to_json(table.game.rules.legal_actions(table.game.state, 0)[0])
    )

    first = first_finding(
        forge_record(table.record(), edit(seq, secrets={"more": "00" * 32})), "decisions"
    )
    assert first.seq == seq
    assert "keep other values secret" in english(first.problem)


def test_a_round_scored_after_a_game_was_abandoned_is_reported() -> None:
    table = Table("barony", options={"round_limit": 1}).start()
    while not table.game.rounds_ended:
        rules, seat = table.game.rules, table.game.to_act
        assert seat is not None
        table.act(rules.action_to_json(rules.legal_actions(table.game.state, seat)[0]))
    table.score()
    table.abandon()
    assert audit_record(table.record()).is_sound

    def late(events: list[Event]) -> None:
        events[-2:] = reversed(events[-2:])
        events[-1]["at"] = events[-2]["at"]

    assert "the game was abandoned" in english(
        first_finding(forge_record(table.record(), late), "decisions").problem
    )


def test_a_seat_that_no_game_has_is_reported() -> None:
    table = Table("barony", options={"round_limit": 1}).start().play_out()
    first = first_finding(forge_record(table.record(), edit_data(5, seat=2**53 - 1)), "state")
    assert first.seq == 5


def test_a_player_who_was_not_invited_to_a_private_game_is_reported() -> None:
    table = Table("barony", options={"private": True})
    table.add(event_of("SeatTaken", {"player": "stranger", "nonce": ""}), {"player": "stranger"})
    assert "not invited" in english(first_finding(table.record(), "decisions").problem)


def test_numbers_too_large_for_canonical_json_are_reported() -> None:
    def last_round(events: list[Event]) -> None:
        for event in events[4:]:
            if event["data"].get("then", {}).get("round"):
                event["data"]["then"]["round"] = 2**53 - 1

    table = Table("barony").start()
    for _ in range(10):
        rules, seat = table.game.rules, table.game.to_act
        assert seat is not None
        table.act(rules.action_to_json(rules.legal_actions(table.game.state, seat)[0]))
    report = audit_record(forge_record(table.record(), last_round))
    assert any(finding.check == "decisions" for finding in report.findings)

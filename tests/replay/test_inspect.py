"""Explanations of events, and the log as text."""

import pytest

from domain.errors import Unreadable
from domain.event import Event
from replay.diff import changes
from replay.inspect import explain_event, explanation_page
from replay.log_view import log_lines
from replay.render.styles import Styler
from replay.timeline import step_at
from tests.support.records import Table, forge_record, read
from tests.support.sorcery_games import game_with_casts

PLAIN = Styler(is_on=False)


def test_an_explanation_has_everything_about_an_action(eventful: Table) -> None:
    record = read(eventful.record())
    taken = eventful.sealed[9].event
    assert taken["type"] == "StonesTaken"
    explanation = explain_event(step_at(record, 10), {})
    before, after = (eventful.sealed[n].game.position(None) for n in (8, 9))
    assert explanation["event"] == taken
    assert (explanation["before"], explanation["after"]) == (before, after)
    assert explanation["changes"] == changes(before, after) != []
    assert explanation["action_text"] == "take 2"
    assert explanation["event_text"] == f"takes 2 worth {sum(taken['data']['values'])}"
    assert explanation["clauses"] == [{"id": "ST-TAKE", "text": "2 of the 11 stones there were"}]
    lines = explanation_page(explanation, PLAIN, 100).splitlines()
    assert lines[0] == "event 10 of game-1: StonesTaken"
    assert "when      2026-11-20 09:15:09 UTC" in lines
    player = eventful.game.players[1]
    assert f"who       seat 1 ({player})" in lines
    assert "action    take 2" in lines
    assert '          {"stones":2,"type":"take"}' in lines
    assert "  ST-TAKE  2 of the 11 stones there were" in lines
    assert "    stones  11 → 9" in lines
    assert f"hash      {taken['hash']}" in lines


def test_an_event_before_the_start_has_no_positions(eventful: Table) -> None:
    record = read(eventful.record())
    explanation = explain_event(step_at(record, 1), {})
    assert (explanation["before"], explanation["after"], explanation["changes"]) == (None, None, [])
    assert explanation["action_text"] is None
    text = explanation_page(explanation, PLAIN, 80)
    assert "who       player-0" in text
    assert "the position is the same as before" in text


def test_the_start_has_a_position_after_it_and_the_opened_secrets(eventful: Table) -> None:
    record = read(eventful.record())
    explanation = explain_event(step_at(record, 8), record.openings[8])
    assert explanation["before"] is None
    assert [change["path"] for change in explanation["changes"]] == [""]
    text = explanation_page(explanation, PLAIN, 80)
    assert "who       the start" in text
    assert f"opened    lucky/0: {explanation['opened']['lucky/0']['value']}" in text


def test_the_explanation_of_every_event_keeps_to_the_width() -> None:
    table = Table("barony", seats=3, options={"round_limit": 4}).start().play_out()
    record = read(table.record())
    for seq in range(1, len(record.events) + 1):
        text = explanation_page(explain_event(step_at(record, seq), {}), PLAIN, 74)
        assert all(len(line) <= 74 for line in text.splitlines())
        assert text.endswith("\n")
        styled = explanation_page(explain_event(step_at(record, seq), {}), Styler(is_on=True), 74)
        assert ("\x1b[" in styled, "\x1b" in text) == (True, False)


def test_an_action_that_the_rules_cannot_read_is_shown_as_json(eventful: Table) -> None:
    record = read(eventful.record())
    step = step_at(record, 10)
    step.event["action"] = {"type": "grab"}
    explanation = explain_event(step, {})
    assert explanation["action_text"] is None
    assert 'action    {"type":"grab"}' in explanation_page(explanation, PLAIN, 80)


def test_the_log_has_one_line_for_every_event(eventful: Table) -> None:
    record = read(eventful.record())
    lines = list(log_lines(record, PLAIN))
    assert len(lines) == len(record.events)
    assert lines[0] == " 1  2026-11-20 09:15:00  player-0  GameCreated"
    assert lines[9].startswith("10  2026-11-20 09:15:09  seat 1    takes 2 worth ")
    assert [line for line in lines if "  clock     TurnForfeited" in line]
    assert all("\x1b" in line for line in log_lines(record, Styler(is_on=True)))


def test_text_from_a_record_has_no_control_characters(eventful: Table) -> None:
    def change(events: list[Event]) -> None:
        events[9]["type"] = "StonesTaken"
        events[9]["action"] = {"type": "take\x1b]0;owned\x07", "stones": 2}
        events[2]["data"]["player"] = "\x1b[2J"

    record = read(forge_record(eventful.record(), change))
    for seq in (3, 10):
        text = explanation_page(explain_event(step_at(record, seq), {}), PLAIN, 80)
        assert not any(ord(char) < 32 and char != "\n" for char in text)
    for line in log_lines(record, PLAIN):
        assert line.isprintable()


def test_an_event_with_broken_data_is_unreadable(eventful: Table) -> None:
    def change(events: list[Event]) -> None:
        events[8]["data"]["values"] = [None]

    record = read(forge_record(eventful.record(), change))
    with pytest.raises(Unreadable, match=r"^line 10: "):
        explain_event(step_at(record, 9), {})
    with pytest.raises(Unreadable, match=r"^line 10: "):
        list(log_lines(record, PLAIN))


@pytest.mark.parametrize("field", ["moves", "spells", "cost"])
def test_a_cast_with_a_missing_field_is_unreadable(field: str) -> None:
    table = game_with_casts("moves")
    cast = next(
        made.game.seq
        for made in table.sealed
        if made.event["type"] == "SpellsCast" and "moves" in made.event["data"]
    )
    record = read(forge_record(table.record(), lambda events: events[cast - 1]["data"].pop(field)))
    with pytest.raises(Unreadable, match=rf"^line {cast + 1}: "):
        explain_event(step_at(record, cast), {})
    with pytest.raises(Unreadable, match=rf"^line {cast + 1}: "):
        list(log_lines(record, PLAIN))


def test_a_start_on_a_huge_board_is_explained_quickly() -> None:
    def change(events: list[Event]) -> None:
        events[3]["data"]["board"][5]["at"] = [2**52, 0]

    data = forge_record(Table("barony").start().record(), change, states=True)
    explanation = explain_event(step_at(read(data), 4), {})
    assert "BY-SET-2" not in [clause["id"] for clause in explanation["clauses"]]


def test_an_explanation_has_everything_about_a_cast() -> None:
    table = game_with_casts("swept")
    record = read(table.record())
    seq = next(e["seq"] for e in record.events if e["data"].get("moves", [{}])[-1].get("swept"))
    explanation = explain_event(step_at(record, seq), {})
    event = record.events[seq - 1]
    seat, cost = event["data"]["seat"], event["data"]["cost"]
    assert explanation["action_text"] == table.game.rules.action_text(
        table.game.rules.parse_action(event["action"])
    )
    assert explanation["action_text"].startswith(f"cast {' '.join(event['data']['spells'])} ")
    before, after = (explanation[when]["players"][seat]["magic"] for when in ("before", "after"))
    gained = sum(step.get("magic", 0) for step in event["data"]["moves"])
    assert after - before == gained - cost != 0
    changed = {change["path"]: change for change in explanation["changes"]}
    assert changed[f"players.{seat}.magic"]["after"] == after
    text = explanation_page(explanation, PLAIN, 200)
    assert f"action    {explanation['action_text']}" in text
    assert f"magic  {before} → {after} (" in text
    lines = list(log_lines(record, PLAIN))
    assert lines[seq - 1].partition(f"seat {seat}")[2].strip() == explanation["event_text"]
    assert lines[0].endswith("  creates a game of barony for 3, with Sorcery")

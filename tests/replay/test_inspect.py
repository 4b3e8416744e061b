"""One event explained, and the log for people."""

import pytest

from domain.errors import Unreadable
from domain.event import Event
from replay.diff import changes
from replay.inspect import inspected, page
from replay.log_view import chronicle
from replay.render.styles import Styler
from replay.timeline import step_at
from tests.support.one_action_game import some_game
from tests.support.records import Table, forged, read

PLAIN = Styler(is_on=False)


def test_an_action_is_told_with_all_that_belongs_to_it(eventful: Table) -> None:
    record = read(eventful.record())
    taken = eventful.sealed[9].event
    assert taken["type"] == "StonesTaken"
    shown = inspected(step_at(record, 10), {})
    before, after = (eventful.sealed[n].game.position(None) for n in (8, 9))
    assert shown["event"] == taken
    assert (shown["before"], shown["after"]) == (before, after)
    assert shown["changes"] == changes(before, after) != []
    assert shown["action_text"] == "take 2"
    assert shown["event_text"] == f"takes 2 worth {sum(taken['data']['values'])}"
    assert shown["clauses"] == [{"id": "HP-TAKE", "text": "2 of the 11 stones there were"}]
    lines = page(shown, PLAIN, 100).splitlines()
    assert lines[0] == "event 10 of game-1: StonesTaken"
    assert "when      2026-11-20 09:15:09 UTC" in lines
    player = eventful.game.players[1]
    assert f"who       seat 1 ({player})" in lines
    assert "action    take 2" in lines
    assert '          {"stones":2,"type":"take"}' in lines
    assert "  HP-TAKE  2 of the 11 stones there were" in lines
    assert "    stones  11 → 9" in lines
    assert f"hash      {taken['hash']}" in lines


def test_an_event_before_the_start_has_no_positions(eventful: Table) -> None:
    record = read(eventful.record())
    shown = inspected(step_at(record, 1), {})
    assert (shown["before"], shown["after"], shown["changes"]) == (None, None, [])
    assert shown["action_text"] is None
    text = page(shown, PLAIN, 80)
    assert "who       player-0" in text
    assert "the position is the same as before" in text


def test_the_start_has_a_position_after_it_and_secrets_where_they_are_open(eventful: Table) -> None:
    record = read(eventful.record())
    shown = inspected(step_at(record, 8), record.opens[8])
    assert shown["before"] is None
    assert [change["path"] for change in shown["changes"]] == [""]
    text = page(shown, PLAIN, 80)
    assert "who       the start" in text
    assert f"opened    lucky/0: {shown['opened']['lucky/0']['value']}" in text


def test_every_event_of_a_whole_game_is_told_in_the_width_that_there_is() -> None:
    table = Table("barony", seats=3, options={"round_limit": 4}).start().play_out()
    record = read(table.record())
    for seq in range(1, len(record.events) + 1):
        text = page(inspected(step_at(record, seq), {}), PLAIN, 74)
        assert all(len(line) <= 74 for line in text.splitlines())
        assert text.endswith("\n")
        coloured = page(inspected(step_at(record, seq), {}), Styler(is_on=True), 74)
        assert ("\x1b[" in coloured, "\x1b" in text) == (True, False)


def test_an_action_that_todays_rules_cannot_read_is_shown_as_it_is(eventful: Table) -> None:
    record = read(eventful.record())
    step = step_at(record, 10)
    step.event["action"] = {"type": "grab"}
    shown = inspected(step, {})
    assert shown["action_text"] is None
    assert 'action    {"type":"grab"}' in page(shown, PLAIN, 80)


def test_the_log_has_one_line_for_every_event(eventful: Table) -> None:
    record = read(eventful.record())
    lines = list(chronicle(record, PLAIN))
    assert len(lines) == len(record.events)
    assert lines[0] == " 1  2026-11-20 09:15:00  player-0  GameCreated"
    assert lines[9].startswith("10  2026-11-20 09:15:09  seat 1    takes 2 worth ")
    assert [line for line in lines if "  clock     TurnForfeited" in line]
    assert all("\x1b" in line for line in chronicle(record, Styler(is_on=True)))


def test_what_a_record_says_gives_no_orders_to_a_terminal(eventful: Table) -> None:
    def change(events: list[Event]) -> None:
        events[9]["type"] = "StonesTaken"
        events[9]["action"] = {"type": "take\x1b]0;owned\x07", "stones": 2}
        events[2]["data"]["player"] = "\x1b[2J"

    record = read(forged(eventful.record(), change))
    for seq in (3, 10):
        text = page(inspected(step_at(record, seq), {}), PLAIN, 80)
        assert not any(ord(char) < 32 and char != "\n" for char in text)
    for line in chronicle(record, PLAIN):
        assert line.isprintable()


def test_an_event_that_cannot_be_told_is_unreadable(eventful: Table) -> None:
    def change(events: list[Event]) -> None:
        events[8]["data"]["values"] = [None]

    record = read(forged(eventful.record(), change))
    with pytest.raises(Unreadable, match=r"^line 10: "):
        inspected(step_at(record, 9), {})
    with pytest.raises(Unreadable, match=r"^line 10: "):
        list(chronicle(record, PLAIN))


@pytest.mark.parametrize("field", ["moves", "spells", "cost"])
def test_a_cast_of_which_a_part_is_missing_is_unreadable(field: str) -> None:
    table = some_game("moves")
    cast = next(
        made.game.seq
        for made in table.sealed
        if made.event["type"] == "SpellsCast" and "moves" in made.event["data"]
    )
    record = read(forged(table.record(), lambda events: events[cast - 1]["data"].pop(field)))
    with pytest.raises(Unreadable, match=rf"^line {cast + 1}: "):
        inspected(step_at(record, cast), {})
    with pytest.raises(Unreadable, match=rf"^line {cast + 1}: "):
        list(chronicle(record, PLAIN))


def test_a_start_on_a_vast_board_is_told_at_once() -> None:
    def change(events: list[Event]) -> None:
        events[3]["data"]["board"][5]["at"] = [2**52, 0]

    data = forged(Table("barony").start().record(), change, states=True)
    told = inspected(step_at(read(data), 4), {})
    assert "BY-SET-2" not in [clause["id"] for clause in told["clauses"]]


def test_a_cast_is_told_with_all_that_belongs_to_it() -> None:
    table = some_game("swept")
    record = read(table.record())
    seq = next(e["seq"] for e in record.events if e["data"].get("moves", [{}])[-1].get("swept"))
    shown = inspected(step_at(record, seq), {})
    event = record.events[seq - 1]
    seat, cost = event["data"]["seat"], event["data"]["cost"]
    assert shown["action_text"] == table.game.rules.action_text(
        table.game.rules.parse_action(event["action"])
    )
    assert shown["action_text"].startswith(f"cast {' '.join(event['data']['spells'])} ")
    before, after = (shown[when]["players"][seat]["magic"] for when in ("before", "after"))
    gained = sum(step.get("magic", 0) for step in event["data"]["moves"])
    assert after - before == gained - cost != 0
    changed = {change["path"]: change for change in shown["changes"]}
    assert changed[f"players.{seat}.magic"]["after"] == after
    text = page(shown, PLAIN, 200)
    assert f"action    {shown['action_text']}" in text
    assert f"magic  {before} → {after} (" in text
    lines = list(chronicle(record, PLAIN))
    assert lines[seq - 1].partition(f"seat {seat}")[2].strip() == shown["event_text"]
    assert lines[0].endswith("  creates a game of barony for 3, with Sorcery")

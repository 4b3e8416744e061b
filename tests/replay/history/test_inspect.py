"""Explanations of events, and the log as text."""

import pytest

from domain.errors import Unreadable
from domain.event import Event
from domain.json_types import JsonObject
from replay.history.diff import changes
from replay.history.inspect import MAX_LISTED_ACTIONS
from replay.render.styles import Styler
from tests.support.explanations import explain, log_of, page
from tests.support.faults import raises
from tests.support.local_game import LocalGame, key_of
from tests.support.records import KEY, Table, forge_record, read
from tests.support.sorcery_games import game_with_casts


def test_an_explanation_has_everything_about_an_action(eventful: Table) -> None:
    record = read(eventful.record())
    taken = eventful.sealed[9].event
    assert taken["type"] == "StonesTaken"
    explanation = explain(record, 10)
    before, after = (eventful.sealed[n].game.position(None, ended=True) for n in (8, 9))
    assert explanation["event"] == taken
    assert (explanation["before"], explanation["after"]) == (before, after)
    assert explanation["changes"] == changes(before, after) != []
    assert explanation["action_text"] == "take 2"
    assert explanation["event_text"] == f"takes 2 worth {sum(taken['data']['values'])}"
    assert explanation["clauses"] == [
        {
            "id": "ST-TAKE",
            "sentence": "A seat takes one to three stones, and no more than there are.",
            "text": "2 of the 11 stones there were",
        }
    ]
    player = eventful.game.players[1]
    assert explanation["actor"] == {
        "seat": 1,
        "player": player,
        "handle": None,
        "system": None,
        "means": "token",
        "key": None,
        "signed_head": None,
    }
    assert explanation["time"] == {
        "at": "2026-11-20T09:15:09.000Z",
        "round": 1,
        "turn": 2,
        "turn_of": 1,
        "turn_began": "2026-11-20T09:15:08.000Z",
        "deadline": "2026-11-20T09:16:08.000Z",
        "clock_stopped_until": None,
        "remaining_ms": 59_000,
        "bank_ms": None,
    }
    assert explanation["legal_actions"] == {
        "seat": 1,
        "count": 3,
        "by_type": {"take": 3},
        "actions": ["take 1", "take 2", "take 3"],
    }
    lines = page(record, 10, width=100).splitlines()
    assert lines[0] == "seat 1 did this, says the server: it is not signed."
    assert "kept the receipt for event 10" in lines[1]
    assert "event 10 of game-1: StonesTaken" in lines
    assert "when      Fri, Nov 20, 2026, 9:15:09.000\u202fAM (UTC)" in lines
    assert "who       seat 1" in lines
    assert f"          player {player}" in lines
    assert "turn      round 1, turn 2, of seat 1" in lines
    assert "deadline  Fri, Nov 20, 2026, 9:16:08.000\u202fAM (UTC), 59.000 s left" in lines
    assert "action    take 2" in lines
    assert '          {"stones":2,"type":"take"}' in lines
    assert "  ST-TAKE  2 of the 11 stones there were" in lines
    assert "           A seat takes one to three stones, and no more than there are." in lines
    assert "  3 actions: take 3" in lines
    assert "    stones  11 → 9" in lines
    assert f"hash      {taken['hash']}" in lines


def test_the_player_saw_the_position_before_the_event_with_their_own_secrets_only() -> None:
    table = Table(seats=3).start()
    before = table.game
    table.take(2)
    saw = explain(read(table.record()), table.game.seq)["seen_position"]
    assert saw == {"seat": 0, "seq": before.seq, "position": before.position(0)}
    assert before.position(0) not in (before.position(None), before.position(1))
    text = page(read(table.record()), table.game.seq)
    assert f"what seat 0 saw, after event {before.seq}" in text
    # The end shows every secret, but not what the player saw at the time.
    abandoned = read(table.abandon().record())
    assert explain(abandoned, before.seq + 1)["seen_position"] == saw


def test_the_view_of_a_seat_needs_its_opened_secrets() -> None:
    table = Table(seats=3).start()
    table.take(2)
    explanation = explain(read(table.record(opened=False)), table.game.seq)
    assert (explanation["seen_position"], explanation["legal_actions"]) == (None, None)


def test_many_legal_actions_are_counted_and_listed_only_on_request() -> None:
    table = Table("barony").start()
    table.act_first()
    record, seq = read(table.record()), table.game.seq
    options = explain(record, seq)["legal_actions"]
    assert options["count"] > MAX_LISTED_ACTIONS
    assert (options["by_type"], options["actions"]) == ({"place_city": options["count"]}, None)
    listed = explain(record, seq, lists_all_actions=True)["legal_actions"]["actions"]
    assert len(listed) == len(set(listed)) == options["count"]
    assert explain(record, seq)["action_text"] in listed
    assert f"  {options['count']} actions: place a city {options['count']}" in page(record, seq)


def test_an_action_out_of_turn_had_no_alternatives_and_no_deadline(eventful: Table) -> None:
    record = read(eventful.record())
    seq = next(e["seq"] for e in record.events if e["type"] == "PlayerResigned")
    explanation = explain(record, seq)
    assert explanation["actor"]["seat"] != explanation["time"]["turn_of"]
    assert explanation["time"]["remaining_ms"] is None
    assert explanation["legal_actions"]["count"] == 0
    assert "nothing: it was another player's turn" in page(record, seq)


def test_a_forfeited_turn_shows_how_long_after_the_deadline_the_clock_ended_it(
    eventful: Table,
) -> None:
    record = read(eventful.record())
    seq = next(e["seq"] for e in record.events if e["type"] == "TurnForfeited")
    explanation = explain(record, seq)
    assert explanation["by"] == "the clock"
    assert explanation["actor"]["means"] == "server"
    assert explanation["time"]["remaining_ms"] == -1000
    assert explanation["legal_actions"]["by_type"] == {"take": 3}
    assert "(UTC), the clock acted 1.000 s later" in page(record, seq)


def test_a_late_action_is_shown_as_late() -> None:
    table = Table(clock={"per_turn": 60}).start()
    table.wait(62)
    table.take(1)
    record = read(table.record())
    assert explain(record, table.game.seq)["time"]["remaining_ms"] == -3000
    assert "(UTC), 3.000 s late" in page(record, table.game.seq)
    assert log_of(record)[-1].endswith("  (3.000 s late)")


def test_an_event_before_the_start_has_no_positions(eventful: Table) -> None:
    record = read(eventful.record())
    explanation = explain(record, 1)
    assert (explanation["before"], explanation["after"], explanation["changes"]) == (None, None, [])
    assert explanation["action_text"] is None
    assert [explanation[name] for name in ("seen_position", "legal_actions", "start")] == [None] * 3
    text = page(record, 1)
    assert "who       player-0" in text
    assert "the position is the same as before" in text


def test_the_start_has_a_position_after_it_and_the_opened_secrets(eventful: Table) -> None:
    record = read(eventful.record())
    explanation = explain(record, 8)
    assert explanation["before"] is None
    assert [change["path"] for change in explanation["changes"]] == [""]
    text = page(record, 8)
    assert "who       the start" in text
    assert (
        f"opened    lucky of seat 0 (lucky/0): {explanation['opened']['lucky/0']['value']}" in text
    )


def test_players_are_named_where_the_record_names_them(eventful: Table) -> None:
    record = read(eventful.record())
    ids = eventful.game.players
    record.header["players"] = [
        {"id": id, "handle": f"name{seat}" if seat else None, "keys": []}
        for seat, id in enumerate(ids)
    ]
    assert explain(record, 10)["actor"]["handle"] == "name1"
    assert f"who       name1\n          seat 1, player {ids[1]}\n" in page(record, 10)
    assert "who       seat 0\n" in page(record, 9)
    lines = log_of(record)
    assert "  name1       takes 2 worth " in lines[9]
    assert "  seat 0      takes 1 worth " in lines[8]


def test_the_start_of_a_game_names_the_players_by_seat() -> None:
    record = read(Table("baron", options={"seating": "joined"}).start().record())
    assert "player-0 is seat 0 and player-1 is seat 1" in explain(record, 4)["event_text"]
    record.header["players"] = [{"id": "player-1", "handle": "b\x1bea", "keys": []}]
    for text in (explain(record, 4)["event_text"], log_of(record)[3]):
        assert "player-0 is seat 0 and b\ufffdea is seat 1" in text


def test_a_signed_action_shows_the_key_and_the_position_that_was_signed() -> None:
    table = Table().start()
    table.add_key("player-0", KEY)
    table.add_key("player-1", KEY)
    take: JsonObject = {"type": "take", "stones": 1}
    for head in (None, table.sealed[-2].event["hash"]):
        table.act_signed(take, table.sign(take, KEY, head))
    record, seq = read(table.record()), table.game.seq
    actor = explain(record, seq - 1)["actor"]
    assert (actor["means"], actor["key"]) == ("signature", KEY.id)
    assert actor["signed_head"] == record.events[seq - 3]["hash"]
    text = page(record, seq - 1)
    assert "signed with the player's own key, as audit checks" in text
    assert f"key {KEY.id}, for the position after event {seq - 2}\n" in text
    hash = record.events[seq - 4]["hash"]
    assert f"for the position after the event {hash[:16]}…\n" in page(record, seq, width=100)


def test_signed_statements_and_signed_conditional_actions_show_their_keys() -> None:
    game = LocalGame(3, takebacks=True, arbiter="judge")
    game.act(3)
    game.sign("cid", "TakebackRequested", {})
    game.request_takeback(2)
    number = game.dispute(0)
    ruling = {"type": "dismiss"}
    game.sign("judge", "DisputeRuled", {"dispute": number, "ruling": ruling}, "So be it.")
    game.rule(number, ruling)
    record, keys = read(game.record()), {"judge": key_of("judge").id, "cid": key_of("cid").id}
    lines = log_of(record)
    for type, person in (("TakebackRequested", "cid"), ("DisputeRuled", "judge")):
        seq = game.types.index(type) + 1
        actor = explain(record, seq)["actor"]
        assert (actor["means"], actor["key"]) == ("signature", keys[person])
        assert "signed with the player's own key, as audit checks" in page(record, seq)
        assert "(signed)" in lines[seq - 1]
    assert "(signed)" not in lines[number - 1]
    assert explain(record, number)["actor"]["means"] == "token"
    table = Table(options={"seating": "joined"}).start()
    table.add_key("player-1", KEY)
    table.take(1)
    seq = table.act_as_prepared({"type": "take", "stones": 1}, KEY)["seq"]
    record = read(table.record())
    assert explain(record, seq)["actor"]["key"] == KEY.id
    assert "(as prepared)  (signed)" in log_of(record)[seq - 1]


def test_the_legal_actions_of_a_forged_board_that_is_much_too_large_are_not_listed() -> None:
    def change(events: list[Event]) -> None:
        board = events[3]["data"]["board"]
        board += [{"at": [q, 50 + r], "terrain": "plain"} for q in range(30) for r in range(30)]

    table = Table("barony").start()
    table.act_first()
    assert explain(read(table.record()), 5)["legal_actions"] is not None
    assert explain(read(forge_record(table.record(), change)), 5)["legal_actions"] is None


def test_a_board_that_is_too_wide_is_not_drawn() -> None:
    def change(events: list[Event]) -> None:
        events[3]["data"]["board"].append({"at": [10**12, 0], "terrain": "plain"})

    table = Table("barony").start()
    table.act_first()
    record = read(forge_record(table.record(), change))
    assert "  the board is too wide to be drawn\n" in page(record, 5)


def test_the_explanation_of_every_event_keeps_to_the_width() -> None:
    table = Table("barony", seats=3, options={"round_limit": 4}).start().play_out()
    record = read(table.record())
    for seq in range(1, len(record.events) + 1):
        text = page(record, seq, width=74)
        assert all(len(line) <= 74 for line in text.splitlines())
        assert text.endswith("\n")
        styled = page(record, seq, Styler(is_on=True), width=74)
        assert ("\x1b[" in styled, "\x1b" in text) == (True, False)


def test_an_action_that_the_rules_cannot_read_is_shown_as_json(eventful: Table) -> None:
    record = read(eventful.record())
    record.events[9]["action"] = {"type": "grab"}
    assert explain(record, 10)["action_text"] is None
    assert 'action    {"type":"grab"}' in page(record, 10)


def test_the_log_has_one_line_for_every_event(eventful: Table) -> None:
    record = read(eventful.record())
    lines = log_of(record)
    assert len(lines) == len(record.events)
    assert lines[0] == " 1  Nov 20, 2026  09:15:00 UTC  player-0    GameCreated"
    assert lines[9].startswith("10  Nov 20, 2026  09:15:09 UTC  seat 1      takes 2 worth ")
    assert lines[9].endswith("  (59.000 s left)")
    (forfeited,) = [line for line in lines if "  the clock   TurnForfeited" in line]
    assert forfeited.endswith("  (deadline + 1.000 s)")
    assert all("\x1b" in line for line in log_of(record, styler=Styler(is_on=True)))


def test_text_from_a_record_has_no_control_characters(eventful: Table) -> None:
    def change(events: list[Event]) -> None:
        events[9]["type"] = "StonesTaken"
        events[9]["action"] = {"type": "take\x1b]0;owned\x07", "stones": 2}
        events[2]["data"]["player"] = "\x1b[2J"

    record = read(forge_record(eventful.record(), change))
    for seq in (3, 10):
        text = page(record, seq)
        assert not any(ord(char) < 32 and char != "\n" for char in text)
    for line in log_of(record):
        assert line.isprintable()


def test_an_event_with_broken_data_is_unreadable(eventful: Table) -> None:
    def change(events: list[Event]) -> None:
        events[8]["data"]["values"] = [None]

    record = read(forge_record(eventful.record(), change))
    with raises(Unreadable, match=r"^line 10: "):
        explain(record, 9)
    with raises(Unreadable, match=r"^line 10: "):
        log_of(record)


@pytest.mark.parametrize("field", ["moves", "spells", "cost"])
def test_a_cast_with_a_missing_field_is_unreadable(field: str) -> None:
    table = game_with_casts("moves")
    cast = next(
        made.game.seq
        for made in table.sealed
        if made.event["type"] == "SpellsCast" and "moves" in made.event["data"]
    )
    record = read(forge_record(table.record(), lambda events: events[cast - 1]["data"].pop(field)))
    with raises(Unreadable, match=rf"^line {cast + 1}: "):
        explain(record, cast)
    with raises(Unreadable, match=rf"^line {cast + 1}: "):
        log_of(record)


def test_a_start_on_a_huge_board_is_explained_quickly() -> None:
    def change(events: list[Event]) -> None:
        events[3]["data"]["board"][5]["at"] = [2**52, 0]

    data = forge_record(Table("barony").start().record(), change, states=True)
    explanation = explain(read(data), 4)
    assert "BY-SET-2" not in [clause["id"] for clause in explanation["clauses"]]


def test_an_explanation_has_everything_about_a_cast() -> None:
    table = game_with_casts("swept")
    record = read(table.record())
    seq = next(e["seq"] for e in record.events if e["data"].get("moves", [{}])[-1].get("swept"))
    explanation = explain(record, seq)
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
    text = page(record, seq, width=200)
    assert f"action    {explanation['action_text']}" in text
    assert f"magic tokens  {before} → {after} (" in text
    lines = log_of(record)
    assert lines[seq - 1].partition(f"  seat {seat} ")[2].strip() == explanation["event_text"]
    assert lines[0].endswith("  creates a game of Barony: Sorcery for 3 players")


def test_an_explanation_has_the_time_bank_of_the_seat_to_act() -> None:
    table = Table("stones", 2, clock={"per_turn": 60, "bank": 3600}).start()
    table.wait(100)
    table.take(1)
    table.take(1)
    table.take(1)
    record = read(table.record())
    first, second = table.game.seq - 2, table.game.seq
    assert explain(record, first)["time"]["bank_ms"] == 3_600_000
    assert 3_500_000 < explain(record, second)["time"]["bank_ms"] < 3_600_000
    assert "in the time bank when the turn began" in page(record, second, width=200)

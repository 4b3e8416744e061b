"""Filters of events: what each condition selects, how conditions combine, and errors for invalid ones."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from domain.errors import Malformed
from ledger.record import Record
from replay.history.event_filter import CONDITIONS, EventFilter, parse_filter, split_conditions
from replay.history.event_hexes import event_hexes
from replay.history.inspect import explained_clauses
from replay.history.log_view import filtered_steps
from replay.history.timeline import game_at, transitions
from replay.language.renderer import english
from tests.support.faults import raises
from tests.support.records import read

GAMES = Path(__file__).parents[2] / "games"


@cache
def recorded(name: str) -> Record:
    return read((GAMES / f"{name}.jsonl").read_bytes())


def filter_for(record: Record, conditions: Mapping[str, str]) -> EventFilter:
    return parse_filter(conditions, game_at(record, 1).rules)


def selected(name: str, **conditions: str) -> list[int]:
    """Return the seqs that pass a filter; `from_` stands for the condition `from`."""
    record = recorded(name)
    by_name = {name.rstrip("_"): text for name, text in conditions.items()}
    return [
        transition.event["seq"]
        for transition in filtered_steps(record, filter_for(record, by_name))
    ]


CLOCK = "baron-clock-abandons"
SORCERY = "sorcery-duke-of-five"


def test_no_condition_selects_every_event() -> None:
    assert selected(CLOCK) == list(range(1, 30))


def test_a_seat_selects_its_actions_and_what_the_clock_did_to_it() -> None:
    events = recorded(CLOCK).events
    assert selected(CLOCK, seat="1") == [9, 10, 11, 17, 21, 25, 28]
    assert events[16]["by"] == {"system": "clock"}
    assert selected(CLOCK, seat="1,2") == sorted(
        selected(CLOCK, seat="1") + selected(CLOCK, seat="2")
    )


def test_a_type_selects_events_of_that_type() -> None:
    assert selected(CLOCK, type="TurnForfeited") == [16, 17, 18, 20, 21, 24, 25, 27, 28]
    assert selected(CLOCK, type="GameCreated, GameAbandoned") == [1, 29]


@pytest.mark.parametrize("name", [SORCERY, "baron-battles"])
def test_a_clause_selects_the_events_that_are_explained_by_it(name: str) -> None:
    record = recorded(name)
    explained = {
        transition.event["seq"]: {
            id
            for id, _ in explained_clauses(
                transition, record.openings.get(transition.event["seq"], {})
            )
        }
        for transition in transitions(record)
    }
    ids = sorted(set().union(*explained.values()))
    for id in ids[::7]:
        expected = [seq for seq, clauses in explained.items() if id in clauses]
        assert selected(name, clause=id.lower()) == expected != []
    group = ids[-1].rpartition("-")[0]
    assert selected(name, clause=group) == [
        seq for seq, clauses in explained.items() if any(id.startswith(group) for id in clauses)
    ]


def test_a_time_selects_what_happened_from_then_on_or_until_then() -> None:
    assert selected(CLOCK, from_="2026-03-01T09:31:25.914Z", to="2026-03-01T09:40:45.723Z") == [
        *(9, 10, 11)
    ]
    assert selected(CLOCK, from_="2026-03-01T10:31+01:00", to="2026-03-01 09:41") == [9, 10, 11]
    assert selected(CLOCK, from_="2026-03-01", to="2026-03-01") == list(range(1, 30))
    assert selected(CLOCK, from_="2026-03-02") == selected(CLOCK, to="2026-02-28") == []


def test_a_seq_selects_a_range() -> None:
    assert selected(CLOCK, from_="10", to="12") == [10, 11, 12]
    assert selected(CLOCK, from_="28") == [28, 29]
    assert selected(CLOCK, to="2") == [1, 2]
    assert selected(CLOCK, from_="30") == []


def test_a_hex_selects_the_events_that_name_it() -> None:
    assert selected(CLOCK, hex="0,-1") == [7, 8]
    assert selected(CLOCK, hex="0,-1; -1,0") == [7, 8, 13, 14]
    moves = [e["seq"] for e in recorded(SORCERY).events if "[2, 1]" in str(e["data"])]
    assert selected(SORCERY, hex="2,1") == moves


def test_a_list_of_two_seats_is_not_a_hex() -> None:
    record = recorded("agreement")
    pairs = [
        (transition.event, transition.after.rules)
        for transition in transitions(record)
        if transition.event["type"] == "EndAgreed"
        and len(transition.event["data"]["end_agreed_by"]) == 2
    ]
    assert pairs
    for event, rules in pairs:
        assert event_hexes(event, rules) == frozenset()


def test_an_event_has_no_hexes_where_its_data_do_not_have_the_stated_form() -> None:
    record = recorded(SORCERY)
    rules = game_at(record, 1).rules
    moved = next(event for event in record.events if event["type"] == "KnightsMoved")
    assert event_hexes(moved, rules)
    for data in ({}, {"moves": 1}, {"moves": [1, {"from": ["x", 1], "to": [1]}]}):
        assert event_hexes({**moved, "data": data, "action": {"type": "x"}}, rules) == frozenset()
    assert event_hexes({**moved, "type": "Unknown", "action": None}, rules) == frozenset()


def test_all_conditions_must_be_met() -> None:
    assert selected(CLOCK, seat="0", type="TurnForfeited", from_="17", to="24") == [20, 24]
    assert selected(CLOCK, seat="0", hex="-1,0") == []
    assert selected(CLOCK, seat="0", clause="BN-LAY", from_="7") == [7]


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("seat", "", "must be a seat such as 0, or several separated by commas"),
        ("seat", "one", "must be a seat"),
        ("seat", "-1", "must be a seat"),
        ("seat", "100", "must be a seat"),
        ("seat", "0,,1", "must be a seat"),
        ("seat", ",".join("0" * 51), "must have at most 50 values"),
        ("type", "Moved", "names no type of event of this game: they are "),
        ("type", "", "names no type of event"),
        ("clause", "BY-MOV", "names no clause of this game: it must be an id such as BN-"),
        ("clause", "BN-LA", "names no clause"),
        ("clause", "", "names no clause"),
        ("from", "yesterday", "must be a time such as 2026-11-20T09:15:00Z, a day"),
        ("from", "2026-W47", "must be a time"),
        ("from", "2026-02-30", "must be a time"),
        ("from", "0001-01-01T00:00+23:59", "must be a time"),
        ("to", "9999-12-31T23:59:59-23:59", "must be a time"),
        ("to", "-3", "must be a time"),
        ("from", "\N{ARABIC-INDIC DIGIT ONE}", "must be a time"),
        ("hex", "0", "must be a hex such as 0,-1, or several separated by semicolons"),
        ("hex", "0,0,0", "must be a hex"),
        ("hex", "1.5,0", "must be a hex"),
        ("hex", "9" * 400 + ",0", "must be a hex"),
        ("colour", "blue", f"is not a condition: they are {', '.join(CONDITIONS)}"),
    ],
)
def test_an_invalid_condition_is_refused(name: str, text: str, fault: str) -> None:
    with pytest.raises(Malformed) as refusal:
        filter_for(recorded(CLOCK), {name: text})
    assert [*refusal.value.fields] == [name]
    assert english(refusal.value.fields[name]).startswith(fault)


def test_every_invalid_condition_is_named() -> None:
    with pytest.raises(Malformed) as refusal:
        filter_for(recorded(CLOCK), {"seat": "x", "hex": "y", "from": "20", "to": "10"})
    assert refusal.value.fields.keys() == {"seat", "hex", "to"}
    assert english(refusal.value.fields["to"]) == "must not be earlier than from"


def test_conditions_on_the_command_line_are_words_with_an_equals_sign() -> None:
    texts = ("seat=1 type=A,B", "hex=0,-1")
    assert split_conditions(texts) == {"seat": "1", "type": "A,B", "hex": "0,-1"}
    assert split_conditions(()) == split_conditions((" ",)) == {}
    for invalid in (("seat",), ("seat=1", "seat=2")):
        with raises(Malformed, match="seat"):
            split_conditions(invalid)

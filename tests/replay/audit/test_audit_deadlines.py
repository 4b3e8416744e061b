"""The audit of what the clock does at deadlines, and of vacant seats and substitutes."""

from typing import Any

import pytest

from domain import lifecycle
from domain.clock import deadlines, substitutes
from domain.contract import DomainEvent
from domain.event import By
from ledger import commands
from ledger.commands import CLOCK
from replay.history.inspect import explain_event
from replay.history.timeline import transitions
from replay.language.renderer import english
from tests.support.records import ENGLISH, SECRET, Table, audit_record, first_finding, read

PER_TURN = 60


def table(on_deadline: Any = None, rules: str = "barony", **options: Any) -> Table:
    """Return a game of two that has just started; what the clock does is up to the test."""
    clock: Any = {"per_turn": PER_TURN}
    if on_deadline is not None:
        clock["on_deadline"] = on_deadline
    return Table(rules, 2, {"seating": "joined", **options}, clock).start()


def act_by_clock(table: Table) -> None:
    """Let the clock take the first legal action of the seat whose turn it is."""
    game = table.game
    assert game.to_act is not None
    action = game.rules.legal_actions(game.state, game.to_act)[0]
    event = deadlines.act_for_absent_seat(game, action)
    table.add(event, CLOCK, game.rules.action_to_json(action))


def in_play(table: Table) -> Table:
    while table.game.round == 0:
        table.act_first()
    return table


def problem(table: Table) -> str:
    finding = first_finding(table.record(opened=False), "decisions")
    return english(finding.problem)


def test_a_clock_that_does_what_the_options_say_is_sound() -> None:
    game = table({"excused": 1, "remove_after": 2}, substitutes=True)
    for _ in range(3):
        game.wait(PER_TURN)
        commands.end_turn(game._pending, _first_action, lambda: SECRET)
    types = [sealed.event["type"] for sealed in game.sealed][-3:]
    assert types == ["DeadlineExcused", "CityPlaced", "DeadlineExcused"]
    assert audit_record(game.record(opened=False)).verdict != "broken"


def _first_action(game: Any) -> Any:
    return game.rules.legal_actions(game.state, game.to_act)[0]


def test_a_clock_action_is_explained_for_the_seat_and_named_in_the_log() -> None:
    game = table({})
    game.wait(PER_TURN)
    act_by_clock(game)
    *_, transition = transitions(read(game.record(opened=False)))
    explanation = explain_event(transition, ENGLISH)
    assert explanation["by"] == "the clock"
    assert explanation["event_text"].startswith("places")
    assert explanation["event_text"].endswith("(for seat 0)")
    assert explanation["clauses"][0]["id"] == "BY-SET-3"
    assert explanation["legal_actions"]["seat"] == 0


def test_an_action_of_the_clock_before_the_deadline_is_found() -> None:
    game = table({})
    act_by_clock(game)
    assert "the time for the turn was not over" in problem(game)


@pytest.mark.parametrize(
    ("on_deadline", "event"),
    [
        ({"placement": "remove"}, "action"),
        ({}, "PlayerRemoved"),
        ({}, "DeadlineExcused"),
        ({"excused": 1}, "action"),
        ({"remove_after": 1}, "action"),
        ({"remove_after": 2}, "PlayerRemoved"),
        ({"remove_after": 1}, "SeatVacated"),
    ],
)
def test_what_the_options_do_not_say_is_found(on_deadline: Any, event: str) -> None:
    game = table(
        on_deadline, substitutes=event == "SeatVacated" and "remove_after" not in on_deadline
    )
    game.wait(PER_TURN)
    match event:
        case "action":
            act_by_clock(game)
        case "PlayerRemoved":
            game.add(lifecycle.remove(game.game, 0), CLOCK)
        case "DeadlineExcused":
            game.add(deadlines.excuse(game.game), CLOCK)
        case _:
            data: Any = {"seat": 0, "player": "player-0"}
            game.add(DomainEvent("SeatVacated", data), CLOCK)
    assert "the deadline leads to something else" in problem(game) or "no substitutes" in problem(
        game
    )


@pytest.mark.parametrize("turn", ["forfeit", "bot"])
def test_a_turn_that_ends_in_the_other_way_than_the_options_say_is_found(turn: str) -> None:
    game = in_play(table({"turn": turn}))
    game.wait(PER_TURN)
    if turn == "bot":
        game.forfeit()
    else:
        act_by_clock(game)
    assert "the deadline leads to something else" in problem(game)


def test_a_removal_by_the_clock_of_an_earlier_version_stays_valid() -> None:
    game = table()
    game.wait(PER_TURN)
    game.forfeit()
    assert game.sealed[-1].event["type"] == "PlayerRemoved"
    assert audit_record(game.record(opened=False)).verdict != "broken"


def test_a_turn_that_the_clock_plays_only_in_part_is_found() -> None:
    game = table({"turn": "bot"}, rules="baron")
    game.wait(PER_TURN)
    act_by_clock(game)
    assert audit_record(game.record(opened=False)).verdict != "broken"
    game.act_first()
    assert "the whole rest of a turn" in problem(game)


def test_a_game_that_the_clock_must_abandon_does_not_continue() -> None:
    game = in_play(table({"abandon_after": 1}))
    for _ in range(2):
        game.wait(PER_TURN)
        game.forfeit()
    game.act_first()
    assert "abandons a deserted game" in problem(game)


def test_vacant_seats_and_substitutes_are_sound_without_a_clock_too() -> None:
    game = Table("barony", 2, {"seating": "joined", "substitutes": True}).start()
    in_play(game)
    commands.leave_seat(game._pending, 0, {"seat": 0}, lambda: SECRET)
    assert game.game.seat_of("player-0") is None
    commands.end_turn(game._pending, _first_action, lambda: SECRET)
    assert game.sealed[-1].event["type"] == "TurnForfeited"
    commands.seat_substitute(game._pending, 0, "zoe")
    assert (game.game.players, game.game.seat_of("zoe")) == (("zoe", "player-1"), 0)
    assert [place.player for place in game.game.places] == ["player-0", "player-1"]
    game.act_first()
    game.act_first()
    assert audit_record(game.record(opened=False)).verdict != "broken"


@pytest.mark.parametrize(
    ("player", "by", "fault"),
    [("player-1", "player-1", "cannot be a substitute"), ("zoe", "player-1", "cannot bring about")],
)
def test_a_substitute_that_was_made_up_is_found(player: str, by: str, fault: str) -> None:
    game = in_play(Table("barony", 2, {"seating": "joined", "substitutes": True}).start())
    game.add(substitutes.vacate(game.game, 0), {"seat": 0})
    event = substitutes.seat_substitute(game.game, 0, "zoe")
    data: Any = {**event.data, "player": player}
    actor: By = {"player": by}
    game.add(event._replace(data=data), actor)
    assert fault in problem(game)


def test_a_seat_that_was_not_left_cannot_be_taken() -> None:
    game = in_play(Table("barony", 2, {"seating": "joined", "substitutes": True}).start())
    data: Any = {"seat": 0, "player": "zoe", "replaces": "player-0"}
    game.add(DomainEvent("SubstituteSeated", data), {"player": "zoe"})
    assert "is not vacant" in problem(game)


def test_a_game_that_its_last_person_leaves_is_abandoned_immediately() -> None:
    game = in_play(Table("barony", 2, {"seating": "joined", "substitutes": True}).start())
    for seat in (1, 0):
        commands.leave_seat(game._pending, seat, {"seat": seat}, lambda: SECRET)
    assert game.game.status == "abandoned"
    assert audit_record(game.record()).verdict != "broken"

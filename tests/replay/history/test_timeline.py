"""Replaying a record to an event, a turn or a round, and records that cannot be applied."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from domain.errors import Unreadable
from domain.event import Event
from ledger.record import Record
from replay.history.timeline import (
    PositionNotFound,
    after_round,
    after_turn,
    game_at,
    head,
    transition_at,
    transitions,
    unreadable_on_error,
)
from tests.support.faults import raises
from tests.support.records import Table, forge_record, read


@pytest.fixture
def record(eventful: Table) -> Record:
    return read(eventful.record())


def test_the_game_at_an_event_is_as_it_was_then(eventful: Table, record: Record) -> None:
    for seq, made in enumerate(eventful.sealed, 1):
        game = game_at(record, seq)
        assert (game.seq, game.status) == (seq, made.game.status)
        for viewer in (None, 0, 3):
            assert game.position(viewer) == made.game.position(viewer)
    assert head(record).seq == len(eventful.sealed)


def test_a_step_has_the_games_before_and_after_an_event(eventful: Table, record: Record) -> None:
    walked = list(transitions(record))
    assert [transition.event for transition in walked] == record.events
    assert walked[0].before is None
    for transition, later in pairwise(walked):
        assert later.before is transition.after
    transition = transition_at(record, 10)
    assert transition.before is not None
    assert (transition.before.seq, transition.event["seq"], transition.after.seq) == (9, 10, 10)
    assert transition_at(record, 1).before is None


@pytest.mark.parametrize("seq", [0, -1, 10_000])
def test_there_is_no_event_before_the_first_or_after_the_last(record: Record, seq: int) -> None:
    with raises(PositionNotFound, match="events 1 to"):
        game_at(record, seq)


def test_a_turn_ends_with_the_event_that_begins_the_next(eventful: Table, record: Record) -> None:
    for turn in range(1, head(record).turn + 1):
        game = after_turn(record, turn)
        before = game_at(record, game.seq - 1).state
        assert before is not None
        assert before.turn == turn
        assert game.turn == turn + 1 or game.to_act is None
    assert after_turn(record, head(record).turn).is_played_out


def test_a_turn_in_progress_ends_at_the_head() -> None:
    table = Table(options={"stones": 30}).start()
    table.take(1)
    table.take(2)
    table.score()
    record = read(table.record())
    assert after_turn(record, 2).seq == table.game.seq - 1
    assert after_turn(record, 3).seq == table.game.seq
    for turn in (0, -1, 4):
        with raises(PositionNotFound, match="3 turns have begun"):
            after_turn(record, turn)


def test_a_round_ends_with_the_event_that_ends_it(eventful: Table, record: Record) -> None:
    last = head(record).round
    for round in range(1, last + 1):
        game = after_round(record, round)
        assert game.seq == game.rounds_ended[round]
    with raises(PositionNotFound, match=f"the last one is {last}"):
        after_round(record, last + 1)
    with pytest.raises(PositionNotFound):
        after_round(record, -1)


def test_there_are_no_turns_and_rounds_before_the_start() -> None:
    table = Table()
    record = read(table.record())
    with raises(PositionNotFound, match="0 turns"):
        after_turn(record, 1)
    with raises(PositionNotFound, match="not started"):
        after_round(record, 1)


def test_round_0_is_the_set_up() -> None:
    table = Table("barony").start()
    rules = table.game.rules
    while table.game.round == 0:
        action = rules.legal_actions(table.game.state, table.game.to_act or 0)[0]
        table.act(rules.action_to_json(action))
    end = table.game.seq
    table.act(rules.action_to_json(rules.legal_actions(table.game.state, 0)[0]))
    assert after_round(read(table.record()), 0).seq == end


def setting(seq: int, **data: Any) -> Callable[[list[Event]], None]:
    return lambda events: events[seq - 1]["data"].update(data)


@pytest.mark.parametrize(
    "change",
    [
        setting(9, values=None),
        setting(9, seat=7),
        setting(9, seat="x"),
        setting(9, then=5),
        lambda events: events[8]["data"].clear(),
        lambda events: events[8].update(type="NoSuchThing", action=None, data={"seat": 1}),
    ],
)
def test_an_event_that_cannot_be_applied_is_unreadable(
    record: Record, eventful: Table, change: Callable[[list[Event]], None]
) -> None:
    data = forge_record(eventful.record(), change)
    if b"NoSuchThing" in data:
        assert head(read(data)).status == "finished"  # of a later version: it changes nothing
        return
    with raises(Unreadable, match=r"^line 10: event 9 cannot be applied"):
        head(read(data))
    assert game_at(read(data), 8).seq == 8


def test_unknown_rules_are_unreadable(eventful: Table) -> None:
    with raises(Unreadable, match="the game is unknown here: rules: must be one of"):
        head(read(forge_record(eventful.record(), setting(1, rules="chess"))))


def test_other_errors_of_the_program_are_not_caught() -> None:
    with pytest.raises(RuntimeError), unreadable_on_error(1):
        raise RuntimeError

"""The index of a game's events: where its rounds begin, and the first and last events of its players."""

from functools import cache

import pytest

from domain.event import acting_seat
from ledger.record import Record
from replay.history.event_index import EventIndex, RoundStart, SeatEvents, event_index
from replay.history.timeline import transitions
from tests.support.records import Table, read
from tests.support.stored_games import recorded_game


@cache
def record_of(name: str) -> Record:
    return recorded_game(name)


@pytest.mark.parametrize("name", ["duke-of-two", "sorcery-round-limit", "baron-one-left"])
def test_each_round_begins_with_the_event_after_which_it_is_in_progress(name: str) -> None:
    record = record_of(name)
    rounds = {
        transition.event["seq"]: transition.after.round
        for transition in transitions(record)
        if transition.after.state is not None
    }
    index = event_index(transitions(record))
    assert [start.round for start in index.rounds] == sorted({*rounds.values()})
    for start in index.rounds:
        assert rounds[start.seq] == start.round
        assert rounds.get(start.seq - 1) in {None, start.round - 1}


@pytest.mark.parametrize("name", ["duke-of-two", "baron-disputes"])
def test_the_events_of_a_seat_are_those_that_it_caused(name: str) -> None:
    record = record_of(name)
    by_seat: dict[int, list[int]] = {}
    for event in record.events:
        seat = acting_seat(event["by"])
        if seat is not None:
            by_seat.setdefault(seat, []).append(event["seq"])
    assert event_index(transitions(record)).seats == tuple(
        SeatEvents(seat, min(seqs), max(seqs)) for seat, seqs in sorted(by_seat.items())
    )


def test_a_forfeited_turn_is_an_event_of_its_seat() -> None:
    table = Table(clock={"per_turn": 60}).start()
    table.wait(70)
    assert table.forfeit()["by"] == {"system": "clock"}
    index = event_index(transitions(read(table.record())))
    assert index.seats == (SeatEvents(0, table.game.seq, table.game.seq),)


def test_rounds_that_were_superseded_are_left_out() -> None:
    table = Table("barony", options={"round_limit": 22}).start()
    table.act_at_random(20, b"x")
    before = event_index(transitions(read(table.record())))
    first_round = before.rounds[1]
    assert len(before.rounds) > 3
    table.resume(first_round.seq)
    assert event_index(transitions(read(table.record()))).rounds == before.rounds[:2]
    table.act_at_random(3, b"y")
    second_round = event_index(transitions(read(table.record()))).rounds[2]
    assert second_round == RoundStart(2, table.game.seq - 1)


def test_a_game_that_has_not_started_has_an_empty_index() -> None:
    assert event_index(transitions(read(Table().record()))) == EventIndex()


@pytest.mark.parametrize(
    ("name", "has_secrets"), [("baron-one-left", True), ("disputes", False), ("duke-of-two", False)]
)
def test_statements_are_not_secrets_of_a_game(name: str, has_secrets: bool) -> None:
    assert event_index(transitions(record_of(name))).has_secrets == has_secrets

"""The scenes of games of Baron; scenes of single positions are in transcripts (test_transcripts.py)."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import cast

import pytest

from domain import baron
from domain.baron import position, scene
from domain.baron.components import VALUES
from domain.baron.state import State
from domain.contract import DomainEvent, evolve
from domain.event import Event
from domain.hexes import Hex
from domain.json_types import JsonObject
from tests.support.baron_positions import given, random_game
from tests.support.events import event_of
from tests.support.languages import english_caption

BOARD = """
    lay round 3 seat 0
    0: 0, MY
    1: -2
    2: 3, MQ, resting 1
    market FMC
    pile 30
    board 0,0
    .  V   .   .   .
    P   M0k F   Q   M1b0
      M   S   M2b M   .
        .   M   P   .   .
    """


def sealed(event: DomainEvent, by: JsonObject) -> Event:
    """The event with those fields of its envelope that a scene shows."""
    return cast("Event", {"type": event.type, "data": event.data, "by": by, "action": None})


def test_tiles_show_their_values_except_meadows_and_the_legend_lists_all_values() -> None:
    result = scene(position(given(BOARD), None), None)
    values = {cell.terrain: cell.value for cell in result.cells}
    assert (values["meadow"], values["village"], values["marsh"]) == ("", "3", "-1")
    legend = {entry.kind: entry.value for entry in result.legend if entry.sign == "terrain"}
    assert legend == {kind: str(value) for kind, value in VALUES.items()}


def test_the_caption_names_the_seat_or_player_who_acted() -> None:
    before = position(given(BOARD), None)
    joined = event_of("SeatTaken", {"player": "ann", "nonce": ""})
    assert english_caption(scene(before, sealed(joined, {"player": "ann"}))) == "ann takes a place"
    forfeited = baron.forfeit(given(BOARD))
    assert (
        english_caption(scene(before, sealed(forfeited, {"system": "clock"})))
        == "seat 0's turn is forfeited"
    )


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_scene_contains_every_hex_and_piece_of_its_position(seats: int) -> None:
    for before, event in random_game(seats, seed=seats):
        state = evolve(baron, before, [event])
        now = position(state, None)
        result = scene(now, sealed(event, {"seat": before.to_act}))
        assert [list(cell.at) for cell in result.cells] == [tile["at"] for tile in now["tiles"]]
        assert sum(len(cell.pieces) for cell in result.cells) == len(now["keeps"])
        assert len(result.outlines) == sum(keep["side"] == "baron" for keep in now["keeps"])
        assert len(result.panels) == seats
        removed = sum(len(cell.removed) for cell in result.cells)
        placed = event.type == "KeepPlaced"
        assert removed == len(before.keeps) + placed - len(state.keeps)


@pytest.mark.parametrize("seats", [2, 5])
def test_the_room_for_the_board_changes_seldom_and_only_between_turns(seats: int) -> None:
    rooms: dict[int, set[tuple[Hex, ...]]] = {}
    for state, _, before in with_events_before(random_game(seats, 3)):
        drawn = scene(position(state, None), before)
        rooms.setdefault(state.turn, set()).add(drawn.room)
        (left, _), (right, _), (_, top), (_, bottom) = drawn.room
        for q, r in {*state.tiles, *(state.rim if state.phase != "keep" else ())}:
            assert left <= q + r / 2 <= right
            assert top <= r <= bottom
    assert all(len(during) == 1 for during in rooms.values())
    by_turn = [room for during in rooms.values() for room in during]
    assert len(set(by_turn[:8])) == 1
    changes = sum(a != b for a, b in pairwise(by_turn))
    assert 2 < changes < len(by_turn) / 6


def with_events_before(
    game: Iterable[tuple[State, DomainEvent]],
) -> Iterator[tuple[State, DomainEvent, Event | None]]:
    """Each state with the event that follows, and the one that led to it."""
    before = None
    for state, event in game:
        yield state, event, before
        before = sealed(event, {"seat": state.to_act})

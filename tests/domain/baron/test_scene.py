"""The scene of a position of Baron: what there is to draw, and what the last event changed."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import cast

import pytest

from domain import baron
from domain.baron import parse_action_text, position, scene
from domain.baron.components import VALUES
from domain.baron.state import State
from domain.contract import ALL_SECRETS, DomainEvent, evolve
from domain.event import Event
from domain.hexes import Hex, distance
from domain.json_types import JsonObject
from domain.scene import Cell, Panel, Piece, Scene
from replay.language.renderer import english
from tests.support.baron_positions import given, random_game
from tests.support.events import event_of
from tests.support.given_when import when_removed, when_scored
from tests.support.languages import english_caption, english_rows

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


def after(text: str, *, diagram: str = BOARD) -> Scene:
    """The scene after an action of the seat to act, given in its short form."""
    state = given(diagram)
    assert state.to_act is not None
    event = baron.decide(state, state.to_act, parse_action_text(text))
    by = {"seat": state.to_act}
    return scene(position(evolve(baron, state, [event]), None), sealed(event, by))


def cell(scene: Scene, q: int, r: int) -> Cell:
    return next(cell for cell in scene.cells if cell.at == (q, r))


def panel(scene: Scene, seat: int) -> Panel:
    return next(panel for panel in scene.panels if panel.seat == seat)


def test_a_position_without_an_event() -> None:
    result = scene(position(given(BOARD), None), None)
    assert english(result.title) == "Baron, round 3, seat 0 to lay a tile"
    assert result.caption is None
    assert cell(result, 1, 2).terrain == "marsh"
    assert cell(result, 1, 1).pieces == (Piece("keep_knight", 0),)
    assert cell(result, 2, 2).pieces == (Piece("keep_baron", 2, note="3"),)
    assert not any(
        cell.is_changed or cell.removed or cell.note or cell.is_contested for cell in result.cells
    )
    assert english_rows(result.common_rows) == {
        "market": "field for 0, meadow for 1, cursed place for 3",
        "pile": "30 tiles",
    }


def test_tiles_show_their_values_except_meadows_and_the_legend_lists_all_values() -> None:
    result = scene(position(given(BOARD), None), None)
    values = {cell.terrain: cell.value for cell in result.cells}
    assert (values["meadow"], values["village"], values["marsh"]) == ("", "3", "-1")
    legend = {entry.kind: entry.value for entry in result.legend if entry.sign == "terrain"}
    assert legend == {kind: str(value) for kind, value in VALUES.items()}


def test_baronies_on_the_board_are_outlined_with_their_value() -> None:
    result = scene(position(given(BOARD), None), None)
    assert [(border.seat, border.note) for border in result.outlines] == [(2, "3"), (1, "0")]
    around = result.outlines[0].hexes
    assert len(around) == 7
    assert all(distance(at, (2, 2)) <= 1 for at in around)
    # Of a barony established when play was over only the tiles that are there.
    assert result.outlines[1].hexes == ((3, 1), (3, 2), (4, 1))


def test_a_panel_shows_what_a_seat_has() -> None:
    state = given(BOARD)
    result = scene(position(state, None), None)
    acting, other, resting = result.panels
    assert (english(acting.heading), acting.score, acting.is_to_act) == ("no barony", 0, True)
    assert english_rows(acting.rows) == {
        "reserve": "2 tiles",
        "keeps": "3",
        "on the board": "1 knight",
    }
    assert (english(other.heading), other.score) == ("1 barony", -2)
    assert english_rows(other.rows)["reserve"] == "0 tiles"
    assert english_rows(resting.rows) == {
        "reserve": "2 tiles",
        "keeps": "2",
        "keeps resting": "1",
        "on the board": "1 baron",
    }


def test_a_reserve_is_shown_to_its_owner_and_to_everybody_after_the_game() -> None:
    state = given(BOARD)
    result = scene(position(state, 0), None)
    assert english_rows(panel(result, 0).rows)["reserve"] == "meadow, vineyard"
    assert english_rows(panel(result, 2).rows)["reserve"] == "2 tiles"
    assert english_rows(panel(scene(position(state, ALL_SECRETS), None), 2).rows)["reserve"] == (
        "meadow, quarry"
    )


def test_a_fight_shows_the_odds_of_the_fighters_and_the_battlefield() -> None:
    result = after("lay vineyard 2,0")
    assert {cell.at for cell in result.cells if cell.is_changed} == {(2, 0), (1, 1), (2, 2)}
    assert {cell.at for cell in result.cells if cell.is_contested} == {(1, 2), (2, 1)}
    winner, loser = cell(result, 1, 1), cell(result, 2, 2)
    assert (winner.note, winner.pieces) == ("5:2", (Piece("keep_baron", 0, note="6"),))
    assert (loser.note, loser.pieces, loser.removed) == ("2:5", (), (Piece("keep_baron", 2),))
    assert [border.seat for border in result.outlines] == [0, 1]
    assert english_caption(result).startswith(
        "seat 0 lays a vineyard on 2,0; seat 0's knight on 1,1 wins"
    )


def test_the_baron_stays_when_the_knight_loses_the_fight() -> None:
    result = after("lay vineyard 2,0", diagram=BOARD.replace(".   M   P", ".   V   P"))
    loser, baron_there = cell(result, 1, 1), cell(result, 2, 2)
    assert (loser.note, loser.pieces, loser.removed) == ("5:5", (), (Piece("keep_knight", 0),))
    assert baron_there.note == "5:5"
    assert baron_there.pieces == (Piece("keep_baron", 2, note="6"),)
    assert not baron_there.is_changed


def test_a_battle_among_knights_shows_the_odds_too() -> None:
    state = given(
        """
        scoring round 9
        0: 0
        1: 0
        board -1,0
        .   M   V   M   P
          M   M0k F   M1k M
            M   M   M   M
        """
    )
    result = scene(
        position(evolve(baron, state, [when_scored(state).event]), None),
        sealed(when_scored(state).event, {"system": "scorer"}),
    )
    assert (cell(result, 0, 1).note, cell(result, 2, 1).note) == ("2:1", "1:2")
    assert {cell.at for cell in result.cells if cell.is_contested} == {(1, 1)}
    assert cell(result, 2, 1).removed == (Piece("keep_knight", 1),)
    assert english_caption(result).startswith("the game is over: seat 0 wins with 3 honour")
    assert english(result.title) == "Baron, over after round 9, won by seat 0"
    assert english(panel(result, 0).heading) == "winner"
    assert english_rows(panel(result, 1).rows)["place"] == "2"


@pytest.mark.parametrize(
    ("text", "diagram", "title", "changed"),
    [
        ("draw 2", BOARD.replace("lay", "draw"), "seat 0 to lay a tile", set()),
        ("lay meadow -1,2", BOARD, "seat 0 may put down a keep", {(-1, 2)}),
        ("keep 0,2", BOARD.replace("lay", "keep"), "seat 1 to draw", {(0, 2)}),
        ("end", BOARD.replace("lay", "keep"), "seat 1 to draw", set()),
    ],
)
def test_hexes_that_an_action_changed_are_marked(
    text: str, diagram: str, title: str, changed: set[tuple[int, int]]
) -> None:
    result = after(text, diagram=diagram.replace("pile 30", "pile WWW"))
    assert {cell.at for cell in result.cells if cell.is_changed} == changed
    assert english(result.title) == f"Baron, round 3, {title}"
    assert english_caption(result).startswith("seat 0 ")


def test_the_caption_names_the_seat_or_player_who_acted() -> None:
    before = position(given(BOARD), None)
    joined = event_of("SeatTaken", {"player": "ann", "nonce": ""})
    assert english_caption(scene(before, sealed(joined, {"player": "ann"}))) == "ann takes a place"
    forfeited = baron.forfeit(given(BOARD))
    assert (
        english_caption(scene(before, sealed(forfeited, {"system": "clock"})))
        == "seat 0's turn is forfeited"
    )


def test_seats_that_are_out_last_turns_and_an_empty_market_are_shown() -> None:
    state = given(
        "lay round 9 seat 0\n0: 0, M, turns 1\n1: 0, turns 2\n2: 0, turns 2\nremoved MP\n"
        "board 0,0\nM2k V"
    )
    state = when_removed(state, 2).after
    result = scene(position(state, None), None)
    assert panel(result, 2).is_out
    assert english_rows(panel(result, 2).rows) == {
        "reserve": "0 tiles",
        "keeps": "0",
        "on the board": "1 knight",
        "turns left": "0",
    }
    assert english_rows(panel(result, 1).rows)["turns left"] == "2"
    assert english_rows(result.common_rows)["market"] == "0 tiles"
    assert english_rows(result.common_rows)["pile"] == "0 tiles"
    assert english_rows(result.common_rows)["removed from the game"] == "meadow, pond"


def test_the_title_during_scoring_and_of_a_shared_victory() -> None:
    state = given("scoring round 9\n0: 4\n1: 4\nboard 0,0\nM  V")
    assert english(scene(position(state, None), None).title) == "Baron, being scored after round 9"
    over = evolve(baron, state, [when_scored(state).event])
    title = scene(position(over, None), None).title
    assert english(title) == "Baron, over after round 9, won by seat 0 and seat 1"


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

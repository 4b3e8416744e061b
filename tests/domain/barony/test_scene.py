"""The scene of a position of Barony: what there is to draw, and what the last event changed."""

import pytest

from domain import barony
from domain.barony import parse_action_text, position, scene
from domain.contract import evolve
from domain.scene import Arrow, Cell, Panel, Piece, Scene
from replay.language.renderer import english
from tests.support.barony_positions import given, random_game
from tests.support.events import data_of, event_of, recorded
from tests.support.languages import english_caption, english_rows

BOARD = """
play round 3 seat 1 limit 40 agreement
0: count, 2P 1F, new cities 1, asked
1: viscount, removed 2
2: baron, 1D, out
board 0,0
P1kk  P0v2k   F2k
   D1v     M2v     L
      P1ck  P
"""


def after(text: str, *, diagram: str = BOARD) -> Scene:
    """The scene after an action of the seat to act, given in its short form."""
    state = given(diagram)
    event = barony.decide(state, state.to_act or 0, parse_action_text(text))
    return scene(
        position(evolve(barony, state, [event]), None), recorded(event, {"seat": state.to_act or 0})
    )


def cell(scene: Scene, q: int, r: int) -> Cell:
    return next(cell for cell in scene.cells if cell.at == (q, r))


def panel(scene: Scene, seat: int) -> Panel:
    return next(panel for panel in scene.panels if panel.seat == seat)


def test_a_position_without_an_event() -> None:
    scene_of_board = scene(position(given(BOARD), None), None)
    assert english(scene_of_board.title) == "Barony, round 3, seat 1 to act"
    assert scene_of_board.caption is None
    assert [cell.terrain for cell in scene_of_board.cells if cell.at[1] == 1] == [
        "field",
        "mountain",
        "lake",
    ]
    assert cell(scene_of_board, 1, 0).pieces == (Piece("village", 0), Piece("knight", 2))
    assert cell(scene_of_board, 0, 2).pieces == (Piece("city", 1), Piece("knight", 1))
    assert cell(scene_of_board, 0, 0).pieces == (Piece("knight", 1, 2),)
    assert cell(scene_of_board, 1, 2).pieces == ()
    assert not scene_of_board.arrows
    assert not any(cell.is_changed or cell.removed or cell.note for cell in scene_of_board.cells)
    assert english_rows(scene_of_board.common_rows) == {
        "bank": "mountain 20, forest 19, plain 18, field 19",
        "last round": "40",
    }


def test_a_panel_shows_what_a_seat_has() -> None:
    scene_of_board = scene(position(given(BOARD), None), None)
    asking, acting, out = scene_of_board.panels
    assert english(asking.heading) == "count"
    assert (asking.score, asking.is_to_act, asking.is_out) == (40, False, False)
    assert english_rows(asking.rows) == {
        "tokens": "forest 1, plain 2",
        "resource points": "11 of 15",
        "reserve": "7 knights, 13 villages, 2 strongholds, 5 cities",
        "new cities": "1",
        "end of the game": "asked for",
    }
    assert acting.is_to_act
    assert english_rows(acting.rows) == {
        "tokens": "none",
        "reserve": "2 knights, 13 villages, 2 strongholds, 4 cities",
        "removed from the game": "2 knights",
    }
    assert out.is_out


def test_a_conflict_shows_arrows_changed_hexes_and_destroyed_pieces() -> None:
    scene_of_board = after("move 0,0>0,1 0,0>1,0", diagram=BOARD.replace("D1v ", "D1v0k"))
    assert scene_of_board.arrows == (Arrow(1, (0, 0), (0, 1)), Arrow(1, (0, 0), (1, 0)))
    assert {cell.at for cell in scene_of_board.cells if cell.is_changed} == {(0, 0), (0, 1), (1, 0)}
    assert cell(scene_of_board, 0, 1).removed == (Piece("knight", 0),)
    assert cell(scene_of_board, 1, 0).removed == ()
    assert english_caption(scene_of_board) == (
        "seat 1 moves a knight 0,0>0,1 and destroys seat 0's knight, then moves another 0,0>1,0"
    )


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("recruit 1 at 0,2", {(0, 2)}),
        ("build village 0,0", {(0, 0)}),
        ("expedition 1,2", {(1, 2)}),
        ("city 0,1", {(0, 1)}),
        ("title 3 field", set()),
    ],
)
def test_hexes_that_an_action_changed_are_marked(text: str, changed: set[tuple[int, int]]) -> None:
    diagram = BOARD.replace("removed 2", "3D").replace("P1ck  P", "P0v   P")
    if text.startswith("recruit"):
        diagram = BOARD
    scene_of_board = after(text, diagram=diagram)
    assert {cell.at for cell in scene_of_board.cells if cell.is_changed} == changed
    assert english_caption(scene_of_board).startswith("seat 1 ")
    assert not scene_of_board.arrows


def test_the_caption_names_the_seat_or_player_who_acted() -> None:
    before = position(given(BOARD), None)
    started = event_of("GameStarted", {"board": before["board"], "players": ["ann", "bob", "cy"]})
    text = "he game starts on 8 hexes: ann is seat 0, bob is seat 1 and cy is seat 2"
    assert english_caption(scene(before, recorded(started, {"system": "start"}))) == f"t{text}"
    joined = event_of("SeatTaken", {"player": "ann", "nonce": ""})
    assert (
        english_caption(scene(before, recorded(joined, {"player": "ann"}))) == "ann takes a place"
    )


def test_the_title_names_the_phase_or_the_winner() -> None:
    setup = scene(position(given("setup seat 1\nboard 0,0\nP  M0ck  P"), None), None)
    assert english(setup.title) == "Barony, set-up, seat 1 to place"
    state = given("scoring round 9\n0: count, 2P\n1: count, 4F\nboard 0,0\nP  M0ck  P")
    assert english(scene(position(state, None), None).title) == "Barony, being scored after round 9"
    over = scene(position(evolve(barony, state, [barony.finish(state)]), None), None)
    assert english(over.title) == "Barony, over after round 9, seat 1 is King"
    assert (english(panel(over, 1).heading), panel(over, 1).score) == ("King", 34)
    assert english_rows(panel(over, 0).rows)["place"] == "2"
    assert english_rows(panel(over, 0).rows)["score track"] == "30 as count"


def test_a_panel_shows_that_a_seat_has_passed() -> None:
    state = given("play round 7 seat 1\n0: baron, passed\n1: baron\nboard 0,0\nP0ck  P")
    assert english_rows(panel(scene(position(state, None), None), 0).rows)["this round"] == "passed"


@pytest.mark.parametrize("seats", [2, 4])
def test_a_scene_contains_every_hex_and_piece_of_its_position(seats: int) -> None:
    for state, event in random_game(seats, seed=seats):
        now = position(evolve(barony, state, [event]), None)
        scene_of_board = scene(now, recorded(event, {"seat": data_of(event).get("seat", 0)}))
        assert [list(cell.at) for cell in scene_of_board.cells] == [
            cell["at"] for cell in now["board"]
        ]
        knights = sum(p.count for c in scene_of_board.cells for p in c.pieces if p.kind == "knight")
        assert knights == sum(pawn["knights"] for pawn in now["pawns"])
        assert len(scene_of_board.panels) == seats
        if event.type == "KnightsMoved":
            destroyed = sum(len(step.get("destroyed", ())) for step in data_of(event)["moves"])
            assert sum(len(cell.removed) for cell in scene_of_board.cells) == destroyed

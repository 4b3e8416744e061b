"""What there is to draw of a position (`scene`), and what the last event changed in it."""

import pytest

from domain import baron
from domain.baron import parse_action_text, position, scene
from domain.contract import ALL_SECRETS, DomainEvent, Json, evolve
from domain.hexes import distance
from domain.scene import Cell, Panel, Piece, Scene
from tests.support.baron_positions import given, random_game
from tests.support.given_when import when_removed, when_scored

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


def event(fact: DomainEvent, by: Json) -> Json:
    return {"type": fact.type, "data": fact.data, "by": by}


def after(text: str, *, drawing: str = BOARD) -> Scene:
    """The picture after an action of the seat to act, in its short form."""
    state = given(drawing)
    assert state.to_act is not None
    fact = baron.decide(state, state.to_act, parse_action_text(text))
    by = {"seat": state.to_act}
    return scene(position(evolve(baron, state, [fact]), None), event(fact, by))


def cell(drawn: Scene, q: int, r: int) -> Cell:
    return next(cell for cell in drawn.cells if cell.at == (q, r))


def panel(drawn: Scene, seat: int) -> Panel:
    return next(panel for panel in drawn.panels if panel.seat == seat)


def test_a_position_alone() -> None:
    drawn = scene(position(given(BOARD), None), None)
    assert drawn.title == "Baron, round 3, seat 0 to lay a tile"
    assert drawn.caption == ""
    assert cell(drawn, 1, 2).ground == "marsh"
    assert cell(drawn, 1, 1).pieces == (Piece("keep_knight", 0),)
    assert cell(drawn, 2, 2).pieces == (Piece("keep_baron", 2, note="3"),)
    assert not any(cell.changed or cell.gone or cell.note or cell.contested for cell in drawn.cells)
    assert drawn.common == (
        ("market", "field for 0, meadow for 1, cursed place for 3"),
        ("pile", "30 tiles"),
        (
            "worth",
            (
                "meadow 0, village 3, field 2, forest 2, vineyard 1, quarry 1, pond 1, marsh -1, "
                "cursed place -2"
            ),
        ),
    )


def test_baronies_that_stand_are_outlined_with_their_value() -> None:
    drawn = scene(position(given(BOARD), None), None)
    assert [(border.seat, border.note) for border in drawn.outlines] == [(2, "3"), (1, "0")]
    around = drawn.outlines[0].hexes
    assert len(around) == 7
    assert all(distance(at, (2, 2)) <= 1 for at in around)
    # Of a barony established when play was over only the tiles that are there.
    assert drawn.outlines[1].hexes == ((3, 1), (3, 2), (4, 1))


def test_the_panels() -> None:
    state = given(BOARD)
    drawn = scene(position(state, None), None)
    acting, other, resting = drawn.panels
    assert (acting.heading, acting.score, acting.to_act) == ("no barony", 0, True)
    assert dict(acting.facts) == {
        "reserve": "2 tiles",
        "keeps": "3",
        "on the board": "1 knight",
    }
    assert (other.heading, other.score) == ("1 barony", -2)
    assert dict(other.facts)["reserve"] == "no tiles"
    assert dict(resting.facts) == {
        "reserve": "2 tiles",
        "keeps": "2",
        "keeps resting": "1",
        "on the board": "1 baron",
    }


def test_a_reserve_is_there_for_its_owner_and_once_the_game_has_ended() -> None:
    state = given(BOARD)
    seen = scene(position(state, 0), None)
    assert dict(panel(seen, 0).facts)["reserve"] == "meadow, vineyard"
    assert dict(panel(seen, 2).facts)["reserve"] == "2 tiles"
    assert dict(panel(scene(position(state, ALL_SECRETS), None), 2).facts)["reserve"] == (
        "meadow, quarry"
    )


def test_a_fight_marks_who_fought_with_which_odds_and_for_what() -> None:
    drawn = after("lay vineyard 2,0")
    assert {cell.at for cell in drawn.cells if cell.changed} == {(2, 0), (1, 1), (2, 2)}
    assert {cell.at for cell in drawn.cells if cell.contested} == {(1, 2), (2, 1)}
    winner, loser = cell(drawn, 1, 1), cell(drawn, 2, 2)
    assert (winner.note, winner.pieces) == ("5:2", (Piece("keep_baron", 0, note="6"),))
    assert (loser.note, loser.pieces, loser.gone) == ("2:5", (), (Piece("keep_baron", 2),))
    assert [border.seat for border in drawn.outlines] == [0, 1]
    assert drawn.caption.startswith("Seat 0 lays a vineyard on 2,0; seat 0's knight on 1,1 wins")


def test_a_fight_that_is_lost_leaves_the_baron_where_he_is() -> None:
    drawn = after("lay vineyard 2,0", drawing=BOARD.replace(".   M   P", ".   V   P"))
    loser, baron_there = cell(drawn, 1, 1), cell(drawn, 2, 2)
    assert (loser.note, loser.pieces, loser.gone) == ("5:5", (), (Piece("keep_knight", 0),))
    assert baron_there.note == "5:5"
    assert baron_there.pieces == (Piece("keep_baron", 2, note="6"),)
    assert not baron_there.changed


def test_a_battle_among_knights_is_marked_too() -> None:
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
    drawn = scene(
        position(evolve(baron, state, [when_scored(state).fact]), None),
        event(when_scored(state).fact, {"system": "scorer"}),
    )
    assert (cell(drawn, 0, 1).note, cell(drawn, 2, 1).note) == ("2:1", "1:2")
    assert {cell.at for cell in drawn.cells if cell.contested} == {(1, 1)}
    assert cell(drawn, 2, 1).gone == (Piece("keep_knight", 1),)
    assert drawn.caption.startswith("The game is over: seat 0 wins with 3 honour")
    assert drawn.title == "Baron, over after round 9, won by seat 0"
    assert panel(drawn, 0).heading == "winner"
    assert dict(panel(drawn, 1).facts)["place"] == "2"


@pytest.mark.parametrize(
    ("text", "drawing", "title", "changed"),
    [
        ("draw 2", BOARD.replace("lay", "draw"), "seat 0 to lay a tile", set()),
        ("lay meadow -1,2", BOARD, "seat 0 may put down a keep", {(-1, 2)}),
        ("keep 0,2", BOARD.replace("lay", "keep"), "seat 1 to draw", {(0, 2)}),
        ("end", BOARD.replace("lay", "keep"), "seat 1 to draw", set()),
    ],
)
def test_what_an_action_changed_is_marked(
    text: str, drawing: str, title: str, changed: set[tuple[int, int]]
) -> None:
    drawn = after(text, drawing=drawing.replace("pile 30", "pile WWW"))
    assert {cell.at for cell in drawn.cells if cell.changed} == changed
    assert drawn.title == f"Baron, round 3, {title}"
    assert drawn.caption.startswith("Seat 0 ")


def test_who_did_it_is_said_where_it_was_somebody() -> None:
    whole = position(given(BOARD), None)
    taken = DomainEvent("SeatTaken", {"player": "ann", "nonce": ""})
    assert scene(whole, event(taken, {"player": "ann"})).caption == "Player ann takes a place"
    lapsed = baron.forfeit(given(BOARD))
    assert scene(whole, event(lapsed, {"system": "clock"})).caption == "Seat 0's turn is forfeited"


def test_who_is_out_last_turns_an_empty_market_and_what_was_taken_out() -> None:
    state = given(
        "lay round 9 seat 0\n0: 0, M, turns 1\n1: 0, turns 2\n2: 0, turns 2\nremoved MP\n"
        "board 0,0\nM2k V"
    )
    gone = when_removed(state, 2).after
    drawn = scene(position(gone, None), None)
    assert panel(drawn, 2).out
    assert dict(panel(drawn, 2).facts) == {
        "reserve": "no tiles",
        "keeps": "none",
        "on the board": "1 knight",
        "turns left": "none",
    }
    assert dict(panel(drawn, 1).facts)["turns left"] == "2"
    assert dict(drawn.common)["market"] == "none"
    assert dict(drawn.common)["pile"] == "no tiles"
    assert dict(drawn.common)["taken out"] == "meadow, pond"


def test_the_title_while_the_game_is_scored_and_when_it_is_shared() -> None:
    state = given("scoring round 9\n0: 4\n1: 4\nboard 0,0\nM  V")
    assert scene(position(state, None), None).title == "Baron, being scored after round 9"
    over = evolve(baron, state, [when_scored(state).fact])
    title = scene(position(over, None), None).title
    assert title == "Baron, over after round 9, won by seat 0 and seat 1"


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_position_of_a_game_is_drawn_whole(seats: int) -> None:
    for before, fact in random_game(seats, seed=seats):
        state = evolve(baron, before, [fact])
        now = position(state, None)
        drawn = scene(now, event(fact, {"seat": before.to_act}))
        assert [list(cell.at) for cell in drawn.cells] == [tile["at"] for tile in now["tiles"]]
        assert sum(len(cell.pieces) for cell in drawn.cells) == len(now["keeps"])
        assert len(drawn.outlines) == sum(keep["side"] == "baron" for keep in now["keeps"])
        assert len(drawn.panels) == seats
        came_back = sum(len(cell.gone) for cell in drawn.cells)
        placed = fact.type == "KeepPlaced"
        assert came_back == len(before.keeps) + placed - len(state.keeps)

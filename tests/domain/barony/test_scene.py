"""The scenes of games of Barony; scenes of single positions are in transcripts (test_transcripts.py)."""

import pytest

from domain import barony
from domain.barony import position, scene
from domain.contract import evolve
from tests.support.barony_positions import given, random_game
from tests.support.events import data_of, event_of, recorded
from tests.support.languages import english_caption

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


def test_the_caption_names_the_seat_or_player_who_acted() -> None:
    before = position(given(BOARD), None)
    started = event_of("GameStarted", {"board": before["board"], "players": ["ann", "bob", "cy"]})
    text = "he game starts on 8 hexes: ann is seat 0, bob is seat 1 and cy is seat 2"
    assert english_caption(scene(before, recorded(started, {"system": "start"}))) == f"t{text}"
    joined = event_of("SeatTaken", {"player": "ann", "nonce": ""})
    assert (
        english_caption(scene(before, recorded(joined, {"player": "ann"}))) == "ann takes a place"
    )


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

"""The scenes of games with Sorcery; scenes of single positions are in transcripts (test_transcripts.py)."""

from typing import cast

import pytest

from domain import barony
from domain.barony import sorcery
from domain.contract import AnyRuleSystem, evolve
from tests.support.barony_positions import random_game
from tests.support.events import data_of, recorded


@pytest.mark.parametrize("seats", [2, 5])
def test_a_scene_contains_every_hex_and_piece_of_its_position(seats: int) -> None:
    for state, event in random_game(seats, seed=seats, rules=sorcery):
        now = sorcery.position(evolve(cast("AnyRuleSystem", sorcery), state, [event]), None)
        scene = sorcery.scene(now, recorded(event, {"seat": data_of(event).get("seat", 0)}))
        assert [list(cell.at) for cell in scene.cells] == [cell["at"] for cell in now["board"]]
        imprints = sum(len(player["imprints"]) for player in now["players"])
        assert sum(len(cell.marks) for cell in scene.cells) == imprints
        assert len(scene.panels) == seats
        plain = barony.scene(now, recorded(event, {"seat": data_of(event).get("seat", 0)}))
        assert [cell.pieces for cell in scene.cells] == [cell.pieces for cell in plain.cells]

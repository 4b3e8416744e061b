"""Every event of a game of Barony is explained; the sentences are in transcripts (test_transcripts.py)."""

import pytest

from domain.barony import CLAUSES, position
from tests.support.barony_positions import random_game
from tests.support.barony_results import explained, text_of


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_event_of_a_game_is_explained_by_known_clauses(seats: int) -> None:
    types = set()
    for state, event in random_game(seats, seed=seats):
        before = position(state, None)
        sentences = explained(state, event)
        assert sentences, event
        assert {clause for clause, _ in sentences} <= set(CLAUSES)
        assert len(sentences) == len(set(sentences))
        assert "\n" not in text_of(state, event)
        assert position(state, None) == before
        types.add(event.type)
    assert types >= {"CityPlaced", "KnightsRecruited", "KnightsMoved", "BuildingsBuilt"}

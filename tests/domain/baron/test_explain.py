"""Every event is explained; the sentences about positions are in transcripts (test_transcripts.py)."""

import pytest

from domain import baron
from domain.baron import CLAUSES, explain, standings
from domain.contract import DomainEvent, evolve
from tests.support.baron_positions import (
    explanation,
    random_game,
    reasons,
    set_up,
    started,
    started_without_secrets,
    text_of,
)
from tests.support.events import event_of


def test_the_dealt_tiles_are_explained_only_if_they_are_opened() -> None:
    event = set_up(5, seed=3)
    seated = event_of(event.type, {**event.data, "players": ["ann", "bob", "cy", "dan", "eve"]})
    clauses = [clause for clause, _ in explain(None, None, seated)]
    assert clauses == ["BN-MAT-2", "BN-SET-1", "BN-SET-3", "BN-SET-4", "BN-SET-4", "BN-SET-5"]
    opened = explanation(started(5, 3), event)
    assert len(opened["BN-SET-2"]) == 5
    assert opened["BN-MAT-2"] == ["with 5 players each has 2 keeps"]
    assert not explain(None, None, DomainEvent("TileDrawn", {}))
    assert not explain(started(2, 1), None, DomainEvent("SpellPlayed", {}))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_event_of_a_game_is_explained(seats: int) -> None:
    for seed in range(3):
        blind = started_without_secrets(seats, seed)
        for state, event in random_game(seats, seed, forfeits=0.03):
            sentences = reasons(state, event)
            assert sentences
            for clause, sentence in sentences:
                assert clause in CLAUSES
                assert sentence
                assert "None" not in sentence
            assert text_of(event) != event.type
            if event.type != "TileDiscarded":
                assert reasons(blind, event) == sentences
            blind = evolve(baron, blind, [event])
        scores = {"round": 1, "standings": standings(state)}
        assert len(explain(state, None, event_of("RoundScored", scores))) == seats

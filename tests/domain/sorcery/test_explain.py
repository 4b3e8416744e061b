"""Every event of a game with Sorcery is explained; the sentences are in transcripts (test_transcripts.py)."""

import random
from collections.abc import Iterator
from typing import cast

import pytest

from domain.barony import sorcery
from domain.barony.components import SPELLS
from domain.barony.sorcery.state import SorceryState
from domain.contract import AnyRuleSystem, DomainEvent, evolve
from replay.language.renderer import english
from tests.support.barony_positions import random_game
from tests.support.barony_results import explained
from tests.support.events import event_of


def random_casts(seats: int) -> Iterator[tuple[SorceryState, DomainEvent]]:
    """Casts on the boards of a random game, with all spells open and magic tokens for each of them."""
    rng = random.Random(seats)
    for state, _ in random_game(seats, seed=seats, rules=sorcery):
        if state.phase == "play" and isinstance(state, SorceryState):
            rich = state.copy()
            rich.spells, rich.magic = SPELLS, [9] * seats
            assert rich.to_act is not None
            actions = sorcery.legal_actions(rich, rich.to_act)
            casts = [action for action in actions if action.type == "cast"]
            for cast in rng.sample(casts, min(len(casts), 8)):
                yield rich, sorcery.decide(rich, rich.to_act, cast)


@pytest.mark.parametrize("seats", [2, 5])
def test_every_cast_is_explained_by_known_clauses(seats: int) -> None:
    clauses: set[str] = set()
    for state, event in random_casts(seats):
        before = sorcery.position(state, None)
        sentences = explained(state, event)
        assert {clause for clause, _ in sentences} <= set(sorcery.CLAUSES)
        assert {"BS-SPL-1", "BS-SPL-2"} <= {clause for clause, _ in sentences}
        assert "\n" not in english(sorcery.event_message(event.type, event.data))
        assert sorcery.position(state, None) == before
        clauses |= {clause for clause, _ in sentences}
    assert clauses >= {"BS-CEL-2", "BS-TOR-3", "BS-CHA-1", "BS-POR-3", "BS-SAN-1", "BS-ABU-1"}


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_event_of_a_game_is_explained_by_known_clauses(seats: int) -> None:
    for state, event in random_game(seats, seed=seats, rules=sorcery):
        sentences = explained(state, event)
        assert sentences, event
        assert {clause for clause, _ in sentences} <= set(sorcery.CLAUSES)
        assert "\n" not in english(sorcery.event_message(event.type, event.data))
        after = evolve(cast("AnyRuleSystem", sorcery), state, [event])
        scored = event_of("RoundScored", {"round": 1, "standings": sorcery.standings(after)})
        assert dict(explained(after, scored))["BY-END-1"]

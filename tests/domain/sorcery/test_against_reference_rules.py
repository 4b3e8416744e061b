"""`decide` agrees with the reference rules of tests/support/sorcery_reference_rules.py about casts."""

import random
from collections import Counter

import pytest
from hypothesis import given as property_of
from hypothesis import settings
from hypothesis import strategies as st

from domain.barony import sorcery
from domain.barony.actions import Cast
from domain.barony.sorcery.decide import legal_casts
from domain.barony.sorcery.state import SorceryState
from domain.contract import evolve
from domain.errors import Refused
from domain.json_types import JsonObject
from tests.support.barony_positions import random_game
from tests.support.sorcery_diagrams import diagram
from tests.support.sorcery_positions import small_sorcery_states, some_cast, sorcery_state
from tests.support.sorcery_reference_rules import decide_by_reference, without_turn_order


def decide_by_rules(state: SorceryState, seat: int, cast: Cast) -> JsonObject | str:
    """The position after the cast, without the turn order; or the clause that refuses it."""
    try:
        after = evolve(sorcery, state, [sorcery.decide(state, seat, cast)])
    except Refused as refused:
        return refused.clause or "no clause"
    return without_turn_order(sorcery.position(after, None))


def check_cast(state: SorceryState, seat: int, cast: Cast) -> str:
    """The clause that refuses the cast, or `allowed`, after checking that the reference rules agree."""
    position = sorcery.position(state, None)
    raw = sorcery.action_to_json(cast)
    expected, result = decide_by_reference(position, seat, raw), decide_by_rules(state, seat, cast)
    agree = result in expected if isinstance(expected, set) else expected == result
    text = f"{diagram(state)}{sorcery.action_text(cast)}"
    assert agree, f"{text}\nreference {expected}\nrules {result}"
    return result if isinstance(result, str) else "allowed"


def check_positions(seed: int, positions: int, casts: int) -> Counter[str]:
    """The number of random casts on random positions by clause that refuses them, or `allowed`."""
    rng = random.Random(seed)
    results = Counter[str]()
    for _ in range(positions):
        state = sorcery_state(rng)
        seat = state.to_act or 0
        for _ in range(casts):
            results[check_cast(state, seat, some_cast(rng, state))] += 1
        listed = legal_casts(state, seat)
        for cast in rng.sample(listed, min(len(listed), casts // 4)):
            assert check_cast(state, seat, cast) == "allowed"
            results["allowed"] += 1
    return results


CLAUSES = {
    "BS-SPL-1", "BS-SPL-2", "BS-CEL-1", "BS-CEL-2", "BS-TEL-1", "BS-TEL-2",
    "BY-MOV-1", "BY-MOV-3", "BY-MOV-4", "BY-MOV-5", "BY-MOV-6", "BY-CON-3",
    "BS-CHA-1", "BS-ILL-1", "BS-ILL-2", "BS-POR-1", "BS-POR-2", "BS-POR-3", "BY-REC-1", "BY-REC-2",
    "BY-CTY-1", "BY-CTY-2", "BY-CTY-3", "BY-CTY-4", "BY-CTY-5",
    "BS-PET-1", "BS-SAN-1", "BS-SAN-2", "BS-MYS-1",
}  # fmt: skip
"""Every clause that can refuse a cast in its turn."""


@pytest.mark.parametrize("positions", [300, pytest.param(3000, marks=pytest.mark.nightly)])
def test_decide_agrees_with_the_reference_on_random_positions(positions: int) -> None:
    results = check_positions(seed=1, positions=positions, casts=20)
    assert results.keys() == {*CLAUSES, "allowed"}
    assert results["allowed"] > positions


@settings(max_examples=25)
@property_of(small_sorcery_states, st.randoms(use_true_random=False))
def test_decide_agrees_with_the_reference_on_generated_positions(
    state: SorceryState, rng: random.Random
) -> None:
    for _ in range(20):
        check_cast(state, state.to_act or 0, some_cast(rng, state))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_decide_agrees_with_the_reference_throughout_games(seats: int) -> None:
    """On complete boards. Every seat gets magic tokens, so that it can cast."""
    rng = random.Random(seats)
    results = Counter[str]()
    for state, _ in random_game(seats, seats, round_limit=12, rules=sorcery):
        if state.phase == "play" and isinstance(state, SorceryState):
            rich = state.copy()
            rich.magic = [4] * seats
            seat = rich.to_act or 0
            for cast in rng.sample(casts := legal_casts(rich, seat), min(len(casts), 6)):
                assert check_cast(rich, seat, cast) == "allowed"
                results["allowed"] += 1
    assert results["allowed"] > 100


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 6))
def test_decide_agrees_with_the_reference_on_many_positions(seed: int) -> None:
    assert check_positions(seed, positions=10_000, casts=40)["allowed"] > 20_000

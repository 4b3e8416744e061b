"""Casts by `decide` and by a second judge that reads the clauses one by one: both must say the same."""

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
from domain.contract import Json, evolve
from domain.errors import Refused
from tests.support.barony_positions import random_game
from tests.support.sorcery_by_the_book import but_for_the_course, by_the_book
from tests.support.sorcery_diagrams import drawing
from tests.support.sorcery_positions import small_sorcery_states, some_cast, sorcery_state


def by_the_rules(state: SorceryState, seat: int, cast: Cast) -> Json | str:
    """The position after the cast, but for the course of the game; or the clause that refuses it."""
    try:
        after = evolve(sorcery, state, [sorcery.decide(state, seat, cast)])
    except Refused as refused:
        return refused.clause or "no clause"
    return but_for_the_course(sorcery.position(after, None))


def compared(state: SorceryState, seat: int, cast: Cast) -> str:
    """The clause that refuses the cast, or `allowed`: as both judges say."""
    here = sorcery.position(state, None)
    raw = sorcery.action_to_json(cast)
    read, ruled = by_the_book(here, seat, raw), by_the_rules(state, seat, cast)
    agree = ruled in read if isinstance(read, set) else read == ruled
    assert agree, f"{drawing(state)}{sorcery.action_text(cast)}\nbook {read}\nrules {ruled}"
    return ruled if isinstance(ruled, str) else "allowed"


def compare(seed: int, positions: int, casts: int) -> Counter[str]:
    """Random positions and casts, and every legal cast: how many were judged how."""
    chooser = random.Random(seed)
    judged = Counter[str]()
    for _ in range(positions):
        state = sorcery_state(chooser)
        seat = state.to_act or 0
        for _ in range(casts):
            judged[compared(state, seat, some_cast(chooser, state))] += 1
        listed = legal_casts(state, seat)
        for cast in chooser.sample(listed, min(len(listed), casts // 4)):
            assert compared(state, seat, cast) == "allowed"
            judged["allowed"] += 1
    return judged


CLAUSES = {
    "BS-SPL-1", "BS-SPL-2", "BS-CEL-1", "BS-CEL-2", "BS-TEL-1", "BS-TEL-2",
    "BY-MOV-1", "BY-MOV-3", "BY-MOV-4", "BY-MOV-5", "BY-MOV-6", "BY-CON-3",
    "BS-CHA-1", "BS-ILL-1", "BS-ILL-2", "BS-POR-1", "BS-POR-2", "BS-POR-3", "BY-REC-1", "BY-REC-2",
    "BY-CTY-1", "BY-CTY-2", "BY-CTY-3", "BY-CTY-4", "BY-CTY-5",
    "BS-PET-1", "BS-SAN-1", "BS-SAN-2", "BS-MYS-1",
}  # fmt: skip
"""Every clause that can refuse a cast in its turn."""


def test_decide_agrees_with_the_reference_on_random_positions() -> None:
    judged = compare(seed=1, positions=1200, casts=20)
    assert judged.keys() == {*CLAUSES, "allowed"}
    assert judged["allowed"] > 2000


@settings(max_examples=60, deadline=None)
@property_of(small_sorcery_states, st.randoms(use_true_random=False))
def test_decide_agrees_with_the_reference_on_generated_positions(
    state: SorceryState, chooser: random.Random
) -> None:
    for _ in range(20):
        compared(state, state.to_act or 0, some_cast(chooser, state))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_decide_agrees_with_the_reference_throughout_games(seats: int) -> None:
    """On whole boards, for every seat; a seat that has seen no place is given magic to cast with."""
    chooser = random.Random(seats)
    judged = Counter[str]()
    for state, _ in random_game(seats, seats, round_limit=12, rules=sorcery):
        if state.phase == "play" and isinstance(state, SorceryState):
            rich = state.copy()
            rich.magic = [4] * seats
            seat = rich.to_act or 0
            for cast in chooser.sample(casts := legal_casts(rich, seat), min(len(casts), 6)):
                assert compared(rich, seat, cast) == "allowed"
                judged["allowed"] += 1
    assert judged["allowed"] > 100


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 6))
def test_decide_agrees_with_the_reference_on_many_positions(seed: int) -> None:
    assert compare(seed, positions=10_000, casts=40)["allowed"] > 20_000

"""Numbers of action sequences with casts, as in tests/domain/barony/test_action_counts.py without.

The numbers of casts in sequences of one and two actions are checked by trying every conceivable cast.
"""

from collections import Counter

import pytest

from domain.barony import sorcery
from domain.barony.actions import Action, Cast
from domain.barony.components import FAMILY
from domain.barony.sorcery.state import SorceryState
from domain.contract import evolve
from tests.support.barony_positions import given
from tests.support.sorcery_outcomes import conceivable_casts, every_outcome, may_be_legal

STORM = """
    play round 3 seat 0
    spells: celerity teleportation tornado charm abundance
    0: baron, 1F, magic 4
    1: baron, 1P 1M, magic 2
    board
    P0ck M1v   S*1    L
       F1k0k   M0k   P1ck
          L     D0v   F
    """
CALL = """
    play round 5 seat 0
    spells: charm illusion portal celerity sanctuary
    0: baron, removed 4, magic 4
    1: baron, removed 5, 2D, magic 3
    board
    P0c  L     P0s
       P0c   S*0*1   P1c
          M1s  F1k   D0k
    """
TOWN = """
    play round 9 seat 0
    spells: abundance petrification sanctuary tornado illusion
    0: count, magic 4
    1: baron, 1F 2D, magic 3
    bank: 1M 1P
    board
    F0k  P0c   D0v
       F0v   P0k1k P
          D1v  F1k   D1ck
    """
ALL = {"storm": STORM, "call": CALL, "town": TOWN}


def count(state: SorceryState, depth: int) -> Counter[str]:
    """The number of sequences of `depth` legal actions, by the family of the last one."""
    counts = Counter[str]()
    if state.to_act is None:
        return counts
    for action in sorcery.legal_actions(state, state.to_act):
        if depth == 1:
            counts[family_of(action)] += 1
        else:
            counts += count(after(state, action), depth - 1)
    return counts


def family_of(action: Action) -> str:
    """The family of a cast; `other` for other actions."""
    return FAMILY[action.spells[0]] if isinstance(action, Cast) else "other"


def after(state: SorceryState, action: Action) -> SorceryState:
    later: SorceryState = evolve(sorcery, state, [sorcery.decide(state, state.to_act or 0, action)])
    return later


def count_by_trying(state: SorceryState) -> int:
    """The number of different outcomes of all conceivable casts."""
    casts = (cast for cast in conceivable_casts(state) if may_be_legal(state, cast))
    return len(every_outcome(state, casts))


COUNTS = {
    "storm": [
        {"other": 27, "movement": 61, "recruitment": 1},
        {"other": 1014, "movement": 886, "recruitment": 89},
        {"other": 49568, "movement": 54331, "recruitment": 1713},
    ],
    "call": [
        {"other": 7, "movement": 2, "recruitment": 30},
        {"other": 270, "movement": 194, "recruitment": 351},
        {"other": 7964, "movement": 2338, "recruitment": 10569},
    ],
    "town": [
        {"other": 25, "movement": 9, "construction": 6},
        {"other": 2077, "movement": 384, "construction": 69},
        {"other": 59579, "movement": 16688, "recruitment": 148, "construction": 10320},
    ],
}
"""By position, the numbers of sequences of one, two and three actions."""
SAMPLE = 8
"""One in so many of the positions after an action is examined in a short test."""


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        *((name, depth) for name in COUNTS for depth in (1, 2)),
        ("call", 3),
        *(pytest.param(name, 3, marks=pytest.mark.soak) for name in ("storm", "town")),
    ],
)
def test_numbers_of_action_sequences(name: str, depth: int) -> None:
    state = given(ALL[name])
    assert isinstance(state, SorceryState)
    assert count(state, depth) == COUNTS[name][depth - 1]


@pytest.mark.nightly
@pytest.mark.parametrize("step", [SAMPLE, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", ALL)
def test_trying_every_cast_finds_as_many_outcomes(name: str, step: int) -> None:
    state = given(ALL[name])
    assert isinstance(state, SorceryState)
    assert count_by_trying(state) == casts_among(count(state, 1))
    for action in sorcery.legal_actions(state, 0)[::step]:
        later = after(state, action)
        assert count_by_trying(later) == casts_among(count(later, 1))


def casts_among(counts: Counter[str]) -> int:
    return counts.total() - counts["other"]

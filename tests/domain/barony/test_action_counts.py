"""Numbers of action sequences of a fixed length, like the perft counts of chess programs.

A changed number means that the rules have changed, or what counts as one outcome.
"""

import pytest

from domain import barony
from domain.barony.state import State
from domain.contract import evolve
from tests.support.barony_positions import given

DUEL = """
    play round 1 seat 0
    0: baron, 1F 2P 1D
    1: baron, 1P
    board
    P0ck F     D1v   L
       M0k   P     F1ck
          L     D0v   M
    """
CROWD = """
    play round 2 seat 0
    0: viscount, 3D
    1: baron, 1M 1F
    2: baron
    board
    P0ck  F1v   D0k   M2v
       D0v1k P1k2v F     P2ck
          L     D1c   M     P0s
    """
BLOCKED = """
    play round 3 seat 0
    0: baron, removed 7
    1: baron, 1P
    board
    P0c  F     P1ck
    """
SETUP = """
    setup round 0 seat 0
    0: baron
    1: baron
    board
    P  P  P  F  P  P
     P  L  P  P  P  P
    """


def count(state: State, depth: int) -> int:
    """The number of sequences of `depth` legal actions; a game that ends earlier does not count."""
    if state.to_act is None:
        return 0
    seat = state.to_act
    actions = barony.legal_actions(state, seat)
    if depth == 1:
        return len(actions)
    return sum(
        count(evolve(barony, state, [barony.decide(state, seat, action)]), depth - 1)
        for action in actions
    )


@pytest.mark.parametrize(
    ("diagram", "counts"),
    [
        (DUEL, [18, 159, 3533, 53290]),
        (CROWD, [18, 399, 2476, 43316]),
        (BLOCKED, [1, 4, 4, 22, 22]),
        (SETUP, [10, 64, 210, 1026, 24460]),
    ],
    ids=["duel", "crowd", "blocked", "setup"],
)
def test_numbers_of_action_sequences(diagram: str, counts: list[int]) -> None:
    assert [count(given(diagram), depth) for depth in range(1, len(counts) + 1)] == counts

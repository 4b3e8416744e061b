"""What the bots of all games have in common: how one that weighs every action comes to a choice."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from domain.chance import Chance

A = TypeVar("A")


def weightiest(weight: Callable[[A], float], actions: Sequence[A], chance: Chance) -> A:
    """The action that weighs most; among equals one is drawn."""
    weights = [weight(action) for action in actions]
    most = max(weights)
    best = [action for action, here in zip(actions, weights, strict=True) if here == most]
    return best[chance.below(len(best))]

"""How a bot that scores every action chooses one; the same for the bots of all games."""

from collections.abc import Sequence
from typing import TypeVar

from domain.chance import Chance

A = TypeVar("A")


def best_action(scores: Sequence[float], actions: Sequence[A], chance: Chance) -> A:
    """The action with the highest score; one of them at random if there are several."""
    highest = max(scores)
    best = [action for action, points in zip(actions, scores, strict=True) if points == highest]
    return best[chance.below(len(best))]

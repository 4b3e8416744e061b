"""Bots by name: `random`, which knows no game, and those that a rule system brings along."""

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from domain.chance import Chance
from domain.contract import Action, AnyRuleSystem, Bot, Position

A = TypeVar("A", bound=Action)

RANDOM: Final = "random"
USUAL: Final = ("sensible", RANDOM)
"""Who sits at a table where nothing else is asked for, in turn."""


def at_random(position: Position, actions: Sequence[A], seat: int, chance: Chance) -> A:
    """Any of the actions, each as likely as the others."""
    return actions[chance.below(len(actions))]


def bot_names(rules: AnyRuleSystem) -> list[str]:
    """The bots that can play this game."""
    return sorted({*rules.BOTS, RANDOM})


def bot_named(rules: AnyRuleSystem, name: str) -> Bot[Any, Any]:
    """The bot of that name. Raises KeyError."""
    return at_random if name == RANDOM else rules.BOTS[name]

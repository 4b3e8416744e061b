"""Bots by name: `random`, which knows no game, and those that a rule system brings along."""

from collections.abc import Sequence
from typing import Final

from domain.chance import Chance
from domain.contract import Bot, Json, RuleSystem

RANDOM: Final = "random"
USUAL: Final = ("sensible", RANDOM)
"""Who sits at a table where nothing else is asked for, in turn."""


def at_random(position: Json, actions: Sequence[Json], seat: int, chance: Chance) -> Json:
    """Any of the actions, each as likely as the others."""
    return actions[chance.below(len(actions))]


def bot_names(rules: RuleSystem) -> list[str]:
    """The bots that can play this game."""
    return sorted({*rules.BOTS, RANDOM})


def bot_named(rules: RuleSystem, name: str) -> Bot:
    """The bot of that name. Raises KeyError."""
    return at_random if name == RANDOM else rules.BOTS[name]

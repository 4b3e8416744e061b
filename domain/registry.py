"""The rule systems there are. The only place that names them; a new game adds its line here."""

from collections.abc import Mapping
from typing import Final

from domain import baron, barony
from domain.barony import sorcery
from domain.contract import RuleSystem
from domain.errors import Malformed

RULES: Final[Mapping[str, RuleSystem]] = {barony.NAME: barony, baron.NAME: baron}
"""The games by name; the first is played where none is named."""
EXPANSIONS: Final[Mapping[tuple[str, str], RuleSystem]] = {(barony.NAME, "sorcery"): sorcery}
"""Rule systems that take a game's place where an option is true, by the game and the option."""


def rule_system_for(name: object, options: object) -> RuleSystem:
    """The rule system of that name, with the expansion that the options ask for. Raises Malformed.

    Only `true` asks for one; whether an option may be what it is, the rules say.
    """
    if not isinstance(name, str) or name not in RULES:
        raise Malformed({"rules": f"must be one of {', '.join(sorted(RULES))}"})
    if not isinstance(options, Mapping):
        raise Malformed({"options": "must be an object"})
    for (game, option), rules in EXPANSIONS.items():
        if game == name and options.get(option) is True:
            return rules
    return RULES[name]

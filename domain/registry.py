"""The rule systems there are. The only place that names them; a new game adds its line here."""

from collections.abc import Mapping
from typing import Final

from domain import barony
from domain.contract import Rules
from domain.errors import Malformed

RULES: Final[Mapping[str, Rules]] = {barony.NAME: barony}


def rules_named(name: object) -> Rules:
    """The rule system of that name. Raises Malformed."""
    if isinstance(name, str) and name in RULES:
        return RULES[name]
    raise Malformed({"rules": f"must be one of {', '.join(sorted(RULES))}"})

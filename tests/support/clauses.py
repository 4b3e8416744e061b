"""The ids of clauses, such as BY-TURN-2, as patterns; each game has its own prefix."""

from typing import Final

from domain.registry import rule_systems

_PREFIXES: Final = "|".join(
    sorted({id.split("-")[0] for entry in rule_systems().values() for id in entry.system.CLAUSES})
)
CLAUSE: Final = rf"\b(?:{_PREFIXES})-[A-Z]+(?:-\d+)?\b"
"""A pattern for a clause, or for a section of clauses."""
CLAUSE_OR_PREFIX: Final = rf"\b(?:{_PREFIXES})(?:-[A-Z]+(?:-\d+)?)?\b"

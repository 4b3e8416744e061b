"""What is told of a fact of Baron: its line, and the reasons for it by clause."""

from domain.baron import explain, fact_text
from domain.baron.state import State
from domain.contract import Fact


def reasons(state: State, fact: Fact) -> dict[str, list[str]]:
    """The sentences by clause."""
    found: dict[str, list[str]] = {}
    for clause, sentence in explain(state, fact.data.get("seat"), fact):
        found.setdefault(clause, []).append(sentence)
    return found


def said(fact: Fact) -> str:
    """The fact in one line."""
    return fact_text(fact.type, fact.data)

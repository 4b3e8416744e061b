"""What is told of a fact of Baron: its line, and the reasons for it by clause."""

from domain.baron import event_text, explain
from domain.baron.state import State
from domain.contract import DomainEvent
from tests.support.events import data_of


def reasons(state: State, fact: DomainEvent) -> dict[str, list[str]]:
    """The sentences by clause."""
    found: dict[str, list[str]] = {}
    for clause, sentence in explain(state, data_of(fact).get("seat"), fact):
        found.setdefault(clause, []).append(sentence)
    return found


def said(fact: DomainEvent) -> str:
    """The fact in one line."""
    return event_text(fact.type, fact.data)

"""The lines of an analysis, step by step: what each action leads to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from domain.contract import AnyRuleSystem, DomainEvent
from domain.errors import CartularyError
from domain.json_types import JsonObject
from domain.messages import Text


@dataclass(frozen=True, slots=True)
class LineStep:
    """An action of a line: the seat, what it does in words, its event, and the state after it."""

    seat: int
    outcome: Text
    action: Any
    event: DomainEvent
    state: Any


def line_steps(rules: AnyRuleSystem, state: Any, line: Sequence[JsonObject]) -> Iterator[LineStep]:
    """Yield the actions of a line from this state on. It ends early where it depends on what was drawn."""
    for step in line:
        state = rules.copy(state)
        try:
            action = rules.parse_action_text(step["action"])
            event = rules.decide(state, step["seat"], action)
            rules.apply(state, event.type, event.data)
        except CartularyError:
            return
        outcome = rules.event_message(event.type, event.data)
        yield LineStep(step["seat"], outcome, action, event, state)

"""Tests of the rules as given, when, then: a diagram of a position, an action, and what follows from it.

    when(state, 0, "move 0,0>1,0").becomes(diagram)
    when(state, 0, "move 0,0>2,0").is_refused("BY-MOV-1", "not adjacent")

Actions are in the short form of their game. Positions are text diagrams (tests/support/*_diagrams.py). The
functions work for every game, which they recognize by the class of the state.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import pytest

from domain import baron, barony
from domain.baron.state import State as BaronState
from domain.barony import sorcery
from domain.barony.sorcery.state import SorceryState
from domain.contract import ALL_SECRETS, Action, AnyRuleSystem, DomainEvent, State, evolve
from domain.errors import Refused
from replay.language.renderer import english
from tests.support.baron_diagrams import diagram as baron_diagram
from tests.support.baron_positions import given as baron_given
from tests.support.barony_positions import diagram as barony_diagram
from tests.support.barony_positions import given as barony_given

S = TypeVar("S", bound=State)


def rule_system_for(state: Any) -> AnyRuleSystem:
    """Return the rule system that a state belongs to."""
    if isinstance(state, BaronState):
        return baron
    return sorcery if isinstance(state, SorceryState) else barony


def given_like(state: S, text: str) -> S:
    """Return the state that a diagram shows, of the same game as `state`."""
    other: Any = baron_given(text) if isinstance(state, BaronState) else barony_given(text)
    same_game: S = other
    return same_game


def diagram(state: Any) -> str:
    """Return the text diagram of a state."""
    return baron_diagram(state) if isinstance(state, BaronState) else barony_diagram(state)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[S]):
    """The outcome of `decide` in a state: an event, or a refusal.

    `seat` and `action` are None unless a seat acts.
    """

    state: S
    decide: Callable[[], DomainEvent]
    seat: int | None = None
    action: Action | None = None

    @property
    def event(self) -> DomainEvent:
        """The event as it is read back from a log."""
        event = self.decide()
        return DomainEvent(event.type, json.loads(json.dumps(event.data)))

    @property
    def after(self) -> S:
        """The state after the event."""
        after: S = evolve(rule_system_for(self.state), self.state, [self.event])
        return after

    def becomes(self, text: str) -> S:
        """Assert that the state afterwards is the one in the diagram, and return it.

        The complete positions are compared, with all secrets. The number of the turn is compared only if
        the diagram contains it.
        """
        after, expected = self.after, given_like(self.state, text)
        if " turn " not in text:
            cast("Any", expected).turn = after.turn
        assert diagram(after) == diagram(expected)
        rules = rule_system_for(after)
        assert rules.position(after, ALL_SECRETS) == rules.position(expected, ALL_SECRETS)
        return after

    def leads_to(self, progress: str) -> S:
        """Assert what `progress_of` returns afterwards, and return the state afterwards."""
        after = self.after
        assert progress_of(after) == progress
        return after

    def produces(self, type: str, **fields: object) -> S:
        """Assert the type of the event and these fields of its data; return the state afterwards."""
        event = self.event
        assert (event.type, {name: event.data.get(name) for name in fields}) == (type, fields)
        return self.after

    def is_refused(self, clause: str, *words: str) -> None:
        """Assert that the clause refuses the action, with these words in the reason.

        The state must stay the same, and the legal actions must not contain the action.
        """
        before = diagram(self.state)
        with pytest.raises(Refused) as refused:
            self.decide()
        assert refused.value.clause == clause, refused.value
        for word in words:
            assert word in english(refused.value.why)
        assert diagram(self.state) == before
        if self.seat is not None:
            assert self.action not in rule_system_for(self.state).legal_actions(
                self.state, self.seat
            )


def when(state: S, seat: int, text: str) -> Outcome[S]:
    """Let a seat take an action, in short form."""
    rules = rule_system_for(state)
    action = rules.parse_action_text(text)
    return Outcome(state, lambda: rules.decide(state, seat, action), seat, action)


def when_time_is_up(state: S) -> Outcome[S]:
    """Let the deadline of the seat to act pass."""
    return Outcome(state, lambda: rule_system_for(state).forfeit(state))


def when_removed(state: S, seat: int) -> Outcome[S]:
    """Let the arbiter remove a seat."""
    return Outcome(state, lambda: rule_system_for(state).remove(state, seat))


def when_scored(state: S) -> Outcome[S]:
    """Rank the players of a game in which play is over."""
    return Outcome(state, lambda: rule_system_for(state).finish(state))


def progress_of(state: State) -> str:
    """Return phase, round and seat to act, as a diagram begins: `play round 2 seat 0`, `scoring round 3`."""
    head = f"{state.phase} round {state.round}"
    return head if state.to_act is None else f"{head} seat {state.to_act}"


def play_lines(state: S, *lines: str) -> S:
    """Return the state after these lines.

    A line is `SEAT ACTION` (`0 recruit 1 at 0,0`), `clock` (the deadline passes) or `arbiter SEAT` (which
    removes the seat).
    """
    for line in lines:
        actor, _, text = line.partition(" ")
        if actor == "clock":
            state = when_time_is_up(state).after
        elif actor == "arbiter":
            state = when_removed(state, int(text)).after
        else:
            state = when(state, int(actor), text).after
    return state

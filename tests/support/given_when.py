"""Given, when, then: what comes of an action on a drawn position, or the clause that forbids it.

    when(state, 0, "move 0,0>1,0").becomes(drawing)
    when(state, 0, "move 0,0>2,0").is_refused("BY-MOV-1", "not adjacent")

Actions are in their game's short form, positions drawn as its `drawing` says; the state tells which game.
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
from tests.support.baron_diagrams import diagram as baron_drawing
from tests.support.baron_positions import given as baron_given
from tests.support.barony_positions import diagram as barony_drawing
from tests.support.barony_positions import given as barony_given

S = TypeVar("S", bound=State)


def rule_system_for(state: Any) -> AnyRuleSystem:
    """The rules that a state is of."""
    if isinstance(state, BaronState):
        return baron
    return sorcery if isinstance(state, SorceryState) else barony


def given_like(state: S, text: str) -> S:
    """The state of the same game that a drawing shows."""
    drawn: Any = baron_given(text) if isinstance(state, BaronState) else barony_given(text)
    shown: S = drawn
    return shown


def drawing(state: Any) -> str:
    """The state as text."""
    return baron_drawing(state) if isinstance(state, BaronState) else barony_drawing(state)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[S]):
    """What `judge` makes of `state`: a fact, or a refusal."""

    state: S
    judge: Callable[[], DomainEvent]
    seat: int | None = None
    action: Action | None = None

    @property
    def event(self) -> DomainEvent:
        """The event as it is read back from a log."""
        event = self.judge()
        return DomainEvent(event.type, json.loads(json.dumps(event.data)))

    @property
    def fact(self) -> DomainEvent:
        """The former name of `event`, until every test has been changed."""
        return self.event

    @property
    def after(self) -> S:
        """The state that the fact leads to."""
        after: S = evolve(rule_system_for(self.state), self.state, [self.fact])
        return after

    def becomes(self, text: str) -> S:
        """The position after is the one drawn, with all that a drawing does not tell, and all that is secret.

        The turn's number counts only where the drawing tells it.
        """
        after, expected = self.after, given_like(self.state, text)
        if " turn " not in text:
            cast("Any", expected).turn = after.turn
        assert drawing(after) == drawing(expected)
        rules = rule_system_for(after)
        assert rules.position(after, ALL_SECRETS) == rules.position(expected, ALL_SECRETS)
        return after

    def leads_to(self, course: str) -> S:
        """Afterwards phase, round and seat to act are these: `play round 2 seat 0`, `scoring round 3`."""
        after = self.after
        assert course_of(after) == course
        return after

    def tells(self, type: str, **said: object) -> S:
        """The fact is of this type, and its data say this, whatever else they say."""
        fact = self.fact
        assert (fact.type, {name: fact.data.get(name) for name in said}) == (type, said)
        return self.after

    def is_refused(self, clause: str, *words: str) -> None:
        """It is refused by the clause, for a reason with these words; no list of legal actions has it."""
        before = drawing(self.state)
        with pytest.raises(Refused) as refused:
            self.judge()
        assert refused.value.clause == clause, refused.value
        for word in words:
            assert word in refused.value.why
        assert drawing(self.state) == before
        if self.seat is not None:
            assert self.action not in rule_system_for(self.state).legal_actions(
                self.state, self.seat
            )


def when(state: S, seat: int, text: str) -> Outcome[S]:
    """The seat takes an action, given in short form."""
    rules = rule_system_for(state)
    action = rules.parse_action_text(text)
    return Outcome(state, lambda: rules.decide(state, seat, action), seat, action)


def when_time_is_up(state: S) -> Outcome[S]:
    """The seat to act lets its deadline pass."""
    return Outcome(state, lambda: rule_system_for(state).forfeit(state))


def when_removed(state: S, seat: int) -> Outcome[S]:
    """The arbiter puts a seat out of the game."""
    return Outcome(state, lambda: rule_system_for(state).remove(state, seat))


def when_scored(state: S) -> Outcome[S]:
    """Play is over, and the game gets its ranking."""
    return Outcome(state, lambda: rule_system_for(state).finish(state))


def course_of(state: State) -> str:
    """Phase, round and seat to act, as a drawing begins."""
    head = f"{state.phase} round {state.round}"
    return head if state.to_act is None else f"{head} seat {state.to_act}"


def played(state: S, *lines: str) -> S:
    """The state after the lines: `0 recruit 1 at 0,0` each, `clock` (time is up), `arbiter 2` (removed)."""
    for line in lines:
        who, _, text = line.partition(" ")
        if who == "clock":
            state = when_time_is_up(state).after
        elif who == "arbiter":
            state = when_removed(state, int(text)).after
        else:
            state = when(state, int(who), text).after
    return state

"""Given, when, then for Baron: what comes of an action on a drawn position, or the clause that forbids it.

    when(state, 0, "lay pond 1,0").becomes(drawing)
    when(state, 0, "lay pond 3,0").is_refused("BN-LAY-1", "adjacent")

Actions are in their short form (domain/baron/notation.py), positions drawn (domain/baron/drawing.py).
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from domain import baron
from domain.baron.actions import Action
from domain.baron.drawing import drawing
from domain.baron.state import State
from domain.contract import EVERYTHING, Fact, evolve
from domain.errors import Refused
from tests.support.baron_positions import given


@dataclass(frozen=True, slots=True)
class Outcome:
    """What `judge` makes of `state`: a fact, or a refusal."""

    state: State
    judge: Callable[[], Fact]
    seat: int | None = None
    action: Action | None = None

    @property
    def fact(self) -> Fact:
        """The fact as it is read back from a log."""
        fact = self.judge()
        return Fact(fact.type, json.loads(json.dumps(fact.data)))

    @property
    def after(self) -> State:
        """The state that the fact leads to."""
        after: State = evolve(baron, self.state, [self.fact])
        return after

    def becomes(self, text: str) -> State:
        """The position after is the one drawn, secrets included; the turn's number only if it is told."""
        after, expected = self.after, given(text)
        if " turn " not in text:
            expected.turn = after.turn
        assert drawing(after) == drawing(expected)
        assert baron.position(after, EVERYTHING) == baron.position(expected, EVERYTHING)
        return after

    def leads_to(self, course: str) -> State:
        """Afterwards phase, round and seat to act are these: `lay round 2 seat 0`, `scoring round 3`."""
        after = self.after
        assert course_of(after) == course
        return after

    def tells(self, type: str, **said: object) -> State:
        """The fact is of this type, and its data say this, whatever else they say; None: nothing of it."""
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
            assert self.action not in baron.legal_actions(self.state, self.seat)


def when(state: State, seat: int, text: str) -> Outcome:
    """The seat takes an action, given in short form."""
    action = baron.parse_action_text(text)
    return Outcome(state, lambda: baron.decide(state, seat, action), seat, action)


def when_time_is_up(state: State) -> Outcome:
    """The seat to act lets its deadline pass."""
    return Outcome(state, lambda: baron.forfeit(state))


def when_removed(state: State, seat: int) -> Outcome:
    """The arbiter puts a seat out of the game."""
    return Outcome(state, lambda: baron.remove(state, seat))


def when_scored(state: State) -> Outcome:
    """Play is over, and the game gets its ranking."""
    return Outcome(state, lambda: baron.finish(state))


def course_of(state: State) -> str:
    """Phase, round and seat to act, as a drawing begins."""
    head = f"{state.phase} round {state.round}"
    return head if state.to_act is None else f"{head} seat {state.to_act}"


def played(state: State, *lines: str) -> State:
    """The state after the lines: `0 draw 1` each, `clock` (time is up), `arbiter 2` (removed)."""
    for line in lines:
        who, _, text = line.partition(" ")
        if who == "clock":
            state = when_time_is_up(state).after
        elif who == "arbiter":
            state = when_removed(state, int(text)).after
        else:
            state = when(state, int(who), text).after
    return state


def listed(state: State, seat: int) -> list[str]:
    """The legal actions in short form."""
    return [baron.action_text(action) for action in baron.legal_actions(state, seat)]


def honours(state: State) -> list[int]:
    """The honour of each seat."""
    return [entry["score"] for entry in baron.standings(state)]


def places(state: State) -> list[tuple[int, int, int]]:
    """Place, seat and honour of a game that is being scored, the first first."""
    ranked = when_scored(state).fact.data["ranking"]
    return [(entry["place"], entry["seat"], entry["score"]) for entry in ranked]

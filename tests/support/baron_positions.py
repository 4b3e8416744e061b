"""Positions of Baron for tests: drawn as text, just begun, or met while playing at random."""

import random
from collections.abc import Iterator
from textwrap import dedent

from domain import baron
from domain.baron.state import State
from domain.chance import Chance
from domain.contract import DomainEvent, evolve
from tests.support.baron_diagrams import parse_drawing


def given(text: str) -> State:
    """The state that a drawing shows (tests/support/baron_diagrams.py)."""
    return parse_drawing(dedent(text))


def set_up(seats: int, seed: int) -> DomainEvent:
    """`GameStarted` as this seed gives it."""
    return baron.set_up(seats, baron.check_options(seats, {}), Chance(seed.to_bytes(4, "big")))


def begun(seats: int, seed: int) -> State:
    """A game at its start, all its secrets known."""
    opening = set_up(seats, seed)
    return baron.initial_state(seats, {}, opening.data, opening.secrets)


def blindly_begun(seats: int, seed: int) -> State:
    """The same to who knows none of its secrets."""
    return baron.initial_state(seats, {}, set_up(seats, seed).data, {})


def random_game(
    seats: int, seed: int, forfeits: float = 0.0
) -> Iterator[tuple[State, DomainEvent]]:
    """A game of random actions from the set-up to its end: each fact with the state before it.

    `forfeits`: how many of the turns lapse. Keeps are put down whenever they can be, or nothing would happen.
    """
    chooser = random.Random(seed)
    state = begun(seats, seed)
    while state.to_act is not None:
        actions = baron.legal_actions(state, state.to_act)
        if state.phase == "keep" and chooser.random() < 0.8:
            actions = actions[:-1]
        if chooser.random() < forfeits:
            fact = baron.forfeit(state)
        else:
            fact = baron.decide(state, state.to_act, chooser.choice(actions))
        yield state, fact
        state = evolve(baron, state, [fact])
    yield state, baron.finish(state)

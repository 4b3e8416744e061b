"""States of Baron for tests, from text diagrams or from games, and questions about them."""

import random
from collections.abc import Iterator
from textwrap import dedent

from domain import baron
from domain.baron.state import State
from domain.chance import Chance
from domain.contract import DomainEvent, evolve
from replay.language.renderer import renderer
from tests.support.baron_diagrams import parse_diagram
from tests.support.events import data_of


def given(text: str) -> State:
    """The state that a text diagram shows (tests/support/baron_diagrams.py)."""
    return parse_diagram(dedent(text))


def set_up(seats: int, seed: int) -> DomainEvent:
    """The `GameStarted` that is drawn from this seed."""
    return baron.set_up(seats, baron.check_options(seats, {}), Chance(seed.to_bytes(4, "big")))


def started(seats: int, seed: int) -> State:
    """A game after its set-up, with all its secrets."""
    opening = set_up(seats, seed)
    return baron.initial_state(seats, {}, opening.data, opening.secrets)


def started_without_secrets(seats: int, seed: int) -> State:
    """The same game, for a reader who knows none of its secrets."""
    return baron.initial_state(seats, {}, set_up(seats, seed).data, {})


def random_game(
    seats: int, seed: int, forfeits: float = 0.0
) -> Iterator[tuple[State, DomainEvent]]:
    """A game of random actions from the set-up to its end: each event with the state before it.

    `forfeits` is the chance that a turn is forfeited. Keeps are usually put down where possible, since fights
    would be rare otherwise.
    """
    chooser = random.Random(seed)
    state = started(seats, seed)
    while state.to_act is not None:
        actions = baron.legal_actions(state, state.to_act)
        if state.phase == "keep" and chooser.random() < 0.8:
            actions = actions[:-1]
        if chooser.random() < forfeits:
            event = baron.forfeit(state)
        else:
            event = baron.decide(state, state.to_act, chooser.choice(actions))
        yield state, event
        state = evolve(baron, state, [event])
    yield state, baron.finish(state)


def legal_texts(state: State, seat: int) -> list[str]:
    """The legal actions of a seat in short form."""
    return [baron.action_text(action) for action in baron.legal_actions(state, seat)]


def honours(state: State) -> list[int]:
    """The honour of each seat."""
    return [entry["score"] for entry in baron.standings(state)]


def places(state: State) -> list[tuple[int, int, int]]:
    """Place, seat and honour in the ranking of a game that is being scored, the first place first."""
    ranking = data_of(baron.finish(state))["ranking"]
    return [(entry["place"], entry["seat"], entry["score"]) for entry in ranking]


def explanation(
    state: State | None, event: DomainEvent, language: str = "en"
) -> dict[str, list[str]]:
    """The sentences that explain an event, by clause."""
    sentences: dict[str, list[str]] = {}
    for clause, sentence in reasons(state, event, language):
        sentences.setdefault(clause, []).append(sentence)
    return sentences


def reasons(state: State | None, event: DomainEvent, language: str = "en") -> list[tuple[str, str]]:
    """The clauses that explain an event, each with a sentence."""
    render = renderer(language)
    seat = data_of(event).get("seat")
    return [(clause, render(sentence)) for clause, sentence in baron.explain(state, seat, event)]


def text_of(event: DomainEvent, language: str = "en") -> str:
    """The event in one line."""
    return renderer(language)(baron.event_message(event.type, event.data))

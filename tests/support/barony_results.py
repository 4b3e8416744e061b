"""Scores, rankings, texts and explanations of states and events of Barony, with and without Sorcery."""

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from domain.barony.formats import BaronyStanding
from domain.barony.state import State
from domain.contract import DomainEvent
from domain.messages import Value
from replay.language.renderer import english
from tests.support.events import data_of
from tests.support.given_when import rule_system_for, when_scored

Renderer: TypeAlias = Callable[[Value], str]
"""Returns a message as text in some language."""


def scores(state: State) -> list[int]:
    """The score tracks by seat."""
    return [entry["score"] for entry in rule_system_for(state).standings(state)]


def final_scores(state: State) -> list[int]:
    """The final scores by seat if the game ended now."""
    standings = cast("Sequence[BaronyStanding]", rule_system_for(state).standings(state))
    return [entry["final_score"] for entry in standings]


def ranking(state: State) -> list[tuple[int, int]]:
    """Seats and final scores of a game that is being scored, the King first."""
    entries = data_of(when_scored(state).event)["ranking"]
    assert [entry["place"] for entry in entries] == list(range(1, len(entries) + 1))
    return [(entry["seat"], entry["score"]) for entry in entries]


def magic_of(state: State) -> list[int]:
    """The magic tokens by seat."""
    position = rule_system_for(state).position(state, None)
    return [player["magic"] for player in position["players"]]


def imprints_of(state: State) -> list[list[list[int]]]:
    """The hexes with an imprint, by seat."""
    position = rule_system_for(state).position(state, None)
    return [player["imprints"] for player in position["players"]]


def explained(
    state: State | None, event: DomainEvent, render: Renderer = english
) -> list[tuple[str, str]]:
    """The clauses with their sentences, in order, as `explain` returns them."""
    reasons = rule_system_for(state).explain(state, data_of(event).get("seat"), event)
    return [(clause, render(sentence)) for clause, sentence in reasons]


def explanation(
    state: State, event: DomainEvent, render: Renderer = english
) -> dict[str, list[str]]:
    """The sentences by clause."""
    sentences: dict[str, list[str]] = {}
    for clause, sentence in explained(state, event, render):
        sentences.setdefault(clause, []).append(sentence)
    return sentences


def text_of(state: State, event: DomainEvent, render: Renderer = english) -> str:
    """The event in one line."""
    return render(rule_system_for(state).event_message(event.type, event.data))

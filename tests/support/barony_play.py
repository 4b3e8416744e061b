"""What tests ask of a position of Barony, with Sorcery or without, besides what comes of an action."""

from typing import cast

from domain.barony.state import State
from domain.contract import Json
from tests.support.events import data_of
from tests.support.given_when import rule_system_for, when_scored


def scores(state: State) -> list[int]:
    """The score tracks by seat."""
    return [entry["score"] for entry in rule_system_for(state).standings(state)]


def final_scores(state: State) -> list[int]:
    """What each seat would have if the game ended now."""
    entries = cast("list[Json]", rule_system_for(state).standings(state))
    return [entry["final_score"] for entry in entries]


def ranking(state: State) -> list[tuple[int, int]]:
    """Seats and final scores of a game that is being scored, the King's first."""
    ranked = data_of(when_scored(state).fact)["ranking"]
    assert [entry["place"] for entry in ranked] == list(range(1, len(ranked) + 1))
    return [(entry["seat"], entry["score"]) for entry in ranked]

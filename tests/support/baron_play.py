"""What tests ask of a position of Baron, besides what comes of an action."""

from domain import baron
from domain.baron.state import State
from tests.support.events import data_of
from tests.support.given_when import when_scored


def listed(state: State, seat: int) -> list[str]:
    """The legal actions in short form."""
    return [baron.action_text(action) for action in baron.legal_actions(state, seat)]


def honours(state: State) -> list[int]:
    """The honour of each seat."""
    return [entry["score"] for entry in baron.standings(state)]


def places(state: State) -> list[tuple[int, int, int]]:
    """Place, seat and honour of a game that is being scored, the first first."""
    ranked = data_of(when_scored(state).fact)["ranking"]
    return [(entry["place"], entry["seat"], entry["score"]) for entry in ranked]

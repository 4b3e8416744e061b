"""The strong bot of Barony: a search (`domain.search`) whose playouts follow the sensible bot.

Barony has no secrets, so nothing is drawn: playouts of one action differ only where the sensible bot has
equally good actions.
"""

from collections.abc import Mapping
from math import inf
from typing import Final

from domain.barony.actions import Action
from domain.barony.apply import apply
from domain.barony.bots import sensible
from domain.barony.bots import score_actions
from domain.barony.decide import decide
from domain.barony.formats import BaronyPosition
from domain.barony.legal import legal_actions
from domain.barony.position import from_position, position
from domain.barony.scoring import final_score
from domain.barony.state import State
from domain.barony.titles import worth
from domain.chance import Chance
from domain.contract import Bot
from domain.search import SearchBot, SearchModel

MARGIN: Final = 12.0
"""A lead that decides most games: somewhat less than a title."""
HORIZON: Final = 30
"""Turns of a playout: half of a game of two, so that there is time for twice as many playouts."""


def draw_nothing(state: State, seat: int, chance: Chance) -> None:
    """Nothing is unknown in Barony."""


def expected_score(state: State, seat: int) -> float:
    """BY-END-3: the final score of a seat; in play, its tokens count by what they pay for a title."""
    if state.is_out[seat]:
        return -inf
    if state.to_act is None:
        return final_score(state, seat)
    return state.score[seat] + worth(state.resources[seat])


def _expected_scores(state: State, viewer: int) -> list[float]:
    return [expected_score(state, seat) for seat in range(state.seats)]


MODEL: Final[SearchModel[State, Action, BaronyPosition]] = SearchModel(
    read_position=from_position,
    draw_unknown=draw_nothing,
    score_actions=score_actions,
    expected_scores=_expected_scores,
    margin=MARGIN,
    horizon=HORIZON,
    prior_weight=0.0,
    legal_actions=legal_actions,
    decide=decide,
    apply=apply,
    copy=State.copy,
    position=position,
)

BOTS: Final[Mapping[str, Bot[Action, BaronyPosition]]] = {
    "sensible": sensible,
    "strong": SearchBot(MODEL),
}

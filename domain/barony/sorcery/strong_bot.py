"""The strong bot with Sorcery: as in the base game, with the scores and the sensible bot of the expansion."""

from collections.abc import Mapping
from typing import Final

from domain.barony.actions import Action
from domain.barony.formats import BaronyPosition
from domain.barony.sorcery.apply import apply
from domain.barony.sorcery.bots import sensible
from domain.barony.sorcery.bots import score_actions
from domain.barony.sorcery.decide import decide, legal_actions
from domain.barony.sorcery.position import from_position, imprint_points, position
from domain.barony.sorcery.state import SorceryState
from domain.barony.strong_bot import HORIZON, MARGIN, draw_nothing, expected_score
from domain.contract import Bot
from domain.search import SearchBot, SearchModel


def _expected_scores(state: SorceryState, viewer: int) -> list[float]:
    """BS-MYS-5: the expected scores of the base game, with the points of imprints."""
    return [
        expected_score(state, seat) + imprint_points(state, seat) for seat in range(state.seats)
    ]


MODEL: Final[SearchModel[SorceryState, Action, BaronyPosition]] = SearchModel(
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
    copy=SorceryState.copy,
    position=position,
)

BOTS: Final[Mapping[str, Bot[Action, BaronyPosition]]] = {
    "sensible": sensible,
    "strong": SearchBot(MODEL),
}

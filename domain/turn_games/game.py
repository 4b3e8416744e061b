"""`TurnGame`, the base class of games with turns. docs/adding-a-game.md is the guide."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from domain.contract import Bot
from domain.features import FeatureModel
from domain.playouts import PlayoutModel
from domain.search import SearchBot, SearchModel, SensibleBot
from domain.turn_games.definition import S
from domain.turn_games.presentation import Presentation


class TurnGame(Presentation[S]):
    """A rule system in which the seats act in turn, one action each. An instance fulfils the contract.

    `domain.turn_games.definition.Definition` lists what a game has to define.
    """

    BOTS: Mapping[str, Bot[Any, Any]] = {}
    """Further bots of a game. An instance also has `sensible` and `strong`."""
    PLAYOUTS: PlayoutModel[Any, Any] | None = None
    """Quick playouts; by default, playouts follow the sensible bot."""
    FEATURES: FeatureModel | None = None
    """What the explorer counts of games that have ended; by default, results and lengths only."""
    MARGIN: float = 5
    """A lead in score that decides most games."""
    HORIZON: int = 12
    """The turns that the strong bot plays ahead."""

    def __init__(self) -> None:
        super().__init__()
        model = SearchModel(
            read_position=self.read_position,
            draw_unknown=lambda *_: None,
            score_actions=self.score_actions,
            expected_scores=lambda state, _: self.expected_scores(state),
            margin=self.MARGIN,
            horizon=self.HORIZON,
            prior_weight=1,
            legal_actions=self.legal_actions,
            decide=self.decide,
            apply=self.apply,
            copy=self.copy,
            position=self.position,
        )
        self.BOTS = {
            "sensible": SensibleBot(model.score_actions),
            "strong": SearchBot(model),
            **self.BOTS,
        }

    def score_actions(self, position: Any, actions: Sequence[Any], seat: int) -> Sequence[float]:
        """Return how good each action looks to the seat: its lead over the other seats after it."""
        state = self.read_position(position)
        return [self._lead_after(state, seat, action) for action in actions]

    def _lead_after(self, state: S, seat: int, action: Any) -> float:
        after = self.copy(state)
        self.perform(after, seat, action, self.outcome(state, seat, action))
        scores = self.scores(after)
        return scores[seat] - (sum(scores) - scores[seat]) / max(1, len(scores) - 1)

    def expected_scores(self, state: S) -> Sequence[float]:
        """Return the score that each seat can expect: by default its current score; -inf if it is out."""
        return [
            -inf if seat in state.out else float(score)
            for seat, score in enumerate(self.scores(state))
        ]

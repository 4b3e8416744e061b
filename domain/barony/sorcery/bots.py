"""Bots that play with Sorcery: `sensible` also scores casts and arrivals on mysterious places.

A cast scores what it gains minus the value of its magic, so that spells are cast where they pay off.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from domain.barony.actions import Action, Cast, Expedition, Move
from domain.barony.bots import (
    GOAL_REACHED,
    KNIGHT_DESTROYED,
    KNIGHT_REMOVED,
    NEW_CITY,
    Scorer,
)
from domain.barony.components import FAMILY, Spell
from domain.barony.evaluation import TERRAIN_VALUE, VILLAGE_DESTROYED
from domain.barony.formats import BaronyPosition, PlayerJson
from domain.barony.sorcery.components import POINTS_AN_IMPRINT, cost_of
from domain.barony.sorcery.evaluation import SorceryEvaluation
from domain.chance import Chance
from domain.contract import Bot
from domain.hexes import Hex
from domain.search import best_action

CITY_FOR_A_KNIGHT: Final = 8.0
"""Less than a new city while there is time to build a village first, which gains a token as well."""


def sensible(
    position: BaronyPosition, actions: Sequence[Action], seat: int, chance: Chance
) -> Action:
    """The action with the highest score; `chance` decides among equals."""
    return best_action(score_actions(position, actions, seat), actions, chance)


def score_actions(position: BaronyPosition, actions: Sequence[Action], seat: int) -> list[float]:
    """The scores by which `sensible` chooses, in the order of the actions."""
    score = SorceryScorer(SorceryEvaluation(position, seat)).score
    return [score(action) for action in actions]


class SorceryScorer(Scorer[SorceryEvaluation]):
    """Scores actions on one position with Sorcery."""

    def score(self, action: Action) -> float:  # type: ignore[explicit-override] # typing.override is new in 3.12
        """The score of an action, with what it explores and casts."""
        match action:
            case Cast():
                return self._cast(action)
            case Move(moves):
                return super().score(action) + self._exploration(end for _, end in moves)
            case Expedition(to):
                return super().score(action) + self._exploration([to])
            case _:
                return super().score(action)

    def final_score(self, player: PlayerJson) -> int:  # type: ignore[explicit-override] # typing.override is new in 3.12
        """BS-MYS-5: the final score of a player if the game ended now."""
        return super().final_score(player) + POINTS_AN_IMPRINT * len(player["imprints"])

    def _cast(self, cast: Cast) -> float:
        cost = self.evaluation.magic * cost_of(cast.spells)
        match FAMILY[cast.spells[0]]:
            case "movement":
                return self._movement(cast) - cost
            case "recruitment":
                return self._recruitment(cast) - cost
            case "construction":
                assert cast.at is not None
                return self._construction(cast.at, cast.spells) - cost

    def _movement(self, cast: Cast) -> float:
        """The approach to a goal, and what the steps and the sweeps destroy and explore."""
        path = cast.path
        start, end = path[0], path[-1]
        value = self._best_gain(path)
        value += self.destruction(list(pairwise(path)), cast.takes)
        value += self._exploration(path[1:])
        if "tornado" in cast.spells:
            value += sum(self._sweep(at) for at in {start, end} - self._with_own_pawns(end))
        return value

    def _best_gain(self, path: Sequence[Hex]) -> float:
        """What the path gains for the knight that gains most by it; goals that it explores are lost."""
        evaluation, start, end = self.evaluation, path[0], path[-1]
        gains = self.gains((start, end))
        for number, goal in enumerate(evaluation.assignment[0][start]):
            if goal[0] in path and goal[0] in evaluation.unexplored:
                gains = gains[:]
                gains[number] = -GOAL_REACHED * evaluation.goal_value(goal, start)
        return max(gains)

    def _with_own_pawns(self, end: Hex) -> set[Hex]:
        """The end of a path, if the arrival alone destroys all opposing pawns there."""
        evaluation = self.evaluation
        has_own_pawn = evaluation.has_own("village", end) or evaluation.knights.get(end)
        return {end} if has_own_pawn else set()

    def _sweep(self, at: Hex) -> float:
        """What Tornado destroys on a hex, apart from tokens, as in `destruction`."""
        evaluation = self.evaluation
        isolated = evaluation.isolated.get(at, [])
        knights = isolated.count("knight") * (1 + evaluation.has_own("village", at))
        return KNIGHT_DESTROYED * knights + VILLAGE_DESTROYED * isolated.count("village")

    def _recruitment(self, cast: Cast) -> float:
        """What the recruits can do, and the knights that Portal brings back."""
        knights = sum(number for _, number in cast.recruits)
        removed = self.evaluation.player["removed_knights"] if "portal" in cast.spells else 0
        return self.recruits(cast.recruits) + KNIGHT_REMOVED * min(knights, removed)

    def _construction(self, at: Hex, spells: Sequence[Spell]) -> float:
        """A city, with Abundance a token as well; with Sanctuary it takes a knight."""
        evaluation = self.evaluation
        gains_token = "abundance" in spells and evaluation.can_gain_token(at)
        token = TERRAIN_VALUE[evaluation.terrain[at]] if gains_token else 0
        if "sanctuary" not in spells:
            return NEW_CITY + token
        city = NEW_CITY if evaluation.ends_soon else CITY_FOR_A_KNIGHT
        return city + token - self.replaced_knight(at)

    def _exploration(self, ends: Iterable[Hex]) -> float:
        """BS-MYS-2: the value of the places that arrivals on these hexes explore."""
        unexplored = self.evaluation.unexplored
        return sum(unexplored.get(at, 0.0) for at in set(ends))

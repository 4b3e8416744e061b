"""Bots that play with Sorcery: `sensible` also scores casts and arrivals on mysterious places.

Their evaluation has the places to explore, the value of magic, and isolated pawns. A cast scores what it
gains minus the value of its magic, so spells are cast when they are worth it. The strong bot is that of the
base game, with the scores and the sensible bot of the expansion.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal

from typing_extensions import override

from domain.barony import bots as base
from domain.barony.actions import Action, Cast, Expedition, Move
from domain.barony.components import FAMILY, RANKS, RESOURCES, TITLE_PRICE, Spell
from domain.barony.formats import BaronyPosition, PlayerJson
from domain.barony.sorcery.components import MAGIC_OF_A_VISIT, POINTS_AN_IMPRINT, cost_of
from domain.barony.sorcery.decide import decide, legal_actions
from domain.barony.sorcery.state import SorceryState, apply, from_position, imprint_points, position
from domain.barony.titles import worth
from domain.contract import Bot
from domain.hexes import Hex, hex_of
from domain.search import SearchBot, SearchModel, SensibleBot, UncertainBot

IMPRINT: Final = 7.5
"""The value of an imprint without its magic: more than its points, since a visit costs no knight."""
MAGIC: Final = 1.0
"""The value of a magic token while there is time to use it."""


class SorceryEvaluation(base.Evaluation):
    """A position with Sorcery as one seat sees it."""

    def __init__(self, position: BaronyPosition, seat: int) -> None:
        super().__init__(position, seat)
        self.isolated: dict[Hex, list[Literal["knight", "village"]]] = {}
        """Opposing knights and villages that Tornado would destroy (BS-SPL-5), by hex."""
        for pawns in position["pawns"]:
            knights, building = pawns["knights"], pawns["building"]
            if pawns["seat"] != seat:
                at = hex_of(pawns["at"])
                if knights == 1 and building is None:
                    self.isolated.setdefault(at, []).append("knight")
                elif knights == 0 and building == "village":
                    self.isolated.setdefault(at, []).append("village")

    @cached_property
    def ends_soon(self) -> bool:
        """Whether this may be the last round, in which magic has no value and points come now or never."""
        whole = self.position
        return whole["round"] == whole["round_limit"] or any(
            player["rank"] == RANKS[-1] or _can_become_duke(player) for player in whole["players"]
        )

    @cached_property
    def magic(self) -> float:
        """The value of a magic token."""
        return 0.0 if self.ends_soon else MAGIC

    @cached_property
    def unexplored(self) -> dict[Hex, float]:
        """The mysterious places where an arrival places an imprint, with its value (BS-MYS-2, 3)."""
        imprints = [hex_of(at) for player in self.position["players"] for at in player["imprints"]]
        own = {hex_of(at) for at in self.player["imprints"]}
        return {
            at: IMPRINT + self.magic * MAGIC_OF_A_VISIT[count]
            for at, terrain in self.terrain.items()
            if terrain == "mysterious_place" and at not in own
            if (count := imprints.count(at)) < len(MAGIC_OF_A_VISIT)
        }

    @cached_property
    @override
    def goals(self) -> list[base.Goal]:
        """The goals of the base game, and mysterious places."""
        return [*super().goals, *self.unexplored.items()]

    @override
    def goal_value(self, goal: base.Goal, at: Hex) -> float:
        """The value of a goal to a knight on the hex. A mysterious place has none to a knight on it."""
        return 0.0 if goal[0] == at and at in self.unexplored else super().goal_value(goal, at)


def _can_become_duke(player: PlayerJson) -> bool:
    """Whether the player's next action can be the last title (BY-TTL-1)."""
    if player["status"] != "active" or player["rank"] != RANKS[-2]:
        return False
    return worth(tuple(player["resources"][kind] for kind in RESOURCES)) >= TITLE_PRICE


CITY_FOR_A_KNIGHT: Final = 8.0
"""Less than a new city while there is time to build a village first, which gains a token as well."""


def score_actions(position: BaronyPosition, actions: Sequence[Action], seat: int) -> list[float]:
    """The scores by which `sensible` chooses, in the order of the actions."""
    score = SorceryScorer(SorceryEvaluation(position, seat)).score
    return [score(action) for action in actions]


sensible: Final = SensibleBot(score_actions)


class SorceryScorer(base.Scorer[SorceryEvaluation]):
    """Scores actions on one position with Sorcery."""

    @override
    def score(self, action: Action) -> float:
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

    @override
    def final_score(self, player: PlayerJson) -> int:
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
                gains[number] = -base.GOAL_REACHED * evaluation.goal_value(goal, start)
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
        return base.KNIGHT_DESTROYED * knights + base.VILLAGE_DESTROYED * isolated.count("village")

    def _recruitment(self, cast: Cast) -> float:
        """What the recruits can do, and the knights that Portal brings back."""
        knights = sum(number for _, number in cast.recruits)
        removed = self.evaluation.player["removed_knights"] if "portal" in cast.spells else 0
        return self.recruits(cast.recruits) + base.KNIGHT_REMOVED * min(knights, removed)

    def _construction(self, at: Hex, spells: Sequence[Spell]) -> float:
        """A city, with Abundance a token as well; with Sanctuary it takes a knight."""
        evaluation = self.evaluation
        gains_token = "abundance" in spells and evaluation.can_gain_token(at)
        token = base.TERRAIN_VALUE[evaluation.terrain[at]] if gains_token else 0
        if "sanctuary" not in spells:
            return base.NEW_CITY + token
        city = base.NEW_CITY if evaluation.ends_soon else CITY_FOR_A_KNIGHT
        return city + token - self.replaced_knight(at)

    def _exploration(self, ends: Iterable[Hex]) -> float:
        """BS-MYS-2: the value of the places that arrivals on these hexes explore."""
        unexplored = self.evaluation.unexplored
        return sum(unexplored.get(at, 0.0) for at in set(ends))


def _expected_scores(state: SorceryState, viewer: int) -> list[float]:
    """BS-MYS-5: the expected scores of the base game, with the points of imprints."""
    return [
        base.expected_score(state, seat) + imprint_points(state, seat)
        for seat in range(state.seats)
    ]


MODEL: Final[SearchModel[SorceryState, Action, BaronyPosition]] = SearchModel(
    read_position=from_position,
    draw_unknown=base.draw_nothing,
    score_actions=score_actions,
    expected_scores=_expected_scores,
    margin=base.MARGIN,
    horizon=base.HORIZON,
    prior_weight=0.0,
    legal_actions=legal_actions,
    decide=decide,
    apply=apply,
    copy=SorceryState.copy,
    position=position,
)

BEGINNERS_ERROR: Final = 28.0
CASUAL_ERROR: Final = 9.0
"""By how much weaker bots are wrong about an action, at most, in the unit of `score_actions`."""

BOTS: Final[Mapping[str, Bot[Action, BaronyPosition]]] = {
    "beginner": UncertainBot(score_actions, BEGINNERS_ERROR),
    "casual": UncertainBot(score_actions, CASUAL_ERROR),
    "sensible": sensible,
    "strong": SearchBot(MODEL),
}

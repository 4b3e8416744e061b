"""Bots that play Barony from what a seat may see: `sensible` scores every action and searches no further.

Its plan: move knights to good terrain near its cities, turn several of them into buildings in one action,
spend tokens on titles as soon as they suffice, and turn villages into cities where possible.
"""

from collections.abc import Mapping, Sequence
from heapq import nlargest
from itertools import permutations
from typing import Final, Generic, TypeAlias, TypeVar, assert_never

from domain.barony.actions import (
    Action,
    AgreeToEnd,
    Build,
    Cast,
    Expedition,
    Move,
    NewCity,
    NobleTitle,
    Pass,
    PlaceCity,
    Recruit,
)
from domain.barony.components import (
    KNIGHTS,
    RANKS,
    RESOURCES,
    VICTORY_POINTS,
    Building,
    Resource,
)
from domain.barony.evaluation import TERRAIN_VALUE, TOKEN_VALUE, VILLAGE_DESTROYED, Evaluation
from domain.barony.formats import BaronyPosition, PlayerJson
from domain.barony.titles import worth
from domain.chance import Chance
from domain.contract import Bot, Resign
from domain.hexes import Hex, distance
from domain.search import best_action

Leg: TypeAlias = tuple[Hex, Hex]
"""Where a step or a path of a knight starts and ends."""
EvaluationT = TypeVar("EvaluationT", bound=Evaluation)

TITLE: Final = 100.0
NEW_CITY: Final = 60.0
GOAL_REACHED: Final = 0.75
"""The share of a goal's value that counts for a knight on its hex before the knight has acted there."""
KNIGHT_DESTROYED: Final = 1.5
KNIGHT_REMOVED: Final = 4.0
PREFERENCE: Final = 0.1
"""A small score that decides between otherwise equal actions."""


def sensible(
    position: BaronyPosition, actions: Sequence[Action], seat: int, chance: Chance
) -> Action:
    """The action with the highest score; `chance` decides among equals."""
    return best_action(score_actions(position, actions, seat), actions, chance)


def score_actions(position: BaronyPosition, actions: Sequence[Action], seat: int) -> list[float]:
    """The scores by which `sensible` chooses, in the order of the actions."""
    score = Scorer(Evaluation(position, seat)).score
    return [score(action) for action in actions]


class Scorer(Generic[EvaluationT]):
    """Scores actions on one position, in resource points as in `Evaluation`."""

    def __init__(self, evaluation: EvaluationT) -> None:
        self.evaluation = evaluation
        self._gains: dict[Leg, list[float]] = {}
        self._best_gains: dict[Leg, float] = {}
        self._gains_of_two: dict[tuple[Leg, Leg], float] = {}
        self._prospects: dict[Hex, list[tuple[float, int]]] = {}

    def score(self, action: Action) -> float:
        """The score of an action."""
        match action:
            case PlaceCity(at):
                return self._first_city(at)
            case Recruit(at, knights):
                return self.recruits([(at, knights)])
            case Move(moves, takes):
                return self._approach(moves) + self.destruction(moves, takes)
            case Build(builds):
                return sum(self._building(at, building) for at, building in builds)
            case NewCity():
                return NEW_CITY
            case Expedition(to):
                return GOAL_REACHED * self.evaluation.site_value(to) - KNIGHT_REMOVED
            case NobleTitle(discard):
                return self._title(discard)
            case Cast() | Pass() | AgreeToEnd() | Resign():
                return 0.0
            case _:
                assert_never(action)

    def _first_city(self, at: Hex) -> float:
        """Rich terrain around it with few other cities near, a lake beside it, poor terrain below it."""
        evaluation = self.evaluation
        terrain = sum(
            TERRAIN_VALUE[terrain] / distance(at, hex)
            for hex, terrain in evaluation.terrain.items()
            if hex not in evaluation.cities and 0 < distance(at, hex) <= 2
        )
        near = evaluation.neighbours_of(at)
        has_lake = any(evaluation.terrain[hex] == "lake" for hex in near)
        others = sum(distance(at, city) <= 3 for city in evaluation.cities)
        return terrain + 6 * has_lake - 4 * others - TERRAIN_VALUE[evaluation.terrain[at]]

    def recruits(self, recruits: Sequence[tuple[Hex, int]]) -> float:
        """The best goals, among those without a knight, for so many more knights on these hexes."""
        left = dict(recruits)
        assigned: set[int] = set()
        value = 0.0
        offers = [(*offer, at) for at in left for offer in self._prospects_of(at)]
        for goal_value, goal, at in sorted(offers, reverse=True):
            if left[at] and goal not in assigned:
                left[at] -= 1
                assigned.add(goal)
                value += goal_value
        return GOAL_REACHED * value

    def _prospects_of(self, at: Hex) -> list[tuple[float, int]]:
        """The values, to a knight on the hex, of the best goals without a knight; as many as can matter."""
        if at not in self._prospects:
            evaluation = self.evaluation
            goals = enumerate(evaluation.assignment[1])
            values = [(evaluation.goal_value(goal, at), number) for number, goal in goals]
            self._prospects[at] = nlargest(KNIGHTS, values)
        return self._prospects[at]

    def _approach(self, legs: Sequence[Leg]) -> float:
        """What the steps gain for the knights that gain most by them, in coming nearer to their goals."""
        if len(legs) == 1:
            return self._best_gain_of(legs[0])
        first, second = legs
        if first[0] != second[0]:
            return self._best_gain_of(first) + self._best_gain_of(second)
        if (first, second) not in self._gains_of_two:
            one, other = self.gains(first), self.gains(second)
            self._gains_of_two[first, second] = max(
                one[i] + other[j] for i, j in permutations(range(len(one)), 2)
            )
        return self._gains_of_two[first, second]

    def _best_gain_of(self, leg: Leg) -> float:
        """What a step gains for the knight that gains most by it."""
        if leg not in self._best_gains:
            self._best_gains[leg] = max(self.gains(leg))
        return self._best_gains[leg]

    def gains(self, leg: Leg) -> list[float]:
        """What a step or a path gains for each of the knights on the hex where it starts."""
        if leg not in self._gains:
            start, end = leg
            evaluation = self.evaluation
            goals = evaluation.assignment[0][start]
            idle = evaluation.knights[start] - len(goals)
            value = evaluation.goal_value
            gains = [GOAL_REACHED * (value(goal, end) - value(goal, start)) for goal in goals]
            self._gains[leg] = gains + [0.0] * idle
        return self._gains[leg]

    def destruction(self, legs: Sequence[Leg], takes: Sequence[Resource]) -> float:
        """The pawns that the steps destroy, twice as much where these threaten a village, and the tokens."""
        evaluation = self.evaluation
        if not takes and evaluation.contested.isdisjoint([end for _, end in legs]):
            return 0.0
        value = float(sum(TOKEN_VALUE[kind] for kind in takes))
        moved: dict[Hex, int] = {}
        for start, end in legs:
            has_village = evaluation.has_opposing_village(end)
            if end in evaluation.opposing_knights or has_village:
                defends = evaluation.has_own("village", end)
                if defends or evaluation.knights.get(end, 0) + moved.get(end, 0):
                    knights = evaluation.opposing_knights.get(end, 0)
                    value += KNIGHT_DESTROYED * knights * (1 + defends)
                    value += VILLAGE_DESTROYED * has_village
            moved[start] = moved.get(start, 0) - 1
            moved[end] = moved.get(end, 0) + 1
        return value

    def _building(self, at: Hex, building: Building) -> float:
        """The value of the site, less what has already counted for the knight that it takes."""
        evaluation = self.evaluation
        is_for_a_city = evaluation.wants_city_sites and evaluation.is_city_site(at)
        suits = (building == "village") == is_for_a_city
        return evaluation.site_value(at) - self.replaced_knight(at) + PREFERENCE * suits

    def replaced_knight(self, at: Hex) -> float:
        """What has already counted for the knight that an action takes off the hex."""
        evaluation = self.evaluation
        goals = evaluation.assignment[0][at]
        values = [evaluation.goal_value(goal, at) for goal in goals if goal[0] == at] or [
            *(evaluation.goal_value(goal, at) for goal in goals),
            *(0.0 for _ in range(evaluation.knights[at] - len(goals))),
        ]
        return GOAL_REACHED * min(values)

    def _title(self, discard: tuple[int, int, int, int]) -> float:
        """The cheapest payment; but 0 for a last title that would end the game with a rival ahead."""
        evaluation = self.evaluation
        players = evaluation.position["players"]
        rivals = [player for player in players if player["seat"] != evaluation.seat]
        points = sum(count * value for count, value in zip(discard, VICTORY_POINTS, strict=True))
        becomes_duke = evaluation.player["rank"] == RANKS[-2]
        best = max(self.final_score(rival) for rival in rivals if rival["status"] == "active")
        if becomes_duke and self.final_score(evaluation.player) + 15 - points < best:
            return 0.0
        return TITLE - worth(discard) - PREFERENCE * points

    def final_score(self, player: PlayerJson) -> int:
        """BY-END-3: the final score of a player if the game ended now."""
        tokens = player["resources"]
        points = zip(RESOURCES, VICTORY_POINTS, strict=True)
        return player["score"] + sum(tokens[kind] * value for kind, value in points)

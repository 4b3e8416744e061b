"""Bots that play Barony from what a seat may see: `sensible` weighs every action and searches nothing.

Its plan: knights go to good ground near their cities, several become buildings in one action, tokens become
titles as soon as they suffice, villages become cities where they may.
"""

from collections.abc import Mapping, Sequence
from heapq import nlargest
from itertools import permutations
from typing import Any, Final, Generic, TypeAlias, TypeVar

from domain.barony.action_json import action_to_json
from domain.barony.actions import Action
from domain.barony.components import KNIGHTS, RANKS, RESOURCES, VICTORY_POINTS
from domain.barony.evaluation import GOLD, VILLAGE_FELLED, Outlook
from domain.barony.formats import BaronyPosition
from domain.bots import best_action
from domain.chance import Chance
from domain.contract import Bot, Json
from domain.hexes import Hex, distance, hex_of

Step: TypeAlias = tuple[Hex, Hex]
View = TypeVar("View", bound=Outlook)

A_TITLE: Final = 100.0
A_CITY: Final = 60.0
ON_THE_WAY: Final = 0.75
"""How much of a goal's worth a knight that stands on it counts before anything was done there."""
KNIGHT_FELLED: Final = 1.5
KNIGHT_GIVEN_UP: Final = 4.0
SAFETY: Final = 0.1
"""What a stronghold is preferred by, or a village where a city could follow."""
SILVER: Final = dict(zip(RESOURCES, VICTORY_POINTS, strict=True))


def sensible(position: Any, actions: Sequence[Action], seat: int, chance: Chance) -> Action:
    """The action that weighs most; among equals one is drawn."""
    scorer = Scorer(Outlook(position, seat))
    return best_action(lambda action: scorer.weight(action_to_json(action)), actions, chance)


class Scorer(Generic[View]):
    """Weighs actions on one position. An expansion's weigh other actions too, and these by more."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._gains: dict[Step, list[float]] = {}
        self._prospects: dict[Hex, list[tuple[float, int]]] = {}

    def weight(self, action: Json) -> float:
        """In resource points, as the worth of goals is."""
        match action["type"]:
            case "place_city":
                return self._first_city(hex_of(action["at"]))
            case "recruit":
                return self.newcomers([(hex_of(action["at"]), action["knights"])])
            case "move":
                steps = [(hex_of(start), hex_of(end)) for start, end in action["moves"]]
                return self._advance(steps) + self.fights(steps, action.get("takes", ()))
            case "build":
                return sum(self._building(hex_of(b["at"]), b["building"]) for b in action["builds"])
            case "new_city":
                return A_CITY
            case "expedition":
                return ON_THE_WAY * self.view.site(hex_of(action["to"])) - KNIGHT_GIVEN_UP
            case "noble_title":
                return self._title(action["discard"])
            case _:
                return 0.0

    def _first_city(self, at: Hex) -> float:
        """Rich ground around it that is not shared with many, a lake beside it, poor ground below it."""
        view = self.view
        ground = sum(
            GOLD.get(terrain, 0) / distance(at, hex)
            for hex, terrain in view.terrain.items()
            if hex not in view.cities and 0 < distance(at, hex) <= 2
        )
        has_lake = any(view.terrain[near] == "lake" for near in view.near(at))
        crowd = sum(distance(at, city) <= 3 for city in view.cities)
        return ground + 6 * has_lake - 4 * crowd - GOLD.get(view.terrain[at], 0)

    def newcomers(self, recruits: Sequence[tuple[Hex, int]]) -> float:
        """The best goals for so many more knights on these hexes that no other knight has."""
        left = dict(recruits)
        taken: set[int] = set()
        worth = 0.0
        offers = [(*offer, at) for at in left for offer in self._prospects_of(at)]
        for pull, goal, at in sorted(offers, reverse=True):
            if left[at] and goal not in taken:
                left[at] -= 1
                taken.add(goal)
                worth += pull
        return ON_THE_WAY * worth

    def _prospects_of(self, at: Hex) -> list[tuple[float, int]]:
        """What the goals that no knight has are worth to a knight on the hex; as many as may matter."""
        if at not in self._prospects:
            view = self.view
            pulls = [(view.pull(goal, at), number) for number, goal in enumerate(view.plan[1])]
            self._prospects[at] = nlargest(KNIGHTS, pulls)
        return self._prospects[at]

    def _advance(self, steps: Sequence[Step]) -> float:
        """How much nearer to their goals the steps bring those knights that gain most by them."""
        if len(steps) == 1:
            return max(self.gain(steps[0]))
        first, second = steps
        one, other = self.gain(first), self.gain(second)
        if first[0] != second[0]:
            return max(one) + max(other)
        return max(one[i] + other[j] for i, j in permutations(range(len(one)), 2))

    def gain(self, step: Step) -> list[float]:
        """What a way of any length gains for each of the knights that stand where it begins."""
        if step not in self._gains:
            start, end = step
            view = self.view
            goals = view.plan[0][start]
            idle = view.knights[start] - len(goals)
            gains = [ON_THE_WAY * (view.pull(goal, end) - view.pull(goal, start)) for goal in goals]
            self._gains[step] = gains + [0.0] * idle
        return self._gains[step]

    def fights(self, steps: Sequence[Step], takes: Sequence[str]) -> float:
        """What the steps destroy, twice as much where it threatens a village, and the tokens it brings."""
        view = self.view
        worth = float(sum(GOLD[kind] for kind in takes))
        come: dict[Hex, int] = {}
        for start, end in steps:
            if end in view.opposing_knights or view.is_prey(end):
                defends = view.is_mine(end, "village")
                if defends or view.knights.get(end, 0) + come.get(end, 0):
                    worth += KNIGHT_FELLED * view.opposing_knights.get(end, 0) * (1 + defends)
                    worth += VILLAGE_FELLED * view.is_prey(end)
            come[start] = come.get(start, 0) - 1
            come[end] = come.get(end, 0) + 1
        return worth

    def _building(self, at: Hex, building: str) -> float:
        """The worth of the site, less what the knight that it takes has counted there already."""
        view = self.view
        is_for_a_city = view.wants_city_sites and view.is_city_site(at)
        suits = (building == "village") == is_for_a_city
        return view.site(at) - self.knight_given(at) + SAFETY * suits

    def knight_given(self, at: Hex) -> float:
        """What has counted already for the knight that an action takes off the hex."""
        view = self.view
        goals = view.plan[0][at]
        counted = [view.pull(goal, at) for goal in goals if goal[0] == at] or [
            *(view.pull(goal, at) for goal in goals),
            *(0.0 for _ in range(view.knights[at] - len(goals))),
        ]
        return ON_THE_WAY * min(counted)

    def _title(self, discard: Mapping[str, int]) -> float:
        """The cheapest payment; but no duke ends a game that another would win."""
        view = self.view
        rivals = [p for p in view.position["players"] if p["seat"] != view.seat]
        gold = sum(GOLD[kind] * count for kind, count in discard.items())
        silver = sum(SILVER[kind] * count for kind, count in discard.items())
        becomes_duke = view.me["rank"] == RANKS[-2]
        best = max(self.final_score(rival) for rival in rivals if rival["status"] == "active")
        if becomes_duke and self.final_score(view.me) + 15 - silver < best:
            return 0.0
        return A_TITLE - gold - SAFETY * silver

    def final_score(self, player: Json) -> int:
        """What the seat would have if the game ended now."""
        held: dict[str, int] = player["resources"]
        return int(player["score"]) + sum(SILVER[kind] * count for kind, count in held.items())


BOTS: Final[Mapping[str, Bot[Action, BaronyPosition]]] = {"sensible": sensible}

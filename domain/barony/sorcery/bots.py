"""Bots that play with Sorcery: `sensible` weighs casts and visits to mysterious places beside the rest.

A cast weighs what it brings less what its magic is worth, so that spells are cast where they pay.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from domain.barony.action_json import action_to_json
from domain.barony.actions import Action
from domain.barony.bots import A_CITY, KNIGHT_FELLED, KNIGHT_GIVEN_UP, ON_THE_WAY, Scorer
from domain.barony.components import CONSTRUCTION, FAMILY, MOVEMENT
from domain.barony.evaluation import GOLD, VILLAGE_FELLED
from domain.barony.formats import BaronyPosition
from domain.barony.sorcery.components import COST, POINTS_AN_IMPRINT
from domain.barony.sorcery.evaluation import SorceryOutlook
from domain.bots import best_action
from domain.chance import Chance
from domain.contract import Bot, Json
from domain.hexes import Hex, hex_of

A_CITY_OF_A_KNIGHT: Final = 8.0
"""Less than a city's worth as long as there is time to build a village first, which brings a token too."""


def sensible(position: Any, actions: Sequence[Action], seat: int, chance: Chance) -> Action:
    """The action that weighs most; among equals one is drawn."""
    scorer = SorceryScales(SorceryOutlook(position, seat))
    return best_action(lambda action: scorer.weight(action_to_json(action)), actions, chance)


class SorceryScales(Scorer[SorceryOutlook]):
    """Weighs actions on one position with Sorcery."""

    def weight(self, action: Json) -> float:  # type: ignore[explicit-override]
        """As in the base game, and what is explored and cast."""
        match action["type"]:
            case "cast":
                return self._cast(action)
            case "move":
                return super().weight(action) + self._visits(end for _, end in action["moves"])
            case "expedition":
                return super().weight(action) + self._visits([action["to"]])
            case _:
                return super().weight(action)

    def final_score(self, player: Json) -> int:  # type: ignore[explicit-override]
        """BS-MYS-5: with the imprints."""
        return super().final_score(player) + POINTS_AN_IMPRINT * len(player["imprints"])

    def _cast(self, action: Json) -> float:
        spells = action["spells"]
        cost = self.view.magic * sum(COST[spell] for spell in spells)
        family = FAMILY[spells[0]]
        if family == MOVEMENT:
            return self._way(action) - cost
        if family == CONSTRUCTION:
            return self._founding(hex_of(action["at"]), spells) - cost
        return self._recruitment(action) - cost

    def _way(self, action: Json) -> float:
        """How much nearer to its goal a knight comes, what it meets on its way, what is swept."""
        path = [hex_of(at) for at in action["path"]]
        start, end = path[0], path[-1]
        worth = self._progress(path)
        worth += self.fights(list(pairwise(path)), action.get("takes", ()))
        worth += self._visits(action["path"][1:])
        if "tornado" in action["spells"]:
            worth += sum(self._sweep(at) for at in {start, end} - self._held(end))
        return worth

    def _progress(self, path: Sequence[Hex]) -> float:
        """How much nearer to its goal a knight comes, which is none any more once it was explored."""
        start, end = path[0], path[-1]
        gains = self.gain((start, end))
        goals = self.view.plan[0][start]
        for number, goal in enumerate(goals):
            if goal[0] in path and goal[0] in self.view.unexplored:
                gains = gains[:]
                gains[number] = -ON_THE_WAY * self.view.pull(goal, start)
        return max(gains)

    def _held(self, end: Hex) -> set[Hex]:
        """The end of a way, where the arrival alone destroys whatever is there."""
        view = self.view
        return {end} if view.is_mine(end, "village") or view.knights.get(end) else set()

    def _sweep(self, at: Hex) -> float:
        """What Tornado destroys on a hex, the tokens aside; as in a fight."""
        alone = self.view.isolated.get(at, ())
        knights = KNIGHT_FELLED * alone.count("knight") * (1 + self.view.is_mine(at, "village"))
        return knights + VILLAGE_FELLED * alone.count("village")

    def _recruitment(self, action: Json) -> float:
        """What the newcomers can do, and the knights that expeditions had cost."""
        recruits = [(hex_of(entry["at"]), entry["knights"]) for entry in action["recruits"]]
        knights = sum(number for _, number in recruits)
        removed = self.view.me["removed_knights"] if "portal" in action["spells"] else 0
        returned: int = min(knights, removed)
        return self.newcomers(recruits) + KNIGHT_GIVEN_UP * returned

    def _founding(self, at: Hex, spells: Sequence[str]) -> float:
        """A city, with Abundance a token too; with Sanctuary it takes a knight."""
        view = self.view
        kind = view.terrain[at]
        token = GOLD[kind] if "abundance" in spells and view.position["bank"][kind] else 0
        if "sanctuary" not in spells:
            return A_CITY + token
        city = A_CITY if view.ends_soon else A_CITY_OF_A_KNIGHT
        return city + token - self.knight_given(at)

    def _visits(self, ends: Iterable[list[int]]) -> float:
        """BS-MYS-2: what arrivals explore."""
        unexplored = self.view.unexplored
        return sum(unexplored.get(at, 0.0) for at in {hex_of(end) for end in ends})


BOTS: Final[Mapping[str, Bot[Action, BaronyPosition]]] = {"sensible": sensible}

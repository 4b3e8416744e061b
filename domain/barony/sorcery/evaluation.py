"""Evaluation of a position with Sorcery for a bot: places to explore, the value of magic, isolated pawns."""

from functools import cached_property
from typing import Final, Literal

from domain.barony.components import RANKS, RESOURCES, TITLE_PRICE
from domain.barony.evaluation import Evaluation, Goal
from domain.barony.formats import BaronyPosition, PlayerJson
from domain.barony.sorcery.components import MAGIC_OF_A_VISIT
from domain.barony.titles import worth
from domain.hexes import Hex, hex_of

IMPRINT: Final = 7.5
"""The value of an imprint without its magic: more than its points, since a visit costs no knight."""
MAGIC: Final = 1.0
"""The value of a magic token while there is time to use it."""


class SorceryEvaluation(Evaluation):
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
    def goals(self) -> list[Goal]:  # type: ignore[explicit-override] # typing.override is new in 3.12
        """The goals of the base game, and mysterious places."""
        return [*super().goals, *self.unexplored.items()]

    def goal_value(self, goal: Goal, at: Hex) -> float:  # type: ignore[explicit-override] # typing.override is new in 3.12
        """The value of a goal to a knight on the hex. A mysterious place has none to a knight on it."""
        return 0.0 if goal[0] == at and at in self.unexplored else super().goal_value(goal, at)


def _can_become_duke(player: PlayerJson) -> bool:
    """Whether the player's next action can be the last title (BY-TTL-1)."""
    if player["status"] != "active" or player["rank"] != RANKS[-2]:
        return False
    return worth(tuple(player["resources"][kind] for kind in RESOURCES)) >= TITLE_PRICE

"""What a bot sees in a position with Sorcery: what there is to explore, what magic is worth, who is alone.

Worth is counted as in the base game's outlook.
"""

from functools import cached_property
from typing import Final

from domain.barony.components import MYSTERIOUS_PLACE, RANKS, TERRAINS, TITLE_PRICE
from domain.barony.evaluation import GOLD, Goal, Outlook
from domain.barony.sorcery.components import MAGIC_OF_A_VISIT
from domain.contract import Json
from domain.hexes import Hex, hex_of

AN_IMPRINT: Final = 7.5
"""What an imprint is worth, its magic aside. More than the points it brings: a visit costs no knight."""
MAGIC: Final = 1.0
"""What a magic token is worth as long as there will be time to use it."""


class SorceryOutlook(Outlook):
    """A position with Sorcery seen from one seat."""

    def __init__(self, position: Json, seat: int) -> None:
        super().__init__(position, seat)
        self.isolated: dict[Hex, list[str]] = {}
        """Opposing knights and villages that Tornado destroys (BS-SPL-5)."""
        for pawn in position["pawns"]:
            knights, building = pawn["knights"], pawn["building"]
            if pawn["seat"] != seat and (knights, building) in ((1, None), (0, "village")):
                at = hex_of(pawn["at"])
                self.isolated.setdefault(at, []).append(building or "knight")

    @cached_property
    def ends_soon(self) -> bool:
        """Whether this may be the last round: magic is worth no more, points are had now or never."""
        whole = self.position
        return whole["round"] == whole["round_limit"] or any(
            player["rank"] == RANKS[-1] or _can_be_duke(player) for player in whole["players"]
        )

    @cached_property
    def magic(self) -> float:
        """What a magic token is worth."""
        return 0.0 if self.ends_soon else MAGIC

    @cached_property
    def unexplored(self) -> dict[Hex, float]:
        """The mysterious places that an arrival explores, with what that is worth (BS-MYS-2, 3)."""
        imprints = [hex_of(at) for player in self.position["players"] for at in player["imprints"]]
        own = {hex_of(at) for at in self.me["imprints"]}
        return {
            at: AN_IMPRINT + self.magic * MAGIC_OF_A_VISIT[before]
            for at, terrain in self.terrain.items()
            if terrain == TERRAINS[MYSTERIOUS_PLACE] and at not in own
            if (before := imprints.count(at)) < len(MAGIC_OF_A_VISIT)
        }

    @cached_property
    def goals(self) -> list[Goal]:  # type: ignore[explicit-override]
        """Those of the base game, and mysterious places."""
        return [*super().goals, *self.unexplored.items()]

    def pull(self, goal: Goal, at: Hex) -> float:  # type: ignore[explicit-override]
        """What a goal is worth to a knight on the hex: nothing on a mysterious place, once it is there."""
        return 0.0 if goal[0] == at and at in self.unexplored else super().pull(goal, at)


def _can_be_duke(player: Json) -> bool:
    """Whether the next action of the seat can be its last title (BY-TTL-1)."""
    if player["status"] != "active" or player["rank"] != RANKS[-2]:
        return False
    held: dict[str, int] = player["resources"]
    return sum(GOLD[kind] * count for kind, count in held.items()) >= TITLE_PRICE

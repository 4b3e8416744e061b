"""Bots that play Baron from what a seat may see: `sensible` weighs every action and searches nothing."""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.baron.apply import hex_of
from domain.baron.material import BONUS, SLOT_COSTS, VALUES
from domain.chance import Chance
from domain.contract import Bot, Json
from domain.hexes import neighbours

A_KEEP: Final = 2.0
"""What a meadow must promise before a keep is spent on it."""
A_GAP: Final = 1.5
"""What a hex still missing around a meadow takes off its promise."""


def sensible(position: Json, actions: Sequence[Json], seat: int, chance: Chance) -> Json:
    """The action that weighs most; among equals one is drawn."""
    view = _View(position, seat)
    weights = [view.weight(action) for action in actions]
    most = max(weights)
    best = [action for action, weight in zip(actions, weights, strict=True) if weight == most]
    return best[chance.below(len(best))]


class _View:
    """A position as a seat looks at it."""

    def __init__(self, position: Json, seat: int) -> None:
        self.tiles = {hex_of(entry["at"]): entry["tile"] for entry in position["tiles"]}
        self.keeps = {hex_of(keep["at"]): keep["seat"] for keep in position["keeps"]}
        self.market = position["market"]
        self.seat = seat

    def weight(self, action: Json) -> float:
        """What an action promises, in honour."""
        match action:
            case {"type": "draw", "slot": slot}:
                return VALUES[self.market[slot - 1]] / 2 - SLOT_COSTS[slot - 1]
            case {"type": "place_tile", "tile": tile, "at": at}:
                return self._tile(VALUES[tile], (at[0], at[1]))
            case {"type": "place_keep", "at": at}:
                return self._promise((at[0], at[1])) - A_KEEP
            case _:
                return 0.0

    def _tile(self, value: int, at: tuple[int, int]) -> float:
        """Good ground for one's own knights, bad ground for others, and what it earns at once."""
        around = neighbours(at)
        owners = [self.keeps[near] for near in around if near in self.keeps]
        mine = owners.count(self.seat)
        earned = BONUS.get(sum(near in self.tiles for near in around), 0)
        return earned + value * (2 * mine - len(owners)) + mine

    def _promise(self, at: tuple[int, int]) -> float:
        """The worth of a barony around this hex, less what is missing and who is near."""
        around = neighbours(at)
        laid = [VALUES[self.tiles[near]] for near in around if near in self.tiles]
        crowd = sum(near in self.keeps for near in around)
        return sum(laid) - A_GAP * (6 - len(laid)) / 2 - crowd


BOTS: Final[Mapping[str, Bot]] = {"sensible": sensible}

"""Bots that play Baron from what a seat may see: `sensible` weighs every action and searches nothing.

Its plan: meadows with good ground get its keeps once little is missing around them, tiles complete its own
baronies and spoil those of others, hexes between many tiles are filled for what they earn and not left free.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.board import may_lie
from domain.baron.components import BONUS, KNIGHT, MEADOW, SLOT_COSTS, VALUES
from domain.baron.evaluation import Outlook, Tile, near
from domain.baron.formats import BaronPosition
from domain.bots import best_action
from domain.chance import Chance
from domain.contract import Bot, Resign
from domain.hexes import Hex

A_KEEP: Final = 6.0
"""What a meadow must promise before a keep is spent on it, while there are many turns left."""
PATIENCE: Final = 8.0
"""In how many turns for each keep in reserve nothing needs to be hurried."""
HOLDING: Final = 0.5
"""How much of a tile's value it is worth to have it for later turns."""
EXPOSED: Final = 0.5
"""How much of what the next seat could earn counts against leaving it."""
DEBT: Final = 1.5
"""What a point of honour below zero counts beside itself: it is a step nearer to going out."""
SPOILING: Final = 0.5
"""How much of what a meadow promises to others it is worth to take it from them."""
LOOKED_AT: Final = 4
"""How many meadows are reckoned to the end in the last turn."""


def sensible(
    position: BaronPosition, actions: Sequence[Action], seat: int, chance: Chance
) -> Action:
    """The action that weighs most; among equals one is drawn."""
    return best_action(_Scorer(Outlook(position, seat)).weight, actions, chance)


class _Scorer:
    """Weighs actions on one position."""

    def __init__(self, view: Outlook) -> None:
        self.view = view
        self._layings: dict[str, float] = {}
        self._exposures: dict[Hex, float] = {}

    def weight(self, action: Action) -> float:
        """In honour."""
        match action:
            case Draw(slot):
                return self._drawing(slot)
            case PlaceTile(tile, at):
                return self._laying((at, tile))
            case DiscardTile(tile):
                return -float(VALUES[tile])
            case PlaceKeep(at):
                return self._keep(at)
            case EndTurn():
                return self._no_keep
            case Resign():
                return 0.0

    def _drawing(self, slot: int) -> float:
        """What the tile could do at once, or what another does and this one later; and its price."""
        view = self.view
        tile, cost = view.market[slot - 1], SLOT_COSTS[slot - 1]
        debt = max(0, cost - max(0, view.players[view.seat].honour))
        use = max(self._best_laying(kind) for kind in {tile, *view.reserve})
        return use + self._holding * VALUES[tile] - cost - DEBT * debt

    @cached_property
    def _holding(self) -> float:
        """Tiles are worth something as long as they can be laid to some end."""
        return HOLDING * min(1.0, self.view.turns / 4)

    def _best_laying(self, tile: str) -> float:
        """The best that could be done with a tile, wherever it may lie."""
        if tile not in self._layings:
            tiles = self.view.tiles
            self._layings[tile] = max(
                (
                    self._laying((at, tile))
                    for at in self.view.room
                    if may_lie(tile, [tiles[hex] for hex in near(at) if hex in tiles])
                ),
                default=0.0,
            )
        return self._layings[tile]

    def _laying(self, laid: Tile) -> float:
        """What it earns and sets off, what it promises to keeps, and what it leaves to the others."""
        view = self.view
        at, tile = laid
        worth = -self._holding * VALUES[tile]
        completes = False
        for hex in near(at):
            if hex in view.keeps and view.keeps[hex][1] == KNIGHT:
                owner = view.keeps[hex][0]
                weight = 1.0 if owner == view.seat else -view.share
                worth -= weight * view.hope(hex, owner)
                if self._is_completed(hex, at):
                    completes = True
                else:
                    worth += weight * view.hope(hex, owner, laid)
        now = view.at_once(laid) if completes else None
        worth += view.bonus(at) if now is None else now
        return worth + self._site(laid) - self._exposed(at)

    def _is_completed(self, keep: Hex, by: Hex) -> bool:
        """Whether only that hex is missing around a keep."""
        return all(hex in self.view.tiles or hex == by for hex in near(keep))

    def _site(self, laid: Tile) -> float:
        """The best meadow for one's next keep after that tile was laid, above the worth of the keep."""
        view = self.view
        if not view.can_put_keeps(view.seat):
            return 0.0
        at, tile = laid
        changed = {hex for hex in near(at) if hex in self._free}
        if tile == MEADOW:
            changed.add(at)
        hopes = [view.hope(hex, view.seat, laid) for hex in changed]
        hopes += [hope for hope, hex in self._ranked if hex not in changed][:1]
        return max(0.0, max(hopes, default=0.0) - self._price)

    @cached_property
    def _free(self) -> frozenset[Hex]:
        return frozenset(self.view.free_meadows())

    @cached_property
    def _ranked(self) -> Sequence[tuple[float, Hex]]:
        """The free meadows with what they promise, the best first."""
        return sorted(((self.view.hope(at, self.view.seat), at) for at in self._free), reverse=True)

    @cached_property
    def _price(self) -> float:
        """What it is worth to have a keep for later: little when there are not many turns left."""
        view = self.view
        keeps = view.players[view.seat].keeps or 1
        return A_KEEP * min(1.0, max(0.0, view.turns - keeps) / PATIENCE / keeps)

    def _exposed(self, at: Hex) -> float:
        """What the best hex earns whoever lays next."""
        if at not in self._exposures:
            view = self.view
            best = max((BONUS.get(view.room.get(hex, 0) + 1, 0) for hex in near(at)), default=0)
            for count, hex in self._most_room:
                if hex != at:
                    best = max(best, BONUS.get(count, 0))
                    break
            self._exposures[at] = EXPOSED * view.share * best if view.others else 0.0
        return self._exposures[at]

    @cached_property
    def _most_room(self) -> Sequence[tuple[int, Hex]]:
        """The empty hexes by how many tiles are around them, the two with the most."""
        return sorted(((count, at) for at, count in self.view.room.items()), reverse=True)[:2]

    def _keep(self, at: Hex) -> float:
        """What the keep comes to, now or later, less what it could come to elsewhere."""
        view = self.view
        hope = view.hope(at, view.seat)
        if all(hex in view.tiles for hex in near(at)):
            now = view.at_once(keep=at) or 0.0
            return self._no_keep + (now - self._price if hope else -A_KEEP)
        if view.turns <= 1:
            is_looked_at = at in self._best_meadows
            return view.at_the_end(at) if is_looked_at else self._no_keep - A_KEEP
        rivals = [view.hope(at, other) for other in view.others if view.can_put_keeps(other)]
        return hope + SPOILING * view.share * max((0.0, *rivals)) - self._price

    @cached_property
    def _best_meadows(self) -> frozenset[Hex]:
        return frozenset(at for _, at in self._ranked[:LOOKED_AT])

    @cached_property
    def _no_keep(self) -> float:
        """Nothing, or in the last turn what the end will bring without one more keep."""
        return self.view.at_the_end(None) if self.view.turns <= 1 else 0.0


BOTS: Final[Mapping[str, Bot[Action, BaronPosition]]] = {"sensible": sensible}

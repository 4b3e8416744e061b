"""Bots that play Baron from what a seat may see: `sensible` scores every action and searches nothing.

Its plan: it puts keeps on meadows with valuable surroundings once few tiles are missing there, lays tiles
that complete its own baronies and spoil those of others, and fills hexes between many tiles for the bonus.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, assert_never

from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.components import BONUS, KNIGHT, MEADOW, SLOT_COSTS, VALUES
from domain.baron.evaluation import Evaluation, LaidTile, cached_neighbours
from domain.baron.formats import BaronPosition, Tile
from domain.baron.legal import can_be_beside
from domain.chance import Chance
from domain.contract import Bot, Resign
from domain.hexes import Hex
from domain.search import best_action

KEEP_PRICE: Final = 6.0
"""What a meadow must promise before a keep is spent on it, while there are many turns left."""
UNHURRIED_TURNS: Final = 8.0
"""The number of turns for each keep in reserve above which a keep costs its full price."""
TILE_IN_RESERVE: Final = 0.5
"""The part of a tile's value that it is worth to have it for later turns."""
EXPOSURE: Final = 0.5
"""The part of the next seat's best bonus that counts against leaving it."""
DEBT: Final = 1.5
"""The additional cost of a point of honour below zero, which is a step towards going out."""
SPOILING: Final = 0.5
"""The part of a meadow's promise to others that it is worth to take it from them."""
MEADOWS_RESOLVED: Final = 4
"""The number of meadows for which the end of the game is resolved in the last turn."""


def sensible(
    position: BaronPosition, actions: Sequence[Action], seat: int, chance: Chance
) -> Action:
    """The action with the highest score; one of them at random if there are several."""
    return best_action(score_actions(position, actions, seat), actions, chance)


def score_actions(position: BaronPosition, actions: Sequence[Action], seat: int) -> list[float]:
    """The scores by which `sensible` chooses, in the order of the actions."""
    score = _Scorer(Evaluation(position, seat)).score
    return [score(action) for action in actions]


class _Scorer:
    """Scores the actions of one position, in honour."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self._tile_scores: dict[Tile, float] = {}
        self._exposures: dict[Hex, float] = {}

    def score(self, action: Action) -> float:
        """The value of an action for the seat."""
        match action:
            case Draw(slot):
                return self._draw(slot)
            case PlaceTile(tile, at):
                return self._place_tile((at, tile))
            case DiscardTile(tile):
                return -float(VALUES[tile])
            case PlaceKeep(at):
                return self._place_keep(at)
            case EndTurn():
                return self._no_keep
            case Resign():
                return 0.0
            case _:
                assert_never(action)

    def _draw(self, slot: int) -> float:
        """What this tile or another one can do at once, the value of having it later, and its price."""
        evaluation = self.evaluation
        tile, cost = evaluation.market[slot - 1], SLOT_COSTS[slot - 1]
        debt = max(0, cost - max(0, evaluation.players[evaluation.seat].honour))
        use = max(self._best_place(kind) for kind in {tile, *evaluation.reserve})
        return use + self._reserve_factor * VALUES[tile] - cost - DEBT * debt

    @cached_property
    def _reserve_factor(self) -> float:
        """Tiles in reserve are worth something as long as there are turns to lay them in."""
        return TILE_IN_RESERVE * min(1.0, self.evaluation.turns / 4)

    def _best_place(self, tile: Tile) -> float:
        """The best score of a tile on any hex where it can be laid."""
        if tile not in self._tile_scores:
            tiles = self.evaluation.tiles
            self._tile_scores[tile] = max(
                (
                    self._place_tile((at, tile))
                    for at in self.evaluation.room
                    if can_be_beside(
                        tile, [tiles[hex] for hex in cached_neighbours(at) if hex in tiles]
                    )
                ),
                default=0.0,
            )
        return self._tile_scores[tile]

    def _place_tile(self, laid: LaidTile) -> float:
        """What the tile earns and completes, what it promises to keeps, and what it leaves to others."""
        evaluation = self.evaluation
        at, tile = laid
        score = -self._reserve_factor * VALUES[tile]
        is_completing = False
        for hex in cached_neighbours(at):
            if hex in evaluation.keeps and evaluation.keeps[hex][1] == KNIGHT:
                owner = evaluation.keeps[hex][0]
                factor = 1.0 if owner == evaluation.seat else -evaluation.share
                score -= factor * evaluation.prospect(hex, owner)
                if self._is_completed(hex, at):
                    is_completing = True
                else:
                    score += factor * evaluation.prospect(hex, owner, laid)
        at_once = evaluation.value_at_once(laid) if is_completing else None
        score += evaluation.bonus(at) if at_once is None else at_once
        return score + self._keep_site(laid) - self._exposure(at)

    def _is_completed(self, keep: Hex, by: Hex) -> bool:
        """Whether that hex is the only one missing around a keep."""
        return all(hex in self.evaluation.tiles or hex == by for hex in cached_neighbours(keep))

    def _keep_site(self, laid: LaidTile) -> float:
        """The promise of the best meadow for one's next keep after the tile, less the price of the keep."""
        evaluation = self.evaluation
        if not evaluation.can_place_keeps(evaluation.seat):
            return 0.0
        at, tile = laid
        changed = {hex for hex in cached_neighbours(at) if hex in self._free_meadows}
        if tile == MEADOW:
            changed.add(at)
        prospects = [evaluation.prospect(hex, evaluation.seat, laid) for hex in changed]
        prospects += [prospect for prospect, hex in self._ranked_meadows if hex not in changed][:1]
        return max(0.0, max(prospects, default=0.0) - self._keep_price)

    @cached_property
    def _free_meadows(self) -> frozenset[Hex]:
        return frozenset(self.evaluation.free_meadows())

    @cached_property
    def _ranked_meadows(self) -> Sequence[tuple[float, Hex]]:
        """The free meadows with what they promise, the best first."""
        evaluation = self.evaluation
        return sorted(
            ((evaluation.prospect(at, evaluation.seat), at) for at in self._free_meadows),
            reverse=True,
        )

    @cached_property
    def _keep_price(self) -> float:
        """The value of keeping a keep for later, which falls as turns run out."""
        evaluation = self.evaluation
        keeps = evaluation.players[evaluation.seat].keeps or 1
        return KEEP_PRICE * min(1.0, max(0.0, evaluation.turns - keeps) / UNHURRIED_TURNS / keeps)

    def _exposure(self, at: Hex) -> float:
        """What the best hex earns for the seat that lays next."""
        if at not in self._exposures:
            evaluation = self.evaluation
            room = evaluation.room
            best = max(
                (BONUS.get(room.get(hex, 0) + 1, 0) for hex in cached_neighbours(at)), default=0
            )
            for count, hex in self._most_room:
                if hex != at:
                    best = max(best, BONUS.get(count, 0))
                    break
            share = evaluation.share if evaluation.others else 0.0
            self._exposures[at] = EXPOSURE * share * best
        return self._exposures[at]

    @cached_property
    def _most_room(self) -> Sequence[tuple[int, Hex]]:
        """The two empty hexes with the most tiles around them, each with their number."""
        room = self.evaluation.room
        return sorted(((count, at) for at, count in room.items()), reverse=True)[:2]

    def _place_keep(self, at: Hex) -> float:
        """What the keep comes to, now or later, less what it could come to elsewhere."""
        evaluation = self.evaluation
        prospect = evaluation.prospect(at, evaluation.seat)
        if all(hex in evaluation.tiles for hex in cached_neighbours(at)):
            at_once = evaluation.value_at_once(keep=at) or 0.0
            return self._no_keep + (at_once - self._keep_price if prospect else -KEEP_PRICE)
        if evaluation.turns <= 1:
            is_promising = at in self._best_meadows
            return evaluation.value_at_end(at) if is_promising else self._no_keep - KEEP_PRICE
        rivals = [
            evaluation.prospect(at, other)
            for other in evaluation.others
            if evaluation.can_place_keeps(other)
        ]
        spoiled = SPOILING * evaluation.share * max((0.0, *rivals))
        return prospect + spoiled - self._keep_price

    @cached_property
    def _best_meadows(self) -> frozenset[Hex]:
        return frozenset(at for _, at in self._ranked_meadows[:MEADOWS_RESOLVED])

    @cached_property
    def _no_keep(self) -> float:
        """Nothing; in the last turn, what the end of the game brings without one more keep."""
        return self.evaluation.value_at_end(None) if self.evaluation.turns <= 1 else 0.0

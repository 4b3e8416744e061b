"""Bots that play Baron from what a seat may see: `sensible` scores every action and does not search.

`Evaluation` estimates the value of keeps, where tiles fit, and what a tile or keep would resolve immediately.
All values are in honour, from the point of view of one seat: what others gain counts against it, divided by
their number. The plan of the bot: it puts keeps on meadows with valuable surroundings once few tiles are
missing there, lays tiles that complete its own baronies and spoil those of others, and fills hexes between
many tiles for the bonus.

The strong bot is a search (`domain.search`) whose playouts follow the sensible bot for a few turns. The
order of the pile and the reserves of others are drawn from the tiles that the seat does not see. A whole
game would depend on these draws more than on the action, so playouts are short, and end with an evaluation.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from math import inf
from typing import Final, TypeAlias, assert_never

from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.battles import Board, complete_knights, resolve
from domain.baron.components import (
    BARON,
    BONUS,
    COUNTS,
    KNIGHT,
    LEAST_HONOUR,
    MEADOW,
    SLOT_COSTS,
    TILES,
    VALUES,
)
from domain.baron.consequences import consequences_of_end
from domain.baron.decide import decide
from domain.baron.formats import BaronPosition, BaronyResult, Tile
from domain.baron.legal import can_be_beside, known_reserve, legal_actions
from domain.baron.state import State, apply, apply_consequences, from_position, position
from domain.baron.turn_order import is_decided
from domain.chance import Chance
from domain.contract import Bot, Resign
from domain.hexes import Hex, neighbours
from domain.search import SearchBot, SearchModel, SensibleBot, UncertainBot

OWN_GAP: Final = 0.6
"""The expected value of the tile that will fill a hex around one's own keep."""
OPPOSING_GAP: Final = 1.0
"""The same around a keep of another seat."""
EVEN_FIGHT: Final = 3.0
"""The difference in strength at which an open fight counts as won, or lost."""
FILLING_TIME: Final = 1.5
"""Roughly, the number of turns in which half of the missing hexes are filled."""
RUIN: Final = 60.0
"""The value of not going out, or of another seat going out."""

LaidTile: TypeAlias = tuple[Hex, Tile]
"""A tile that is not on the board yet, with its hex."""

cached_neighbours = cache(neighbours)


class Evaluation:
    """A position as one seat sees it; values that take effort are computed once."""

    def __init__(self, position: BaronPosition, seat: int) -> None:
        self.seat = seat
        state = from_position(position)
        self.board = state.board()
        self.tiles, self.keeps = state.tiles, state.keeps
        self.market = state.market
        self.players = state.players
        self.reserve = state.players[seat].reserve or ()
        self.others = [other for other in state.in_game() if other != seat]
        self.share = 1 / max(1, len(self.others))
        """The part of another seat's gain that counts as one's own loss."""
        seats = len(self.others) + 1
        left = state.turns_left
        to_draw = state.pile_left + len(state.market)
        self.turns = left[seat] if left is not None else to_draw / seats + 2
        """The number of turns that the seat still has, including the one in progress."""
        self._barons = {at: seat for at, (seat, side) in self.keeps.items() if side == BARON}
        self._barons_at: dict[Hex, list[Hex]] = {}
        """By hex, the barons to whose baronies it belongs."""
        for baron in self._barons:
            for at in (baron, *cached_neighbours(baron)):
                self._barons_at.setdefault(at, []).append(baron)
        self.room = self._room()
        self._prospects: dict[tuple[Hex, int], float] = {}

    def _room(self) -> dict[Hex, int]:
        """The empty hexes adjacent to tiles, each with the number of those tiles."""
        tiles = self.tiles
        room: dict[Hex, int] = {}
        for at in tiles:
            for hex in cached_neighbours(at):
                if hex not in tiles:
                    room[hex] = room.get(hex, 0) + 1
        return room

    def can_place_keeps(self, seat: int) -> bool:
        """Whether the seat has a keep to put down, now or in its next turn."""
        player = self.players[seat]
        return bool(player.keeps or (player.resting and seat != self.seat))

    def prospect(self, at: Hex, seat: int, laid: LaidTile | None = None) -> float:
        """The gain that a knight of the seat on this hex can expect, with one more tile on the board."""
        if laid is not None:
            return self._prospect(at, seat, laid)
        if (at, seat) not in self._prospects:
            self._prospects[at, seat] = self._prospect(at, seat, None)
        return self._prospects[at, seat]

    def _prospect(self, at: Hex, seat: int, laid: LaidTile | None) -> float:
        """The gain when the barony is complete, or half of it at the end, by how likely each is."""
        values, faced, gain, gaps = self._surroundings(at, seat, laid)
        gap = OWN_GAP if seat == self.seat else OPPOSING_GAP
        expected = gap * gaps
        chance, spoils = self._fight(values, faced, expected) if faced else (1.0, 0.0)
        turns = max(0.0, self.turns - 1)
        likelihood = turns / (turns + FILLING_TIME * gaps) if gaps else 1.0
        at_end = (gain + 1) // 2
        return chance * (likelihood * (gain + expected) + (1 - likelihood) * at_end + spoils)

    def _surroundings(
        self, at: Hex, seat: int, laid: LaidTile | None
    ) -> tuple[dict[Hex, int], set[Hex], int, int]:
        """The value of each tile of a barony, the barons it faces, its gain, and its missing tiles."""
        laid_at, laid_tile = laid or (None, None)
        values: dict[Hex, int] = {}
        faced: set[Hex] = set()
        gain = 0
        for hex in (at, *cached_neighbours(at)):
            tile = laid_tile if hex == laid_at else self.tiles.get(hex)
            if tile is None:
                continue
            value = values[hex] = VALUES[tile]
            barons = self._barons_at.get(hex, ())
            owners = [self._barons[baron] for baron in barons]
            if seat not in owners:
                gain += value
            if tile != MEADOW and barons:
                faced.update(baron for baron in barons if self._barons[baron] != seat)
        return values, faced, gain, 7 - len(values)

    def _fight(
        self, values: Mapping[Hex, int], faced: Iterable[Hex], expected: float
    ) -> tuple[float, float]:
        """The chance that a knight beats these barons, and what that is worth beside its gain."""
        baronies = {baron: (baron, *cached_neighbours(baron)) for baron in faced}
        battlefield = {hex for hexes in baronies.values() for hex in hexes if hex in values}
        strength = sum(value for hex, value in values.items() if hex not in battlefield) + expected
        tiles = self.tiles
        strongest = max(
            sum(VALUES[tiles[hex]] for hex in hexes if hex not in battlefield)
            for hexes in baronies.values()
        )
        margin = strength - strongest
        is_complete = len(values) == 7
        open_chance = min(1.0, max(0.0, 0.5 + margin / EVEN_FIGHT / 2))
        chance = float(margin > 0) if is_complete else open_chance
        own, opposing = set[Hex](), set[Hex]()
        for baron, hexes in baronies.items():
            (own if self._barons[baron] == self.seat else opposing).update(hexes)
        lost = sum(values[hex] for hex in battlefield & opposing) * self.share
        lost += sum(values[hex] for hex in battlefield & own)
        return chance, lost

    def value_at_once(self, laid: LaidTile | None = None, keep: Hex | None = None) -> float | None:
        """The value of what this tile, or this keep of the seat, completes; None if it completes nothing."""
        tiles, keeps = self.tiles, self.keeps
        if laid is not None:
            tiles = {**tiles, laid[0]: laid[1]}
        if keep is not None:
            keeps = {**keeps, keep: (self.seat, KNIGHT)}
        board = Board(tiles, keeps, self.board.out)
        knights = complete_knights(board)
        return self._sum(resolve(board, knights, at_end=False), laid) if knights else None

    def value_at_end(self, keep: Hex | None) -> float:
        """The value of the end of the game, with or without one more keep of the seat."""
        keeps = self.keeps if keep is None else {**self.keeps, keep: (self.seat, KNIGHT)}
        board = Board(self.tiles, keeps, self.board.out)
        knights = [at for at, (_, side) in keeps.items() if side == KNIGHT]
        return self._sum(resolve(board, knights, at_end=True), None)

    def _sum(self, results: Iterable[BaronyResult], laid: LaidTile | None) -> float:
        """The value of all results for the seat; going out counts for much."""
        change = dict.fromkeys((self.seat, *self.others), 0)
        if laid is not None:
            change[self.seat] += self.bonus(laid[0])
        for result in results:
            if result["seat"] in change:
                change[result["seat"]] += result["gain"]
            for beaten in result["beaten"]:
                if beaten["seat"] in change:
                    change[beaten["seat"]] -= beaten["loss"]
        total = 0.0
        for seat, honour in change.items():
            is_out = self.players[seat].honour + honour < LEAST_HONOUR
            value = honour - RUIN * is_out
            total += value if seat == self.seat else -value * self.share
        return total

    def bonus(self, at: Hex) -> int:
        """BN-LAY-3: what a tile earns on this hex."""
        return BONUS.get(self.room[at], 0)

    def free_meadows(self) -> list[Hex]:
        """The meadows on which a keep can be put down."""
        return [at for at, tile in self.tiles.items() if tile == MEADOW and at not in self.keeps]


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


def score_actions(position: BaronPosition, actions: Sequence[Action], seat: int) -> list[float]:
    """The scores by which `sensible` chooses, in the order of the actions."""
    score = _Scorer(Evaluation(position, seat)).score
    return [score(action) for action in actions]


sensible: Final = SensibleBot(score_actions)


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
        """The value of playing this tile or another one now, the value of having it later, and its price."""
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
        """The score of laying the tile: what it earns and completes, its promise for keeps, and what it
        leaves to others.
        """
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
        """The free meadows with their expected gains, the best first."""
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
        """The value of the keep on this hex, now or later, less its value elsewhere."""
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
        """Zero; in the last turn, the value of the end of the game without one more keep."""
        return self.evaluation.value_at_end(None) if self.evaluation.turns <= 1 else 0.0


MARGIN: Final = 6.0
"""A lead that decides most games."""
HORIZON: Final = 2
"""Turns of a playout."""
PRIOR_WEIGHT: Final = 0.5
PROSPECT: Final = 0.65
"""The part of a knight's prospect that counts. This and the values below were fitted by least squares to the
final differences in honour of 150 games among sensible bots.
"""
KEEP_IN_HAND: Final = 1.7
"""What a keep in hand is worth, which can still be put down where it gains most."""
KNIGHT_ON_BOARD: Final = -0.6
"""What a knight is worth beside its prospect: less than nothing, because it may be beaten."""
BARON_ON_BOARD: Final = -1.0
"""What a baron is worth beside the honour that it has gained: it can only be beaten."""
TILE: Final = 0.4
"""The part of the value of the tiles in reserve that counts."""


def draw_unknown(state: State, seat: int, chance: Chance) -> None:
    """BN-MAT-1: deal the tiles that the seat does not see to the reserves of others and to the pile.

    `seat` sees the board, the market, the tiles that were taken out and its own reserve.
    """
    unseen = Counter(COUNTS)
    for tiles in (state.tiles.values(), state.market, state.removed, known_reserve(state, seat)):
        unseen.subtract(tiles)
    pool = chance.shuffle([kind for kind in TILES for _ in range(unseen[kind])])
    for player in state.players:
        if player.reserve is None:
            player.reserve = tuple(sorted(pool[: player.reserve_size]))
            pool = pool[player.reserve_size :]
    state.pile = tuple(pool[: state.pile_left])


def expected_scores(state: State, viewer: int) -> list[float]:
    """BN-END-2: the honour of each seat; in play, with what its knights and its keeps in hand promise."""
    if state.to_act is None:
        after = state.copy()
        if not is_decided(after):
            apply_consequences(after, consequences_of_end(after))
        return [
            -inf if player.out is not None else float(player.honour) for player in after.players
        ]
    evaluation = Evaluation(position(state, viewer), viewer)
    scores = [
        -inf
        if player.out is not None
        else player.honour
        + KEEP_IN_HAND * (player.keeps + player.resting)
        + TILE * sum(VALUES[tile] for tile in player.reserve or ())
        for player in state.players
    ]
    for at, (owner, side) in state.keeps.items():
        scores[owner] += (
            KNIGHT_ON_BOARD + PROSPECT * evaluation.prospect(at, owner)
            if side == KNIGHT
            else BARON_ON_BOARD
        )
    return scores


MODEL: Final[SearchModel[State, Action, BaronPosition]] = SearchModel(
    read_position=from_position,
    draw_unknown=draw_unknown,
    score_actions=score_actions,
    expected_scores=expected_scores,
    margin=MARGIN,
    horizon=HORIZON,
    prior_weight=PRIOR_WEIGHT,
    legal_actions=legal_actions,
    decide=decide,
    apply=apply,
    copy=State.copy,
    position=position,
)

BEGINNERS_ERROR: Final = 7.0
CASUAL_ERROR: Final = 3.0
"""By how much weaker bots are wrong about an action, at most, in the unit of `score_actions`."""

BOTS: Final[Mapping[str, Bot[Action, BaronPosition]]] = {
    "beginner": UncertainBot(score_actions, BEGINNERS_ERROR),
    "casual": UncertainBot(score_actions, CASUAL_ERROR),
    "sensible": sensible,
    "strong": SearchBot(MODEL),
}

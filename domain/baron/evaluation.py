"""How a bot evaluates a position: what keeps may come to, where tiles fit, what can be resolved at once.

All values are in honour, from the point of view of one seat: what others gain counts against it, divided by
their number. This module evaluates positions; `domain.baron.bots` scores actions.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, TypeAlias

from domain.baron.battles import Board, complete_knights
from domain.baron.components import BARON, BONUS, KNIGHT, LEAST_HONOUR, MEADOW, VALUES
from domain.baron.formats import BaronPosition, BaronyResult, Tile
from domain.baron.position import from_position
from domain.baron.resolution import resolve
from domain.hexes import Hex, neighbours

OWN_GAP: Final = 0.6
"""The expected value of the tile that will fill a hex around a keep of one's own."""
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
        """The value of what this tile or keep of one's own completes; None if it completes nothing."""
        tiles, keeps = self.tiles, self.keeps
        if laid is not None:
            tiles = {**tiles, laid[0]: laid[1]}
        if keep is not None:
            keeps = {**keeps, keep: (self.seat, KNIGHT)}
        board = Board(tiles, keeps, self.board.out)
        knights = complete_knights(board)
        return self._sum(resolve(board, knights, at_end=False), laid) if knights else None

    def value_at_end(self, keep: Hex | None) -> float:
        """The value of the end of the game, with or without one more keep of one's own."""
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

"""What a bot sees in a position: what keeps may come to, where there is room, what can be set off at once.

Worth is counted in honour, from one seat's side: what others gain counts against it, shared by how many
they are. Nothing here judges an action; that is for `domain.baron.bots`.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, TypeAlias

from domain.baron.baronies import Standing
from domain.baron.components import BARON, BONUS, DEEPEST_DEBT, KNIGHT, MEADOW, VALUES
from domain.baron.formats import BaronPosition
from domain.baron.position import from_position
from domain.baron.resolution import complete, resolve
from domain.contract import Json
from domain.hexes import Hex, neighbours

A_GAP: Final = 0.6
"""What is expected of the tile that will fill a hex around a keep of one's own."""
THEIR_GAP: Final = 1.0
"""And around one of another seat's."""
AN_EVEN_FIGHT: Final = 3.0
"""By how much of strength an open fight is as good as won, or lost."""
SLOWNESS: Final = 1.5
"""How many turns it takes, more or less, until half of the missing hexes are filled."""
RUIN: Final = 60.0
"""What it is worth not to go out, or that somebody else does."""

Tile: TypeAlias = tuple[Hex, str]
"""A tile that is not laid yet, and where."""

near = cache(neighbours)


class Outlook:
    """A position seen from one seat; what it takes effort to see is worked out once."""

    def __init__(self, position: BaronPosition, seat: int) -> None:
        self.seat = seat
        state = from_position(position)
        self.board = state.standing()
        self.tiles, self.keeps = state.tiles, state.keeps
        self.market = state.market
        self.players = state.players
        self.reserve = state.players[seat].reserve or ()
        self.others = [other for other in state.in_game() if other != seat]
        self.share = 1 / max(1, len(self.others))
        """How much of another seat's gain is one's own loss."""
        seats = len(self.others) + 1
        left = state.turns_left
        to_draw = state.pile_left + len(state.market)
        self.turns = left[seat] if left is not None else to_draw / seats + 2
        """How many more turns the seat has, the one under way included."""
        self._barons = {at: seat for at, (seat, side) in self.keeps.items() if side == BARON}
        self._held: dict[Hex, list[Hex]] = {}
        """By hex the barons whose baronies it belongs to."""
        for baron in self._barons:
            for at in (baron, *near(baron)):
                self._held.setdefault(at, []).append(baron)
        self.room = self._room()
        self._hopes: dict[tuple[Hex, int], float] = {}

    def _room(self) -> dict[Hex, int]:
        """Each empty hex beside tiles, and how many."""
        tiles = self.tiles
        room: dict[Hex, int] = {}
        for at in tiles:
            for hex in near(at):
                if hex not in tiles:
                    room[hex] = room.get(hex, 0) + 1
        return room

    def can_put_keeps(self, seat: int) -> bool:
        """Whether the seat has a keep to put down in its next turn, or now."""
        player = self.players[seat]
        return bool(player.keeps or (player.resting and seat != self.seat))

    def hope(self, at: Hex, seat: int, laid: Tile | None = None) -> float:
        """What a knight of the seat on this hex may come to gain, with one more tile laid."""
        if laid is not None:
            return self._hope(at, seat, laid)
        if (at, seat) not in self._hopes:
            self._hopes[at, seat] = self._hope(at, seat, None)
        return self._hopes[at, seat]

    def _hope(self, at: Hex, seat: int, laid: Tile | None) -> float:
        """Its worth when it is complete, or half of it at the end, by how likely each is."""
        worths, faced, gain, gaps = self._around(at, seat, laid)
        gap = A_GAP if seat == self.seat else THEIR_GAP
        expected = gap * gaps
        chance, spoils = self._fight(worths, faced, expected) if faced else (1.0, 0.0)
        turns = max(0.0, self.turns - 1)
        likely = turns / (turns + SLOWNESS * gaps) if gaps else 1.0
        at_the_end = (gain + 1) // 2
        return chance * (likely * (gain + expected) + (1 - likely) * at_the_end + spoils)

    def _around(
        self, at: Hex, seat: int, laid: Tile | None
    ) -> tuple[dict[Hex, int], set[Hex], int, int]:
        """The worth of each tile of a barony, the barons it faces, what it gains, how many are missing."""
        hex, extra = laid or (None, "")
        worths: dict[Hex, int] = {}
        faced: set[Hex] = set()
        gain = 0
        for here in (at, *near(at)):
            tile = extra if here == hex else self.tiles.get(here)
            if tile is None:
                continue
            worth = worths[here] = VALUES[tile]
            holders = self._held.get(here, ())
            owners = [self._barons[baron] for baron in holders]
            if seat not in owners:
                gain += worth
            if tile != MEADOW and holders:
                faced.update(b for b in holders if self._barons[b] != seat)
        return worths, faced, gain, 7 - len(worths)

    def _fight(
        self, worths: Mapping[Hex, int], faced: Iterable[Hex], expected: float
    ) -> tuple[float, float]:
        """How likely a knight beats these barons, and what that is worth beside his gain."""
        theirs = {baron: (baron, *near(baron)) for baron in faced}
        field = {hex for hexes in theirs.values() for hex in hexes if hex in worths}
        strength = sum(worth for hex, worth in worths.items() if hex not in field) + expected
        tiles = self.tiles
        strongest = max(
            sum(VALUES[tiles[hex]] for hex in hexes if hex not in field)
            for hexes in theirs.values()
        )
        margin = strength - strongest
        if len(worths) == 7:
            chance = float(margin > 0)
        else:
            chance = min(1.0, max(0.0, 0.5 + margin / AN_EVEN_FIGHT / 2))
        mine, others = set[Hex](), set[Hex]()
        for baron, hexes in theirs.items():
            (mine if self._barons[baron] == self.seat else others).update(hexes)
        lost = sum(worths[hex] for hex in field & others) * self.share
        lost += sum(worths[hex] for hex in field & mine)
        return chance, lost

    def at_once(self, laid: Tile | None = None, keep: Hex | None = None) -> float | None:
        """What is set off by this tile or keep of one's own; None: nothing is complete."""
        tiles, keeps = self.tiles, self.keeps
        if laid is not None:
            tiles = {**tiles, laid[0]: laid[1]}
        if keep is not None:
            keeps = {**keeps, keep: (self.seat, KNIGHT)}
        board = Standing(tiles, keeps, self.board.out)
        knights = complete(board)
        return self._sum(resolve(board, knights, at_the_end=False), laid) if knights else None

    def at_the_end(self, keep: Hex | None) -> float:
        """What the end would bring, with or without one more keep of one's own."""
        keeps = self.keeps if keep is None else {**self.keeps, keep: (self.seat, KNIGHT)}
        board = Standing(self.tiles, keeps, self.board.out)
        knights = [at for at, (_, side) in keeps.items() if side == KNIGHT]
        return self._sum(resolve(board, knights, at_the_end=True), None)

    def _sum(self, baronies: Iterable[Json], laid: Tile | None) -> float:
        """What all this is worth to the seat; whoever goes out by it counts for much."""
        change = dict.fromkeys((self.seat, *self.others), 0)
        if laid is not None:
            change[self.seat] += self.bonus(laid[0])
        for barony in baronies:
            if barony["seat"] in change:
                change[barony["seat"]] += barony["gain"]
            for beaten in barony["beaten"]:
                if beaten["seat"] in change:
                    change[beaten["seat"]] -= beaten["loss"]
        worth = 0.0
        for seat, honour in change.items():
            is_out = self.players[seat].honour + honour < DEEPEST_DEBT
            value = honour - RUIN * is_out
            worth += value if seat == self.seat else -value * self.share
        return worth

    def bonus(self, at: Hex) -> int:
        """BN-LAY-3: what a tile earns on this hex."""
        return BONUS.get(self.room[at], 0)

    def free_meadows(self) -> list[Hex]:
        """Where a keep could be put down."""
        return [at for at, tile in self.tiles.items() if tile == MEADOW and at not in self.keeps]

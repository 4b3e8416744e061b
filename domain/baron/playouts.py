"""Quick playouts of Baron: an action is chosen from the state by what keeps can expect to gain.

The choice has the plan of the sensible bot (`domain.baron.bots`) and its estimate of what a knight gains. But
the surroundings of a keep are counted once for all tiles that could be laid beside it, and what a tile
completes is estimated like everything else, where the bot resolves it.

A playout of a whole game depends more on the tiles drawn than on the action it begins with. So playouts end
after a turn of each seat, with an estimate of the shares from the honour that each seat can expect; the
greater the part of the tiles that is laid, the more a lead counts. All values are integers, in thousandths
of a point of honour.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from math import exp, isqrt
from typing import Final

from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.bots import draw_unknown as draw_unknown_to_seat
from domain.baron.components import BARON, BONUS, KNIGHT, LAST_TURNS, MEADOW, SLOT_COSTS, VALUES
from domain.baron.formats import Tile
from domain.baron.legal import can_pay, free_meadows, known_reserve
from domain.baron.state import State
from domain.chance import Chance
from domain.hexes import Hex, neighbours
from domain.playouts import WHOLE, PlayoutModel

POINT: Final = 1000
"""A point of honour. The weights below are those of the sensible bot, in thousandths."""
OWN_GAP: Final = 600
OPPOSING_GAP: Final = 1000
KEEP_PRICE: Final = 6000
UNHURRIED_TURNS: Final = 8
RESERVED: Final = 500
DEBT: Final = 1500

FEWEST_FOR_BONUS: Final = min(BONUS)

near_hexes = cache(neighbours)


class Surroundings:
    """What is around a keep of a seat, or around a meadow where it could have one."""

    __slots__ = ("gain", "gap", "gaps", "is_faced", "margin", "spoils")

    def __init__(self, gain: int, gaps: int, gap: int) -> None:
        self.gain = gain
        """The value of the tiles that are not in another barony of the seat."""
        self.gaps = gaps
        """The hexes without a tile."""
        self.gap = gap
        self.is_faced = False
        """Whether there are barons to fight."""
        self.margin = 0
        """The strength of the knight less that of the strongest baron, without the hexes to be filled."""
        self.spoils = 0
        """What a victory is worth beside the gain, in thousandths."""


class Plan:
    """A position as the seat sees it whose turn it is."""

    def __init__(self, state: State, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.tiles = state.tiles
        in_game = state.in_game()
        self.others = [other for other in in_game if other != seat]
        self.share = POINT // max(1, len(self.others))
        seats = len(in_game)
        left = state.turns_left
        # The turns that the seat still has after this one, as a fraction.
        if left is not None:
            self.turns, self.parts = max(0, left[seat] - 1), 1
        else:
            self.turns, self.parts = state.pile_left + len(state.market) + seats, seats
        turns, parts = 2 * self.turns, 3 * self.parts
        self.likelihood = [POINT] + [
            POINT * turns // (turns + parts * gaps) for gaps in range(1, 7)
        ]
        """By the number of missing hexes, how likely they are filled in time, in thousandths."""
        self.owner_of = {at: seat for at, (seat, side) in state.keeps.items() if side == BARON}
        self.barons_at: dict[Hex, list[Hex]] = {}
        """By hex, the barons to whose baronies it belongs."""
        for baron in self.owner_of:
            self.barons_at.setdefault(baron, []).append(baron)
            for at in near_hexes(baron):
                self.barons_at.setdefault(at, []).append(baron)
        self._around: dict[tuple[Hex, int], Surroundings] = {}

    def around(self, at: Hex, seat: int) -> Surroundings:
        """The surroundings of a knight of the seat on the hex."""
        key = (at, seat)
        surroundings = self._around.get(key)
        if surroundings is None:
            surroundings = self._around[key] = self._count(at, seat)
        return surroundings

    def _count(self, at: Hex, seat: int) -> Surroundings:
        tiles, barons_at, owner_of = self.tiles, self.barons_at, self.owner_of
        gain = gaps = strength = 0
        faced: set[Hex] = set()
        contested: list[Hex] = []
        for hex in (at, *near_hexes(at)):
            tile = tiles.get(hex)
            if tile is None:
                gaps += 1
                continue
            value = VALUES[tile]
            strength += value
            barons = barons_at.get(hex)
            if barons is None:
                gain += value
                continue
            contested.append(hex)
            is_own = False
            for baron in barons:
                if owner_of[baron] == seat:
                    is_own = True
                elif tile != MEADOW:
                    faced.add(baron)
            if not is_own:
                gain += value
        around = Surroundings(gain, gaps, OWN_GAP if seat == self.seat else OPPOSING_GAP)
        if faced:
            self._fight(around, faced, contested, strength)
        return around

    def _fight(
        self, around: Surroundings, faced: Iterable[Hex], contested: Sequence[Hex], strength: int
    ) -> None:
        tiles, me = self.tiles, self.seat
        around.is_faced = True
        areas = {baron: (baron, *near_hexes(baron)) for baron in faced}
        battlefield = {hex for hex in contested for area in areas.values() if hex in area}
        strength -= sum(VALUES[tiles[hex]] for hex in battlefield)
        strongest = max(
            sum(VALUES[tiles[hex]] for hex in area if hex not in battlefield)
            for area in areas.values()
        )
        around.margin = strength - strongest
        for hex in battlefield:
            owners = {self.owner_of[baron] for baron in self.barons_at[hex] if baron in areas}
            value = VALUES[tiles[hex]]
            around.spoils += value * (POINT * (me in owners) + self.share * bool(owners - {me}))

    def prospect(
        self, around: Surroundings, value: int | None = None, *, is_shared: bool = False
    ) -> int:
        """What a knight can expect to gain; with `value`, after a tile of this value is laid beside it.

        `is_shared`: the tile belongs to a barony already.
        """
        gain, gaps, margin, spoils = around.gain, around.gaps, around.margin, around.spoils
        if value is not None:
            gaps -= 1
            if not is_shared:
                gain += value
                margin += value
            else:
                spoils += value * self.share
        expected = around.gap * gaps
        likelihood = self.likelihood[gaps]
        result = (
            likelihood * (gain * POINT + expected)
            + (POINT - likelihood) * ((gain + 1) // 2) * POINT
        ) // POINT
        if not around.is_faced:
            return result
        lead = margin * POINT + expected
        if not gaps:
            return result + spoils if lead > 0 else 0
        # An even fight is won in half of all cases, one with a lead of three points always.
        chance = min(POINT, max(0, POINT // 2 + lead // 6))
        return (result + spoils) * chance // POINT

    def can_place_keeps(self, seat: int) -> bool:
        """Whether the seat has a keep to put down, now or in its next turn."""
        player = self.state.players[seat]
        return bool(player.keeps or (player.resting and seat != self.seat))

    @property
    def keep_price(self) -> int:
        """The value of keeping a keep for later, which falls as turns run out."""
        keeps = self.state.players[self.seat].keeps or 1
        left = self.turns + self.parts - keeps * self.parts
        most = UNHURRIED_TURNS * keeps * self.parts
        return KEEP_PRICE * min(most, max(0, left)) // most

    @property
    def reserved(self) -> int:
        """The part of a tile's value that it is worth in reserve, in thousandths."""
        return RESERVED * min(4 * self.parts, self.turns + self.parts) // (4 * self.parts)

    def best_places(self, kinds: Iterable[Tile]) -> dict[Tile, tuple[int, Hex]]:
        """By kind of tile, the best hex where it can be laid, with what that is worth."""
        state, tiles, keeps, seat = self.state, self.tiles, self.state.keeps, self.seat
        knights_at: dict[Hex, list[tuple[Surroundings, int, int]]] = {}
        for at, (owner, side) in keeps.items():
            if side == KNIGHT:
                around = self.around(at, owner)
                now = self.prospect(around)
                factor = POINT if owner == seat else -self.share
                for hex in near_hexes(at):
                    if hex not in tiles:
                        knights_at.setdefault(hex, []).append((around, now, factor))
        sites_at: dict[Hex, list[Surroundings]] = {}
        best_site = -1
        has_keeps = self.can_place_keeps(seat)
        if has_keeps:
            for at, tile in tiles.items():
                if tile == MEADOW and at not in keeps:
                    around = self.around(at, seat)
                    best_site = max(best_site, self.prospect(around))
                    for hex in near_hexes(at):
                        if hex not in tiles:
                            sites_at.setdefault(hex, []).append(around)
        price, reserved, share = self.keep_price, self.reserved, self.share
        least = max(best_site, price)
        """What a site must promise to count: every tile leaves the best one there is."""
        exposure = share if self.others else 0
        rim = state.rim
        crowded = {at for at, adjacent in rim.items() if len(adjacent) >= FEWEST_FOR_BONUS - 1}
        most = sorted(map(len, rim.values()), reverse=True)[:2]
        values = [(kind, VALUES[kind], VALUES[kind] * reserved) for kind in sorted(kinds)]
        best: dict[Tile, tuple[int, Hex]] = {}
        for at, adjacent in rim.items():
            count = len(adjacent)
            base = 0
            if crowded:
                # What the tile earns, and half of what the next seat can earn after it.
                base = BONUS.get(count, 0) * POINT
                left = most[0] if count < most[0] or len(most) < 2 else most[1]
                reached = [len(rim[hex]) + 1 for hex in near_hexes(at) if hex in crowded]
                base -= exposure * max(BONUS.get(count, 0) for count in (left, *reached)) // 2
            knights, sites = knights_at.get(at), sites_at.get(at)
            is_shared = at in self.barons_at
            for kind, value, kept in values:
                if kind in adjacent and kind != MEADOW:
                    continue
                score = base - kept
                if knights:
                    for around, now, factor in knights:
                        after = self.prospect(around, value, is_shared=is_shared)
                        score += (after - now) * factor // POINT
                if sites or kind == MEADOW:
                    site = least
                    for around in sites or ():
                        after = self.prospect(around, value, is_shared=is_shared)
                        site = max(site, after)
                    if kind == MEADOW and has_keeps:
                        gain = sum(map(VALUES.__getitem__, adjacent))
                        quick = Surroundings(gain, 6 - count, OWN_GAP)
                        if is_shared or self.prospect(quick) > site:
                            site = max(site, self.prospect(self._count(at, seat), 0))
                    score += site - least
                if kind not in best or score > best[kind][0]:
                    best[kind] = score, at
        return best

    def best_draw(self) -> Action:
        """The tile that is worth most, with what it makes possible now, less its price."""
        state, player = self.state, self.state.players[self.seat]
        reserve = known_reserve(state, self.seat)
        places = self.best_places({*state.market, *reserve})
        own = max((places[kind][0] for kind in reserve if kind in places), default=None)
        reserved = self.reserved
        best, chosen = 0, 0
        for slot, (tile, cost) in enumerate(zip(state.market, SLOT_COSTS, strict=False), start=1):
            if not can_pay(player.honour, cost):
                continue
            uses = [
                use for use in (own, places[tile][0] if tile in places else None) if use is not None
            ]
            debt = max(0, cost - max(0, player.honour))
            value = max(uses, default=0) + reserved * VALUES[tile] - cost * POINT - DEBT * debt
            if not chosen or value > best:
                best, chosen = value, slot
        return Draw(chosen)

    def best_tile(self) -> Action:
        """The best tile of the reserve on its best hex."""
        kinds = set(known_reserve(self.state, self.seat))
        places = self.best_places(kinds)
        if not places:
            return DiscardTile(min(kinds, key=lambda kind: (VALUES[kind], kind)))
        kind = max(sorted(places), key=lambda kind: places[kind][0])
        return PlaceTile(kind, places[kind][1])

    def best_keep(self) -> Action:
        """The meadow that promises most, to the seat and to others; none if that is too little."""
        rivals = [other for other in self.others if self.can_place_keeps(other)]
        most, best = 0, None
        for at in free_meadows(self.state) if self.state.players[self.seat].keeps else ():
            around = self.around(at, self.seat)
            value = self.prospect(around)
            if around.gaps and self.turns:
                theirs = max((self.prospect(self.around(at, other)) for other in rivals), default=0)
                value += max(0, theirs) * self.share // POINT // 2
            if value > most:
                most, best = value, at
        if best is None or most <= self.keep_price:
            return EndTurn()
        return PlaceKeep(best)


def choose(state: State, seat: int, chance: Chance) -> Action:
    """The action that a playout goes on with."""
    plan = Plan(state, seat)
    if state.phase == "draw":
        return plan.best_draw()
    return plan.best_tile() if state.phase == "lay" else plan.best_keep()


def draw_unknown(state: State, seat: int | None, chance: Chance) -> None:
    """Deal the tiles that the seat does not see; for None, put the pile into another order."""
    if seat is not None:
        for other, player in enumerate(state.players):
            if other != seat and player.out is None:
                player.reserve = None
        draw_unknown_to_seat(state, seat, chance)
        return
    state.pile = tuple(chance.shuffle(state.tiles_in_pile()))


def turned_up(state: State, action: Action) -> Sequence[Tile]:
    """BN-DRW-1: the tiles of the pile from its top, of which a draw may turn up any one."""
    return state.tiles_in_pile() if isinstance(action, Draw) else ()


def turn_up(state: State, tile: str) -> None:
    """Put a tile of this kind, of those in the pile, on its top."""
    tiles = state.tiles_in_pile()
    top = next(index for index, each in enumerate(tiles) if each == tile)
    state.pile = (tiles[top], *tiles[:top], *tiles[top + 1 :])


KEEP_IN_HAND: Final = 1700
KNIGHT_ON_BOARD: Final = -600
BARON_ON_BOARD: Final = -1000
PROSPECT: Final = 650
TILE: Final = 400


SCALE: Final = 250
"""A lead of one scale multiplies the chances by e. It grows with the square root of the turns left, as a sum
of chance events does.
"""
SCALE_OF_A_TURN: Final = 500
STEPS: Final = 32
"""The steps of the table of the exponential function in which it falls by a factor of e."""
FALLING: Final = tuple(round(WHOLE * exp(-step / STEPS)) for step in range(STEPS * 12))
"""The exponential function of negative numbers, as integers."""


def expected_honour(state: State) -> list[int | None]:
    """What honour each seat can expect at the end, in thousandths; None for a seat that is out."""
    seat = state.to_act
    assert seat is not None
    plan = Plan(state, seat)
    honour = [
        player.honour * POINT
        + KEEP_IN_HAND * (player.keeps + player.resting)
        + TILE * sum(VALUES[tile] for tile in player.reserve or ())
        for player in state.players
    ]
    for at, (owner, side) in state.keeps.items():
        if side == BARON:
            honour[owner] += BARON_ON_BOARD
        else:
            around = plan.around(at, owner)
            around.gap = OWN_GAP
            honour[owner] += KNIGHT_ON_BOARD + PROSPECT * plan.prospect(around) // POINT
    return [
        None if player.out is not None else honour[other]
        for other, player in enumerate(state.players)
    ]


def turns_left(state: State) -> int:
    """About how many turns are left in the game."""
    if state.turns_left is not None:
        return sum(state.turns_left)
    return state.pile_left + len(state.market) + LAST_TURNS * len(state.in_game())


def shares(state: State) -> tuple[int, ...]:
    """The share of each seat in a game that goes on, by the honour that it can expect."""
    honour = expected_honour(state)
    scale = SCALE + SCALE_OF_A_TURN * isqrt(10_000 * turns_left(state)) // 100
    most = max(points for points in honour if points is not None)
    weights = [
        0 if points is None else FALLING[min(len(FALLING) - 1, (most - points) * STEPS // scale)]
        for points in honour
    ]
    total = sum(weights)
    result = [WHOLE * weight // total for weight in weights]
    result[weights.index(WHOLE)] += WHOLE - sum(result)
    return tuple(result)


def horizon(state: State) -> int:
    """One turn of each seat, the one in progress included."""
    return len(state.in_game())


PLAYOUTS: Final[PlayoutModel[State, Action] | None] = PlayoutModel(
    version=1,
    choose=choose,
    draw_unknown=draw_unknown,
    horizon=horizon,
    turned_up=turned_up,
    turn_up=turn_up,
    shares=shares,
)

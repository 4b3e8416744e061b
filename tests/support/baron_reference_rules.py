"""A second implementation of Baron's baronies, fights, departures and ranking, clause by clause.

It is independent of domain/baron/battles.py, and slow on purpose: nothing is cached, so that each function
can be compared with its clause. A map is plain data: the tile on each hex, and the seat and the side of each
keep.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypedDict

Hex: TypeAlias = tuple[int, int]
Tiles: TypeAlias = dict[Hex, str]
Keeps: TypeAlias = dict[Hex, tuple[int, str]]
"""(seat, side) by hex; a side is "knight" or "baron"."""

VALUES: Final = {
    "meadow": 0,
    "village": 3,
    "field": 2,
    "forest": 2,
    "vineyard": 1,
    "quarry": 1,
    "pond": 1,
    "marsh": -1,
    "cursed_place": -2,
}
"""BN-MAT-1."""


class Resolution(TypedDict):
    """The consequences of one tile, one keep or the end of the game."""

    established: dict[Hex, int]
    """The knights that become barons, with the values of their baronies."""
    returned: list[Hex]
    """The other knights, whose keeps go back to the owner or (BN-OUB-2) out of the game."""
    beaten: list[Hex]
    """The barons whose keeps leave the board in the same way."""
    honour: dict[int, int]
    """The change of honour by seat, without seats for which it is 0."""


def resolve_by_reference(tiles: Tiles, keeps: Keeps, out: set[int], at_the_end: bool) -> Resolution:
    """Resolve all complete knights of a map, or at the end (BN-END-2) all knights."""
    moment = Moment(tiles, keeps, frozenset(out), at_the_end)
    established = [knight for knight in moment.knights() if moment.is_established(knight)]
    returned = [knight for knight in moment.knights() if not moment.is_established(knight)]
    beaten = [baron for baron in moment.barons() if moment.conquerors(baron)]
    changes = {seat: moment.change_of_honour(seat) for seat in moment.seats()}
    return {
        "established": {knight: moment.value(knight) for knight in established},
        "returned": returned,
        "beaten": beaten,
        "honour": {seat: change for seat, change in changes.items() if change != 0},
    }


def neighbours(at: Hex) -> set[Hex]:
    """The six adjacent hexes."""
    q, r = at
    return {(q + 1, r), (q + 1, r - 1), (q, r - 1), (q - 1, r), (q - 1, r + 1), (q, r + 1)}


@dataclass(frozen=True)
class Moment:
    """BN-SIM-6: the board on which everything of one moment is resolved."""

    tiles: Tiles
    keeps: Keeps
    out: frozenset[int]
    at_the_end: bool

    # Keeps and baronies

    def seat(self, keep: Hex) -> int:
        """The owner of a keep."""
        return self.keeps[keep][0]

    def seats(self) -> list[int]:
        """The seats that have a keep on the board."""
        return sorted({seat for seat, _ in self.keeps.values()})

    def barony(self, keep: Hex) -> set[Hex]:
        """BN-BAR-1: the keep's meadow and the tiles around it, as far as they are there (BN-END-2)."""
        return {at for at in {keep} | neighbours(keep) if at in self.tiles}

    def is_complete(self, keep: Hex) -> bool:
        """BN-BAR-1: whether all six tiles are there."""
        return all(at in self.tiles for at in neighbours(keep))

    def total_value(self, hexes: Collection[Hex]) -> int:
        """The sum of the values of these tiles."""
        return sum(VALUES[self.tiles[at]] for at in set(hexes))

    def value(self, keep: Hex) -> int:
        """BN-BAR-1, BN-END-2: the sum of the tiles that are there."""
        return self.total_value(self.barony(keep))

    def knights(self) -> list[Hex]:
        """BN-BAR-2: the knights that are resolved, by (q, r); BN-END-2: at the end all knights."""
        knights = sorted(at for at, (_, side) in self.keeps.items() if side == "knight")
        return [at for at in knights if self.at_the_end or self.is_complete(at)]

    def barons(self) -> list[Hex]:
        """The barons standing at this moment, by (q, r)."""
        return sorted(at for at, (_, side) in self.keeps.items() if side == "baron")

    def shared(self, one: Hex, other: Hex) -> set[Hex]:
        """The tiles that belong to both keeps' baronies."""
        return self.barony(one) & self.barony(other)

    def more_than_meadows(self, hexes: set[Hex]) -> bool:
        """Whether at least one tile is not a meadow (BN-FGT-1, BN-SIM-1)."""
        return any(self.tiles[at] != "meadow" for at in hexes)

    def halved(self, points: int) -> int:
        """BN-END-2: half of the points at the end, rounded up; all of them before that."""
        return math.ceil(points / 2) if self.at_the_end else points

    # Opponents and rivals

    def faced(self, knight: Hex) -> list[Hex]:
        """BN-FGT-1: the opposing barons that the knight fights; never those of its owner."""
        return [
            baron
            for baron in self.barons()
            if self.seat(baron) != self.seat(knight)
            and self.more_than_meadows(self.shared(knight, baron))
        ]

    def face_a_common_baron(self, one: Hex, other: Hex) -> bool:
        """BN-SIM-1: whether two knights face a common baron, as opponents and rivals may."""
        return any(baron in self.faced(other) for baron in self.faced(one))

    def opponents(self, knight: Hex) -> list[Hex]:
        """BN-SIM-1: knights of other owners that share a tile other than a meadow, or face a common baron."""
        return [
            other
            for other in self.knights()
            if self.seat(other) != self.seat(knight)
            and (
                self.more_than_meadows(self.shared(knight, other))
                or self.face_a_common_baron(knight, other)
            )
        ]

    def rivals(self, knight: Hex) -> list[Hex]:
        """BN-SIM-1: knights of one owner that have an opponent or face a baron in common."""
        return [
            other
            for other in self.knights()
            if other != knight
            and self.seat(other) == self.seat(knight)
            and (
                any(opponent in self.opponents(other) for opponent in self.opponents(knight))
                or self.face_a_common_baron(knight, other)
            )
        ]

    # The battle of the knights

    def strength_in_battle(self, knight: Hex) -> int:
        """BN-SIM-2: its tiles without those of opponents and faced barons; BN-END-2: then halved."""
        battlefield: set[Hex] = set()
        for other in self.opponents(knight) + self.faced(knight):
            battlefield |= self.shared(knight, other)
        return self.halved(self.total_value(self.barony(knight) - battlefield))

    def is_stronger_than_opponent(self, knight: Hex, opponent: Hex) -> bool:
        """BN-SIM-2, BN-SIM-3: strictly stronger, so that of equals neither is."""
        return self.strength_in_battle(knight) > self.strength_in_battle(opponent)

    def is_stronger_than_rival(self, knight: Hex, rival: Hex) -> bool:
        """BN-SIM-2, BN-SIM-3: of equals, the one with the higher full value, then with the smaller hex."""
        if self.strength_in_battle(knight) != self.strength_in_battle(rival):
            return self.strength_in_battle(knight) > self.strength_in_battle(rival)
        if self.value(knight) != self.value(rival):
            return self.value(knight) > self.value(rival)
        return knight < rival

    def goes_on(self, knight: Hex) -> bool:
        """BN-SIM-2: whether it is stronger than each opponent and rival; all are compared at once."""
        return all(
            self.is_stronger_than_opponent(knight, opponent) for opponent in self.opponents(knight)
        ) and all(self.is_stronger_than_rival(knight, rival) for rival in self.rivals(knight))

    # The fight of a knight against barons

    def battlefield(self, knight: Hex) -> set[Hex]:
        """BN-FGT-2, BN-SIM-4: the battlefield without any other knight."""
        return {at for baron in self.faced(knight) for at in self.shared(knight, baron)}

    def strength_in_fight(self, knight: Hex) -> int:
        """BN-FGT-2: the sum of its other tiles; BN-END-2: then halved."""
        return self.halved(self.total_value(self.barony(knight) - self.battlefield(knight)))

    def strength_of_baron(self, baron: Hex, knight: Hex) -> int:
        """BN-FGT-2: the strength against this knight; BN-END-2: never halved."""
        return self.total_value(self.barony(baron) - self.battlefield(knight))

    def wins(self, knight: Hex) -> bool:
        """BN-FGT-3: strictly stronger than the strongest of the barons."""
        strengths = [self.strength_of_baron(baron, knight) for baron in self.faced(knight)]
        return self.strength_in_fight(knight) > max(strengths)

    def is_established(self, knight: Hex) -> bool:
        """BN-SIM-4, then BN-BAR-3 without barons to face, otherwise BN-FGT-4 and BN-FGT-5."""
        if not self.goes_on(knight):
            return False
        return not self.faced(knight) or self.wins(knight)

    def conquerors(self, baron: Hex) -> list[Hex]:
        """BN-FGT-5: the established knights that faced it; by BN-SIM-6 at most one."""
        conquerors = [
            knight
            for knight in self.knights()
            if baron in self.faced(knight) and self.is_established(knight)
        ]
        assert len(conquerors) <= 1
        return conquerors

    # Honour

    def counted_before(self, knight: Hex) -> set[Hex]:
        """BN-BAR-4, BN-SIM-6: the tiles of the owner's standing barons, even if they are beaten now, and of
        the owner's knights established at this moment with smaller hexes.
        """
        keeps = [baron for baron in self.barons() if self.seat(baron) == self.seat(knight)]
        keeps += [
            other
            for other in self.knights()
            if self.seat(other) == self.seat(knight)
            and self.is_established(other)
            and other < knight
        ]
        return {at for keep in keeps for at in self.barony(keep)}

    def gained(self, knight: Hex) -> int:
        """BN-BAR-3, BN-FGT-5: all its tiles without those of BN-BAR-4; BN-END-2: then halved."""
        return self.halved(self.total_value(self.barony(knight) - self.counted_before(knight)))

    def tiles_lost(self, seat: int) -> set[Hex]:
        """BN-FGT-5: the tiles that the seat's beaten barons shared with their conquerors, each once."""
        return {
            at
            for baron in self.barons()
            if self.seat(baron) == seat
            for knight in self.conquerors(baron)
            for at in self.shared(baron, knight)
        }

    def change_of_honour(self, seat: int) -> int:
        """BN-OUB-4: the sum of all changes of the moment; BN-OUB-2: nothing for a seat that is out."""
        if seat in self.out:
            return 0
        own = [knight for knight in self.knights() if self.seat(knight) == seat]
        gains = sum(self.gained(knight) for knight in own if self.is_established(knight))
        return gains - self.total_value(self.tiles_lost(seat))


def departures(
    honour: Mapping[int, int], changes: Mapping[int, int], moments: Mapping[int, int]
) -> dict[int, int]:
    """BN-OUB-1, BN-OUB-4: the moment at which each seat that is out after these changes went out.

    `moments` are those before the changes, counted from 1; seats at −5 or below share the next one.
    """
    now = max(moments.values(), default=0) + 1
    departed = {
        seat: now
        for seat in honour
        if seat not in moments and honour[seat] + changes.get(seat, 0) <= -5
    }
    return {**moments, **departed}


def places(honour: Mapping[int, int], moments: Mapping[int, int]) -> dict[int, int]:
    """BN-END-3: a seat's place is one more than the number of seats that rank before it."""

    def is_before(one: int, other: int) -> bool:
        if one in moments and other in moments:
            return moments[one] > moments[other]
        if one in moments or other in moments:
            return other in moments
        return honour[one] > honour[other]

    return {seat: 1 + sum(is_before(other, seat) for other in honour) for seat in honour}

"""Baron's baronies, fights, departures and ranking read off the clauses, one function a clause or two.

The other opinion beside domain/baron/resolution.py. It knows none of that package's code and is slow on
purpose: nothing is remembered, whatever a clause asks for is looked up on the map again, so that each
function can be held against its clause. A map is plain data: which tile lies where, and whose keep stands
where on which side.
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


class Reckoned(TypedDict):
    """What one tile, one keep or the end of the game brought about."""

    established: dict[Hex, int]
    """The knights that are barons now, with the values of their baronies."""
    returned: list[Hex]
    """The other knights: their keeps leave the board, back to the owner or (BN-OUB-2) out of the game."""
    beaten: list[Hex]
    """The barons whose keeps leave the board in the same way."""
    honour: dict[int, int]
    """What changes, by seat; without those for whom nothing does."""


def reckoned(tiles: Tiles, keeps: Keeps, out: set[int], at_the_end: bool) -> Reckoned:
    """Everything set off on this map, which shows it with the tile or keep that sets it off.

    It falls to all knights that are complete, or at the end (BN-END-2) to all knights.
    """
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
    """The six hexes around this one."""
    q, r = at
    return {(q + 1, r), (q + 1, r - 1), (q, r - 1), (q - 1, r), (q - 1, r + 1), (q, r + 1)}


@dataclass(frozen=True)
class Moment:
    """The board as it stood when something was set off: by BN-SIM-6 all is reckoned on it."""

    tiles: Tiles
    keeps: Keeps
    out: frozenset[int]
    at_the_end: bool

    # Who and what there is

    def seat(self, keep: Hex) -> int:
        """Whose keep it is."""
        return self.keeps[keep][0]

    def seats(self) -> list[int]:
        """All that have a keep on the board."""
        return sorted({seat for seat, _ in self.keeps.values()})

    def barony(self, keep: Hex) -> set[Hex]:
        """BN-BAR-1: the keep's meadow and the tiles around it, those that are there (BN-END-2)."""
        return {at for at in {keep} | neighbours(keep) if at in self.tiles}

    def is_complete(self, keep: Hex) -> bool:
        """BN-BAR-1: all six are there."""
        return all(at in self.tiles for at in neighbours(keep))

    def worth(self, hexes: Collection[Hex]) -> int:
        """The sum of these tiles."""
        return sum(VALUES[self.tiles[at]] for at in set(hexes))

    def value(self, keep: Hex) -> int:
        """BN-BAR-1, at the end BN-END-2: the sum of the tiles that are there."""
        return self.worth(self.barony(keep))

    def knights(self) -> list[Hex]:
        """BN-BAR-2: the knights that are resolved, by (q, r); BN-END-2: at the end it is all of them."""
        there = sorted(at for at, (_, side) in self.keeps.items() if side == "knight")
        return [at for at in there if self.at_the_end or self.is_complete(at)]

    def barons(self) -> list[Hex]:
        """The barons standing at this moment, by (q, r)."""
        return sorted(at for at, (_, side) in self.keeps.items() if side == "baron")

    def shared(self, one: Hex, other: Hex) -> set[Hex]:
        """The tiles that belong to both keeps' baronies."""
        return self.barony(one) & self.barony(other)

    def more_than_meadows(self, hexes: set[Hex]) -> bool:
        """Whether one of them at least is something else (BN-FGT-1, BN-SIM-1)."""
        return any(self.tiles[at] != "meadow" for at in hexes)

    def halved(self, points: int) -> int:
        """BN-END-2: at the end by two, rounded up; before that as it is."""
        return math.ceil(points / 2) if self.at_the_end else points

    # Who has to do with whom

    def faced(self, knight: Hex) -> list[Hex]:
        """BN-FGT-1: the opposing barons that the knight fights; never those of his own owner."""
        return [
            baron
            for baron in self.barons()
            if self.seat(baron) != self.seat(knight)
            and self.more_than_meadows(self.shared(knight, baron))
        ]

    def face_a_common_baron(self, one: Hex, other: Hex) -> bool:
        """Said by BN-SIM-1 of opponents and of rivals."""
        return any(baron in self.faced(other) for baron in self.faced(one))

    def opponents(self, knight: Hex) -> list[Hex]:
        """BN-SIM-1: knights of different owners that share such a tile or face a common baron."""
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
        """BN-SIM-2: his tiles but for those of an opponent or of a baron he faces; BN-END-2: halved then."""
        battlefield: set[Hex] = set()
        for other in self.opponents(knight) + self.faced(knight):
            battlefield |= self.shared(knight, other)
        return self.halved(self.worth(self.barony(knight) - battlefield))

    def is_stronger_than_opponent(self, knight: Hex, opponent: Hex) -> bool:
        """BN-SIM-2, BN-SIM-3: strictly, so that of equals neither is."""
        return self.strength_in_battle(knight) > self.strength_in_battle(opponent)

    def is_stronger_than_rival(self, knight: Hex, rival: Hex) -> bool:
        """BN-SIM-2, BN-SIM-3: of equals the higher value, not halved, and then the smaller hex."""
        if self.strength_in_battle(knight) != self.strength_in_battle(rival):
            return self.strength_in_battle(knight) > self.strength_in_battle(rival)
        if self.value(knight) != self.value(rival):
            return self.value(knight) > self.value(rival)
        return knight < rival

    def goes_on(self, knight: Hex) -> bool:
        """BN-SIM-2: stronger than each of them, all judged at once; who has none of them just goes on."""
        return all(
            self.is_stronger_than_opponent(knight, opponent) for opponent in self.opponents(knight)
        ) and all(self.is_stronger_than_rival(knight, rival) for rival in self.rivals(knight))

    # The fight of a knight against barons

    def battlefield(self, knight: Hex) -> set[Hex]:
        """BN-FGT-2, and BN-SIM-4: the knights that left, and so all other knights, count no more."""
        return {at for baron in self.faced(knight) for at in self.shared(knight, baron)}

    def strength_in_fight(self, knight: Hex) -> int:
        """BN-FGT-2: the sum of his other tiles; BN-END-2: halved after that."""
        return self.halved(self.worth(self.barony(knight) - self.battlefield(knight)))

    def strength_of_baron(self, baron: Hex, knight: Hex) -> int:
        """BN-FGT-2 against this knight; BN-END-2: never halved."""
        return self.worth(self.barony(baron) - self.battlefield(knight))

    def wins(self, knight: Hex) -> bool:
        """BN-FGT-3: strictly stronger than the strongest of the barons."""
        strengths = [self.strength_of_baron(baron, knight) for baron in self.faced(knight)]
        return self.strength_in_fight(knight) > max(strengths)

    def is_established(self, knight: Hex) -> bool:
        """BN-SIM-4, then BN-BAR-3 for who faces no baron, else BN-FGT-4 and BN-FGT-5."""
        if not self.goes_on(knight):
            return False
        return not self.faced(knight) or self.wins(knight)

    def conquerors(self, baron: Hex) -> list[Hex]:
        """BN-FGT-5: the established knights that faced him; by BN-SIM-6 it is one at most."""
        found = [
            knight
            for knight in self.knights()
            if baron in self.faced(knight) and self.is_established(knight)
        ]
        assert len(found) <= 1
        return found

    # Honour

    def counted_before(self, knight: Hex) -> set[Hex]:
        """BN-BAR-4, BN-SIM-6: the tiles of the owner's standing barons, those that fall now too, and of his
        knights established in this moment whose hexes come before.
        """
        owners = [baron for baron in self.barons() if self.seat(baron) == self.seat(knight)]
        owners += [
            other
            for other in self.knights()
            if self.seat(other) == self.seat(knight)
            and self.is_established(other)
            and other < knight
        ]
        return {at for keep in owners for at in self.barony(keep)}

    def gained(self, knight: Hex) -> int:
        """BN-BAR-3, BN-FGT-5: all his tiles, without those of BN-BAR-4; BN-END-2: halved after that."""
        return self.halved(self.worth(self.barony(knight) - self.counted_before(knight)))

    def tiles_lost(self, seat: int) -> set[Hex]:
        """BN-FGT-5: what the seat's beaten barons shared with who beat them, each tile once."""
        return {
            at
            for baron in self.barons()
            if self.seat(baron) == seat
            for knight in self.conquerors(baron)
            for at in self.shared(baron, knight)
        }

    def change_of_honour(self, seat: int) -> int:
        """BN-OUB-4: all that comes about together, added up; BN-OUB-2: nothing for who is out."""
        if seat in self.out:
            return 0
        own = [knight for knight in self.knights() if self.seat(knight) == seat]
        gains = sum(self.gained(knight) for knight in own if self.is_established(knight))
        return gains - self.worth(self.tiles_lost(seat))


def departures(
    honour: Mapping[int, int], changes: Mapping[int, int], moments: Mapping[int, int]
) -> dict[int, int]:
    """BN-OUB-1, BN-OUB-4: the moment at which each seat that is out went out, after these changes.

    The first moment is 1. `moments` are those before; seats that fall to −5 or below now share a new one.
    """
    now = max(moments.values(), default=0) + 1
    fallen = {
        seat: now
        for seat in honour
        if seat not in moments and honour[seat] + changes.get(seat, 0) <= -5
    }
    return {**moments, **fallen}


def places(honour: Mapping[int, int], moments: Mapping[int, int]) -> dict[int, int]:
    """BN-END-3: a seat's place is one more than the number of seats that rank before it."""

    def is_before(one: int, other: int) -> bool:
        if one in moments and other in moments:
            return moments[one] > moments[other]
        if one in moments or other in moments:
            return other in moments
        return honour[one] > honour[other]

    return {seat: 1 + sum(is_before(other, seat) for other in honour) for seat in honour}

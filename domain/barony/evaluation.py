"""What a bot sees in a position: where it could build or attack, and which knight should go where.

Worth is counted in resource points of tokens, more or less: a building on a field is worth 5. Nothing here
judges an action; that is for `domain.barony.bots`.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final, TypeAlias

from domain.barony.components import RESOURCE_POINTS, RESOURCES
from domain.contract import Json
from domain.hexes import Hex, hex_of, neighbours

GOLD: Final = dict(zip(RESOURCES, RESOURCE_POINTS, strict=True))
FADING: Final = 0.7
"""What is left of a goal's worth with every step to it."""
REACH: Final = 4
"""How many steps away a goal may lie."""
CITY_SITE: Final = 4.0
"""What it adds to a site that a village there could become a city."""
VILLAGE_FELLED: Final = 1.0
"""What it is worth to destroy a village, its token aside."""
HALF_A_PREY: Final = 0.45
"""How much of an opponent's village each of the two knights that it takes counts for itself."""

Goal: TypeAlias = tuple[Hex, float]
"""A hex for a knight to go to, and what it is worth to have one there."""


class Outlook:
    """A position seen from one seat; what it takes effort to see is worked out once."""

    def __init__(self, position: Json, seat: int) -> None:
        self.position = position
        self.seat = seat
        self.me: Json = position["players"][seat]
        self.terrain: dict[Hex, str] = {hex_of(c["at"]): c["terrain"] for c in position["board"]}
        self.knights: dict[Hex, int] = {}
        """One's own."""
        self.opposing_knights: dict[Hex, int] = {}
        self.buildings: dict[Hex, tuple[str, int]] = {}
        """Anyone's, with the owner's seat."""
        for pawn in position["pawns"]:
            at = hex_of(pawn["at"])
            if pawn["building"]:
                self.buildings[at] = (pawn["building"], pawn["seat"])
            if pawn["knights"]:
                there = self.knights if pawn["seat"] == seat else self.opposing_knights
                there[at] = there.get(at, 0) + pawn["knights"]
        self._near: dict[Hex, list[Hex]] = {}
        self._ways: dict[Hex, dict[Hex, int]] = {}

    def near(self, at: Hex) -> list[Hex]:
        """The adjacent hexes of the board."""
        if at not in self._near:
            self._near[at] = [hex for hex in neighbours(at) if hex in self.terrain]
        return self._near[at]

    def is_mine(self, at: Hex, kind: str) -> bool:
        """Whether a building of this kind on the hex is one's own."""
        return self.buildings.get(at) == (kind, self.seat)

    def is_prey(self, at: Hex) -> bool:
        """Whether an opponent's village is on the hex."""
        building, owner = self.buildings.get(at, ("", self.seat))
        return building == "village" and owner != self.seat

    @cached_property
    def open_hexes(self) -> frozenset[Hex]:
        """Where a knight can go, as nearly as it needs to be known: past one opposing pawn, but not on
        mountains.
        """
        return frozenset(
            at
            for at, terrain in self.terrain.items()
            if terrain != "lake"
            and (self.is_prey(at) or self.buildings.get(at, ("", self.seat))[1] == self.seat)
            and self.opposing_knights.get(at, 0) + self.is_prey(at) <= (terrain != "mountain")
        )

    @cached_property
    def cities(self) -> frozenset[Hex]:
        """Everybody's."""
        return frozenset(at for at, (building, _) in self.buildings.items() if building == "city")

    def is_city_site(self, at: Hex) -> bool:
        """Whether a village on the hex could become a city, as things stand."""
        is_forest = self.terrain[at] == "forest"
        return not is_forest and self.cities.isdisjoint(self.near(at))

    @cached_property
    def wants_city_sites(self) -> bool:
        """Whether more cities are in the reserve than villages stand on city sites."""
        sites = sum(self.is_mine(at, "village") and self.is_city_site(at) for at in self.buildings)
        return sites < int(self.me["reserve"]["cities"])

    def site(self, at: Hex) -> float:
        """What a building on the hex is worth; 0 where none can stand, as things are."""
        kind = self.terrain[at]
        if kind not in GOLD or at in self.buildings or at in self.opposing_knights:
            return 0.0
        token = float(GOLD[kind]) if self.position["bank"][kind] else 0.0
        is_for_a_city = self.wants_city_sites and self.is_city_site(at)
        return token + CITY_SITE * is_for_a_city

    def loot(self, at: Hex) -> float:
        """What it is worth to destroy the village on the hex."""
        held = self.position["players"][self.buildings[at][1]]["resources"]
        return VILLAGE_FELLED + max((GOLD[kind] for kind in RESOURCES if held[kind]), default=0)

    @cached_property
    def goals(self) -> list[Goal]:
        """Sites to build on, and twice, as it takes two knights, each village that could be attacked."""
        reserve = self.me["reserve"]
        can_build = reserve["villages"] or reserve["strongholds"]
        sites = [(at, worth) for at in self.terrain if can_build and (worth := self.site(at))]
        prey = [at for at in self.buildings if self.is_prey(at) and at in self.open_hexes]
        return sites + [(at, HALF_A_PREY * self.loot(at)) for at in prey for _ in range(2)]

    @cached_property
    def plan(self) -> tuple[dict[Hex, list[Goal]], list[Goal]]:
        """The goals of one's knights, by the hexes where they stand, and the goals that no knight has.

        Of all pairs of a knight and a goal the best is settled first.
        """
        chances = [
            (self.pull(goal, start), number, start)
            for start in self.knights
            for number, goal in self._within_reach(start)
        ]
        free = dict(enumerate(self.goals))
        plan: dict[Hex, list[Goal]] = {start: [] for start in self.knights}
        for _, number, start in sorted(chances, reverse=True):
            if number in free and len(plan[start]) < self.knights[start]:
                plan[start].append(free.pop(number))
        return plan, list(free.values())

    def _within_reach(self, start: Hex) -> Iterator[tuple[int, Goal]]:
        ways = self.ways(start)
        return ((number, goal) for number, goal in enumerate(self.goals) if goal[0] in ways)

    def pull(self, goal: Goal, at: Hex) -> float:
        """What a goal is worth to a knight on the hex."""
        hex, worth = goal
        steps = self.ways(at).get(hex)
        return 0.0 if steps is None else worth * FADING**steps

    def ways(self, start: Hex) -> dict[Hex, int]:
        """Steps to every hex within reach, by hexes where a knight can go."""
        if start not in self._ways:
            steps = self._ways[start] = {start: 0}
            rim: Iterable[Hex] = [start]
            for step in range(1, REACH + 1):
                rim = {near for at in rim for near in self.near(at) if near not in steps}
                rim &= self.open_hexes
                steps.update(dict.fromkeys(rim, step))
        return self._ways[start]

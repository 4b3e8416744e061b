"""Evaluation of a position for a bot: where it could build or attack, and which knight should go where.

Values are counted in resource points of tokens, roughly: a building on a field is worth 5. Actions are not
compared here; `domain.barony.bots` does that.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from typing import Final, TypeAlias

from domain.barony.components import (
    RESOURCE_POINTS,
    RESOURCES,
    TERRAINS,
    Building,
    Resource,
    Terrain,
)
from domain.barony.formats import BaronyPosition, PlayerJson
from domain.hexes import Hex, hex_of, neighbours

TOKEN_VALUE: Final[Mapping[Resource, int]] = dict(zip(RESOURCES, RESOURCE_POINTS, strict=True))
TERRAIN_VALUE: Final[Mapping[Terrain, int]] = dict(
    zip(TERRAINS, (*RESOURCE_POINTS, 0, 0), strict=True)
)
"""The value of the token that a building on the terrain gains."""
DISCOUNT: Final = 0.7
"""The factor by which the value of a goal falls with every step to it."""
REACH: Final = 4
"""The greatest number of steps to a goal."""
CITY_SITE: Final = 4.0
"""The value that a site has in addition when a village there could become a city."""
VILLAGE_DESTROYED: Final = 1.0
"""The value of destroying a village, apart from its token."""
SHARE_OF_VILLAGE: Final = 0.45
"""The share of an opponent's village that counts for each of the two knights that it takes to destroy it."""

Goal: TypeAlias = tuple[Hex, float]
"""A hex to move a knight to, and the value of a knight there."""


cached_neighbours = cache(neighbours)


class Evaluation:
    """A position as one seat sees it. Whatever is expensive is computed once, when it is first used."""

    def __init__(self, position: BaronyPosition, seat: int) -> None:
        self.position = position
        self.seat = seat
        self.player: PlayerJson = position["players"][seat]
        self.terrain: dict[Hex, Terrain] = {
            hex_of(cell["at"]): cell["terrain"] for cell in position["board"]
        }
        self.knights: dict[Hex, int] = {}
        """The seat's own knights by hex."""
        self.opposing_knights: dict[Hex, int] = {}
        self.buildings: dict[Hex, tuple[Building, int]] = {}
        """The buildings of all seats by hex, each with the seat of its owner."""
        for pawns in position["pawns"]:
            at = hex_of(pawns["at"])
            if pawns["building"]:
                self.buildings[at] = (pawns["building"], pawns["seat"])
            if pawns["knights"]:
                counts = self.knights if pawns["seat"] == seat else self.opposing_knights
                counts[at] = counts.get(at, 0) + pawns["knights"]
        self._neighbours: dict[Hex, list[Hex]] = {}
        self._open_neighbours: dict[Hex, list[Hex]] = {}
        self._distances: dict[Hex, dict[Hex, int]] = {}

    def neighbours_of(self, at: Hex) -> list[Hex]:
        """The adjacent hexes of the board."""
        if at not in self._neighbours:
            self._neighbours[at] = [hex for hex in cached_neighbours(at) if hex in self.terrain]
        return self._neighbours[at]

    def _open_neighbours_of(self, at: Hex) -> list[Hex]:
        """The adjacent hexes that a knight can enter."""
        if at not in self._open_neighbours:
            self._open_neighbours[at] = [
                hex for hex in cached_neighbours(at) if hex in self.open_hexes
            ]
        return self._open_neighbours[at]

    def has_own(self, building: Building, at: Hex) -> bool:
        """Whether the seat has such a building on the hex."""
        return self.buildings.get(at) == (building, self.seat)

    def has_opposing_village(self, at: Hex) -> bool:
        """Whether an opponent's village is on the hex."""
        building, owner = self.buildings.get(at, ("", self.seat))
        return building == "village" and owner != self.seat

    @cached_property
    def contested(self) -> frozenset[Hex]:
        """The hexes with a knight or a village of an opponent."""
        villages = (at for at in self.buildings if self.has_opposing_village(at))
        return frozenset((*self.opposing_knights, *villages))

    @cached_property
    def open_hexes(self) -> frozenset[Hex]:
        """The hexes that a knight can enter, approximately: with at most one opposing pawn, and none on a
        mountain.
        """
        return frozenset(
            at
            for at, terrain in self.terrain.items()
            if terrain != "lake"
            and (
                self.has_opposing_village(at)
                or self.buildings.get(at, ("", self.seat))[1] == self.seat
            )
            and self.opposing_knights.get(at, 0) + self.has_opposing_village(at)
            <= (terrain != "mountain")
        )

    @cached_property
    def cities(self) -> frozenset[Hex]:
        """The hexes with a city of any seat."""
        return frozenset(at for at, (building, _) in self.buildings.items() if building == "city")

    def is_city_site(self, at: Hex) -> bool:
        """Whether a village on the hex could now become a city."""
        is_forest = self.terrain[at] == "forest"
        return not is_forest and self.cities.isdisjoint(self.neighbours_of(at))

    @cached_property
    def wants_city_sites(self) -> bool:
        """Whether the reserve holds more cities than the seat has villages on city sites."""
        sites = sum(self.has_own("village", at) and self.is_city_site(at) for at in self.buildings)
        return sites < self.player["reserve"]["cities"]

    def site_value(self, at: Hex) -> float:
        """The value of a building on the hex; 0 where nothing can be built now."""
        value = TERRAIN_VALUE[self.terrain[at]]
        if not value or at in self.buildings or at in self.opposing_knights:
            return 0.0
        token = float(value) if self._bank[self.terrain[at]] else 0.0
        is_for_a_city = self.wants_city_sites and self.is_city_site(at)
        return token + CITY_SITE * is_for_a_city

    @cached_property
    def _bank(self) -> Mapping[Terrain, int]:
        """The tokens in the bank, by the terrain that gives them."""
        bank = self.position["bank"]
        tokens = [bank[kind] for kind in RESOURCES]
        return dict(zip(TERRAINS, (*tokens, 0, 0), strict=True))

    def can_gain_token(self, at: Hex) -> bool:
        """Whether a building on the hex would gain a token."""
        return self._bank[self.terrain[at]] > 0

    def village_value(self, at: Hex) -> float:
        """The value of destroying the village on the hex."""
        tokens = self.position["players"][self.buildings[at][1]]["resources"]
        values = (TOKEN_VALUE[kind] for kind in RESOURCES if tokens[kind])
        return VILLAGE_DESTROYED + max(values, default=0)

    @cached_property
    def goals(self) -> list[Goal]:
        """Sites to build on, and villages to attack: each of these twice, since it takes two knights."""
        reserve = self.player["reserve"]
        can_build = reserve["villages"] or reserve["strongholds"]
        sites = [(at, value) for at in self.terrain if can_build and (value := self.site_value(at))]
        villages = [
            at for at in self.buildings if self.has_opposing_village(at) and at in self.open_hexes
        ]
        return sites + [
            (at, SHARE_OF_VILLAGE * self.village_value(at)) for at in villages for _ in range(2)
        ]

    @cached_property
    def assignment(self) -> tuple[dict[Hex, list[Goal]], list[Goal]]:
        """The goals assigned to the seat's knights, by the hexes of these, and the goals without a knight.

        Pairs of a knight and a goal are assigned in order of their value, best first.
        """
        pairs = [
            (self.goal_value(goal, start), number, start)
            for start in self.knights
            for number, goal in self._goals_within_reach(start)
        ]
        unassigned = dict(enumerate(self.goals))
        assigned: dict[Hex, list[Goal]] = {start: [] for start in self.knights}
        for _, number, start in sorted(pairs, reverse=True):
            if number in unassigned and len(assigned[start]) < self.knights[start]:
                assigned[start].append(unassigned.pop(number))
        return assigned, list(unassigned.values())

    def _goals_within_reach(self, start: Hex) -> Iterator[tuple[int, Goal]]:
        distances = self.distances(start)
        return ((number, goal) for number, goal in enumerate(self.goals) if goal[0] in distances)

    def goal_value(self, goal: Goal, at: Hex) -> float:
        """The value of a goal to a knight on the hex."""
        hex, value = goal
        steps = self.distances(at).get(hex)
        return 0.0 if steps is None else value * DISCOUNT**steps

    def distances(self, start: Hex) -> dict[Hex, int]:
        """The number of steps to every hex within reach, over hexes that a knight can enter."""
        if start not in self._distances:
            steps = self._distances[start] = {start: 0}
            border: Iterable[Hex] = [start]
            for step in range(1, REACH + 1):
                border = {near for at in border for near in self._open_neighbours_of(at)}
                border.difference_update(steps)
                steps.update(dict.fromkeys(border, step))
        return self._distances[start]

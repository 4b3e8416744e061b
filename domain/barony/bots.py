"""Bots that play Barony from what a seat may see: `sensible` scores every action and searches no further.

`Evaluation` says where a seat could build or attack, and which knight should go where. Values are counted in
resource points of tokens, roughly: a building on a field is worth 5. The plan of the bot: move knights to
good terrain near its cities, turn several of them into buildings in one action, spend tokens on titles as
soon as they suffice, and turn villages into cities where possible.

The strong bot is a search (`domain.search`) whose playouts follow the sensible bot. Barony has no secrets,
so nothing is drawn: playouts of one action differ only where the sensible bot has equally good actions.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from heapq import nlargest
from itertools import permutations
from math import inf
from typing import Final, Generic, TypeAlias, TypeVar, assert_never

from domain.barony.actions import (
    Action,
    AgreeToEnd,
    Build,
    Cast,
    Expedition,
    Move,
    NewCity,
    NobleTitle,
    Pass,
    PlaceCity,
    Recruit,
)
from domain.barony.components import (
    KNIGHTS,
    RANKS,
    RESOURCE_POINTS,
    RESOURCES,
    TERRAINS,
    VICTORY_POINTS,
    Building,
    Resource,
    Terrain,
)
from domain.barony.decide import decide, legal_actions
from domain.barony.formats import BaronyPosition, PlayerJson
from domain.barony.state import State, apply, from_position, position
from domain.barony.titles import worth
from domain.barony.turn_order import final_score
from domain.chance import Chance
from domain.contract import Bot, Resign
from domain.hexes import Hex, distance, hex_of, neighbours
from domain.search import SearchBot, SearchModel, SensibleBot, UncertainBot

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
        """The hexes that a knight can enter, approximately: at most one opposing pawn, none on a mountain."""
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


Leg: TypeAlias = tuple[Hex, Hex]
"""Where a step or a path of a knight starts and ends."""
EvaluationT = TypeVar("EvaluationT", bound=Evaluation)

TITLE: Final = 100.0
NEW_CITY: Final = 60.0
GOAL_REACHED: Final = 0.75
"""The share of a goal's value that counts for a knight on its hex before the knight has acted there."""
KNIGHT_DESTROYED: Final = 1.5
KNIGHT_REMOVED: Final = 4.0
PREFERENCE: Final = 0.1
"""A small score that decides between otherwise equal actions."""


def score_actions(position: BaronyPosition, actions: Sequence[Action], seat: int) -> list[float]:
    """The scores by which `sensible` chooses, in the order of the actions."""
    score = Scorer(Evaluation(position, seat)).score
    return [score(action) for action in actions]


sensible: Final = SensibleBot(score_actions)


class Scorer(Generic[EvaluationT]):
    """Scores actions on one position, in resource points as in `Evaluation`."""

    def __init__(self, evaluation: EvaluationT) -> None:
        self.evaluation = evaluation
        self._gains: dict[Leg, list[float]] = {}
        self._best_gains: dict[Leg, float] = {}
        self._gains_of_two: dict[tuple[Leg, Leg], float] = {}
        self._prospects: dict[Hex, list[tuple[float, int]]] = {}

    def score(self, action: Action) -> float:
        """The score of an action."""
        match action:
            case PlaceCity(at):
                return self._first_city(at)
            case Recruit(at, knights):
                return self.recruits([(at, knights)])
            case Move(moves, takes):
                return self._approach(moves) + self.destruction(moves, takes)
            case Build(builds):
                return sum(self._building(at, building) for at, building in builds)
            case NewCity():
                return NEW_CITY
            case Expedition(to):
                return GOAL_REACHED * self.evaluation.site_value(to) - KNIGHT_REMOVED
            case NobleTitle(discard):
                return self._title(discard)
            case Cast() | Pass() | AgreeToEnd() | Resign():
                return 0.0
            case _:
                assert_never(action)

    def _first_city(self, at: Hex) -> float:
        """Rich terrain around it with few other cities near, a lake beside it, poor terrain below it."""
        evaluation = self.evaluation
        terrain = sum(
            TERRAIN_VALUE[terrain] / distance(at, hex)
            for hex, terrain in evaluation.terrain.items()
            if hex not in evaluation.cities and 0 < distance(at, hex) <= 2
        )
        near = evaluation.neighbours_of(at)
        has_lake = any(evaluation.terrain[hex] == "lake" for hex in near)
        others = sum(distance(at, city) <= 3 for city in evaluation.cities)
        return terrain + 6 * has_lake - 4 * others - TERRAIN_VALUE[evaluation.terrain[at]]

    def recruits(self, recruits: Sequence[tuple[Hex, int]]) -> float:
        """The best goals, among those without a knight, for so many more knights on these hexes."""
        left = dict(recruits)
        assigned: set[int] = set()
        value = 0.0
        offers = [(*offer, at) for at in left for offer in self._prospects_of(at)]
        for goal_value, goal, at in sorted(offers, reverse=True):
            if left[at] and goal not in assigned:
                left[at] -= 1
                assigned.add(goal)
                value += goal_value
        return GOAL_REACHED * value

    def _prospects_of(self, at: Hex) -> list[tuple[float, int]]:
        """The values, to a knight on the hex, of the best goals without a knight; as many as can matter."""
        if at not in self._prospects:
            evaluation = self.evaluation
            goals = enumerate(evaluation.assignment[1])
            values = [(evaluation.goal_value(goal, at), number) for number, goal in goals]
            self._prospects[at] = nlargest(KNIGHTS, values)
        return self._prospects[at]

    def _approach(self, legs: Sequence[Leg]) -> float:
        """What the steps gain for the knights that gain most by them, in coming nearer to their goals."""
        if len(legs) == 1:
            return self._best_gain_of(legs[0])
        first, second = legs
        if first[0] != second[0]:
            return self._best_gain_of(first) + self._best_gain_of(second)
        if (first, second) not in self._gains_of_two:
            one, other = self.gains(first), self.gains(second)
            self._gains_of_two[first, second] = max(
                one[i] + other[j] for i, j in permutations(range(len(one)), 2)
            )
        return self._gains_of_two[first, second]

    def _best_gain_of(self, leg: Leg) -> float:
        """What a step gains for the knight that gains most by it."""
        if leg not in self._best_gains:
            self._best_gains[leg] = max(self.gains(leg))
        return self._best_gains[leg]

    def gains(self, leg: Leg) -> list[float]:
        """What a step or a path gains for each of the knights on the hex where it starts."""
        if leg not in self._gains:
            start, end = leg
            evaluation = self.evaluation
            goals = evaluation.assignment[0][start]
            idle = evaluation.knights[start] - len(goals)
            value = evaluation.goal_value
            gains = [GOAL_REACHED * (value(goal, end) - value(goal, start)) for goal in goals]
            self._gains[leg] = gains + [0.0] * idle
        return self._gains[leg]

    def destruction(self, legs: Sequence[Leg], takes: Sequence[Resource]) -> float:
        """The pawns that the steps destroy, twice as much where these threaten a village, and the tokens."""
        evaluation = self.evaluation
        if not takes and evaluation.contested.isdisjoint([end for _, end in legs]):
            return 0.0
        value = float(sum(TOKEN_VALUE[kind] for kind in takes))
        moved: dict[Hex, int] = {}
        for start, end in legs:
            has_village = evaluation.has_opposing_village(end)
            if end in evaluation.opposing_knights or has_village:
                defends = evaluation.has_own("village", end)
                if defends or evaluation.knights.get(end, 0) + moved.get(end, 0):
                    knights = evaluation.opposing_knights.get(end, 0)
                    value += KNIGHT_DESTROYED * knights * (1 + defends)
                    value += VILLAGE_DESTROYED * has_village
            moved[start] = moved.get(start, 0) - 1
            moved[end] = moved.get(end, 0) + 1
        return value

    def _building(self, at: Hex, building: Building) -> float:
        """The value of the site, less what has already counted for the knight that it takes."""
        evaluation = self.evaluation
        is_for_a_city = evaluation.wants_city_sites and evaluation.is_city_site(at)
        suits = (building == "village") == is_for_a_city
        return evaluation.site_value(at) - self.replaced_knight(at) + PREFERENCE * suits

    def replaced_knight(self, at: Hex) -> float:
        """What has already counted for the knight that an action takes off the hex."""
        evaluation = self.evaluation
        goals = evaluation.assignment[0][at]
        values = [evaluation.goal_value(goal, at) for goal in goals if goal[0] == at] or [
            *(evaluation.goal_value(goal, at) for goal in goals),
            *(0.0 for _ in range(evaluation.knights[at] - len(goals))),
        ]
        return GOAL_REACHED * min(values)

    def _title(self, discard: tuple[int, int, int, int]) -> float:
        """The cheapest payment; but 0 for a last title that would end the game with a rival ahead."""
        evaluation = self.evaluation
        players = evaluation.position["players"]
        rivals = [player for player in players if player["seat"] != evaluation.seat]
        points = sum(count * value for count, value in zip(discard, VICTORY_POINTS, strict=True))
        becomes_duke = evaluation.player["rank"] == RANKS[-2]
        best = max(self.final_score(rival) for rival in rivals if rival["status"] == "active")
        if becomes_duke and self.final_score(evaluation.player) + 15 - points < best:
            return 0.0
        return TITLE - worth(discard) - PREFERENCE * points

    def final_score(self, player: PlayerJson) -> int:
        """BY-END-3: the final score of a player if the game ended now."""
        tokens = player["resources"]
        points = zip(RESOURCES, VICTORY_POINTS, strict=True)
        return player["score"] + sum(tokens[kind] * value for kind, value in points)


MARGIN: Final = 12.0
"""A lead that decides most games: somewhat less than a title."""
HORIZON: Final = 30
"""Turns of a playout: half of a game of two, so that there is time for twice as many playouts."""


def draw_nothing(state: State, seat: int, chance: Chance) -> None:
    """Nothing is unknown in Barony."""


def expected_score(state: State, seat: int) -> float:
    """BY-END-3: the final score of a seat; in play, its tokens count by what they pay for a title."""
    if state.is_out[seat]:
        return -inf
    if state.to_act is None:
        return final_score(state, seat)
    return state.score[seat] + worth(state.resources[seat])


def _expected_scores(state: State, viewer: int) -> list[float]:
    return [expected_score(state, seat) for seat in range(state.seats)]


MODEL: Final[SearchModel[State, Action, BaronyPosition]] = SearchModel(
    read_position=from_position,
    draw_unknown=draw_nothing,
    score_actions=score_actions,
    expected_scores=_expected_scores,
    margin=MARGIN,
    horizon=HORIZON,
    prior_weight=0.0,
    legal_actions=legal_actions,
    decide=decide,
    apply=apply,
    copy=State.copy,
    position=position,
)

BEGINNERS_ERROR: Final = 24.0
CASUAL_ERROR: Final = 9.0
"""By how much weaker bots are wrong about an action, at most, in the unit of `score_actions`."""

BOTS: Final[Mapping[str, Bot[Action, BaronyPosition]]] = {
    "beginner": UncertainBot(score_actions, BEGINNERS_ERROR),
    "casual": UncertainBot(score_actions, CASUAL_ERROR),
    "sensible": sensible,
    "strong": SearchBot(MODEL),
}

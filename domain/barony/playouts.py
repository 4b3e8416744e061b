"""Quick playouts of Barony: an action is chosen from the state, without a list of all of them.

The choice has the plan of the sensible bot (`domain.barony.bots`), and the same values for what it wants. But
instead of scoring every action, it looks for the best one of each type: knights are assigned to goals once,
and the best moves are the steps of the two knights that gain most by them. Distances are those on the board
without pawns, which are computed once for each board.

All values are integers, in units of 1/100,000 of a resource point (`POINT`).
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Final, Generic, TypeAlias

from domain.barony.actions import (
    Action,
    Build,
    Expedition,
    Move,
    NewCity,
    NobleTitle,
    Recruit,
    Site,
)
from domain.barony.board import Board
from domain.barony.bots import sensible
from domain.barony.components import (
    CITY,
    DUKE,
    FOREST,
    LAKE,
    MYSTERIOUS_PLACE,
    RESOURCE_POINTS,
    RESOURCES,
    TITLE_PRICE,
    VICTORY_POINTS,
    VILLAGE,
    Resource,
)
from domain.barony.decide import legal_actions
from domain.barony.movement import barrier, opposing_pawns
from domain.barony.recruitment import recruits_at
from domain.barony.state import State, StateT, position
from domain.barony.titles import has_needless_token, worth
from domain.barony.turn_order import final_score
from domain.chance import Chance
from domain.playouts import PlayoutModel

POINT: Final = 100_000
REACHED: Final = (7500, 5250, 3675, 2573, 1801)
"""What a tenth of a point of a goal is worth to a knight, by the number of steps to the goal: three quarters
of it, less three tenths for each step.
"""
REACH: Final = len(REACHED) - 1
"""The greatest number of steps to a goal."""
FAR: Final = REACH + 1
TOKEN_TENTHS: Final = (*(10 * points for points in RESOURCE_POINTS), 0, 0)
"""The value of a building that gains a token, by terrain, in tenths of a point."""
CITY_SITE_TENTHS: Final = 40
SHARE_OF_VILLAGE_PERCENT: Final = 45
KNIGHT_DESTROYED: Final = 3 * POINT // 2
VILLAGE_DESTROYED: Final = POINT
KNIGHT_REMOVED: Final = 4 * POINT
PREFERENCE: Final = POINT // 10
NEW_CITY: Final = 60 * POINT
TITLE: Final = 85 * POINT


class Ways:
    """The distances on a board, and its hexes by what they are good for."""

    def __init__(self, board: Board) -> None:
        size = len(board.hexes)
        terrain, near = board.terrain, board.neighbours
        self.steps: list[bytes] = []
        """By two hexes, the number of steps from one to the other, around lakes; FAR beyond `REACH`."""
        for start in range(size):
            steps = bytearray([FAR]) * size
            steps[start] = 0
            border = [] if terrain[start] == LAKE else [start]
            for step in range(1, REACH + 1):
                reached = []
                for at in border:
                    for hex in near[at]:
                        if steps[hex] == FAR and terrain[hex] != LAKE:
                            steps[hex] = step
                            reached.append(hex)
                border = reached
            self.steps.append(bytes(steps))
        self.land = [hex for hex in range(size) if terrain[hex] < LAKE]
        self.places = [hex for hex in range(size) if terrain[hex] == MYSTERIOUS_PLACE]
        self.edge = [hex for hex in range(size) if board.edge[hex] and terrain[hex] != LAKE]


@lru_cache(maxsize=16)
def ways_of(board: Board) -> Ways:
    """The ways of a board, which are computed once."""
    return Ways(board)


@lru_cache(maxsize=4096)
def cheapest_payment(tokens: tuple[int, ...]) -> tuple[int, int, int, int]:
    """BY-TTL-1, 3: the payment for a title that wastes least, and then costs the fewest victory points."""
    most = (TITLE_PRICE - 1) // min(RESOURCE_POINTS) + 1
    payments = [
        (mountain, forest, plain, field)
        for mountain, forest, plain, field in product(
            *(range(min(count, most) + 1) for count in tokens)
        )
        if worth((mountain, forest, plain, field)) >= TITLE_PRICE
        and not has_needless_token((mountain, forest, plain, field))
    ]
    return min(payments, key=lambda payment: (worth(payment), points_of(payment), payment))


def points_of(tokens: Sequence[int]) -> int:
    """BY-END-3: the victory points of tokens, counted by kind."""
    mountain, forest, plain, field = tokens
    return (
        mountain * VICTORY_POINTS[0]
        + forest * VICTORY_POINTS[1]
        + plain * VICTORY_POINTS[2]
        + field * VICTORY_POINTS[3]
    )


Step: TypeAlias = tuple[int, int, int]
"""What a step gains, and the hexes where it starts and ends."""


class Plan(Generic[StateT]):
    """What a seat could do in its turn: its goals, the knights assigned to them, the best actions."""

    def __init__(self, state: StateT, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.ways = ways_of(state.board)
        self.knights = state.knights[seat]
        self.starts = [hex for hex, count in enumerate(self.knights) if count]
        self.occupied = state.occupied(seat)
        building, owner = state.building, state.owner
        self.barred: set[int] = set()
        """The hexes with pawns, of any seat, that a knight cannot enter."""
        self.contested: list[int] = []
        """The hexes with an opposing knight or village that a knight can enter."""
        self.villages: list[int] = []
        """The opposing villages that a knight can reach."""
        self.near_cities: set[int] = set()
        """The hexes adjacent to a city of any seat, and those of the cities."""
        near = state.board.neighbours
        for hex, is_occupied in enumerate(self.occupied):
            if not is_occupied:
                continue
            if building[hex] == CITY:
                self.near_cities.add(hex)
                self.near_cities.update(near[hex])
            if barrier(state, seat, hex):
                self.barred.add(hex)
            elif building[hex] and owner[hex] != seat:
                self.contested.append(hex)
                self.villages.append(hex)
            elif any(knights[hex] for other, knights in enumerate(state.knights) if other != seat):
                self.contested.append(hex)
        self.own_villages = state.built(seat, VILLAGE)
        self.values = self.site_values()
        self.assigned: list[tuple[int, int, int]] = []
        """The value of a goal, its hex and that of the knight assigned to it."""
        self.unassigned: list[tuple[int, int]] = []
        """The goals without a knight: the value in tenths of a point, and the hex."""
        self.idle = dict.fromkeys(self.starts, 0)
        self._assign()

    def is_city_site(self, hex: int) -> bool:
        """BY-CTY-2, 3: whether a village on the hex could become a city."""
        return hex not in self.near_cities and self.state.board.terrain[hex] != FOREST

    def site_values(self) -> dict[int, int]:
        """The value of a building on each hex where there can be one, in tenths of a point."""
        state, seat, occupied = self.state, self.seat, self.occupied
        if not (state.reserve_villages[seat] or state.reserve_strongholds[seat]):
            return {}
        terrain, bank, near_cities = state.board.terrain, state.bank, self.near_cities
        tokens = [value if bank[kind] else 0 for kind, value in enumerate(TOKEN_TENTHS[:LAKE])]
        sites = sum(self.is_city_site(hex) for hex in self.own_villages)
        bonus = CITY_SITE_TENTHS if sites < state.reserve_cities[seat] else 0
        return {
            hex: tokens[kind] + (bonus if hex not in near_cities and kind != FOREST else 0)
            for hex in self.ways.land
            if not occupied[hex]
            for kind in [terrain[hex]]
        }

    def village_value(self, hex: int) -> int:
        """What the destruction of an opposing village gains, in tenths of a point."""
        tokens = self.state.resources[self.state.owner[hex]]
        return 10 + max((TOKEN_TENTHS[kind] for kind in range(LAKE) if tokens[kind]), default=0)

    def goals(self) -> list[tuple[int, int]]:
        """The goals of knights: the value of each, in tenths of a point, and its hex."""
        goals = [(value, hex) for hex, value in self.values.items() if value]
        for hex in self.villages:
            value = self.village_value(hex) * SHARE_OF_VILLAGE_PERCENT // 100
            goals += [(value, hex)] * 2
        return goals

    def _assign(self) -> None:
        """Assign goals to knights, the pairs of greatest value first."""
        goals, knights, steps = self.goals(), self.knights, self.ways.steps
        pairs = [
            (value * REACHED[distance], number, start)
            for start in self.starts
            for from_start in [steps[start]]
            for number, (value, hex) in enumerate(goals)
            if (distance := from_start[hex]) < FAR
        ]
        pairs.sort(reverse=True)
        left = {start: knights[start] for start in self.starts}
        knights_left = sum(left.values())
        taken = set()
        for value, number, start in pairs:
            if left[start] and number not in taken:
                left[start] -= 1
                taken.add(number)
                self.assigned.append((value, goals[number][1], start))
                knights_left -= 1
                if not knights_left:
                    break
        self.idle = left
        self.unassigned = [goal for number, goal in enumerate(goals) if number not in taken]

    def best_title(self) -> NobleTitle | None:
        """The cheapest title, unless the seat would end the game with it and not win."""
        state, seat = self.state, self.seat
        tokens = state.resources[seat]
        if state.rank[seat] == DUKE or worth(tokens) < TITLE_PRICE:
            return None
        payment = cheapest_payment(tokens)
        if state.rank[seat] == DUKE - 1:
            own = self.final_score(seat) + 15 - points_of(payment)
            if any(self.final_score(other) > own for other in state.in_game() if other != seat):
                return None
        return NobleTitle(payment)

    def final_score(self, seat: int) -> int:
        """The final score of a seat if the game ended now."""
        return final_score(self.state, seat)

    def new_cities(self) -> list[int]:
        """BY-CTY: the own villages that can become cities."""
        state, seat = self.state, self.seat
        if not state.reserve_cities[seat]:
            return []
        return [
            hex
            for hex in self.own_villages
            if self.is_city_site(hex) and hex not in self.contested and hex not in self.barred
        ]

    def best_build(self) -> tuple[int, Build | None]:
        """The sites whose buildings are worth more than what their knights have gained for them."""
        state, seat, values, hexes = self.state, self.seat, self.values, self.state.board.hexes
        sites = []
        for hex in self.starts:
            if values.get(hex):
                here = [value for value, goal, start in self.assigned if start == goal == hex]
                if not here:
                    here = [value for value, _, start in self.assigned if start == hex]
                    here += [0] * (self.idle[hex] > 0)
                gain = values[hex] * 10_000 - min(here)
                if gain > 0:
                    sites.append((gain, hex))
        villages, strongholds = state.reserve_villages[seat], state.reserve_strongholds[seat]
        cities = state.reserve_cities[seat] - sum(
            self.is_city_site(hex) for hex in self.own_villages
        )
        total = 0
        builds: list[Site] = []
        for gain, hex in sorted(sites, reverse=True):
            is_for_a_city = cities > 0 and self.is_city_site(hex)
            if villages and (is_for_a_city or not strongholds):
                villages -= 1
                builds.append((hexes[hex], "village"))
            elif strongholds:
                strongholds -= 1
                builds.append((hexes[hex], "stronghold"))
            else:
                break
            total += gain + PREFERENCE
        return total, Build(tuple(sorted(builds))) if builds else None

    def prospects(self, hex: int, knights: int) -> list[int]:
        """What the best goals without a knight are worth to so many knights on the hex."""
        steps = self.ways.steps[hex]
        values = [
            value * REACHED[distance]
            for value, goal in self.unassigned
            if (distance := steps[goal]) < FAR
        ]
        values.sort(reverse=True)
        return values[:knights]

    def best_recruit(self) -> tuple[int, Recruit | None]:
        """The city and the number of knights with the best prospects."""
        state, seat = self.state, self.seat
        reserve, best, recruit = state.reserve_knights[seat], 0, None
        if not reserve:
            return 0, None
        for hex in state.built(seat, CITY):
            values = self.prospects(hex, min(reserve, recruits_at(state, hex)))
            if (value := sum(values)) > best:
                best, recruit = value, Recruit(state.board.hexes[hex], len(values))
        return best, recruit

    def best_expedition(self) -> tuple[int, Expedition | None]:
        """The richest free hex of the edge."""
        state, seat = self.state, self.seat
        if state.reserve_knights[seat] < 2:
            return 0, None
        own, occupied = self.knights, self.occupied
        value, hex = max(
            (
                (self.expedition_value(hex), hex)
                for hex in self.ways.edge
                if not occupied[hex] and not own[hex]
            ),
            default=(0, 0),
        )
        value -= KNIGHT_REMOVED
        return (value, Expedition(state.board.hexes[hex])) if value > 0 else (0, None)

    def expedition_value(self, hex: int) -> int:
        """What a knight is worth that comes to the hex."""
        return self.values.get(hex, 0) * REACHED[0]

    def best_move(self) -> tuple[int, Move | None]:
        """The two steps that gain most, or the best attack."""
        steps = self.approaches()
        legs = steps[:2]
        takes: tuple[Resource, ...] = ()
        best = sum(gain for gain, _, _ in legs)
        for value, attack, token in self.attacks():
            total = value
            if len(attack) == 1:
                # Another knight goes on, but not one that the attack needs where it is.
                attacker, end = attack[0]
                for step in steps:
                    gain, start, goal = step
                    spare = self.knights[start] - (start == attacker)
                    if spare > 0 and start != end and goal not in (end, attacker):
                        if total + gain > best:
                            best, takes = total + gain, token
                            legs = [(0, attacker, end), step]
                        break
            if total > best:
                best, takes = total, token
                legs = [(0, *leg) for leg in attack]
        if not legs or best <= 0:
            return 0, None
        hexes = self.state.board.hexes
        return best, Move(tuple((hexes[start], hexes[end]) for _, start, end in legs), takes)

    def approaches(self) -> list[Step]:
        """For each knight with a goal elsewhere, the step towards it; those that gain most come first."""
        near, steps = self.state.board.neighbours, self.ways.steps
        building, owner, seat = self.state.building, self.state.owner, self.seat
        barred, contested = self.barred, self.contested
        found, entered = [], set()
        for value, goal, start in self.assigned:
            distance = steps[start][goal]
            if not distance:
                continue
            gain = self.gain_of_steps(value, goal, distance, distance - 1)
            for hex in near[start]:
                if steps[hex][goal] == distance - 1 and hex not in barred:
                    if hex in contested:
                        # With a pawn of its own there, it would be an attack.
                        if self.knights[hex] or hex in entered:
                            continue
                        if building[hex] == VILLAGE and owner[hex] == seat:
                            continue
                        entered.add(hex)
                    found.append((gain, start, hex))
                    break
        found.sort(reverse=True)
        return found

    def gain_of_steps(self, value: int, goal: int, distance: int, left: int) -> int:  # noqa: ARG002 # Sorcery looks at the goal
        """What a knight gains that comes nearer to a goal of this value to it, from `distance` to `left`."""
        return value * REACHED[left] // REACHED[distance] - value

    def attacks(self) -> list[tuple[int, list[tuple[int, int]], tuple[Resource, ...]]]:
        """The attacks on opposing pawns: what each gains, its steps, and the tokens that it takes."""
        state, seat, knights = self.state, self.seat, self.knights
        near, attacks = state.board.neighbours, []
        for hex in self.contested:
            attackers = [start for start in near[hex] if knights[start]]
            if not attackers:
                continue
            defends = state.building[hex] == VILLAGE and state.owner[hex] == seat
            if not (defends or knights[hex]):
                attackers = [start for start in attackers for _ in range(min(2, knights[start]))]
                if len(attackers) < 2:
                    continue
                attack = [(start, hex) for start in self._idlest(attackers)[:2]]
            else:
                attack = [(self._idlest(attackers)[0], hex)]
            value = 0
            takes: tuple[Resource, ...] = ()
            for owner, kind in opposing_pawns(state, seat, hex):
                if kind == "knight":
                    value += KNIGHT_DESTROYED * (1 + defends)
                    continue
                value += VILLAGE_DESTROYED
                tokens = state.resources[owner]
                for token in reversed(range(LAKE)):
                    if tokens[token]:
                        takes = (RESOURCES[token],)
                        value += TOKEN_TENTHS[token] * (POINT // 10)
                        break
            attacks.append((value, attack, takes))
        return attacks

    def _idlest(self, starts: list[int]) -> list[int]:
        """The hexes of knights, those first whose knights have no goal."""
        return sorted(starts, key=lambda start: (not self.idle[start], start))


def best_action(plan: Plan[StateT], chance: Chance) -> tuple[int, Action | None]:
    """The best action of a plan, with what it gains; None if nothing gains anything."""
    title = plan.best_title()
    if title is not None:
        return TITLE, title
    cities, hexes = plan.new_cities(), plan.state.board.hexes
    if cities:
        return NEW_CITY, NewCity(hexes[cities[chance.below(len(cities))]])
    best: tuple[int, Action | None] = (0, None)
    for found in (plan.best_build(), plan.best_move(), plan.best_recruit(), plan.best_expedition()):
        if found[0] > best[0]:
            best = found
    return best


def choose(state: State, seat: int, chance: Chance) -> Action:
    """The action that a playout goes on with."""
    if state.phase == "setup":
        return sensible(position(state, seat), legal_actions(state, seat), seat, chance)
    _, action = best_action(Plan(state, seat), chance)
    if action is not None:
        return action
    actions = legal_actions(state, seat)
    return actions[chance.below(len(actions))]


def draw_nothing(state: State, seat: int | None, chance: Chance) -> None:
    """Nothing is unknown in Barony."""


PLAYOUTS: Final[PlayoutModel[State, Action] | None] = PlayoutModel(
    version=1, choose=choose, draw_unknown=draw_nothing
)

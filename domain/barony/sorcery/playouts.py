"""Quick playouts with Sorcery: those of the base game, with mysterious places and the casts that pay most."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from typing_extensions import override

from domain.barony import playouts as base
from domain.barony.actions import Action, Cast
from domain.barony.components import DUKE, LAKE, RESOURCES, TITLE_PRICE, Spell
from domain.barony.sorcery.bots import sensible
from domain.barony.sorcery.components import cost_of
from domain.barony.sorcery.construction import legal_constructions
from domain.barony.sorcery.decide import affordable_sets, legal_actions
from domain.barony.sorcery.movement import isolated_pawns
from domain.barony.sorcery.places import magic_of_arrival
from domain.barony.sorcery.recruitment import legal_recruitments
from domain.barony.sorcery.state import SorceryState, imprint_points, position
from domain.barony.titles import worth
from domain.chance import Chance
from domain.playouts import PlayoutModel

POINT: Final = base.POINT
TENTH: Final = POINT // 10
IMPRINT_TENTHS: Final = 75
CITY_FOR_A_KNIGHT: Final = 8 * POINT


class SorceryPlan(base.Plan[SorceryState]):
    """What a seat could do in its turn with Sorcery."""

    @cached_property
    def ends_soon(self) -> bool:
        """Whether this may be the last round, in which magic has no value."""
        state = self.state
        return state.round == state.round_limit or any(
            rank == DUKE or (rank == DUKE - 1 and worth(state.resources[seat]) >= TITLE_PRICE)
            for seat, rank in enumerate(state.rank)
            if not state.is_out[seat]
        )

    @cached_property
    def unexplored(self) -> dict[int, int]:
        """The mysterious places where an arrival places an imprint, each with its value in tenths."""
        magic = 0 if self.ends_soon else 10
        return {
            hex: IMPRINT_TENTHS + magic * gained
            for hex in self.ways.places
            if (gained := magic_of_arrival(self.state, self.seat, hex))
        }

    @override
    def goals(self) -> list[tuple[int, int]]:
        """The goals of the base game, and mysterious places."""
        places = [(value, hex) for hex, value in self.unexplored.items() if hex not in self.barred]
        return super().goals() + places

    @override
    def final_score(self, seat: int) -> int:
        """The final score of a seat if the game ended now."""
        return super().final_score(seat) + imprint_points(self.state, seat)

    @override
    def expedition_value(self, hex: int) -> int:
        """What a knight is worth that comes to the hex, or what it explores."""
        if hex in self.unexplored:
            return self.unexplored[hex] * TENTH
        return super().expedition_value(hex)

    @override
    def gain_of_steps(self, value: int, goal: int, distance: int, left: int) -> int:
        """As in the base game; a place counts in full for a knight that arrives."""
        if not left and goal in self.unexplored:
            return self.unexplored[goal] * TENTH - value
        return super().gain_of_steps(value, goal, distance, left)

    def best_cast(self) -> tuple[int, Cast | None]:
        """The cast that gains most beyond the value of its magic."""
        state, seat = self.state, self.seat
        magic = state.magic[seat]
        if not magic:
            return 0, None
        price = 0 if self.ends_soon else POINT
        best: tuple[int, Cast | None] = (0, None)
        for family, find in (
            ("construction", self._constructions),
            ("recruitment", self._recruitments),
            ("movement", self._movements),
        ):
            sets = affordable_sets(family, state.spells, magic)
            if sets:
                for value, cast in find(sets):
                    gain = value - price * cost_of(cast.spells)
                    if gain > best[0]:
                        best = gain, cast
        return best

    def _constructions(self, sets: Sequence[tuple[Spell, ...]]) -> Iterator[tuple[int, Cast]]:
        """Cities by spells, with their tokens; by Sanctuary in place of a knight."""
        state, index = self.state, self.state.board.index
        for cast in legal_constructions(state, self.seat, sets):
            assert cast.at is not None
            hex = index[cast.at]
            kind = state.board.terrain[hex]
            token = 0
            if "abundance" in cast.spells and kind < LAKE and state.bank[kind]:
                token = base.TOKEN_TENTHS[kind] * TENTH
            if "sanctuary" not in cast.spells:
                yield base.NEW_CITY + token, cast
                continue
            values = [value for value, _, start in self.assigned if start == hex]
            city = base.NEW_CITY if self.ends_soon else CITY_FOR_A_KNIGHT
            yield city + token - min(values + [0] * (self.idle[hex] > 0)), cast

    def _recruitments(self, sets: Sequence[tuple[Spell, ...]]) -> Iterator[tuple[int, Cast]]:
        """Knights on several sites, or on strongholds."""
        if not self.unassigned:
            return
        state, index = self.state, self.state.board.index
        removed = state.removed_knights[self.seat]
        sites: dict[object, int] = {}
        for cast in legal_recruitments(state, self.seat, sets):
            value = 0
            for at, knights in cast.recruits:
                key = (at, knights)
                if key not in sites:
                    sites[key] = sum(self.prospects(index[at], knights))
                value += sites[key]
            if "portal" in cast.spells and removed:
                number = sum(knights for _, knights in cast.recruits)
                value += base.KNIGHT_REMOVED * min(number, removed)
            yield value, cast

    def _movements(self, sets: Sequence[tuple[Spell, ...]]) -> Iterator[tuple[int, Cast]]:
        """Two steps towards a goal, and a step by which a knight alone destroys isolated pawns."""
        if ("celerity",) in sets:
            yield from self._two_steps()
        if ("tornado",) in sets:
            yield from self._tornados()

    def _two_steps(self) -> Iterator[tuple[int, Cast]]:
        state, steps = self.state, self.ways.steps
        near, hexes = state.board.neighbours, state.board.hexes
        closed = self.barred.union(self.contested)
        for value, goal, start in self.assigned:
            distance = steps[start][goal]
            if distance < 2:
                continue
            gain = self.gain_of_steps(value, goal, distance, distance - 2)
            path = next(
                (
                    (start, middle, end)
                    for middle in near[start]
                    if steps[middle][goal] == distance - 1 and middle not in closed
                    for end in near[middle]
                    if steps[end][goal] == distance - 2 and end not in closed
                ),
                None,
            )
            if path is not None:
                yield gain, Cast(("celerity",), tuple(hexes[hex] for hex in path))

    def _tornados(self) -> Iterator[tuple[int, Cast]]:
        state, seat, near = self.state, self.seat, self.state.board.neighbours
        hexes = state.board.hexes
        for end in self.contested:
            if self.knights[end] or end in self.own_villages:
                continue
            start = next(
                (
                    start
                    for start in near[end]
                    if self.knights[start] and start not in self.contested
                ),
                None,
            )
            pawns = isolated_pawns(state, seat, end)
            if start is None or not pawns:
                continue
            value, takes = 0, []
            for owner, kind in pawns:
                if kind == "knight":
                    value += base.KNIGHT_DESTROYED
                    continue
                value += base.VILLAGE_DESTROYED
                tokens = state.resources[owner]
                for token in reversed(range(LAKE)):
                    if tokens[token]:
                        takes.append(RESOURCES[token])
                        value += base.TOKEN_TENTHS[token] * TENTH
                        break
            yield value, Cast(("tornado",), (hexes[start], hexes[end]), tuple(takes))


def choose(state: SorceryState, seat: int, chance: Chance) -> Action:
    """The action that a playout goes on with."""
    if state.phase == "setup":
        return sensible(position(state, seat), legal_actions(state, seat), seat, chance)
    plan = SorceryPlan(state, seat)
    value, action = base.best_action(plan, chance)
    gain, cast = plan.best_cast()
    if cast is not None and gain > value:
        return cast
    if action is not None:
        return action
    actions = legal_actions(state, seat)
    return actions[chance.below(len(actions))]


PLAYOUTS: Final[PlayoutModel[SorceryState, Action] | None] = PlayoutModel(
    version=1, choose=choose, draw_unknown=base.draw_nothing
)

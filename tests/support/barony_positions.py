"""States of Barony for tests: from text diagrams, from hypothesis and from random games."""

import random
import re
from collections.abc import Iterator
from itertools import product
from textwrap import dedent
from typing import Literal

from hypothesis import strategies as st

from domain import barony
from domain.barony import sorcery
from domain.barony.actions import (
    Action,
    Build,
    Expedition,
    Move,
    NewCity,
    NobleTitle,
    Pass,
    PlaceCity,
    Recruit,
)
from domain.barony.board import Board
from domain.barony.components import (
    BUILDINGS,
    CITY,
    LAKE,
    MOUNTAIN,
    RANKS,
    RESOURCES,
    STRONGHOLD,
    VILLAGE,
)
from domain.barony.formats import BaronyPosition
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import State, replaced
from domain.chance import Chance
from domain.contract import AnyRuleSystem, DomainEvent, evolve
from domain.hexes import Hex, hex_of, neighbours
from tests.support import barony_diagrams, sorcery_diagrams

SEVEN = ((0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1))
"""A hex and its neighbours: a board small enough to try every action."""


def given(text: str) -> State:
    """The state of a text diagram (tests/support/barony_diagrams.py); with Sorcery if it has `spells:`."""
    lines = dedent(text)
    if re.search("^spells:", lines, re.MULTILINE):
        return sorcery_diagrams.parse_diagram(lines)
    return barony_diagrams.parse_diagram(lines)


def diagram(state: State) -> str:
    """The text diagram of a state."""
    if isinstance(state, SorceryState):
        return sorcery_diagrams.diagram(state)
    return barony_diagrams.diagram(state)


@st.composite
def small_states(draw: st.DrawFn, seats: int = 3) -> State:
    """Positions of play on seven hexes that a game can reach, seat 0 to act."""
    terrain = {at: draw(st.integers(0, 4)) for at in SEVEN}
    state = State(Board(terrain), seats)
    state.phase, state.round, state.to_act = "play", 1, 0
    for hex, kind in enumerate(state.board.terrain):
        if kind != LAKE:
            _draw_pawns(draw, state, hex, is_mountain=kind == MOUNTAIN)
    for seat in range(seats):
        state.resources[seat] = tuple(draw(st.lists(st.integers(0, 2), min_size=4, max_size=4)))
    state.bank = draw(st.lists(st.integers(0, 2), min_size=4, max_size=4))
    state.rank = replaced(state.rank, 0, draw(st.integers(0, 4)))
    removed = draw(st.integers(0, max(0, state.reserve_knights[0])))
    state.removed_knights = replaced(state.removed_knights, 0, removed)
    state.reserve_knights[0] -= removed
    state.reserve_villages[0] = draw(st.integers(0, 2))
    state.reserve_strongholds[0] = draw(st.integers(0, 1))
    return state


def _draw_pawns(draw: st.DrawFn, state: State, hex: int, *, is_mountain: bool) -> None:
    """Put pawns on a hex: any pawns of one seat, or one knight or village of each of several seats."""
    present = draw(st.lists(st.sampled_from(range(state.seats)), unique=True, max_size=3))
    present = present[:1] if is_mountain else present
    for seat in present:
        if len(present) == 1:
            building = draw(st.sampled_from([0, 0, VILLAGE, STRONGHOLD, CITY]))
            knights = draw(st.integers(0 if building else 1, 2))
        else:
            can_build = not state.building[hex]
            building = draw(st.sampled_from([0, VILLAGE])) if can_build else 0
            knights = 0 if building else 1
        knights = min(knights, state.reserve_knights[seat])
        state.knights[seat][hex] = knights
        state.reserve_knights[seat] -= knights
        if building:
            state.building[hex], state.owner[hex] = building, seat
            state.reserve_villages[seat] -= building == VILLAGE
            state.reserve_strongholds[seat] -= building == STRONGHOLD
            state.reserve_cities[seat] -= building == CITY


def random_game(
    seats: int, seed: int, round_limit: int = 20, *, rules: AnyRuleSystem = barony
) -> Iterator[tuple[State, DomainEvent]]:
    """A game of random actions from the set-up to its end: the state before each event, and the event."""
    rng = random.Random(seed)
    chosen = {"round_limit": round_limit, "sorcery": rules is sorcery}
    options = rules.check_options(seats, chosen)
    opening = rules.set_up(seats, options, Chance(seed.to_bytes(4, "big")))
    state = rules.initial_state(seats, options, opening.data, {})
    while state.to_act is not None:
        by_type: dict[str, list[Action]] = {}
        for action in rules.legal_actions(state, state.to_act):
            by_type.setdefault(action.type, []).append(action)
        action = rng.choice(by_type[rng.choice(sorted(by_type))])
        event = rules.decide(state, state.to_act, action)
        yield state, event
        state = evolve(rules, state, [event])
    yield state, rules.finish(state)


def pawns_of(state: State, seat: int) -> dict[str, int]:
    """The number of pawns of a seat, on the board, in reserve and removed."""
    on_board, removed = sum(state.knights[seat]), state.removed_knights[seat]
    built = [b for b, o in zip(state.building, state.owner, strict=True) if b and o == seat]
    return {
        "knights": state.reserve_knights[seat] + removed + on_board,
        "villages": state.reserve_villages[seat] + built.count(VILLAGE),
        "strongholds": state.reserve_strongholds[seat] + built.count(STRONGHOLD),
        "cities": state.reserve_cities[seat] + built.count(CITY),
    }


def conceivable_actions(state: State) -> Iterator[Action]:
    """Every well-formed action that names hexes of this board, legal or not."""
    hexes = state.board.hexes
    for at in hexes:
        yield from (PlaceCity(at), NewCity(at), Expedition(at))
        yield from (Recruit(at, knights) for knights in range(1, 5))
    takes = [kinds for n in range(3) for kinds in product(RESOURCES, repeat=n)]
    steps = list(product(hexes, hexes))
    near = [(a, b) for a, b in steps if abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1]
    for kinds in takes:
        yield from (Move((step,), kinds) for step in steps)
        yield from (Move((first, second), kinds) for first, second in product(near, near))
    buildings: tuple[Literal["village", "stronghold"] | None, ...] = (None, "village", "stronghold")
    for choice in product(buildings, repeat=len(hexes)):
        builds = tuple((at, name) for at, name in zip(hexes, choice, strict=True) if name)
        if builds:
            yield Build(builds)
    yield from (
        NobleTitle((m, f, p, d)) for m, f, p, d in product(range(4), repeat=4) if m or f or p or d
    )
    yield Pass()


def from_position(position: BaronyPosition, turn: int = 1) -> State:
    """The state of a position of the base game; positions do not contain `turn`."""
    state = State(Board.from_json(position["board"]), len(position["players"]))
    write_position(state, position, turn)
    return state


def write_position(state: State, position: BaronyPosition, turn: int) -> None:
    """Write a position into a new state, without what Sorcery adds."""
    board, players = state.board, position["players"]
    state.phase, state.round, state.to_act = (
        position["phase"],
        position["round"],
        position["to_act"],
    )
    state.turn, state.round_limit = turn, position["round_limit"]
    state.end_agreed_by = tuple(position["end_agreed_by"])
    state.passed = tuple(position["passed"])
    for pawns in position["pawns"]:
        hex, seat = board.index[hex_of(pawns["at"])], pawns["seat"]
        state.knights[seat][hex] = pawns["knights"]
        if pawns["building"]:
            state.building[hex], state.owner[hex] = BUILDINGS.index(pawns["building"]), seat
    reserves = [player["reserve"] for player in players]
    state.reserve_knights = [reserve["knights"] for reserve in reserves]
    state.reserve_villages = [reserve["villages"] for reserve in reserves]
    state.reserve_strongholds = [reserve["strongholds"] for reserve in reserves]
    state.reserve_cities = [reserve["cities"] for reserve in reserves]
    state.removed_knights = tuple(player["removed_knights"] for player in players)
    state.resources = [tuple(player["resources"][kind] for kind in RESOURCES) for player in players]
    state.rank = tuple(RANKS.index(player["rank"]) for player in players)
    state.new_cities = tuple(player["new_cities"] for player in players)
    state.score = tuple(player["score"] for player in players)
    state.is_out = tuple(player["status"] == "out" for player in players)
    state.bank = [position["bank"][kind] for kind in RESOURCES]
    state.ranking = tuple(position.get("ranking", ()))


def connected_hexes(start: Hex, among: set[Hex]) -> set[Hex]:
    """The hexes of the set that a path within the set connects with `start`, which is one of them."""
    connected, border = {start}, [start]
    while border:
        near = {*neighbours(border.pop())} & among - connected
        connected |= near
        border += near
    return connected

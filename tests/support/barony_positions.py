"""Positions of Barony for tests: drawn as text, made by hypothesis, or met while playing at random."""

import random
import re
from collections.abc import Iterator
from textwrap import dedent

from hypothesis import strategies as st

from domain import barony
from domain.barony import sorcery
from domain.barony.actions import Action
from domain.barony.board import Board
from domain.barony.drawing import drawing as barony_drawing
from domain.barony.drawing import parse_drawing
from domain.barony.material import CITY, LAKE, MOUNTAIN, STRONGHOLD, VILLAGE
from domain.barony.sorcery.drawing import drawing as sorcery_drawing
from domain.barony.sorcery.drawing import parse_drawing as parse_sorcery_drawing
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import State
from domain.chance import Chance
from domain.contract import Fact, Rules, evolve

SEVEN = ((0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1))
"""A hex and its neighbours: small enough to try everything."""


def given(text: str) -> State:
    """The state that a drawing shows (domain/barony/drawing.py); with Sorcery if it has `spells:`."""
    whole = dedent(text)
    if re.search("^spells:", whole, re.MULTILINE):
        return parse_sorcery_drawing(whole)
    return parse_drawing(whole)


def drawing(state: State) -> str:
    """The other way."""
    if isinstance(state, SorceryState):
        return sorcery_drawing(state)
    return barony_drawing(state)


@st.composite
def small_states(draw: st.DrawFn, seats: int = 3) -> State:
    """Any position of play on seven hexes that pawns could have come to, seat 0 to act."""
    terrain = {at: draw(st.integers(0, 4)) for at in SEVEN}
    state = State(Board(terrain), seats)
    state.phase, state.round, state.to_act = "play", 1, 0
    for hex, ground in enumerate(state.board.terrain):
        if ground != LAKE:
            _draw_pawns(draw, state, hex, is_mountain=ground == MOUNTAIN)
    for player in state.players:
        player.resources = draw(st.lists(st.integers(0, 2), min_size=4, max_size=4))
    state.bank = draw(st.lists(st.integers(0, 2), min_size=4, max_size=4))
    mover = state.players[0]
    mover.rank = draw(st.integers(0, 4))
    mover.removed_knights = draw(st.integers(0, max(0, mover.knights)))
    mover.knights -= mover.removed_knights
    mover.villages = draw(st.integers(0, 2))
    mover.strongholds = draw(st.integers(0, 1))
    return state


def _draw_pawns(draw: st.DrawFn, state: State, hex: int, *, is_mountain: bool) -> None:
    """Alone a seat may have anything on a hex; with others it has one knight or village at most."""
    present = draw(st.lists(st.sampled_from(range(len(state.players))), unique=True, max_size=3))
    present = present[:1] if is_mountain else present
    for seat in present:
        player = state.players[seat]
        if len(present) == 1:
            building = draw(st.sampled_from([0, 0, VILLAGE, STRONGHOLD, CITY]))
            knights = draw(st.integers(0 if building else 1, 2))
        else:
            can_build = not state.building[hex]
            building = draw(st.sampled_from([0, VILLAGE])) if can_build else 0
            knights = 0 if building else 1
        knights = min(knights, player.knights)
        state.knights[seat][hex] = knights
        player.knights -= knights
        if building:
            state.building[hex], state.owner[hex] = building, seat
            player.villages -= building == VILLAGE
            player.strongholds -= building == STRONGHOLD
            player.cities -= building == CITY


def random_game(
    seats: int, seed: int, round_limit: int = 20, *, rules: Rules = barony
) -> Iterator[tuple[State, Fact]]:
    """A game of random actions from the set-up to its end: each fact with the state before it."""
    chooser = random.Random(seed)
    chosen = {"round_limit": round_limit, "sorcery": rules is sorcery}
    options = rules.check_options(seats, chosen)
    opening = rules.set_up(seats, options, Chance(seed.to_bytes(4, "big")))
    state = rules.begin(seats, options, opening.data, {})
    while state.to_act is not None:
        by_type: dict[str, list[Action]] = {}
        for action in rules.legal_actions(state, state.to_act):
            by_type.setdefault(action.type, []).append(action)
        action = chooser.choice(by_type[chooser.choice(sorted(by_type))])
        fact = rules.decide(state, state.to_act, action)
        yield state, fact
        state = evolve(rules, state, [fact])
    yield state, rules.finish(state)

"""What holds in every position with Sorcery: what is conserved, what reads back, and that the casts that
are listed have exactly the outcomes that `decide` accepts, each once.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations, product

import pytest
from hypothesis import given as property_of
from hypothesis import settings
from hypothesis import strategies as st

from domain.barony import sorcery
from domain.barony.material import CITY, LAKE, MYSTERIOUS_PLACE, RESOURCES, STRONGHOLD, VILLAGE
from domain.barony.sorcery.actions import Cast
from domain.barony.sorcery.drawing import drawing, parse_drawing
from domain.barony.sorcery.material import CONSTRUCTION, FAMILY, MOVEMENT, SPELLS
from domain.barony.sorcery.position import from_position
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.contract import evolve
from domain.errors import Refused
from tests.support.barony_positions import SEVEN, random_game

GAMES = [(seats, seed) for seats in (2, 3, 4, 5) for seed in range(2)]


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_tokens_magic_and_imprints_are_conserved(seats: int, seed: int) -> None:
    paid = Counter[int]()
    casts = 0
    for state, fact in random_game(seats, seed, 60, rules=sorcery):
        assert isinstance(state, SorceryState)
        for kind in range(4):
            assert state.bank[kind] + sum(p.resources[kind] for p in state.players) == 25
        there = Counter(chain.from_iterable(state.imprints))
        assert all(state.board.terrain[hex] == MYSTERIOUS_PLACE for hex in there)
        gained = sum(sum((3, 2, 1)[:imprints]) for imprints in there.values())
        assert sum(state.magic) + paid.total() == gained
        assert min(state.magic) >= 0
        if fact.type == "SpellsCast":
            casts += 1
            paid[fact.data["seat"]] += fact.data["cost"]
    assert casts


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_nothing_ever_stands_on_a_mysterious_place_but_knights(seats: int, seed: int) -> None:
    for state, _ in random_game(seats, seed, rules=sorcery):
        built = zip(state.board.terrain, state.building, strict=True)
        assert not any(building for terrain, building in built if terrain == MYSTERIOUS_PLACE)


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_every_position_reads_back_from_its_text_and_its_json(seats: int, seed: int) -> None:
    for state, fact in random_game(seats, seed, rules=sorcery):
        assert isinstance(state, SorceryState)
        text, position = drawing(state), sorcery.position(state, None)
        assert drawing(parse_drawing(text)) == text
        assert sorcery.position(from_position(position), None) == position
        evolve(sorcery, state, [fact])
        assert drawing(state) == text


@st.composite
def small_states(draw: st.DrawFn) -> SorceryState:
    """A position of play on seven hexes with every spell open, seat 0 to act, a bank that runs out.

    Several seats may share any hex, mountains too, as after a Teleportation.
    """
    ground = st.sampled_from([0, 0, 0, 1, 1, 2, 3, 4, 5, 5])
    state = SorceryState(SorceryBoard({at: draw(ground) for at in SEVEN}), 3)
    state.phase, state.round, state.to_act = "play", 1, 0
    state.spells = SPELLS
    state.magic = [draw(st.integers(1, 4)), 0, 0]
    seats = st.lists(st.sampled_from(range(3)), unique=True, max_size=3)
    for hex, terrain in enumerate(state.board.terrain):
        if terrain != LAKE:
            _draw_pawns(draw, state, hex, draw(seats), may_build=terrain != MYSTERIOUS_PLACE)
        if terrain == MYSTERIOUS_PLACE:
            for seat in draw(seats):
                state.imprints[seat] += (hex,)
    for player in state.players:
        player.resources = draw(st.lists(st.integers(0, 1), min_size=4, max_size=4))
    state.bank = draw(st.lists(st.integers(0, 1), min_size=4, max_size=4))
    mover = state.players[0]
    mover.knights, mover.removed_knights = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    mover.cities = draw(st.integers(0, 2))
    return state


def _draw_pawns(
    draw: st.DrawFn, state: SorceryState, hex: int, seats: list[int], *, may_build: bool
) -> None:
    """Alone a seat may have anything on a hex; with others it has one knight or village."""
    kinds = [0, 0, VILLAGE, VILLAGE, STRONGHOLD, CITY] if len(seats) == 1 else [0, VILLAGE]
    for seat in seats:
        building = draw(st.sampled_from(kinds)) if may_build and not state.building[hex] else 0
        if building:
            state.building[hex], state.owner[hex] = building, seat
        alone = draw(st.integers(0 if building else 1, 2))
        state.knights[seat][hex] = alone if len(seats) == 1 else int(not building)


def outcome(state: SorceryState, cast: Cast) -> str:
    """The position after the cast. Raises Refused."""
    return drawing(evolve(sorcery, state, [sorcery.decide(state, 0, cast)]))


def outcomes(state: SorceryState, cast: Cast) -> Iterator[str]:
    """The positions after the cast, with whatever tokens are taken for villages."""
    try:
        yield outcome(state, cast)
    except Refused as refused:
        if refused.clause == "BY-CON-3" and len(cast.takes) < 3:
            for kind in RESOURCES:
                yield from outcomes(state, Cast(cast.spells, cast.path, (*cast.takes, kind)))


def conceivable_casts() -> Iterator[Cast]:
    """Every cast of the form that names hexes of this board, and no tokens."""
    for number, family in product((1, 2, 3), sorted(set(FAMILY.values()))):
        for spells in combinations([s for s in SPELLS if FAMILY[s] == family], number):
            if family == CONSTRUCTION:
                yield from (Cast(spells, at=at) for at in SEVEN)
            elif family == MOVEMENT:
                for steps in (2, 3):
                    yield from (Cast(spells, path=path) for path in product(SEVEN, repeat=steps))
            else:
                for knights in product((0, 1), repeat=7):
                    sites = tuple(site for site in zip(SEVEN, knights, strict=True) if site[1])
                    if sites:
                        yield Cast(spells, recruits=sites)
                for at, count in product(SEVEN, (2, 3, 4)):
                    yield Cast(spells, recruits=((at, count),))


@settings(max_examples=60, deadline=None)
@property_of(small_states())
def test_the_casts_that_are_listed_have_exactly_the_outcomes_that_decide_accepts(
    state: SorceryState,
) -> None:
    listed = [act for act in sorcery.legal_actions(state, 0) if isinstance(act, Cast)]
    found = [outcome(state, cast) for cast in listed]
    assert len(set(found)) == len(found)
    conceivable = {text for cast in conceivable_casts() for text in outcomes(state, cast)}
    assert set(found) == conceivable
    for cast in listed:
        assert sorcery.parse(sorcery.as_json(cast)) == cast
        assert sorcery.parse_action_text(sorcery.action_text(cast)) == cast

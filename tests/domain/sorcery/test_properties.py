"""Properties of all positions with Sorcery: conservation, reading back, and that listed casts have exactly
the outcomes that `decide` accepts, each once.
"""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

import pytest
from hypothesis import given as property_of
from hypothesis import settings

from domain.barony import sorcery
from domain.barony.actions import Action, Cast
from domain.barony.components import MYSTERIOUS_PLACE
from domain.barony.sorcery.decide import legal_casts
from domain.barony.sorcery.state import SorceryState
from domain.contract import DomainEvent, evolve
from domain.errors import Refused
from tests.support.barony_positions import conceivable_actions, pawns_of, random_game
from tests.support.events import data_of
from tests.support.sorcery_diagrams import diagram, parse_diagram
from tests.support.sorcery_outcomes import conceivable_casts, every_outcome, may_be_legal
from tests.support.sorcery_outcomes import outcome as outcome_of_cast
from tests.support.sorcery_positions import from_position, small_sorcery_states, sorcery_state

GAMES = [(seats, seed) for seats in (2, 3, 4, 5) for seed in range(2)]
PAWNS = {"knights": 7, "villages": 14, "strongholds": 2, "cities": 5}


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_pawns_tokens_magic_and_imprints_are_conserved(seats: int, seed: int) -> None:
    paid = Counter[int]()
    casts = 0
    for state, event in random_game(seats, seed, 60, rules=sorcery):
        assert isinstance(state, SorceryState)
        assert all(pawns_of(state, seat) == PAWNS for seat in range(seats))
        for kind in range(4):
            assert state.bank[kind] + sum(tokens[kind] for tokens in state.resources) == 25
        there = Counter(chain.from_iterable(state.imprints))
        assert all(state.board.terrain[hex] == MYSTERIOUS_PLACE for hex in there)
        gained = sum(sum((3, 2, 1)[:imprints]) for imprints in there.values())
        assert sum(state.magic) + paid.total() == gained
        assert min(state.magic) >= 0
        assert sum(state.magic) <= gained <= 30
        assert max(there.values(), default=0) <= 3
        assert max(map(len, state.imprints)) <= 5
        if event.type == "SpellsCast":
            casts += 1
            paid[data_of(event)["seat"]] += data_of(event)["cost"]
    assert casts


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_only_knights_are_ever_on_a_mysterious_place(seats: int, seed: int) -> None:
    for state, _ in random_game(seats, seed, rules=sorcery):
        built = zip(state.board.terrain, state.building, strict=True)
        assert not any(building for terrain, building in built if terrain == MYSTERIOUS_PLACE)


@pytest.mark.parametrize(("seats", "seed"), GAMES[::2])
def test_folding_a_log_leads_to_the_states_of_play(seats: int, seed: int) -> None:
    steps = list(random_game(seats, seed, 60, rules=sorcery))
    log = [DomainEvent(event.type, json.loads(json.dumps(event.data))) for _, event in steps]
    folded = steps[0][0].copy()
    for (state, _), event in zip(steps, log, strict=True):
        assert isinstance(folded, SorceryState)
        assert isinstance(state, SorceryState)
        assert sorcery.position(folded, None) == sorcery.position(state, None)
        sorcery.apply(folded, event.type, event.data)
    assert any(event.type == "SpellsCast" for event in log)


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_every_position_reads_back_from_its_text_and_its_json(seats: int, seed: int) -> None:
    for state, event in random_game(seats, seed, rules=sorcery):
        assert isinstance(state, SorceryState)
        text, position = diagram(state), sorcery.position(state, None)
        assert diagram(parse_diagram(text)) == text
        assert sorcery.position(from_position(position), None) == position
        evolve(sorcery, state, [event])
        assert diagram(state) == text


def outcome(state: SorceryState, action: Action) -> str | None:
    """The diagram of the state after the action; None if it is refused."""
    try:
        event = sorcery.decide(state, state.to_act or 0, action)
    except Refused:
        return None
    return diagram(evolve(sorcery, state, [event]))


def check_list(state: SorceryState, casts: Iterable[Cast]) -> int:
    """Check that the listed casts have different outcomes, and all those of `casts`; return their number."""
    listed = legal_casts(state, state.to_act or 0)
    outcomes = [outcome_of_cast(state, cast) for cast in listed]
    assert len(set(outcomes)) == len(outcomes), diagram(state)
    assert set(outcomes) == every_outcome(state, casts), diagram(state)
    return len(outcomes)


@settings(max_examples=12)
@property_of(small_sorcery_states)
def test_listed_casts_have_exactly_the_outcomes_that_decide_accepts(state: SorceryState) -> None:
    check_list(state, conceivable_casts(state))


@pytest.mark.nightly
@pytest.mark.parametrize("positions", [20, pytest.param(200, marks=pytest.mark.nightly)])
def test_listed_casts_of_random_positions_have_the_outcomes_that_decide_accepts(
    positions: int,
) -> None:
    """Only casts that may be legal are tried, so that there can be many positions."""
    rng = random.Random(1)
    assert sum(check_many(rng, positions)) > 10 * positions


def check_many(rng: random.Random, positions: int) -> Iterator[int]:
    for _ in range(positions):
        state = sorcery_state(rng)
        yield check_list(state, filter(partial(may_be_legal, state), conceivable_casts(state)))


@pytest.mark.soak
def test_listed_casts_of_thousands_of_positions_have_the_outcomes_that_decide_accepts() -> None:
    rng = random.Random(2)
    assert sum(check_many(rng, 2000)) > 40_000
    for _ in range(200):
        state = sorcery_state(rng)
        check_list(state, conceivable_casts(state))


@settings(max_examples=4)
@property_of(small_sorcery_states)
def test_the_other_legal_actions_are_exactly_those_that_decide_accepts(state: SorceryState) -> None:
    listed = sorcery.legal_actions(state, state.to_act or 0)
    others = [action for action in listed if not isinstance(action, Cast)]
    conceivable = {outcome(state, action) for action in conceivable_actions(state)} - {None}
    assert {outcome(state, action) for action in others} == conceivable


@pytest.mark.nightly
@settings(max_examples=80)
@property_of(small_sorcery_states)
def test_no_cast_has_the_same_outcome_as_another_action(state: SorceryState) -> None:
    """A cast costs magic, so the seat has less left than after another action with the same imprints."""
    listed = sorcery.legal_actions(state, state.to_act or 0)
    casts = {outcome(state, action) for action in listed if isinstance(action, Cast)}
    others = {outcome(state, action) for action in listed if not isinstance(action, Cast)}
    assert None not in casts | others
    assert casts.isdisjoint(others)


@settings(max_examples=50)
@property_of(small_sorcery_states)
def test_every_cast_and_position_reads_back(state: SorceryState) -> None:
    text, position = diagram(state), sorcery.position(state, None)
    for cast in legal_casts(state, state.to_act or 0):
        assert sorcery.parse_action(json.loads(json.dumps(sorcery.action_to_json(cast)))) == cast
        assert sorcery.parse_action_text(sorcery.action_text(cast)) == cast
        sorcery.decide(state, state.to_act or 0, cast)
    assert diagram(state) == text
    assert sorcery.position(from_position(json.loads(json.dumps(position))), None) == position

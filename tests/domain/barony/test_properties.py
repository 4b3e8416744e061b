"""Properties of all positions of Barony: pawns and tokens are conserved, folding a log leads to the states of
play, and the legal actions are exactly those that `decide` accepts.
"""

import pytest
from hypothesis import given as property_of
from hypothesis import settings

from domain import barony
from domain.barony import sorcery
from domain.barony.actions import Action
from domain.barony.components import CITIES, KNIGHTS, STRONGHOLDS, VILLAGES
from domain.barony.state import State
from domain.contract import AnyRuleSystem, evolve
from domain.errors import Refused
from tests.support.barony_diagrams import diagram, parse_diagram
from tests.support.barony_positions import (
    conceivable_actions,
    from_position,
    pawns_of,
    random_game,
    small_states,
)

GAMES = [(seats, seed) for seats in (2, 3, 4) for seed in range(4)]


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_pawns_and_tokens_are_conserved(seats: int, seed: int) -> None:
    whole = {"knights": KNIGHTS, "villages": VILLAGES, "strongholds": STRONGHOLDS, "cities": CITIES}
    for state, _ in random_game(seats, seed):
        assert all(pawns_of(state, seat) == whole for seat in range(seats))
        for kind in range(4):
            assert state.bank[kind] + sum(tokens[kind] for tokens in state.resources) == 20


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_folding_a_log_leads_to_the_states_of_play(seats: int, seed: int) -> None:
    steps = list(random_game(seats, seed))
    events = [event for _, event in steps]
    for number, (state, _) in enumerate(steps):
        folded = evolve(barony, steps[0][0], events[:number])
        assert barony.position(folded, None) == barony.position(state, None)


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_every_position_reads_back_from_its_text_and_its_json(seats: int, seed: int) -> None:
    for state, _ in random_game(seats, seed):
        assert diagram(parse_diagram(diagram(state))) == diagram(state)
        position = barony.position(state, None)
        assert barony.position(from_position(position), None) == position


@pytest.mark.parametrize(("seats", "seed"), GAMES[::3])
def test_every_action_reads_back_from_its_text_and_its_json(seats: int, seed: int) -> None:
    for state, _ in random_game(seats, seed, round_limit=6):
        for action in barony.legal_actions(state, state.to_act or 0):
            assert barony.parse_action(barony.action_to_json(action)) == action
            assert barony.parse_action_text(barony.action_text(action)) == action


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_evolving_leaves_the_given_state_as_it_was(seats: int) -> None:
    for state, event in random_game(seats, 9):
        before = diagram(state)
        evolve(barony, state, [event])
        assert diagram(state) == before


@pytest.mark.parametrize("rules", [barony, sorcery])
def test_copying_a_state_does_not_write_to_it(rules: AnyRuleSystem) -> None:
    for state, event in random_game(3, 9, round_limit=8, rules=rules):
        source = evolve(rules, state, [event])
        before = attributes(source)
        copied = attributes(rules.copy(source))
        for name, value in attributes(source).items():
            assert value is before[name]
            assert value is not copied[name] or not isinstance(value, list | bytearray | dict)


@pytest.mark.parametrize("rules", [barony, sorcery])
def test_a_copy_and_its_source_change_independently(rules: AnyRuleSystem) -> None:
    for state, event in random_game(3, 9, round_limit=8, rules=rules):
        source = rules.copy(state)
        copied = rules.copy(source)
        rules.apply(source, event.type, event.data)
        assert rules.position(copied, None) == rules.position(state, None)
        after = rules.position(source, None)
        rules.apply(copied, event.type, event.data)
        assert rules.position(source, None) == after == rules.position(copied, None)


def attributes(state: State) -> dict[str, object]:
    """All attributes of a state by name."""
    names = [name for kind in type(state).__mro__ for name in getattr(kind, "__slots__", ())]
    return {name: getattr(state, name) for name in names}


def outcome(state: State, action: Action) -> str | None:
    """The diagram of the state after the action; None if it is refused."""
    try:
        event = barony.decide(state, 0, action)
    except Refused:
        return None
    return diagram(evolve(barony, state, [event]))


@settings(max_examples=12)
@property_of(small_states())
def test_the_legal_actions_are_exactly_those_that_decide_accepts(state: State) -> None:
    listed = barony.legal_actions(state, 0)
    outcomes = [outcome(state, action) for action in listed]
    assert None not in outcomes
    conceivable = {outcome(state, action) for action in conceivable_actions(state)} - {None}
    assert set(outcomes) == conceivable


@settings(max_examples=100)
@property_of(small_states())
def test_no_legal_action_is_listed_twice(state: State) -> None:
    listed = barony.legal_actions(state, 0)
    assert len(set(listed)) == len(listed)

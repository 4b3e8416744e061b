"""Plans of turns: the actions that a player can choose one after the other and confirm together."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from domain import baron, barony
from domain.barony import sorcery
from domain.contract import Action, AnyRuleSystem, DomainEvent, evolve
from domain.next_step import UnknownChoice
from domain.turn_plan import TurnPlan, followed_by_another, goes_on_after, turn_plan
from tests.support import baron_positions, barony_positions
from tests.support.baron_positions import given

LAY = """
    lay round 3 seat 0
    0: 0, MY
    1: -2
    market FMC
    pile 30
    board 0,0
    M F .
    """
DRAW = LAY.replace("lay round", "draw round")
GAMES: list[tuple[AnyRuleSystem, int]] = [
    *((baron, seats) for seats in (2, 3, 5)),
    (barony, 3),
    (sorcery, 4),
]


def states(rules: AnyRuleSystem, seats: int) -> Iterator[Any]:
    """The states of a random game in which a seat is to act."""
    played: Iterator[tuple[Any, DomainEvent]]
    if rules is baron:
        played = baron_positions.random_game(seats, 1)
    else:
        played = barony_positions.random_game(seats, 1, rules=rules)
    for state, _ in played:
        if state.to_act is not None:
            yield state


@pytest.mark.parametrize(("rules", "seats"), GAMES)
def test_an_action_is_followed_by_another_if_the_turn_goes_on_and_nothing_is_revealed(
    rules: AnyRuleSystem, seats: int
) -> None:
    chance = random.Random(1)
    kinds = set()
    for state in states(rules, seats):
        seat = state.to_act
        actions = rules.legal_actions(state, seat)
        for action in chance.sample(actions, min(4, len(actions))):
            event = rules.decide(state, seat, action)
            after = evolve(rules, state, [event])
            goes_on = after.to_act == seat and after.turn == state.turn
            assert goes_on_after(rules, state, seat, action) == goes_on
            reveals = event.data.get("refill") is not None
            planned = followed_by_another(rules, state, seat, action)
            kinds.add((goes_on, reveals))
            assert (planned is not None) == (goes_on and not reveals)
            if planned is not None:
                assert planned.event == event
                assert rules.position(planned.after, None) == rules.position(after, None)
                assert rules.legal_actions(planned.after, seat) == rules.legal_actions(after, seat)
    # In Barony, every action is a turn.
    assert kinds == (
        {(True, True), (True, False), (False, False)} if rules is baron else {(False, False)}
    )


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_a_plan_depends_on_nothing_that_is_hidden_from_its_seat(seats: int) -> None:
    chance = random.Random(2)
    for state in states(baron, seats):
        seat = state.to_act
        visible = state.copy()
        visible.pile = None
        for other, player in enumerate(visible.players):
            if other != seat:
                player.reserve = None
        seed = chance.random()
        plan, same = (random_plan(each, random.Random(seed)) for each in (state, visible))
        assert [each.event for each in plan.planned] == [each.event for each in same.planned]
        assert plan.step == same.step


@pytest.mark.parametrize(("rules", "seats"), GAMES)
def test_the_actions_of_a_plan_are_accepted_one_after_the_other(
    rules: AnyRuleSystem, seats: int
) -> None:
    chance = random.Random(3)
    longest = 0
    for state in states(rules, seats):
        seat, turn = state.to_act, state.turn
        plan = random_plan(state, chance, rules)
        actions = [each.action for each in plan.planned]
        assert plan.step.action is not None
        after = state
        for action in [*actions, plan.step.action]:
            assert (after.to_act, after.turn) == (seat, turn)
            after = evolve(rules, after, [rules.decide(after, seat, action)])
        longest = max(longest, len(actions) + 1)
    assert (longest > 1) == (rules is baron)


def random_plan(
    state: Any, chance: random.Random, rules: AnyRuleSystem = baron
) -> TurnPlan[Any, Action]:
    """The plan of a player who chooses at random, as long as there is something to choose."""
    actions = rules.legal_actions(state, state.to_act)
    values: list[str] = []
    while True:
        plan = turn_plan(rules, state, state.to_act, actions, values)
        options = [option.value for option in plan.step.options]
        if not options or (plan.step.action is not None and chance.random() < 0.5):
            return plan
        values.append(chance.choice(options))


def test_a_turn_of_baron_is_laid_out_after_the_draw() -> None:
    state = given(LAY)
    actions = baron.legal_actions(state, 0)
    plan = turn_plan(baron, state, 0, actions, ["vineyard", "1,-1"])
    assert [baron.action_text(each.action) for each in plan.planned] == ["lay vineyard 1,-1"]
    assert plan.step.action == baron.parse_action_text("end")
    assert [option.value for option in plan.step.options] == ["place_keep"]
    whole = turn_plan(baron, state, 0, actions, ["vineyard", "1,-1", "place_keep"])
    assert whole.planned[0].values == ("vineyard", "1,-1")
    assert whole.values == ("place_keep",)
    assert whole.step.action == baron.parse_action_text("keep 0,0")
    with pytest.raises(UnknownChoice):
        turn_plan(baron, state, 0, actions, ["vineyard", "1,-1", "place_keep", "0,0"])
    with pytest.raises(UnknownChoice):
        turn_plan(baron, state, 0, actions, ["vineyard", "place_keep"])


def test_nothing_is_planned_after_a_draw_that_reveals_a_tile() -> None:
    state = given(DRAW)
    actions = baron.legal_actions(state, 0)
    plan = turn_plan(baron, state, 0, actions, ["1"])
    assert not plan.planned
    assert plan.step.action == baron.parse_action_text("draw 1")
    assert goes_on_after(baron, state, 0, plan.step.action)
    with pytest.raises(UnknownChoice):
        turn_plan(baron, state, 0, actions, ["1", "vineyard"])
    state = given(DRAW.replace("pile 30", "pile 0"))
    plan = turn_plan(baron, state, 0, baron.legal_actions(state, 0), ["1", "vineyard", "1,-1"])
    assert [each.event.type for each in plan.planned] == ["TileDrawn", "TilePlaced"]

"""Bots at play in Barony, with and without Sorcery: their choices, and games among them."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from domain.barony.actions import Action
from domain.barony.state import State
from domain.chance import Chance
from domain.contract import AnyRuleSystem, Bot
from tests.support.barony_positions import given
from tests.support.events import data_of
from tests.support.given_when import rule_system_for

AnyBot: TypeAlias = Bot[Any, Any]
Choose: TypeAlias = Callable[[str], str]
"""Returns the action that is chosen on the position of a text diagram, in short form."""


def random_bot(position: object, actions: Sequence[Action], seat: int, chance: Chance) -> Action:
    """A bot that chooses at random: the opponent that every other bot should beat."""
    return actions[chance.below(len(actions))]


def choice(state: State, bot: AnyBot, chance: Chance) -> Action:
    """The bot's action for the seat to act."""
    rules, seat = rule_system_for(state), state.to_act
    assert seat is not None
    actions = rules.legal_actions(state, seat)
    chosen: Action = bot(rules.position(state, seat), actions, seat, chance)
    assert chosen in actions
    return chosen


def sensible_choice(diagram: str) -> str:
    """The action of the sensible bot on the position of a text diagram, in short form."""
    state = given(diagram)
    rules = rule_system_for(state)
    action = choice(state, rules.BOTS["sensible"], Chance(bytes(32)))
    return rules.action_text(action)


def playout_choice(diagram: str) -> str:
    """The action with which playouts go on from the position of a text diagram, in short form."""
    state = given(diagram)
    rules, seat = rule_system_for(state), state.to_act
    assert seat is not None
    assert rules.PLAYOUTS is not None
    action: Action = rules.PLAYOUTS.choose(state, seat, Chance(bytes(32)))
    assert action in rules.legal_actions(state, seat)
    return rules.action_text(action)


def play(
    rules: AnyRuleSystem, bots: Sequence[AnyBot], seed: int, round_limit: int | None = None
) -> State:
    """The state after a game among the bots, one for each seat, when play is over."""
    options = rules.check_options(len(bots), {"round_limit": round_limit})
    opening = rules.set_up(len(bots), options, Chance(bytes([seed]) * 32))
    state: State = rules.initial_state(len(bots), options, opening.data, {})
    chance = Chance(bytes([seed + 1]) * 32)
    while state.to_act is not None:
        action = choice(state, bots[state.to_act], chance)
        event = rules.decide(state, state.to_act, action)
        rules.apply(state, event.type, event.data)
        assert state.round <= 100, "the game does not come to an end"
    return state


def winner(rules: AnyRuleSystem, state: State) -> int:
    """The seat that a finished game ranks first."""
    seat: int = data_of(rules.finish(state))["ranking"][0]["seat"]
    return seat

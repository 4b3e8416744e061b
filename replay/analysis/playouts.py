"""Plays games out from a position, to see who wins: quickly, with noise, and the same way on every machine.

A tenth of the actions are drawn at random among the legal ones. Without them, all playouts of a position
would go much the same way, and would say that the better side always wins.
"""

from hashlib import sha256
from typing import Any, Final

from domain.chance import Chance
from domain.contract import AnyRuleSystem
from domain.playouts import WHOLE

ONE_ACTION_IN: Final = 10
"""The average number of actions of which one is drawn at random."""
MOST_ACTIONS: Final = 5_000
"""The actions after which a playout ends without a result, which leaves equal shares."""
DEFAULT_BOT: Final = "sensible"
"""The bot that plays where a rule system has no playouts of its own."""


def chance_of(seed: bytes, *label: str | int) -> Chance:
    """Return the chance of one playout, which derives from the seed of the analysis."""
    return Chance(sha256(f"cartulary analysis v1 {label!r} ".encode() + seed).digest())


def version_of_playouts(rules: AnyRuleSystem) -> int:
    """Return the version of a rule system's own playouts; 0 if it has none."""
    return 0 if rules.PLAYOUTS is None else rules.PLAYOUTS.version


def start_of_playout(rules: AnyRuleSystem, state: Any, seat: int | None, chance: Chance) -> Any:
    """Return a state from which a playout can start: a copy with what the seat cannot know drawn again.

    For None, only what nobody can know is drawn.
    """
    start = rules.copy(state)
    if rules.PLAYOUTS is not None:
        rules.PLAYOUTS.draw_unknown(start, seat, chance)
    else:
        rules.apply_redraw(start, rules.redraw(start, chance))
    return start


def play_out(
    rules: AnyRuleSystem, state: Any, chance: Chance, horizons: int = 1
) -> tuple[int, ...]:
    """Play a game on from a state that the caller owns; return the shares of the seats, of `WHOLE`.

    It goes on for so many times the horizon of the rule system, if that has one.
    """
    model = rules.PLAYOUTS
    last_turn = None
    if model is not None and model.horizon is not None:
        last_turn = state.turn + horizons * model.horizon(state)
    for _ in range(MOST_ACTIONS):
        seat = state.to_act
        if seat is None:
            return _final_shares(rules, state)
        if last_turn is not None and state.turn >= last_turn:
            assert model is not None
            assert model.shares is not None, "a horizon needs an estimate"
            return tuple(model.shares(state))
        take(rules, state, seat, _action(rules, state, seat, chance))
    return _equal_shares(state)


def take(rules: AnyRuleSystem, state: Any, seat: int, action: Any) -> None:
    """Let a seat act in a state that the caller owns."""
    event = rules.decide(state, seat, action)
    rules.apply(state, event.type, event.data)


def policy_action(rules: AnyRuleSystem, state: Any, seat: int, chance: Chance) -> Any:
    """Return the action with which a playout goes on, if it is not drawn at random."""
    if rules.PLAYOUTS is not None:
        return rules.PLAYOUTS.choose(state, seat, chance)
    actions = rules.legal_actions(state, seat)
    return rules.BOTS[DEFAULT_BOT](rules.position(state, seat), actions, seat, chance)


def _action(rules: AnyRuleSystem, state: Any, seat: int, chance: Chance) -> Any:
    if chance.below(ONE_ACTION_IN):
        return policy_action(rules, state, seat, chance)
    actions = rules.legal_actions(state, seat)
    return actions[chance.below(len(actions))]


def _final_shares(rules: AnyRuleSystem, state: Any) -> tuple[int, ...]:
    """Return the shares after play is over: seats that share the first place share the whole."""
    data: Any = rules.finish(state).data
    first = sorted(entry["seat"] for entry in data["ranking"] if entry["place"] == 1)
    return _divided(len(data["ranking"]), first)


def _equal_shares(state: Any) -> tuple[int, ...]:
    in_game = list(state.in_game())
    return _divided(max(in_game) + 1, in_game)


def _divided(seats: int, among: list[int]) -> tuple[int, ...]:
    shares = [0] * seats
    for number, seat in enumerate(among):
        shares[seat] = WHOLE // len(among) + (number < WHOLE % len(among))
    return tuple(shares)

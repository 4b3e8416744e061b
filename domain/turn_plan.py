"""The plan of a turn: actions that a player chooses one after the other, and confirms together.

A player should decide nothing without what becomes known in between. So an action can be followed by another
one in a plan only if it reveals nothing, and if the same turn goes on after it: if its preview is the whole
event.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic

from domain.choices import action_choice
from domain.contract import A, DomainEvent, P, RuleSystem, S, evolve
from domain.next_step import Step, Steps, UnknownChoice


@dataclass(frozen=True, slots=True)
class PlannedAction(Generic[S, A]):
    """An action of a plan that is followed by another one: its event, and the state after it.

    `values` are the choices of the player that lead to it, and `step` is where they lead: its alternatives
    can still be chosen instead.
    """

    action: A
    event: DomainEvent
    after: S
    values: tuple[str, ...] = ()
    step: Step[A] = field(default_factory=Step)


@dataclass(frozen=True, slots=True)
class TurnPlan(Generic[S, A]):
    """The actions of a plan that are complete, and where the player stands on the way to the next one.

    `values` are the choices on that way. Once there are planned actions, and nothing has been chosen for the
    next one, the action of the step is the one that ends the turn without further choices, if there is one.
    `steps` are those from which each planned action was chosen, and last those to which the `step` belongs.
    """

    planned: tuple[PlannedAction[S, A], ...]
    step: Step[A]
    values: tuple[str, ...]
    steps: tuple[Steps[S, A, Any], ...]


def followed_by_another(
    rules: RuleSystem[S, A, P], state: S, seat: int, action: A
) -> PlannedAction[S, A] | None:
    """The action with its event and the state after it, if the seat can plan another action after it.

    None if the action reveals something that the seat does not know before, or if the turn does not go on.
    Raises what `decide` raises.
    """
    preview = rules.preview(state, seat, action)
    if preview.hidden is not None:
        return None
    after = evolve(rules, state, [preview.event])
    if after.to_act != seat or after.turn != state.turn:
        return None
    return PlannedAction(action, preview.event, after)


def goes_on_after(rules: RuleSystem[S, A, P], state: S, seat: int, action: A) -> bool:
    """Whether the seat acts again in the same turn after the action, whatever it reveals."""
    after = evolve(rules, state, [rules.preview(state, seat, action).event])
    return after.to_act == seat and after.turn == state.turn


def turn_plan(
    rules: RuleSystem[S, A, P], state: S, seat: int, actions: Sequence[A], values: Sequence[str]
) -> TurnPlan[S, A]:
    """The plan to which the values lead that a player chose, for one action after the other.

    `actions` are those that the seat can take now. Raises UnknownChoice.
    """
    planned: list[PlannedAction[S, A]] = []
    all_steps = [Steps(rules, state, seat, actions)]
    rest = tuple(values)
    while True:
        step, used = _longest_step(all_steps[-1], rest)
        following = None
        if step.action is not None and (used < len(rest) or not step.options):
            following = followed_by_another(rules, state, seat, step.action)
        if following is None:
            if used < len(rest):
                raise UnknownChoice(step.path, rest[used])
            break
        planned.append(replace(following, values=rest[:used], step=step))
        rest, state = rest[used:], following.after
        actions = rules.legal_actions(state, seat)
        all_steps.append(Steps(rules, state, seat, actions))
    if planned and not rest:
        step = _with_end_of_turn(rules, state, seat, actions, step)
    return TurnPlan(tuple(planned), step, rest, tuple(all_steps))


def _longest_step(steps: Steps[S, A, Any], values: Sequence[str]) -> tuple[Step[A], int]:
    """The step to which as many of the values as possible lead, and how many they are.

    Raises UnknownChoice if the others cannot follow, because no action is complete before them.
    """
    try:
        return steps.after(values), len(values)
    except UnknownChoice as unknown:
        fault = unknown
    for used in range(len(values) - 1, -1, -1):
        try:
            step = steps.after(values[:used])
        except UnknownChoice:
            continue
        if step.action is None:
            break
        return step, used
    raise fault


def _with_end_of_turn(
    rules: RuleSystem[S, A, P], state: S, seat: int, actions: Sequence[A], step: Step[A]
) -> Step[A]:
    """The step with the action that ends the turn without further choices, in place of its choice."""
    if step.action is not None:
        return step
    ends = [
        action
        for action in actions
        if not rules.choices(state, seat, action, (action_choice(action.type),))
        and not goes_on_after(rules, state, seat, action)
    ]
    if len(ends) != 1:
        return step
    (end,) = ends
    options = tuple(choice for choice in step.options if choice != action_choice(end.type))
    return replace(step, action=end, options=options)

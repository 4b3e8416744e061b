"""The walk over choices: from the choices that a player has made to the next question, or to an action.

The legal actions are the leaves of a tree of choices. The walk never builds this tree: it keeps the actions
to which the path so far can lead, and asks the rule system for the next choices on the way to each of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from domain.choices import Choice, action_choice
from domain.contract import Action, Position, RuleSystem, State
from domain.errors import Malformed, Refused
from domain.messages import message

S = TypeVar("S", bound=State)
A = TypeVar("A", bound=Action)
P = TypeVar("P", bound=Position)
ActionsByChoice: TypeAlias = dict[str, tuple[Choice, list[A]]]
"""By its value, each choice that is possible next, with the actions to which it leads."""


class UnknownChoice(Malformed):
    """A value is not among the answers to the question at this step.

    `path` are the choices before it, with which `RuleSystem.attempt` can find out why.
    """

    def __init__(self, path: Sequence[Choice], value: str) -> None:
        fault = message("“{value}” cannot be chosen here", value=value)
        super().__init__({f"choices.{len(path)}": fault})
        self.path = tuple(path)
        self.value = value


@dataclass(frozen=True, slots=True)
class Step(Generic[A]):
    """Where a player stands on the way to an action.

    `path` are all choices so far; `manual` has the indexes in it of those that the player made, because the
    others were the only possible ones. Either the next `question` is open, with at least two `options`, or
    the path is complete and leads to `action`. All three are empty for a seat without legal actions. Options
    that are hexes come last, in the order of the board.
    """

    path: tuple[Choice, ...]
    manual: tuple[int, ...]
    question: str | None = None
    options: tuple[Choice, ...] = ()
    action: A | None = None


def next_step(
    rules: RuleSystem[S, A, P], state: S, seat: int, actions: Sequence[A], values: Sequence[str]
) -> Step[A]:
    """The step to which the values lead that a player chose, one at each question with several options.

    `actions` are those that can be chosen: the seat's `legal_actions`, or some of its other actions. Raises
    UnknownChoice for a value that is no option at its step, and for one after the action is complete.
    """
    path: list[Choice] = []
    manual: list[int] = []
    remaining = iter(values)
    groups: ActionsByChoice[A] = _group_by_choice(
        (action_choice(action.type), action) for action in actions
    )
    candidates = actions
    while groups:
        if len(groups) == 1:
            ((choice, candidates),) = groups.values()
        else:
            value = next(remaining, None)
            if value is None:
                options = tuple(sorted((choice for choice, _ in groups.values()), key=_order))
                return Step(tuple(path), tuple(manual), options[0].question, options)
            if value not in groups:
                raise UnknownChoice(path, value)
            choice, candidates = groups[value]
            manual.append(len(path))
        path.append(choice)
        groups = _group_by_choice(
            (choice, action)
            for action in candidates
            for choice in rules.choices(state, seat, action, path)
        )
    for value in remaining:
        raise UnknownChoice(path, value)
    action = candidates[0] if candidates else None
    return Step(tuple(path), tuple(manual), action=action)


def _group_by_choice(pairs: Iterable[tuple[Choice, A]]) -> ActionsByChoice[A]:
    """Group actions by the choices that lead to them; the keys are the values of the choices."""
    groups: ActionsByChoice[A] = {}
    for choice, action in pairs:
        group = groups.get(choice.value)
        if group is None:
            groups[choice.value] = choice, [action]
        else:
            group[1].append(action)
    return groups


def _order(choice: Choice) -> tuple[int, ...]:
    return choice.at or ()


def refusal(
    rules: RuleSystem[S, A, P], state: S, seat: int, path: Sequence[Choice], value: str
) -> Refused | None:
    """Why the rules do not allow the seat to choose the value after the choices of `path`, with the clause.

    None if choosing it amounts to no action, or to one that the rules allow.
    """
    action = rules.attempt(state, seat, path, value)
    if action is None:
        return None
    try:
        rules.decide(state, seat, action)
    except Refused as error:
        return error
    return None

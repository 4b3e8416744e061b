"""Walks over all choices of a position, to check what the contract of rule systems says about them."""

from collections.abc import Iterator, Sequence
from typing import Any

from domain.choices import Choice, action_choice
from domain.contract import Action, AnyRuleSystem

Path = tuple[Choice, ...]


def nodes(
    rules: AnyRuleSystem, state: Any, seat: int, actions: Sequence[Action]
) -> Iterator[tuple[Path, dict[Choice, list[Any]], list[Any]]]:
    """Iterate over all paths: each with the choices after it, with the actions to which each of them
    leads, and with the actions that are complete.
    """
    first: dict[Choice, list[Any]] = {}
    for action in actions:
        first.setdefault(action_choice(action.type), []).append(action)
    stack: list[tuple[Path, list[Any]]] = [((choice,), first[choice]) for choice in first]
    yield (), first, []
    while stack:
        path, candidates = stack.pop()
        branches: dict[Choice, list[Any]] = {}
        complete = []
        for action in candidates:
            following = list(rules.choices(state, seat, action, path))
            assert len(following) == len(set(following)), "a choice occurs twice"
            for choice in following:
                branches.setdefault(choice, []).append(action)
            if not following:
                complete.append(action)
        yield path, branches, complete
        stack += (((*path, choice), branches[choice]) for choice in branches)

"""The walk over choices: from the choices that a player has made to the next question, or to an action.

The legal actions are the leaves of a tree of choices. The walk never builds this tree: it keeps the actions
to which the path so far can lead, and asks the rule system for the next choices on the way to each of them.

A player may begin with the board. Where a rule system asks for cards first, such as a type of action, a
player can choose a hex that comes after them instead, and then another one, such as where a knight moves. The
walk passes over the cards, and asks for those that the hexes leave open afterwards.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from domain.choices import Choice, action_choice
from domain.contract import Action, Position, RuleSystem, State
from domain.errors import Malformed, Refused
from domain.messages import message

S = TypeVar("S", bound=State)
A = TypeVar("A", bound=Action)
P = TypeVar("P", bound=Position)

HEXES_AHEAD: Final = 2
"""The most hexes that are chosen before the cards that precede them: from where, and where to."""


class UnknownChoice(Malformed):
    """A value is not among the answers to the question at this step.

    `path` are the choices before it, with which `RuleSystem.action_for_choice` can find out why.
    """

    def __init__(self, path: Sequence[Choice], value: str) -> None:
        fault = message("“{value}” cannot be chosen here", value=value)
        super().__init__({f"choices.{len(path)}": fault})
        self.path = tuple(path)
        self.value = value


@dataclass(frozen=True, slots=True)
class Step(Generic[A]):
    """Where a player stands on the way to an action.

    `path` are all choices so far in the order in which they were made; `manual` has the indexes in it of
    those that the player made, because the others were the only possible ones, or the simplest. The next
    `question` is open if there are `options`, its answers. Those that are hexes come last, in the order of
    the board. `alternatives` are what can be chosen instead of an answer: cards that replace the simplest
    one, and hexes about which the open question, and maybe others, can be answered afterwards.

    `action` is that to which the path leads; where there are options nevertheless, they add to it. While
    something is being added, it is None, and `extended` is the action without the addition. There are no
    options and no action for a seat without legal actions.

    `contexts` has, for each choice of the path, the choices before it in the order of the rule system, and
    `next_contexts` the same for each option and alternative by its value: the paths that `choice_message` and
    `action_for_choice` expect. `next_types` has the types of the actions to which each of them leads, also by
    value.
    """

    path: tuple[Choice, ...] = ()
    manual: tuple[int, ...] = ()
    question: str | None = None
    options: tuple[Choice, ...] = ()
    alternatives: tuple[Choice, ...] = ()
    action: A | None = None
    extended: A | None = None
    contexts: tuple[tuple[Choice, ...], ...] = ()
    next_contexts: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)
    next_types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def hex_context(self) -> tuple[Choice, ...]:
        """The choices before the next hex, if one can be chosen; else those before any next choice."""
        for choice in (*self.options, *self.alternatives):
            if choice.at is not None:
                return self.next_contexts[choice.value]
        return self.path


class _Way(NamedTuple, Generic[A]):
    """One way to an action.

    `path` are the choices so far in the order of the rule system. `passed` are the cards in it that the
    player has passed over and has still to choose, and `ahead` is the number of hexes that can be chosen
    before them.
    """

    action: A
    path: tuple[Choice, ...] = ()
    passed: tuple[Choice, ...] = ()
    ahead: int = HEXES_AHEAD


class _Next(NamedTuple):
    """A choice that can be made next, the choices before it, and the types of the actions to which it leads.

    The types are in the order of the actions.
    """

    choice: Choice
    context: tuple[Choice, ...]
    types: dict[str, None]


class _Group(NamedTuple, Generic[A]):
    """The ways on which one choice is next. `context` are the choices before it on the first of them."""

    choice: Choice
    context: tuple[Choice, ...]
    ways: list[_Way[A]]

    def next(self) -> "_Next":
        """The choice as one that can be made next."""
        return _Next(self.choice, self.context, dict.fromkeys(way.action.type for way in self.ways))


_Groups: TypeAlias = dict[str, _Group[A]]
"""By the values of the choices."""


_Following: TypeAlias = tuple[Choice, tuple[Choice, ...], _Way[A]]
"""A choice, the choices before it, and the way after it."""


_HexAhead: TypeAlias = tuple[Choice, A, tuple[Choice, ...], tuple[Choice, ...]]
"""A hex, the action on whose way it is, the choices before it, and the cards among them passed over."""


class _Walk(Generic[S, A, P]):
    """The walk of a seat over the choices of one state, at one open question."""

    def __init__(
        self, rules: RuleSystem[S, A, P], state: S, seat: int, actions: Sequence[A]
    ) -> None:
        self._rules, self._state, self._seat = rules, state, seat
        self._ways: list[_Way[A]] = [_Way(action) for action in actions]
        self._made: list[Choice] = []
        self._manual: list[int] = []
        self._groups: _Groups[A] = {}
        self._alternatives: dict[str, tuple[int, _Group[A]]] = {}
        """Other cards than those that were chosen as the simplest, and how many choices precede them."""
        self._extended: A | None = None
        self._ahead: Sequence[_HexAhead[A]] | None = None
        """The hexes ahead, once they have been asked for."""
        self._advance()

    def after(self, value: str) -> "_Walk[S, A, P]":
        """Return the walk after one more choice of the player. Raises UnknownChoice."""
        count, group = len(self._made), self._groups.get(value) or self._group_ahead(value)
        if group is None and value in self._alternatives:
            count, group = self._alternatives[value]
        if group is None:
            raise UnknownChoice(self._ways[0].path if self._ways else (), value)
        walk = copy(self)
        walk.choose(count, group)
        return walk

    def choose(self, count: int, group: _Group[A]) -> None:
        """Make a choice of the player after so many of the choices. Nothing that a copy shares is changed."""
        if count < len(self._made):
            self._made = self._made[:count]
            self._extended = None
        if group.choice.addition:
            self._extended = self._action()
        self._alternatives = {}
        self._manual = [*self._manual, count]
        self._follow(group)
        self._advance()

    def step(self) -> Step[A]:
        """Return where the walk stands."""
        options = {value: group.next() for value, group in self._groups.items()}
        others = {value: group.next() for value, (_, group) in self._alternatives.items()}
        others |= self._next_ahead()
        others = {value: next for value, next in others.items() if value not in options}
        following = {**options, **others}
        path, contexts = self._path()
        action = self._action()
        choices = _sorted(options.values())
        question = choices[-1].question if choices else None
        return Step(
            path,
            tuple(self._manual),
            question,
            choices,
            _sorted(others.values()),
            action,
            self._extended if action is None else None,
            contexts,
            {value: next.context for value, next in following.items()},
            {value: tuple(next.types) for value, next in following.items()},
        )

    def _advance(self) -> None:
        """Make the choices for which no player is needed."""
        while True:
            self._groups = groups = self._next_groups()
            if len(groups) == 1:
                (group,) = groups.values()
            else:
                simplest = (self._default() or self._simplest()) if groups else None
                if simplest is None:
                    return
                group = groups.pop(simplest.passed[0].value)
                number = len(self._made)
                self._alternatives |= {value: (number, other) for value, other in groups.items()}
            self._follow(group)

    def _follow(self, group: _Group[A]) -> None:
        self._made = [*self._made, group.choice]
        self._ways = group.ways
        self._ahead = None

    def _following(self, way: _Way[A]) -> Iterator[_Following[A]]:
        """The choices that are next on a way."""
        if not way.passed:
            for choice in self._choices(way.action, way.path):
                yield choice, way.path, _Way(way.action, (*way.path, choice), (), way.ahead)
            return
        hexes = self._choices(way.action, way.path) if way.ahead else ()
        has_hexes = False
        for choice in hexes:
            if choice.at is not None and choice.addition is None:
                has_hexes = True
                path = (*way.path, choice)
                yield choice, way.path, _Way(way.action, path, way.passed, way.ahead - 1)
        if not has_hexes:
            card = way.passed[0]
            following = _Way(way.action, way.path, way.passed[1:], way.ahead)
            yield card, way.path[: way.path.index(card)], following

    def _next_groups(self) -> _Groups[A]:
        """The ways by the choices that are next on them."""
        if self._made:
            return self._grouped(
                following for way in self._ways for following in self._following(way)
            )
        # There are hundreds of actions before the first choice, and a few types.
        groups: _Groups[A] = {}
        for action, *_ in self._ways:
            group = groups.get(action.type)
            if group is None:
                choice = action_choice(action.type)
                group = groups[action.type] = _Group(choice, (), [])
            group.ways.append(_Way(action, (group.choice,)))
        return groups

    def _hexes_ahead(self) -> Sequence[_HexAhead[A]]:
        """The hexes that can be chosen before the cards which are next."""
        if self._ahead is None:
            self._ahead = self._find_hexes_ahead()
        return self._ahead

    def _find_hexes_ahead(self) -> Sequence[_HexAhead[A]]:
        if any(way.passed for way in self._ways[:1]):
            return ()
        hexes: list[_HexAhead[A]] = []
        stack: list[tuple[A, tuple[Choice, ...], tuple[Choice, ...]]] = [
            (way.action, way.path, (group.choice,))
            for group in reversed(self._groups.values())
            if group.choice.at is None and group.choice.addition is None
            for way in reversed(group.ways)
        ]
        while stack:
            action, path, passed = stack.pop()
            for choice in self._choices(action, path):
                if choice.addition is not None:
                    continue
                if choice.at is None:
                    stack.append((action, (*path, choice), (*passed, choice)))
                else:
                    hexes.append((choice, action, path, passed))
        return hexes

    def _next_ahead(self) -> dict[str, _Next]:
        """The hexes that can be chosen before the cards which are next, by their values."""
        found: dict[str, _Next] = {}
        for choice, action, context, _ in self._hexes_ahead():
            next = found.get(choice.value)
            if next is None:
                found[choice.value] = _Next(choice, context, {action.type: None})
            else:
                next.types[action.type] = None
        return found

    def _group_ahead(self, value: str) -> _Group[A] | None:
        """The ways on which the hex with this value can be chosen before the cards which are next."""
        found = [each for each in self._hexes_ahead() if each[0].value == value]
        if not found:
            return None
        ways = [
            _Way(action, (*path, choice), passed, HEXES_AHEAD - 1)
            for choice, action, path, passed in found
        ]
        choice, _, context, _ = found[0]
        return _Group(choice, context, ways)

    def _choices(self, action: A, path: tuple[Choice, ...]) -> Sequence[Choice]:
        if not path:
            return (action_choice(action.type),)
        return self._rules.choices(self._state, self._seat, action, path)

    def _simplest(self) -> _Way[A] | None:
        """The way on which the fewest cards have been passed over, after two hexes, if it alone leads to an
        action without further questions: a knight moves there, unless the player chooses a spell.
        """
        if any(way.ahead or not way.passed for way in self._ways):
            return None
        fewest = min(len(way.passed) for way in self._ways)
        whole = [way for way in self._ways if len(way.passed) == fewest and self._is_whole(way)]
        return whole[0] if len(whole) == 1 else None

    def _default(self) -> _Way[A] | None:
        """The way on which the card that the player has passed over first is the usual one; None if hexes
        are to be chosen before it, or if there is no such way.
        """
        if any(group.choice.at is not None for group in self._groups.values()):
            return None
        ways = (way for way in self._ways if way.passed and way.passed[0].is_default)
        return next(ways, None)

    def _is_whole(self, way: _Way[A]) -> bool:
        """Whether the action needs no choice but the cards passed over on its way."""
        return all(
            choice.addition is False and not self._choices(way.action, (*way.path, choice))
            for choice in self._choices(way.action, way.path)
        )

    def _action(self) -> A | None:
        """The action to which the choices lead if nothing is added; None if a question has to be answered."""
        if not self._groups:
            return self._ways[0].action if self._ways else None
        for group in self._groups.values():
            way = group.ways[0]
            if group.choice.addition is False and not self._choices(way.action, way.path):
                return way.action
        return None

    def _path(self) -> tuple[tuple[Choice, ...], tuple[tuple[Choice, ...], ...]]:
        """The choices made and those before each, on the first way to a hex, or else the first way."""
        contexts = (group.context for group in self._groups.values() if group.choice.at is not None)
        order = next(contexts, self._ways[0].path if self._ways else ())
        values: list[str | None] = [choice.value for choice in order]
        indexes = []
        for choice in self._made:
            index = values.index(choice.value)
            values[index] = None
            indexes.append(index)
        return tuple(order[index] for index in indexes), tuple(order[:index] for index in indexes)

    @staticmethod
    def _grouped(pairs: Iterable[_Following[A]]) -> _Groups[A]:
        """The ways by the values of the choices that are next."""
        groups: _Groups[A] = {}
        for choice, context, way in pairs:
            group = groups.get(choice.value)
            if group is None:
                groups[choice.value] = _Group(choice, context, [way])
            else:
                group.ways.append(way)
        return groups


def _sorted(choices: Iterable[_Next]) -> tuple[Choice, ...]:
    """The choices, cards first."""
    return tuple(sorted((next.choice for next in choices), key=_order))


def _order(choice: Choice) -> tuple[int, ...]:
    return choice.at or ()


class Steps(Generic[S, A, P]):
    """The steps on the way to the actions of a seat in one state. Each is computed once.

    `actions` are those that can be chosen: the seat's `legal_actions`, or some of its other actions.
    """

    def __init__(
        self, rules: RuleSystem[S, A, P], state: S, seat: int, actions: Sequence[A]
    ) -> None:
        self.actions = actions
        self._start = partial(_Walk[S, A, P], rules, state, seat, actions)
        self._walks: dict[tuple[str, ...], _Walk[S, A, P]] = {}
        self._steps: dict[tuple[str, ...], Step[A]] = {}

    def after(self, values: Sequence[str]) -> Step[A]:
        """Return the step to which the values lead that a player chose, one at each question with several
        options.

        Raises UnknownChoice for a value that is no option at its step, and for one after the action is
        complete.
        """
        path = tuple(values)
        step = self._steps.get(path)
        if step is None:
            step = self._steps[path] = self._walk(path).step()
        return step

    def _walk(self, path: tuple[str, ...]) -> _Walk[S, A, P]:
        walk = self._walks.get(()) or self._start()
        self._walks[()] = walk
        for length, value in enumerate(path, start=1):
            walk = self._walks.get(path[:length]) or walk.after(value)
            self._walks[path[:length]] = walk
        return walk


def next_step(
    rules: RuleSystem[S, A, P], state: S, seat: int, actions: Sequence[A], values: Sequence[str]
) -> Step[A]:
    """Return the step after the values, as `Steps.after` does."""
    return Steps(rules, state, seat, actions).after(values)


def refusal(
    rules: RuleSystem[S, A, P], state: S, seat: int, path: Sequence[Choice], value: str
) -> Refused | None:
    """Why the rules do not allow the seat to choose the value after the choices of `path`, with the clause.

    None if choosing it amounts to no action, or to one that the rules allow.
    """
    action = rules.action_for_choice(state, seat, path, value)
    if action is None:
        return None
    try:
        rules.decide(state, seat, action)
    except Refused as error:
        return error
    return None

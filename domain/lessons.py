"""Lessons: short introductions to the rules of a game, each at the moment when it first matters.

A rule system lists its lessons. Which of them are due follows from what the player sees and can do, and from
the lessons that were introduced before: the log determines them, and no event mentions lessons.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from domain.messages import Text

A = TypeVar("A")
P = TypeVar("P")

LESSONS_AT_ONCE: Final = 2
"""The most lessons that are due at one moment: a newcomer reads no more before an action."""


@dataclass(frozen=True, slots=True)
class Moment(Generic[A, P]):
    """A player's turn: the position as the seat sees it, and the legal actions of the seat."""

    position: P
    actions: Sequence[A]
    seat: int

    def can(self, *types: str) -> bool:
        """Whether there is a legal action of one of these types."""
        return any(getattr(action, "type", None) in types for action in self.actions)


@dataclass(frozen=True, slots=True)
class Lesson(Generic[A, P]):
    """A rule in one to three sentences, with the clauses that it introduces.

    `applies` is whether the rule can matter for the next action. `after` names lessons that come first.
    """

    name: str
    clauses: tuple[str, ...]
    message: Text
    applies: Callable[[Moment[A, P]], bool]
    after: tuple[str, ...] = ()


AnyLesson = Lesson[Any, Any]
"""A lesson of a rule system that is not known statically."""


def due_lessons(
    lessons: Sequence[Lesson[A, P]], moment: Moment[A, P], introduced: Collection[str]
) -> tuple[Lesson[A, P], ...]:
    """The lessons to introduce now, at most LESSONS_AT_ONCE, in the order of the list.

    `introduced` has the names of those that were introduced before.
    """
    chosen: list[Lesson[A, P]] = []
    for lesson in lessons:
        if len(chosen) == LESSONS_AT_ONCE:
            break
        if (
            lesson.name not in introduced
            and all(name in introduced for name in lesson.after)
            and lesson.applies(moment)
        ):
            chosen.append(lesson)
    return tuple(chosen)

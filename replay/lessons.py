"""Which lessons of a game are due, and which were introduced before: both follow from the log.

The lessons that are due at a moment count as introduced when the seat has acted.
"""

from collections.abc import Collection, Iterable

from domain.event import acting_seat
from domain.game import Game
from domain.lessons import AnyLesson, Moment, due_lessons
from replay.timeline import Step


def lessons_at(game: Game, seat: int, introduced: Collection[str]) -> tuple[AnyLesson, ...]:
    """Return the lessons that are due for a seat; none if it is not its turn.

    `introduced` has the names of those that were introduced before.
    """
    if game.state is None or game.to_act != seat:
        return ()
    if len(introduced) == len(game.rules.LESSONS):
        return ()
    actions = game.rules.legal_actions(game.state, seat)
    moment = Moment(game.rules.position(game.state, seat), actions, seat)
    return due_lessons(game.rules.LESSONS, moment, introduced)


def introduced_lessons(
    steps: Iterable[Step], seat: int, introduced: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the names of the lessons that were introduced to a seat, in this order, after these steps.

    `introduced` are those that were introduced before the first step.
    """
    names = tuple(introduced)
    for step in steps:
        if (
            step.before is not None
            and step.event["action"] is not None
            and acting_seat(step.event["by"]) == seat
        ):
            names += tuple(lesson.name for lesson in lessons_at(step.before, seat, names))
    return names

"""Deadlines by the service's own time (replay/deadlines.py knows the clocks of games).

A deadline that passed does nothing by itself: the turn is over when the event that says so is in the log,
and an action that comes before it still counts.
"""

from domain.game import Game
from replay import deadlines
from service import clock


def deadline(game: Game) -> str | None:
    """When the turn under way is forfeited, as the log writes times; None without clock or turn."""
    due = deadlines.due(game)
    return None if due is None else clock.written(due)


def has_passed(game: Game) -> bool:
    """Whether the deadline of the turn under way has passed by now."""
    return deadlines.has_passed(game, clock.written(clock.now()))

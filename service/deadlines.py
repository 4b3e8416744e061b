"""Deadlines by the service's own time (ledger/turn_clock.py knows the clocks of games).

A deadline that passed does nothing by itself: the turn is over when the event that says so is in the log,
and an action that comes before it still counts.
"""

from domain.game import Game
from ledger import turn_clock
from service import clock


def deadline(game: Game) -> str | None:
    """When the turn under way is forfeited, as the log writes times; None without clock or turn."""
    due = turn_clock.due(game)
    return None if due is None else clock.format(due)


def has_passed(game: Game) -> bool:
    """Whether the deadline of the turn under way has passed by now."""
    return turn_clock.has_passed(game, clock.format(clock.now()))

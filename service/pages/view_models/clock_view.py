"""The clock of a game as pages show it: its settings in words."""

from domain.clock_messages import clock_message, has_only_time_per_turn
from domain.event import Clock
from domain.messages import Text
from service.pages.view_models.new_game_form import time_per_turn


def clock_text(clock: Clock | None) -> Text:
    """Return how much time a clock allows, and which time does not count, in words."""
    if clock is None:
        return time_per_turn(None)
    if has_only_time_per_turn(clock):
        return time_per_turn(clock["per_turn"])
    return clock_message(clock)

"""The clock of a game as pages show it: its settings, what is left, and who is on holiday, in words."""

from dataclasses import dataclass

from domain.clock.messages import clock_message, has_only_time_per_turn
from domain.event import Clock
from domain.game import Game
from domain.json_types import Timestamp
from domain.messages import Message, Text, message
from ledger.turn_clock import (
    bank_milliseconds,
    duration_message,
    holiday_until,
    is_pause_over,
    milliseconds_left,
    pause_limit,
    time_left_message,
)
from service.pages.view_models.new_game_form import time_per_turn


@dataclass(frozen=True, slots=True)
class HolidayRow:
    """A holiday of the player at a seat, which is not over."""

    seat: int
    begins: Timestamp
    ends: Timestamp


def clock_text(clock: Clock | None) -> Text:
    """Return how much time a clock allows, and which time does not count, in words."""
    if clock is None:
        return time_per_turn(None)
    if has_only_time_per_turn(clock):
        return time_per_turn(clock["per_turn"])
    return clock_message(clock)


def time_left_text(game: Game, at: Timestamp) -> Message | None:
    """Return how much time the player to act has left at a time, or why the clock stands still.

    None without a deadline.
    """
    milliseconds = milliseconds_left(game, at)
    if milliseconds is None:
        return None
    if pause_limit(game) is not None and not is_pause_over(game, at):
        return message("the clock stands still: all players have agreed to a pause")
    if holiday_until(game, at) is not None:
        return message(
            "the player to act is on holiday; {time}", time=time_left_message(milliseconds)
        )
    return time_left_message(milliseconds)


def bank_rows(game: Game) -> list[tuple[int, Message]]:
    """Return, for each seat still in the game, what was left in its time bank when this turn began."""
    if game.state is None or game.status != "playing":
        return []
    return [
        (seat, duration_message(left))
        for seat in game.state.in_game()
        if (left := bank_milliseconds(game, seat)) is not None
    ]


def holiday_rows(game: Game, at: Timestamp) -> list[HolidayRow]:
    """Return the holidays in a game that are not over at a time, the earliest first."""
    if game.status != "playing" or game.clock is None or not game.clock.get("holidays", False):
        return []
    rows = [
        HolidayRow(seat, holiday.begins, holiday.ends)
        for holiday in game.holidays
        if holiday.begins < holiday.ends
        and at < holiday.ends
        and (seat := game.seat_of(holiday.player)) is not None
    ]
    return sorted(rows, key=lambda row: (row.begins, row.seat))

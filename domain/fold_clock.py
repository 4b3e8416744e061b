"""Folding what a log records about the clock of a game. A part of `domain.fold`.

The functions write into a game that the caller owns.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain.clock_events import HolidayAnnounced, HolidayCancelled, PauseAgreed
from domain.clock_records import (
    TurnTime,
    holidays_after_announcement,
    holidays_after_cancellation,
    pauses_after_agreement,
    pauses_after_event,
)
from domain.contract import Opened
from domain.event import Event
from domain.game import Game


def end_turn(game: Game, seat: int | None, event: Event) -> None:
    """Record the turn of a seat that ends with an event, if the clock has a time bank."""
    if seat is None or game.clock is None or "bank" not in game.clock:
        return
    turn = TurnTime(seat, game.players[seat], game.turn_at, event["at"], game.turn_extension)
    game.turn_times += (turn,)


def begin_or_end_pause(game: Game, event: Event) -> None:
    """Begin a pause if all people in the game agree to it after an event, or end it if they do not."""
    seats = game.seats_of_people() if game.status == "playing" else ()
    people = [game.players[seat] for seat in seats]
    game.pauses = pauses_after_event(game.pauses, people, event["at"])


def leave_holidays(game: Game, player: str) -> None:
    """Remove the holidays of a player who leaves the game before it has started."""
    if game.holidays:
        game.holidays = tuple(holiday for holiday in game.holidays if holiday.player != player)


def _holiday_announced(game: Game, event: Event, data: HolidayAnnounced, opened: Opened) -> None:
    game.holidays = holidays_after_announcement(game.holidays, data, event["at"])


def _holiday_cancelled(game: Game, event: Event, data: HolidayCancelled, opened: Opened) -> None:
    game.holidays = holidays_after_cancellation(game.holidays, data, event["at"])


def _pause_agreed(game: Game, event: Event, data: PauseAgreed, opened: Opened) -> None:
    player = game.players[data["seat"]]
    game.pauses = pauses_after_agreement(game.pauses, data, player, event["at"])


CLOCK_APPLIERS: Final[Mapping[str, Callable[[Game, Event, Any, Opened], None]]] = {
    "HolidayAnnounced": _holiday_announced,
    "HolidayCancelled": _holiday_cancelled,
    "PauseAgreed": _pause_agreed,
}
"""By event type. The data is `Any` here alone: the type of an event determines the TypedDict of its data."""

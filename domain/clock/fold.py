"""Folds the events of the clock, of deadlines and of vacant seats into a game.

`domain.fold` applies these functions to a game that it owns.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from domain.administration import ADMINISTRATOR
from domain.clock.events import (
    DeadlineExcused,
    HolidayAnnounced,
    HolidayCancelled,
    PauseAgreed,
    SeatVacated,
    SubstituteSeated,
    TimeGiven,
)
from domain.clock.history import (
    TurnTime,
    holidays_after_announcement,
    holidays_after_cancellation,
    pauses_after_agreement,
    pauses_after_event,
)
from domain.contract import Opened
from domain.event import Event, TurnForfeited
from domain.game import Game, MissedDeadlines


def count_missed_deadline(game: Game, event: Event) -> None:
    """Count a turn that the clock has ended. A removal is neither a missed deadline nor an action."""
    if event["type"] != "PlayerRemoved":
        seat = cast("TurnForfeited", event["data"])["seat"]
        game.forfeits = _with(game.forfeits, seat, event["seq"])
        game.missed_deadlines = _with(game.missed_deadlines, seat, event["seq"])


def _with(misses: MissedDeadlines, seat: int, seq: int) -> MissedDeadlines:
    return {**misses, seat: (*misses.get(seat, ()), seq)}


def missed_until(misses: MissedDeadlines, origin: int) -> MissedDeadlines:
    """Return the missed deadlines that still count when play has resumed after event `origin`.

    Later ones are superseded. A count that an action has reset since then does not come back.
    """
    kept = {seat: tuple(seq for seq in seqs if seq <= origin) for seat, seqs in misses.items()}
    return {seat: seqs for seat, seqs in kept.items() if seqs}


def clear_missed_deadlines(game: Game, seat: int) -> None:
    """Reset the count of deadlines that a seat has missed in a row, because it has acted."""
    game.missed_deadlines = {
        other: seqs for other, seqs in game.missed_deadlines.items() if other != seat
    }


def excused(game: Game, event: Event, data: DeadlineExcused, opened: object) -> None:
    """Apply `DeadlineExcused`: the time of the turn starts again."""
    seat = data["seat"]
    game.excuses = {**game.excuses, seat: game.excuses.get(seat, 0) + 1}
    game.turn_at = event["at"]
    game.turn_extension = 0


def vacated(game: Game, event: Event, data: SeatVacated, opened: object) -> None:
    """Apply `SeatVacated`."""
    game.vacant_seats = tuple(sorted({*game.vacant_seats, data["seat"]}))
    _drop_takeback(game)


def substituted(game: Game, event: Event, data: SubstituteSeated, opened: object) -> None:
    """Apply `SubstituteSeated`. Missed and excused deadlines are counted from zero; those of the former
    player do not matter. A player from whom an administrator takes the seat is excluded from the game.
    """
    seat = data["seat"]
    players = list(game.players)
    players[seat] = data["player"]
    game.players = tuple(players)
    game.former_players += (data["replaces"],)
    if event["by"] == ADMINISTRATOR:
        game.excluded_players += (data["replaces"],)
    game.vacant_seats = tuple(vacant for vacant in game.vacant_seats if vacant != seat)
    game.missed_deadlines = {
        other: seqs for other, seqs in game.missed_deadlines.items() if other != seat
    }
    game.excuses = {other: count for other, count in game.excuses.items() if other != seat}
    game.forfeits = {}
    _drop_takeback(game)
    if game.to_act == seat:
        game.turn_at = event["at"]
        game.turn_extension = 0


def _drop_takeback(game: Game) -> None:
    """Let a pending takeback lapse, because other people have to agree from now on."""
    if game.last_play is not None and game.last_play.takeback is not None:
        game.last_play = replace(game.last_play, takeback=None)


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


def _time_given(game: Game, event: Event, data: TimeGiven, opened: Opened) -> None:
    player = game.players[data["seat"]]
    game.turn_extension += data["seconds"]
    game.extensions_given = {
        **game.extensions_given,
        player: game.extensions_given.get(player, 0) + 1,
    }


CLOCK_APPLIERS: Final[Mapping[str, Callable[[Game, Event, Any, Opened], None]]] = {
    "HolidayAnnounced": _holiday_announced,
    "HolidayCancelled": _holiday_cancelled,
    "PauseAgreed": _pause_agreed,
    "TimeGiven": _time_given,
}
"""By event type. The data is `Any` here alone: the type of an event determines the TypedDict of its data."""

"""A game's clock: the deadlines of turns, the time left in time banks, and what stops the clock.

A dispute stops the clock until the ruling, but no longer than DISPUTE_LIMIT; a pause by agreement while it
lasts, but no longer than PAUSE_LIMIT; a holiday in the turns of the player who has announced it. Nothing here
reads the current time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, Literal

from domain.clock.history import Pause, TurnTime
from domain.disputes.history import Dispute
from domain.event import Clock
from domain.game import Game
from domain.messages import Message, message
from ledger.canonical import format_timestamp
from ledger.clock.counted_time import Interval, calendar_of, moment_after, time_between, union

_MILLISECOND: Final = timedelta(milliseconds=1)
_NONE: Final = timedelta()
DISPUTE_LIMIT: Final = timedelta(hours=72)
"""The longest time for which one dispute stops the clock and the end of the game."""
PAUSE_LIMIT: Final = timedelta(days=30)
"""The longest time for which one pause stops the clock."""
_cached_time_between: Final = lru_cache(20_000)(time_between)


def deadline(game: Game) -> datetime | None:
    """Return the deadline of the turn under way; None without a clock or without a turn.

    It is the first moment at which the time for the turn, the time bank of the seat and what administrators
    have added have passed, without the times that do not count. While a dispute or a pause stops the clock,
    it includes the time until the limit of that, so a ruling or the end of the pause brings it forward.
    """
    if game.clock is None or game.to_act is None:
        return None
    balance = bank_left(game, game.to_act)
    return _moment_after_turn_time(game, game.clock, game.to_act, balance or _NONE)


def deadline_timestamp(game: Game) -> str | None:
    """Return the deadline of the turn under way as a timestamp; None if it has none."""
    moment = deadline(game)
    return None if moment is None else format_timestamp(moment)


def bank_begins_at(game: Game) -> datetime | None:
    """Return when the turn under way begins to use up the time bank of the seat; None without a bank."""
    if game.clock is None or game.to_act is None or "bank" not in game.clock:
        return None
    return _moment_after_turn_time(game, game.clock, game.to_act, _NONE)


def bank_left(game: Game, seat: int) -> timedelta | None:
    """Return the time left in the time bank of a seat when the turn under way began; None without a bank."""
    clock = game.clock
    if clock is None or "bank" not in clock:
        return None
    full = timedelta(seconds=clock["bank"])
    increment = timedelta(seconds=clock.get("increment", 0))
    balance = full
    for turn in game.turn_times:
        if turn.seat == seat:
            balance = min(full, max(_NONE, balance - _time_over(game, clock, turn)) + increment)
    return balance


def bank_milliseconds(game: Game, seat: int) -> int | None:
    """Return the result of `bank_left` in milliseconds."""
    balance = bank_left(game, seat)
    return None if balance is None else balance // _MILLISECOND


def _time_over(game: Game, clock: Clock, turn: TurnTime) -> timedelta:
    """Return the time by which a finished turn exceeded the time for a turn."""
    allowed = timedelta(seconds=clock.get("per_turn", 0) + turn.extension)
    since, until = datetime.fromisoformat(turn.since), datetime.fromisoformat(turn.until)
    if until - since <= allowed:
        return _NONE
    stops = tuple(
        stop
        for stop in (*_common_stops(game, since), *_holidays(game, clock, turn.player))
        if stop.start < until and since < stop.end
    )
    return max(_NONE, _cached_time_between(since, until, calendar_of(clock), stops) - allowed)


def _moment_after_turn_time(game: Game, clock: Clock, seat: int, more: timedelta) -> datetime:
    """Return the moment at which the time for the turn of a seat, and `more` time after it, have passed."""
    turn_at = datetime.fromisoformat(game.turn_at)
    time = timedelta(seconds=clock.get("per_turn", 0) + game.turn_extension) + more
    times = calendar_of(clock)
    common = union(_common_stops(game, turn_at))
    holidays = tuple(_holidays(game, clock, game.players[seat]))
    if times is None and not common and not holidays:
        return turn_at + time
    moment = moment_after(turn_at, time, times, (*common, *holidays))
    for stop in common:
        if stop.start >= moment:
            # The clock was stopped after the deadline, before the turn was ended: the turn remains late.
            moment += stop.end - stop.start
    return moment


def _common_stops(game: Game, since: datetime) -> Iterator[Interval]:
    """Yield the intervals after a moment in which disputes and pauses stop the clock of all seats."""
    stops = (*map(_stop_of_dispute, game.disputes), *map(_stop_of_pause, game.pauses.pauses))
    for stop in stops:
        if stop is not None and stop.end > since:
            yield Interval(max(since, stop.start), stop.end)


def _stop_of_dispute(dispute: Dispute) -> Interval | None:
    if dispute.clock_stopped_until is None:
        return None
    until = dispute.clock_stopped_until
    if dispute.ending is not None:
        until = min(until, dispute.ending.at)
    return Interval(datetime.fromisoformat(dispute.at), datetime.fromisoformat(until))


def _stop_of_pause(pause: Pause) -> Interval:
    since = datetime.fromisoformat(pause.since)
    limit = since + PAUSE_LIMIT
    return Interval(
        since, limit if pause.until is None else min(limit, datetime.fromisoformat(pause.until))
    )


def _holidays(game: Game, clock: Clock, player: str) -> Iterator[Interval]:
    if not game.holidays or not clock.get("holidays", False):
        return
    for holiday in game.holidays:
        if holiday.player == player and holiday.begins < holiday.ends:
            yield Interval(
                datetime.fromisoformat(holiday.begins), datetime.fromisoformat(holiday.ends)
            )


def pause_limit(game: Game) -> str | None:
    """Return the latest time at which the current pause ends; None if there is no pause."""
    pause = game.pauses.current
    if pause is None or game.has_ended:
        return None
    return format_timestamp(_stop_of_pause(pause).end)


@dataclass(frozen=True, slots=True)
class ClockStop:
    """What stops the clock of all seats until people decide: a pause by agreement, or an open dispute."""

    reason: Literal["pause", "dispute"]
    until: str
    """The latest time at which the clock runs again."""

    @property
    def why(self) -> Message:
        """Why the clock stands still, in words."""
        if self.reason == "pause":
            return message("the clock stands still: all players have agreed to a pause")
        return message("the clock stands still: a dispute is open")


def clock_stop(game: Game, at: str) -> ClockStop | None:
    """Return what stops the clock at a timestamp since the beginning of the turn under way; None if it runs.

    The deadline is unknown while the clock is stopped: `deadline` returns the latest possible one. Nights,
    weekends and holidays do not stop it in this sense: they end at known times, and so the deadline is known.
    """
    if game.clock is None or game.to_act is None:
        return None
    pause, dispute = pause_limit(game), game.open_dispute
    limits: dict[Literal["pause", "dispute"], str | None] = {
        "pause": pause,
        "dispute": None if dispute is None else dispute.clock_stopped_until,
    }
    stops = [ClockStop(reason, limit) for reason, limit in limits.items() if limit and at < limit]
    return ClockStop(stops[0].reason, max(stop.until for stop in stops)) if stops else None


def is_pause_over(game: Game, at: str) -> bool:
    """Return whether, at a timestamp, a pause to which all agree has reached the limit."""
    limit = pause_limit(game)
    return limit is not None and limit <= at


def holiday_until(game: Game, at: str) -> str | None:
    """Return the end of the holiday that stops the clock of the seat to act at a timestamp, or None."""
    if game.clock is None or game.to_act is None or not game.clock.get("holidays", False):
        return None
    player = game.players[game.to_act]
    ends = [
        holiday.ends
        for holiday in game.holidays
        if holiday.player == player and holiday.begins <= at < holiday.ends
    ]
    return max(ends, default=None)


def has_passed(game: Game, at: str) -> bool:
    """Return whether the deadline of the turn under way had passed at a timestamp.

    A passed deadline has no effect by itself: until the turn is forfeited in the log, the seat may
    still act.
    """
    moment = deadline(game)
    return moment is not None and moment <= datetime.fromisoformat(at)


def milliseconds_left(game: Game, at: str) -> int | None:
    """Return how many milliseconds before the deadline of the turn under way a timestamp is.

    0 or less means that the deadline had passed: -3069 is 3.069 seconds late. None without a deadline.
    """
    moment = deadline(game)
    return None if moment is None else (moment - datetime.fromisoformat(at)) // _MILLISECOND


def time_left_message(milliseconds: int) -> Message:
    """Return the result of `milliseconds_left` in words, such as `1 h 2 min 3.069 s left`."""
    time = duration_message(abs(milliseconds))
    if milliseconds > 0:
        return message("{time} left", time=time)
    return message("{time} late", time=time)


def duration_message(milliseconds: int) -> Message:
    """Return a time in words, such as `1 h 2 min 3.069 s`."""
    seconds, thousandths = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    time = message("{seconds}.{milliseconds} s", seconds=seconds, milliseconds=f"{thousandths:03}")
    if minutes:
        time = message("{minutes} min {rest}", minutes=minutes, rest=time)
    if hours:
        time = message("{hours} h {rest}", hours=hours, rest=time)
    if days:
        time = message("{days} d {rest}", days=days, rest=time)
    return time


def clock_stopped_until(game: Game, at: str) -> str | None:
    """Return until when a dispute that is opened at a timestamp can stop the clock; None without a clock."""
    return None if game.clock is None else _limit_after(at)


def ruling_limit(game: Game) -> str | None:
    """Return until when the end of the game waits for the ruling in an open dispute; None without one."""
    dispute = game.open_dispute
    return None if dispute is None else dispute.clock_stopped_until or _limit_after(dispute.at)


def waits_for_ruling(game: Game, at: str) -> bool:
    """Return whether, at a timestamp, the game may not be finished because a dispute may still be ruled."""
    limit = ruling_limit(game)
    return limit is not None and at < limit


def _limit_after(at: str) -> str:
    return format_timestamp(datetime.fromisoformat(at) + DISPUTE_LIMIT)

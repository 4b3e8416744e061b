"""A game's clock: its settings, when the deadline of a turn is, and how long a dispute stops it.

The clock of a game is null, or {"per_turn": SECONDS}: 1 second to 365 days for each turn and for each
placement in the set-up. A dispute stops it until the ruling, but no longer than DISPUTE_LIMIT. Reads no
current time.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from domain.dispute_records import Dispute
from domain.game import Game
from domain.messages import Message, Text, message
from ledger.deadline_policy import on_deadline_faults
from ledger.envelope import format_timestamp

MAX_SECONDS: Final = 365 * 24 * 3600
"""The longest time that a clock may allow for a turn."""
_MILLISECOND: Final = timedelta(milliseconds=1)
DISPUTE_LIMIT: Final = timedelta(hours=72)
"""The longest time for which one dispute stops the clock and the end of the game."""


def clock_faults(raw: object) -> dict[str, Text]:
    """Return what is wrong with the clock settings of a request, by field; {} if they are valid."""
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        return {"clock": message("must be an object or null")}
    faults: dict[str, Text] = {
        f"clock.{name}": message("unknown field")
        for name in raw
        if name not in ("per_turn", "on_deadline")
    }
    if "on_deadline" in raw:
        faults |= on_deadline_faults(raw["on_deadline"])
    seconds: Any = raw.get("per_turn")
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 1 <= seconds <= MAX_SECONDS:
        faults["clock.per_turn"] = message(
            "must be a whole number of seconds, 1 to {most}", most=MAX_SECONDS
        )
    return faults


def deadline(game: Game) -> datetime | None:
    """Return the deadline of the turn under way; None without a clock or without a turn.

    It is later by the time for which disputes have stopped the clock in this turn, and by what administrators
    have added. While a dispute is open,
    this includes the time until its limit, so a ruling brings the deadline forward.
    """
    if game.clock is None or game.to_act is None:
        return None
    turn_at = datetime.fromisoformat(game.turn_at)
    stopped = sum(_stopped_times(game.disputes, turn_at), timedelta())
    seconds = game.clock["per_turn"] + game.turn_extension
    return turn_at + timedelta(seconds=seconds) + stopped


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
    time = _duration(abs(milliseconds))
    if milliseconds > 0:
        return message("{time} left", time=time)
    return message("{time} late", time=time)


def _duration(milliseconds: int) -> Message:
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
    """Return how long a dispute that is opened at a timestamp may stop the clock; None without a clock."""
    return None if game.clock is None else _limit_after(at)


def ruling_limit(game: Game) -> str | None:
    """Return until when the end of the game waits for the ruling in the open dispute; None without one."""
    dispute = game.open_dispute
    return None if dispute is None else dispute.clock_stopped_until or _limit_after(dispute.at)


def waits_for_ruling(game: Game, at: str) -> bool:
    """Return whether, at a timestamp, the game may not be finished because a dispute may still be ruled."""
    limit = ruling_limit(game)
    return limit is not None and at < limit


def _limit_after(at: str) -> str:
    return format_timestamp(datetime.fromisoformat(at) + DISPUTE_LIMIT)


def _stopped_times(disputes: tuple[Dispute, ...], turn_at: datetime) -> Iterator[timedelta]:
    """Yield the time for which each dispute stops the clock after `turn_at`."""
    for dispute in disputes:
        if dispute.clock_stopped_until is not None:
            until = datetime.fromisoformat(dispute.clock_stopped_until)
            if dispute.ending is not None:
                until = min(until, datetime.fromisoformat(dispute.ending.at))
            since = max(turn_at, datetime.fromisoformat(dispute.at))
            if until > since:
                yield until - since

"""A game's clock: its settings, and when the deadline of a turn is. Reads no current time.

The clock of a game is null, or {"per_turn": SECONDS}: 1 second to 365 days for each turn and for each
placement in the set-up.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from domain.game import Game

MAX_SECONDS: Final = 365 * 24 * 3600
"""The longest time that a clock may allow for a turn."""
_MILLISECOND: Final = timedelta(milliseconds=1)


def clock_faults(raw: object) -> dict[str, str]:
    """Return what is wrong with the clock settings of a request, by field; {} if they are valid."""
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        return {"clock": "must be an object or null"}
    faults = {f"clock.{name}": "unknown field" for name in raw if name != "per_turn"}
    seconds: Any = raw.get("per_turn")
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 1 <= seconds <= MAX_SECONDS:
        faults["clock.per_turn"] = f"must be a whole number of seconds, 1 to {MAX_SECONDS}"
    return faults


def deadline(game: Game) -> datetime | None:
    """Return the deadline of the turn under way; None without a clock or without a turn."""
    if game.clock is None or game.to_act is None:
        return None
    return datetime.fromisoformat(game.turn_at) + timedelta(seconds=game.clock["per_turn"])


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


def time_left_text(milliseconds: int) -> str:
    """Return the result of `milliseconds_left` in words, such as `1 h 2 min 3.069 s left`."""
    minutes, rest = divmod(abs(milliseconds), 60_000)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    counts = ((days, "d"), (hours, "h"), (minutes, "min"))
    parts = [f"{count} {unit}" for count, unit in counts if count]
    parts.append(f"{rest // 1000}.{rest % 1000:03} s")
    return f"{' '.join(parts)} {'left' if milliseconds > 0 else 'late'}"

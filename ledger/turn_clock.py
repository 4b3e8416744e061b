"""A game's clock: its form, and by when the seat to act must have acted. What time it is, nobody knows here.

The clock of a game is null, or {"per_turn": SECONDS} with 1 second to 365 days for each turn and each
placement of the set-up.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from domain.game import Game

LONGEST: Final = 365 * 24 * 3600
"""Seconds that a clock gives for a turn at most."""


def clock_faults(raw: object) -> dict[str, str]:
    """What is wrong with a clock that somebody asks for, by field; empty when it will do."""
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        return {"clock": "must be an object or null"}
    faults = {f"clock.{name}": "is not known" for name in raw if name != "per_turn"}
    seconds: Any = raw.get("per_turn")
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 1 <= seconds <= LONGEST:
        faults["clock.per_turn"] = f"must be a whole number of seconds, 1 to {LONGEST}"
    return faults


def due(game: Game) -> datetime | None:
    """When the turn under way is to be forfeited; None without clock or turn."""
    if game.clock is None or game.to_act is None:
        return None
    return datetime.fromisoformat(game.turn_at) + timedelta(seconds=game.clock["per_turn"])


def has_passed(game: Game, at: str) -> bool:
    """Whether the turn under way in `game` had no time left at `at`."""
    last = due(game)
    return last is not None and last <= datetime.fromisoformat(at)

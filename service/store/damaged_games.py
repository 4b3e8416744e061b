"""The damaged games: games with a stored value that cannot be read, until it can be read again.

    cartulary:damaged           hash, `GAME PART` -> the reason why that part of the game cannot be read
    cartulary:{GAME}:damaged    seq of a damaged event; while it exists, no process appends to the game

A part is `event SEQ` (the first damaged event), `outbox`, `log` (the last event), `entry NAME` (an outbox
entry whose payload cannot be read) or `work NAME` (an outbox entry whose work cannot be done, because
something else cannot be read). A damaged value is left for a person to repair; docs/recovery.md describes
how.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import redis

from service.connection import to_text, unavailable_on_error
from service.store.redis_event_store import DAMAGED, game_key

DAMAGED_GAMES_KEY: Final = "cartulary:damaged"
OUTBOX: Final = "outbox"
LOG: Final = "log"
_EVENT: Final = "event "

log = logging.getLogger(__name__)


def event_part(event: int) -> str:
    """Return the name of the part that is an event."""
    return f"{_EVENT}{event}"


def is_event_part(part: str) -> bool:
    """Return whether a part is an event."""
    return part.startswith(_EVENT)


def entry_part(entry: str) -> str:
    """Return the name of the part that is the payload of an outbox entry."""
    return f"entry {entry}"


def work_part(entry: str) -> str:
    """Return the name of the part that is the work of an outbox entry."""
    return f"work {entry}"


class DamagedGames:
    """The reported damage of all games. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def report(self, game_id: str, part: str, reason: str) -> None:
        """Report that a part of a game cannot be read; log it unless it was reported before."""
        with unavailable_on_error():
            is_new = self._redis.hset(DAMAGED_GAMES_KEY, f"{game_id} {part}", reason)
        if is_new:
            log.error("game %s is damaged: %s: %s", game_id, part, reason)

    def clear(self, game_id: str, part: str) -> None:
        """Report that a part of a game can be read; log it if it was damaged before."""
        with unavailable_on_error():
            was_damaged = self._redis.hdel(DAMAGED_GAMES_KEY, f"{game_id} {part}")
        if was_damaged:
            log.warning("game %s is no longer damaged: %s", game_id, part)

    def report_event(self, game_id: str, event: int, reason: str) -> None:
        """Report the first damaged event of a game, and stop all processes from appending to the game."""
        self.report(game_id, event_part(event), reason)
        with unavailable_on_error():
            self._redis.set(game_key(game_id, DAMAGED), event)

    def clear_events(self, game_id: str, parts: Iterable[str], but: int | None = None) -> None:
        """Report that none of these parts of a game, which are events, is damaged, except event `but`."""
        if but is None:
            with unavailable_on_error():
                self._redis.delete(game_key(game_id, DAMAGED))
        for part in parts:
            if part != (None if but is None else event_part(but)):
                self.clear(game_id, part)

    def parts(self) -> dict[str, dict[str, str]]:
        """Return the reasons by the damaged parts of each damaged game, by game id."""
        with unavailable_on_error():
            stored = self._redis.hgetall(DAMAGED_GAMES_KEY)
        parts: dict[str, dict[str, str]] = defaultdict(dict)
        for name, reason in stored.items():
            game_id, _, part = to_text(name).partition(" ")
            parts[game_id][part] = to_text(reason)
        return dict(parts)

    def count(self) -> int:
        """Return the number of damaged games."""
        with unavailable_on_error():
            names = self._redis.hkeys(DAMAGED_GAMES_KEY)
        return len({to_text(name).partition(" ")[0] for name in names})

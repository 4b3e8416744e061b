"""The timetable: when which game's deadline has to be looked at.

    cartulary:deadlines   sorted set, game id -> milliseconds since 1970 of its deadline

It only says where to look and when. What holds is the note `deadline` of the game, and whoever forfeits
looks at the log; so it can be lost, and the next sweep that looks at everything writes it again.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

import redis

from service import clock
from service.connection import reachable
from workers.tasks import Work

DEADLINES: Final = "cartulary:deadlines"

# Between looking and removing another process may have put a later deadline of the game there.
_STRIKE = """
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then
  return redis.call('ZREM', KEYS[1], ARGV[1])
end
return 0
"""


class DeadlineIndex:
    """The deadlines of all games. Raises Unavailable from everything when Redis does not answer."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._strike = client.register_script(_STRIKE)

    def put(self, works: Iterable[Work]) -> None:
        """Enter `deadline` notes, each in the place of an earlier one of its game."""
        times = {work.game: _milliseconds(clock.parse(work.due)) for work in works}
        if times:
            with reachable():
                self._redis.zadd(DEADLINES, times)

    def passed(self, limit: int) -> list[tuple[str, str]]:
        """Games whose deadline is not later than now, the earliest first, each with its entry."""
        now = _milliseconds(clock.now())
        with reachable():
            # The declared type has room for what other forms of the command may say.
            found: list[Any] = self._redis.zrange(
                DEADLINES, "-inf", str(now), byscore=True, offset=0, num=limit, withscores=True
            )
        return [(game.decode(), f"{entry:.0f}") for game, entry in found]

    def remove(self, game: str, entry: str) -> None:
        """Remove the entry of a game, if it is still this one."""
        with reachable():
            self._strike(keys=[DEADLINES], args=[game, entry])


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)

"""The changed games: games with new events or outbox entries that no sweep has examined yet.

    cartulary:changed        sorted set, game id -> time of the last change in microseconds since 1970
    cartulary:{TAG}:changed  the same in a cluster, for the games of one slot, which is also that of `{TAG}`

The script that appends adds the game, so no process can die in between. Therefore every game is here whose
outbox has a due entry, or whose head is not in the transparency log, and a sweep need not examine others. If
a game is not here, its entries that are due later are in the deadline index (workers/deadline_index.py).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import compress
from typing import Final

import redis

from service.cluster import SLOTS, slot_of_tag, tags_of_slots
from service.connection import to_text, unavailable_on_error, which_exist

CHANGED_GAMES_KEY: Final = "cartulary:changed"
_SCAN_PAGE: Final = 500
_SLOTS_AT_ONCE: Final = 1024

_MARK: Final = """
local time = redis.call('TIME')
local now = time[1] .. string.format('%06d', time[2])
for _, game in ipairs(ARGV) do redis.call('ZADD', KEYS[1], now, game) end
"""
_FORGET: Final = """
for i = 1, #ARGV, 2 do
  local changed_at = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if changed_at and tonumber(changed_at) == tonumber(ARGV[i + 1]) then
    redis.call('ZREM', KEYS[1], ARGV[i])
  end
end
"""


class ChangedGames:
    """The changed games of a service. Thread-safe; raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, *, by_slot: bool = False) -> None:
        """`by_slot`: the client is of a cluster, where a script can only write to keys of one slot."""
        self._redis = client
        self._by_slot = by_slot
        self._mark = client.register_script(_MARK)
        self._forget = client.register_script(_FORGET)

    def key(self, game_id: str) -> str:
        """Return the key to which a script that changes a game adds it, with the time of Redis."""
        return _key_of_slot(slot_of_tag(game_id)) if self._by_slot else CHANGED_GAMES_KEY

    def mark(self, game_ids: Iterable[str]) -> None:
        """Add games."""
        for key, games in self._by_key(game_ids).items():
            with unavailable_on_error():
                self._mark(keys=[key], args=games)

    def all(self) -> Iterator[tuple[str, int]]:
        """Iterate over the games with the times of their last changes; a game may be repeated."""
        for key in self._used_keys():
            with unavailable_on_error():
                for game_id, changed_at in self._redis.zscan_iter(key, count=_SCAN_PAGE):
                    yield to_text(game_id), int(changed_at)

    def forget(self, changes: Mapping[str, int]) -> None:
        """Remove games, by id, unless they have changed since these times."""
        for key, games in self._by_key(changes).items():
            args = [value for game in games for value in (game, changes[game])]
            with unavailable_on_error():
                self._forget(keys=[key], args=args)

    def _by_key(self, game_ids: Iterable[str]) -> dict[str, list[str]]:
        games: dict[str, list[str]] = {}
        for game_id in game_ids:
            games.setdefault(self.key(game_id), []).append(game_id)
        return games

    def _used_keys(self) -> Iterator[str]:
        """Iterate over the keys that have games."""
        if not self._by_slot:
            yield CHANGED_GAMES_KEY
            return
        for first in range(0, SLOTS, _SLOTS_AT_ONCE):
            keys = [_key_of_slot(slot) for slot in range(first, first + _SLOTS_AT_ONCE)]
            yield from compress(keys, which_exist(self._redis, keys))


def _key_of_slot(slot: int) -> str:
    return f"cartulary:{{{tags_of_slots()[slot]}}}:changed"

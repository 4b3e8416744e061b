"""Sharded keys: collections that grow with the number of games or players are spread over a cluster.

    cartulary:{NAME:N}    shard N of the key `cartulary:NAME`

Earlier versions had everything in `cartulary:NAME`. It is read as another shard, and its members move when
they are next used, or by `cartulary reindex`. Until then, they may be in both.
"""

from binascii import crc_hqx
from collections.abc import Iterable
from typing import Final

import redis

from service.connection import to_text

SHARDS: Final = 16
"""The number of shards. It must not change, because it determines where a member is."""
_SCAN_PAGE: Final = 500


class Shards:
    """The shards of a key, whose members are ids of games or players, or other texts."""

    def __init__(self, name: str) -> None:
        self.former: Final = f"cartulary:{name}"
        """The key of earlier versions, with all members."""
        self._keys = tuple(f"cartulary:{{{name}:{number}}}" for number in range(SHARDS))
        self.all: Final = (*self._keys, self.former)
        """All keys, the former one last."""

    def key(self, member: str) -> str:
        """Return the key in which a member belongs."""
        return self._keys[crc_hqx(member.encode(), 0) % SHARDS]

    def by_key(self, members: Iterable[str]) -> dict[str, list[str]]:
        """Return members by the key in which they belong."""
        keys: dict[str, list[str]] = {}
        for member in members:
            keys.setdefault(self.key(member), []).append(member)
        return keys

    def move_former_members(self, client: redis.Redis) -> None:
        """Move the members of a set that earlier versions have stored into the shards. Idempotent."""
        for member in client.sscan_iter(self.former, count=_SCAN_PAGE):
            client.sadd(self.key(to_text(member)), member)
            client.srem(self.former, member)

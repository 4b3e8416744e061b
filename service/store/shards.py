"""Keys in shards: what grows with the number of games is in several slots of a cluster.

    cartulary:{NAME:N}    shard N of the key `cartulary:NAME`

Earlier versions had everything in `cartulary:NAME`. It is read as one more shard, and its members move when
they are next visited.
"""

from binascii import crc_hqx
from typing import Final

SHARDS: Final = 16
"""Their number, which must not change: it decides where a member is."""


class Shards:
    """The shards of a key, whose members are ids of games."""

    def __init__(self, name: str) -> None:
        self.former: Final = f"cartulary:{name}"
        """The key that earlier versions had, with all members."""
        self._keys = tuple(f"cartulary:{{{name}:{number}}}" for number in range(SHARDS))
        self.all: Final = (*self._keys, self.former)
        """All keys, the former one last."""

    def key(self, member: str) -> str:
        """Return the key in which a member is, or belongs."""
        return self._keys[crc_hqx(member.encode(), 0) % SHARDS]

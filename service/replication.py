"""Waiting for replicas: what they have survives the failover of a master (CARTULARY_WAIT_REPLICAS).

    cartulary:replication          written before a wait; expires at once
    cartulary:{TAG}:replication    the same in a cluster, one on each master

WAIT counts from the last write of its connection. A replica receives the writes of its master in their order,
so when it has the last one, it has all before it. The event store waits for the events of a game by itself
(`RedisEventStore.append`). Here is the wait for everything else: before a request that may have written is
answered, before an outbox entry is acknowledged, before a delivery about an event is created, and before a
checkpoint is signed.
"""

from collections.abc import Hashable
from typing import Any, Final

import redis

from domain.messages import message
from service.cluster import ClusterClient
from service.connection import unavailable_on_error
from service.errors import Unavailable

REPLICATION_MILLISECONDS: Final = 2000
"""Time that replicas have to receive a write."""
TOO_FEW_REPLICAS: Final = message("too few replicas of the store have what was written; try again")
_KEY: Final = "cartulary:replication"


class Replication:
    """Waits for a number of replicas of each master; does nothing if that is 0. Thread-safe."""

    def __init__(self, client: redis.Redis, replicas: int) -> None:
        self._redis = client
        self._replicas = replicas

    def masters(self) -> Hashable:
        """Return the masters as this process knows them, which are others after a failover.

        Raises Unavailable.
        """
        if not self._replicas:
            return None
        with unavailable_on_error():
            if isinstance(self._redis, ClusterClient):
                return frozenset(node.name for node in self._redis.masters())
            pool: Any = self._redis.connection_pool
            if hasattr(pool, "master_address"):
                # None before the first connection.
                address: Hashable = pool.master_address or pool.get_master_address()
                return address
            return None

    def wait(self, since: Hashable = None) -> None:
        """Return when the replicas have everything that this process has written.

        `since` are the masters before the first of these writes: if others have taken over, they may lack it.
        Raises Unavailable in this case, and if the replicas are not quick enough. What was written may be
        kept all the same.
        """
        if not self._replicas:
            return
        keys = [_KEY]
        if isinstance(self._redis, ClusterClient):
            keys = [f"cartulary:{{{tag}}}:replication" for tag in self._redis.tags_of_masters()]
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for key in keys:
                pipeline.set(key, 1, px=REPLICATION_MILLISECONDS)
                pipeline.wait(self._replicas, REPLICATION_MILLISECONDS)
            counts = pipeline.execute()[1::2]
        if min(counts) < self._replicas or since not in (None, self.masters()):
            raise Unavailable(TOO_FEW_REPLICAS)

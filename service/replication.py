"""Waits for replicas, whose data survives the failover of a master (CARTULARY_WAIT_REPLICAS).

    cartulary:replication          written before a wait; expires immediately
    cartulary:{TAG}:replication    the same in a cluster, one on each master

WAITAOF counts the replicas that have the last write of its connection on their disks, and WAIT those that
have received it. A replica receives the writes of its master in order, so when it has the last one, it has
all earlier ones. The event store itself waits for the events of a game (`RedisEventStore.append`). This
module waits for everything else: before a request that may have written is answered, before an outbox entry
is acknowledged, before a delivery about an event is created, and before a checkpoint is signed.

WAITAOF follows WAIT if the master supports it, and syncs every write itself (`appendfsync always`): its
replicas are then expected to do so, too. Alone, WAITAOF would take up to a second: the replica has not yet
written to its disk, and otherwise reports that only once a second. After WAIT, it has. Redis 6.2 and 7.0 do
not support WAITAOF.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Final

import redis
from redis.client import Pipeline

from domain.messages import message
from service.cluster import ClusterClient
from service.connection import unavailable_on_error
from service.errors import Unavailable

REPLICATION_MILLISECONDS: Final = 2000
"""The time that replicas have to receive a write."""
TOO_FEW_REPLICAS: Final = message("too few replicas of the store have what was written; try again")
_KEY: Final = "cartulary:replication"
_NO_WAITAOF: Final = ("unknown command", "appendonly is disabled")
"""Parts of the errors of a master that does not support WAITAOF, or keeps no append-only file."""


class Replication:
    """Waits for a number of replicas of each master; does nothing if that is 0. Thread-safe."""

    def __init__(self, client: redis.Redis, replicas: int) -> None:
        self._redis = client
        self._replicas = replicas
        self._syncs: bool | None = None
        """Whether WAITAOF is used; None if it is not known yet whether the master supports it."""

    def add_wait(self, pipeline: Pipeline, key: str) -> None:
        """Add a wait for all previous writes to a pipeline: two or three commands, on the node of a key.

        Raises Unavailable.
        """
        # Both commands count from the last write of their connection.
        pipeline.set(key, 1, px=REPLICATION_MILLISECONDS)
        if self._syncs is None:
            self._syncs = _syncs_every_write(self._redis)
        pipeline.wait(self._replicas, REPLICATION_MILLISECONDS)
        if self._syncs:
            pipeline.execute_command("WAITAOF", 1, self._replicas, REPLICATION_MILLISECONDS)  # type: ignore[no-untyped-call] # redis-py has no annotations here

    def execute(self, pipeline: Pipeline) -> list[Any]:
        """Execute a pipeline with waits, and return the replies. Raises Unavailable.

        A master that has taken over may be another engine, or have other settings, so it is asked again.
        """
        try:
            return pipeline.execute()
        except redis.ResponseError as error:
            if "WAITAOF" not in str(error) or not any(it in str(error) for it in _NO_WAITAOF):
                raise
            self._syncs = None
            raise Unavailable(TOO_FEW_REPLICAS) from error

    def is_enough(self, replies: Sequence[Any]) -> bool:
        """Return whether enough replicas have the writes, from the replies to the commands of a wait.

        The first reply is to the write of the wait.
        """
        return all(
            reply[0] >= 1 and reply[1] >= self._replicas
            if isinstance(reply, list)
            else reply >= self._replicas
            for reply in replies[1:]
        )

    def masters(self) -> Hashable:
        """Return the masters that this process knows, which change with a failover.

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
        """Wait until the replicas have everything that this process has written.

        `since` are the masters before the first of these writes: if others have taken over, they may lack it.
        Raises Unavailable in this case, and if the replicas are not quick enough. The writes may be kept
        nevertheless.
        """
        if not self._replicas:
            return
        keys = [_KEY]
        if isinstance(self._redis, ClusterClient):
            keys = [f"cartulary:{{{tag}}}:replication" for tag in self._redis.tags_of_masters()]
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for key in keys:
                self.add_wait(pipeline, key)
            replies = self.execute(pipeline)
        size = len(replies) // len(keys)
        waits = [replies[start : start + size] for start in range(0, len(replies), size)]
        if not all(map(self.is_enough, waits)) or since not in (None, self.masters()):
            raise Unavailable(TOO_FEW_REPLICAS)


def _syncs_every_write(client: redis.Redis) -> bool:
    """Return whether a master syncs each write and supports WAITAOF; False if it hides its configuration."""
    try:
        commands: Any = client.execute_command("COMMAND LIST", "FILTERBY", "PATTERN", "waitaof")  # type: ignore[no-untyped-call] # redis-py has no annotations here
        settings: Any = client.config_get("append*") if commands else {}
    except redis.ResponseError:
        # Redis 6.2 cannot filter the list, and a managed Redis may hide its configuration.
        return False
    return (settings.get("appendonly"), settings.get("appendfsync")) == ("yes", "always")

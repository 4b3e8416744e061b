"""Clients of a Redis Cluster, which are used like those of a single Redis.

redis-py maintains the nodes, their slots and their connections (`NodesManager`). This module routes commands
to nodes, because `redis.cluster.RedisCluster` repeats a command whose connection was lost, so that a write
might be done twice. It also connects when it is created, and its pipelines do not support scripts.

- A command goes to the master of its key. MGET, DEL, EXISTS and UNLINK are split by key, and so are not
  atomic across slots. SCAN, KEYS, DBSIZE, FLUSHALL and the loading of scripts go to every master.
- A pipeline without a transaction goes to the masters of its keys at the same time. The commands of a
  transaction, and the keys of a script, must share a slot: CrossSlotTransactionError and CROSSSLOT are bugs
  in the program.
- Redirections (MOVED, ASK, TRYAGAIN) are followed, because the redirected command was not executed. After a
lost
  connection, the slots are read again before the next command.
- A message that is published on any node reaches the subscribers of all nodes, so a subscription needs only
one node.
"""

import asyncio
import random
import time
from binascii import crc_hqx
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from threading import Lock
from typing import Any, Final, TypeVar

import redis
import redis.asyncio
from redis.asyncio.client import PubSub as AsyncPubSub
from redis.asyncio.cluster import ClusterNode as AsyncClusterNode
from redis.asyncio.cluster import ClusterPipeline as AsyncClusterPipeline
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.client import Pipeline, PubSub
from redis.cluster import ClusterNode, NodesManager
from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    ClusterDownError,
    CrossSlotTransactionError,
    MovedError,
    NoScriptError,
    RedisClusterException,
    TryAgainError,
)
from redis.retry import Retry
from typing_extensions import override

T = TypeVar("T")
Addresses = Sequence[tuple[str, int]]

SLOTS: Final = 16_384
REDIRECTIONS: Final = 16
"""The most redirections of a command that are followed."""
_chance: Final = random.Random()  # noqa: S311 # it draws no secrets
"""Chooses nodes. It is separate from the global generator, which tests make reproducible."""
_PAUSE_SECONDS: Final = 0.05
"""Pause before a command is sent again to a slot that is being moved."""

_SCRIPTS: Final = frozenset({"EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO"})
_SPLIT: Final = {"MGET": "GET", "DEL": "DEL", "UNLINK": "UNLINK", "EXISTS": "EXISTS"}
"""Commands with several keys that are split, and the command for each key."""
_TO_ALL: Final[dict[str, Callable[[list[Any]], Any]]] = {
    "KEYS": lambda replies: [key for reply in replies for key in reply],
    "DBSIZE": sum,
    "FLUSHALL": all,
    "FLUSHDB": all,
    "SCRIPT LOAD": lambda replies: replies[0],
    "SCRIPT FLUSH": all,
    "BGREWRITEAOF": all,
    "CONFIG SET": all,
}
"""Commands that go to every master, and the functions that merge the replies."""
_TO_ANY: Final = frozenset(
    {
        "PING",
        "TIME",
        "INFO",
        "CONFIG GET",
        "PUBLISH",
        "SCRIPT EXISTS",
        "WAIT",
        "WAITAOF",
        "CLIENT SETNAME",
        "COMMAND LIST",
    }
)
"""Commands without keys that any master may execute; in a pipeline, the master of the command before."""


class ClusterClient(redis.Redis):
    """A client of all masters of a cluster; it connects when it is first used. Thread-safe."""

    def __init__(self, addresses: Addresses, options: dict[str, Any]) -> None:
        """`addresses` are those of some nodes; `options` apply to the connections to each node."""
        self._addresses = tuple(addresses)
        self._options = options
        self._nodes: NodesManager | None = None
        self._is_outdated = False
        self._lock = Lock()
        host, port = self._addresses[0]
        # Only the options of the base class's pool are used, which determine how replies are read.
        super().__init__(host=host, port=port, retry=Retry(NoBackoff(), 0), **options)

    @override
    def close(self) -> None:
        super().close()
        with self._lock:
            if self._nodes is not None:
                self._nodes.close()
                self._nodes = None

    @override
    def execute_command(self, *args: Any, **options: Any) -> Any:
        name = args[0]
        if name in _TO_ALL:
            replies = [
                self._on(node, lambda pool: self._send(pool, args, options))
                for node in self.masters()
            ]
            return _TO_ALL[name](replies)
        if name in _SPLIT and len(args) > 2 and len({slot_of((name, key)) for key in args[1:]}) > 1:
            with self.pipeline(transaction=False) as pipeline:
                for key in args[1:]:
                    pipeline.execute_command(_SPLIT[name], key)  # type: ignore[no-untyped-call] # redis-py has no annotations here
                replies = pipeline.execute()
            return replies if name == "MGET" else sum(replies)
        return self.redirected(
            slot_of(args),
            lambda pool, is_asking: self._send(pool, args, options, is_asking=is_asking),
        )

    @override
    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        return ClusterPipeline(self, transaction)

    @override
    def pubsub(self, **options: Any) -> PubSub:
        node = _chance.choice([*self._manager().nodes_cache.values()])
        return PubSub(_pool(node), **options)

    @override
    def scan_iter(
        self, match: Any = None, count: int | None = None, _type: str | None = None, **options: Any
    ) -> Iterator[Any]:
        for node in self.masters():
            client: redis.Redis = node.redis_connection
            try:
                yield from client.scan_iter(match, count, _type, **options)
            except (redis.ConnectionError, redis.TimeoutError):
                self.note_failure()
                raise

    def masters(self) -> list[ClusterNode]:
        """Return the masters of the cluster."""
        nodes: list[ClusterNode] = self._manager().get_nodes_by_server_type("primary")
        return nodes

    def tags_of_masters(self) -> list[str]:
        """Return for each master that has slots a hash tag of keys that are on it."""
        slots = {nodes[0].name: slot for slot, nodes in self._manager().slots_cache.items()}
        return [tags_of_slots()[slot] for slot in slots.values()]

    def pool_of(self, slot: int | None) -> redis.ConnectionPool:
        """Return the connections to the master of a slot; without one, to any master."""
        manager = self._manager()
        if slot is None:
            return _pool(_chance.choice(self.masters()))
        with _cluster_errors():
            return _pool(manager.get_node_from_slot(slot))

    def redirected(self, slot: int | None, send: Callable[[redis.ConnectionPool, bool], T]) -> T:
        """Call `send` with the connections to the master of a slot, follow redirections, and return the
        result.

        The second argument of `send` is whether ASKING must precede the command.
        """
        asked: redis.ConnectionPool | None = None
        for _ in range(REDIRECTIONS):
            pool = asked or self.pool_of(slot)
            is_asking, asked = asked is not None, None
            try:
                return send(pool, is_asking)
            except MovedError as error:
                self.note_move(error)
            except AskError as error:
                asked = self._pool_at(error.host, error.port)
            except TryAgainError:
                time.sleep(_PAUSE_SECONDS)
            except (redis.ConnectionError, redis.TimeoutError, ClusterDownError):
                self.note_failure()
                raise
        raise redis.ConnectionError("the slots of the cluster are being moved")

    def note_move(self, error: MovedError) -> None:
        """Use the new master in a redirection for its slot, and read all slots again."""
        self._manager().move_slot(error)
        self._is_outdated = True

    def note_failure(self) -> None:
        """Read the slots again before the next command."""
        self._is_outdated = True

    def _manager(self) -> NodesManager:
        """Return the nodes, with slots that are not known to be outdated. Raises redis.ConnectionError."""
        manager = self._nodes
        if manager is None:
            with self._lock, _cluster_errors():
                if self._nodes is None:
                    nodes = [ClusterNode(host, port) for host, port in self._addresses]  # type: ignore[no-untyped-call] # redis-py has no annotations here
                    self._nodes = NodesManager(nodes, require_full_coverage=False, **self._options)
                return self._nodes
        if self._is_outdated:
            # A node of the URL may be reachable even if no known node is.
            with _cluster_errors():
                self._is_outdated = False
                try:
                    manager.initialize([*self._addresses])
                except BaseException:
                    self._is_outdated = True
                    raise
        return manager

    def _pool_at(self, host: str, port: int) -> redis.ConnectionPool:
        manager = self._manager()
        node = manager.get_node(host, port)
        if node is None:
            self._is_outdated = True
            raise redis.ConnectionError("a slot is being moved to a node that is not known yet")
        return _pool(node)

    def _on(self, node: ClusterNode, send: Callable[[redis.ConnectionPool], T]) -> T:
        try:
            return send(_pool(node))
        except (redis.ConnectionError, redis.TimeoutError):
            self.note_failure()
            raise

    def _send(
        self,
        pool: redis.ConnectionPool,
        args: tuple[Any, ...],
        options: dict[str, Any],
        *,
        is_asking: bool = False,
    ) -> Any:
        """Send a command once, and return the reply."""
        connection = pool.get_connection()
        try:
            if is_asking:
                connection.send_command("ASKING")  # type: ignore[no-untyped-call] # redis-py has no annotations here
                connection.read_response()
            connection.send_command(*args)  # type: ignore[no-untyped-call] # the same
            return self.parse_response(connection, args[0], **options)  # type: ignore[no-untyped-call] # the same
        finally:
            pool.release(connection)


class ClusterPipeline(Pipeline):
    """A pipeline or a transaction on a cluster."""

    def __init__(self, client: ClusterClient, transaction: bool) -> None:  # noqa: FBT001 # as in redis-py
        super().__init__(client.connection_pool, client.response_callbacks, transaction, None)
        self._client = client
        self._is_transaction = transaction

    @override
    def immediate_execute_command(self, *args: Any, **options: Any) -> Any:
        """Send WATCH, or a command after it, to the master of its key."""
        if self.connection is not None:
            return super().immediate_execute_command(*args, **options)  # type: ignore[no-untyped-call] # redis-py has no annotations here

        def send(pool: redis.ConnectionPool, _is_asking: bool) -> Any:  # noqa: FBT001 # see `redirected`
            # While a slot is being moved, the new master gets the command without ASKING, and redirects it.
            self.reset()
            self.connection_pool = pool
            return super(ClusterPipeline, self).immediate_execute_command(*args, **options)  # type: ignore[no-untyped-call] # redis-py has no annotations here

        return self._client.redirected(slot_of(args), send)

    @override
    def execute(self, raise_on_error: bool = True) -> list[Any]:
        commands = self.command_stack
        if not commands and not self.watching:
            return []
        if not self._is_transaction and not self.explicit_transaction:
            try:
                return self._execute_everywhere(commands, raise_on_error=raise_on_error)
            finally:
                self.reset()
        slots = {slot for args, _ in commands if (slot := slot_of(args)) is not None}
        if len(slots) > 1:
            self.reset()
            raise CrossSlotTransactionError("the keys of a transaction must share a slot")
        if self.connection is not None:
            try:
                return super().execute(raise_on_error)
            except AskError as error:
                # This includes MOVED. The command was not executed.
                self._client.note_failure()
                raise redis.WatchError("the slot has been moved") from error
            except (redis.ConnectionError, redis.TimeoutError):
                self._client.note_failure()
                raise

        def send(pool: redis.ConnectionPool, _is_asking: bool) -> list[Any]:  # noqa: FBT001 # see `redirected`
            self.command_stack = commands
            self.connection_pool = pool
            return super(ClusterPipeline, self).execute(raise_on_error)

        return self._client.redirected(slots.pop() if slots else None, send)

    def _execute_everywhere(self, commands: list[Any], *, raise_on_error: bool) -> list[Any]:
        """Send each command to the master of its key, and then read all replies."""
        replies: list[Any] = [None] * len(commands)
        parts: dict[redis.ConnectionPool, list[int]] = {}
        slots: list[int | None] = []
        for number, (args, _) in enumerate(commands):
            slot = slot_of(args)
            if slot is None and slots:
                slot = slots[-1]
            slots.append(slot)
            parts.setdefault(self._client.pool_of(slot), []).append(number)
        unread: dict[Any, redis.ConnectionPool] = {}
        try:
            for pool, numbers in parts.items():
                connection: Any = pool.get_connection()
                unread[connection] = pool
                packed = connection.pack_commands([commands[number][0] for number in numbers])
                connection.send_packed_command(packed)
            for connection, numbers in zip([*unread], parts.values(), strict=True):
                for number in numbers:
                    args, options = commands[number]
                    try:
                        replies[number] = self.parse_response(connection, args[0], **options)  # type: ignore[no-untyped-call] # redis-py has no annotations here
                    except redis.ResponseError as error:
                        replies[number] = error
                unread.pop(connection).release(connection)
        except (redis.ConnectionError, redis.TimeoutError):
            self._client.note_failure()
            raise
        finally:
            for connection, pool in unread.items():
                connection.disconnect()
                pool.release(connection)
        if any(isinstance(reply, NoScriptError) for reply in replies):
            for script in self.scripts:
                self._client.script_load(script.script)
        for number, reply in enumerate(replies):
            if isinstance(reply, AskError | TryAgainError | NoScriptError):
                # It was not executed.
                args, options = commands[number]
                if isinstance(reply, MovedError):
                    self._client.note_move(reply)
                try:
                    replies[number] = self._client.execute_command(*args, **options)
                except redis.ResponseError as error:
                    replies[number] = error
        if raise_on_error:
            self.raise_first_error(commands, replies)  # type: ignore[no-untyped-call] # redis-py has no annotations here
        return replies


class AsyncClusterClient(redis.asyncio.RedisCluster):
    """A read-only client for an event loop, whose users share a few connections to each node.

    redis-py may send a command again, which changes nothing where nothing is written.
    """

    def __init__(self, addresses: Addresses, max_connections: int, options: dict[str, Any]) -> None:
        super().__init__(
            startup_nodes=[AsyncClusterNode(host, port) for host, port in addresses],
            retry=AsyncRetry(NoBackoff(), 2),
            # Otherwise, several redirections at a time would close connections that are in use.
            reinitialize_steps=0,
            require_full_coverage=False,
            # One more connection is for a command that is redirected while its pipeline holds a connection.
            max_connections=2 * max_connections,
            **options,
        )
        self._addresses = [*addresses]
        self._options = options
        self._subscribers: dict[tuple[str, int], redis.asyncio.Redis] = {}
        self.turns = asyncio.Semaphore(max_connections)
        self.redirected_turns = asyncio.Semaphore(max_connections)

    @override
    async def execute_command(self, *args: Any, **options: Any) -> Any:
        async with self.redirected_turns:
            with _cluster_errors():
                return await super().execute_command(*args, **options)

    @override
    def pipeline(self, transaction: Any = None, shard_hint: Any = None) -> AsyncClusterPipeline:
        return _AsyncPipeline(self, transaction)  # type: ignore[abstract] # redis-py sets the attribute when it is created

    @override
    def pubsub(self, *_args: Any, **options: Any) -> Any:
        """Return a subscription to a node, which may be another one each time."""
        nodes = [(node.host, int(node.port)) for node in self.get_nodes()] or self._addresses
        host, port = _chance.choice(nodes)
        client = self._subscribers.get((host, port))
        if client is None:
            client = redis.asyncio.Redis(host=host, port=port, **self._options)
            self._subscribers[host, port] = client
        return AsyncPubSub(client.connection_pool, **options)

    async def epoch(self) -> int:
        """Return the epoch of the cluster, which grows with each failover."""
        info: Any = await self.execute_command("CLUSTER INFO")
        return int(info["cluster_current_epoch"])

    @override
    async def aclose(self) -> None:
        for client in self._subscribers.values():
            with suppress(redis.RedisError, OSError):
                await client.aclose()
        await super().aclose()


class _AsyncPipeline(AsyncClusterPipeline):
    """A pipeline that waits for a connection."""

    @override
    async def execute(
        self, raise_on_error: bool = True, allow_redirections: bool = True
    ) -> list[Any]:
        client: Any = self.cluster_client
        async with client.turns:
            with _cluster_errors():
                return await super().execute(raise_on_error, allow_redirections)


def slot_of(args: Sequence[Any]) -> int | None:
    """Return the slot of the first key of a command; None for a command without keys.

    Raises redis.DataError for a command that cannot go to an arbitrary node.
    """
    name = args[0]
    if name in _SCRIPTS:
        key = args[3] if int(args[2]) else None
    elif name in _TO_ANY:
        key = None
    elif len(args) < 2:
        raise redis.DataError(f"{name} is not a command for a cluster")
    else:
        key = args[1]
    if key is None:
        return None
    return int(key_slot(key.encode() if isinstance(key, str) else bytes(key)))


def slot_of_tag(tag: str) -> int:
    """Return the slot of the keys with a hash tag."""
    return crc_hqx(tag.encode(), 0) % SLOTS


@cache
def tags_of_slots() -> list[str]:
    """Return a hash tag for each slot: the first number that has it."""
    tags: dict[int, str] = {}
    for number in count():
        tags.setdefault(slot_of_tag(str(number)), str(number))
        if len(tags) == SLOTS:
            return [tags[slot] for slot in range(SLOTS)]
    raise AssertionError("numbers do not end")


def _pool(node: ClusterNode) -> redis.ConnectionPool:
    client: redis.Redis = node.redis_connection
    return client.connection_pool


@contextmanager
def _cluster_errors() -> Iterator[None]:
    """Turn errors of redis-py about clusters that are not a redis.RedisError into redis.ConnectionError."""
    try:
        yield
    except CrossSlotTransactionError:
        raise
    except RedisClusterException as error:
        raise redis.ConnectionError(str(error)) from error

"""Connects to Redis, and turns its connection errors into `Unavailable`.

    redis://HOST:PORT/DB, rediss://…, unix:///PATH        one Redis
    redis+sentinel://HOST:PORT,HOST:PORT/NAME/DB          the master NAME, which any of these Sentinels knows
    rediss+sentinel://…                                   the same, with TLS to the Redis and the Sentinels
    redis+cluster://HOST:PORT,HOST:PORT/                  the Redis Cluster to which these nodes belong
    rediss+cluster://…                                    the same, with TLS to all nodes

USER:PASSWORD@ before the hosts is for the Redis, and ?sentinel_password=… for the Sentinels. After a
failover, a connection to the former master is closed, and the next one goes to the new master.

No command is ever sent twice automatically: after a lost connection it is unknown whether a write was done,
so only the caller may repeat it. redis-py notices that Redis has closed a connection before it sends anything
on it, and replaces it; therefore the first request after an outage succeeds.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast
from urllib.parse import parse_qsl, unquote

import hiredis
import redis
import redis.asyncio
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.asyncio.sentinel import SentinelConnectionPool
from redis.backoff import NoBackoff
from redis.connection import SSLConnection
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelManagedConnection
from typing_extensions import override

from domain.errors import CartularyError, Unreadable
from domain.messages import message
from service.cluster import Addresses, AsyncClusterClient, ClusterClient
from service.errors import Unavailable

SENTINEL_SCHEMES: Final = ("redis+sentinel:", "rediss+sentinel:")
CLUSTER_SCHEMES: Final = ("redis+cluster:", "rediss+cluster:")
_URL: Final = re.compile(
    r"(?P<scheme>[^:/?#]+)://(?P<hosts>[^/?#]*)(?P<path>[^?#]*)(\?(?P<query>[^#]*))?(#.*)?"
)
SECONDS_TO_CONNECT: Final = 2.0
SECONDS_TO_RESPOND: Final = 5.0

_UNREACHABLE: Final = (
    redis.ConnectionError,  # also raised while Redis loads its data, and for a wrong password
    redis.TimeoutError,
    redis.exceptions.ClusterDownError,
    redis.exceptions.AskError,  # a slot of a cluster is being moved; MOVED is a kind of it
    redis.exceptions.TryAgainError,
)
_REFUSES_WRITES: Final = (
    redis.ReadOnlyError,
    redis.OutOfMemoryError,
    # A script is loaded when a server lacks it; another server has taken over before it was called.
    redis.exceptions.NoScriptError,
)
READ_ONLY: Final = "READONLY"
"""The beginning of the error of a replica after a write command, or a part of the error in a script."""
_NO_WRITES: Final = (
    "MISCONF",
    "NOREPLICAS",
    "CLUSTERDOWN",
    "MASTERDOWN",
    "LOADING",
    "OOM",
    READ_ONLY,
    # A master has become a replica since the previous write.
    "WAIT cannot be used",
    "WAITAOF cannot be used with replica",
)
"""Words in error messages of Redis that mean that it currently accepts no writes."""

STORE_AWAY: Final = message("the store does not respond")

WRONG_TYPE: Final = "WRONGTYPE"
"""The word in the error of Redis for a key of another type than the command expects."""


class InvalidRedisUrl(CartularyError):
    """The URL is not that of a Redis. The message does not contain it, because it may have a password."""


def connect(
    url: str,
    *,
    seconds_to_connect: float = SECONDS_TO_CONNECT,
    seconds_to_respond: float = SECONDS_TO_RESPOND,
) -> redis.Redis:
    """Return a client with a connection pool; it connects when it is first used. Thread-safe."""
    options: dict[str, Any] = {
        "socket_connect_timeout": seconds_to_connect,
        "socket_timeout": seconds_to_respond,
    }
    if is_cluster(url):
        cluster = parse_cluster_url(url)
        return ClusterClient(cluster.nodes, options | cluster.options)
    options["retry"] = Retry(NoBackoff(), 0)
    if url.startswith(SENTINEL_SCHEMES):
        master = parse_sentinel_url(url)
        sentinel_options = options | master.sentinel_options
        sentinel = Sentinel(master.sentinels, sentinel_kwargs=sentinel_options)  # type: ignore[no-untyped-call] # redis-py has no annotations here
        client: redis.Redis = sentinel.master_for(  # type: ignore[no-untyped-call] # the same
            master.name,
            redis_class=_MasterClient,
            connection_class=_TlsMasterConnection if "ssl" in master.options else _MasterConnection,
            **options,
            **master.options,
        )
        return client
    # redis-py rejects the option for Unix sockets, which need no keepalive.
    if not url.startswith("unix:"):
        options["socket_keepalive"] = True
    return _Client.from_url(url, **options)


def connect_async(
    url: str, *, max_connections: int, seconds_to_connect: float, seconds_to_respond: float
) -> "redis.asyncio.Redis":
    """Return a client for an event loop, whose users share a few connections.

    If all connections are in use, a command waits for one for at most `seconds_to_respond`.
    """
    options: dict[str, Any] = {
        "socket_connect_timeout": seconds_to_connect,
        "socket_timeout": seconds_to_respond,
    }
    if is_cluster(url):
        cluster = parse_cluster_url(url)
        # It has the methods that readers use, but shares no class with the client of a single Redis.
        return cast(
            "redis.asyncio.Redis",
            AsyncClusterClient(cluster.nodes, max_connections, options | cluster.options),
        )
    if url.startswith(SENTINEL_SCHEMES):
        master = parse_sentinel_url(url)
        sentinel_options = options | master.sentinel_options
        sentinel = AsyncSentinel(master.sentinels, sentinel_kwargs=sentinel_options)  # type: ignore[no-untyped-call] # redis-py has no annotations here
        client: redis.asyncio.Redis = sentinel.master_for(
            master.name,
            redis_class=_AsyncMasterClient,
            connection_pool_class=_AsyncMasterPool,
            max_connections=max_connections,
            timeout=seconds_to_respond,
            **options,
            **master.options,
        )
        return client
    pool: Any = redis.asyncio.BlockingConnectionPool.from_url(
        url, max_connections=max_connections, timeout=seconds_to_respond, **options
    )
    return redis.asyncio.Redis.from_pool(pool)


@dataclass(frozen=True, slots=True)
class SentinelUrl:
    """A master that Sentinels know: their addresses, its name, and options of connections to each."""

    sentinels: list[tuple[str, int]]
    name: str
    options: dict[str, Any]
    sentinel_options: dict[str, Any]


def parse_sentinel_url(url: str) -> SentinelUrl:
    """Return the master that a URL names. Raises InvalidRedisUrl, whose message leaves the URL out."""
    parts = _split(url)
    login, sentinels = _parse_hosts(parts.hosts)
    name, _, db = parts.path.removeprefix("/").partition("/")
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    if not name or (db and not db.isdecimal()) or not query.keys() <= {"sentinel_password"}:
        raise InvalidRedisUrl.with_message(
            "must end with /NAME or /NAME/DB, the name of the master and a database"
        )
    tls: dict[str, Any] = {"ssl": True} if parts.scheme.startswith("rediss") else {}
    options: dict[str, Any] = {"db": int(db or 0), "socket_keepalive": True}
    sentinel_options = tls | {
        name.removeprefix("sentinel_"): value for name, value in query.items()
    }
    return SentinelUrl(sentinels, name, options | login | tls, sentinel_options)


@dataclass(frozen=True, slots=True)
class ClusterUrl:
    """Nodes of a cluster, and options of connections to each."""

    nodes: Addresses
    options: dict[str, Any]


def is_cluster(url: str) -> bool:
    """Return whether a URL names a Redis Cluster."""
    return url.startswith(CLUSTER_SCHEMES)


def parse_cluster_url(url: str) -> ClusterUrl:
    """Return the cluster that a URL names. Raises InvalidRedisUrl, whose message leaves the URL out."""
    parts = _split(url)
    login, nodes = _parse_hosts(parts.hosts)
    if parts.path not in ("", "/") or parts.query:
        raise InvalidRedisUrl.with_message(
            "must end after the nodes: a cluster has one database, and no options"
        )
    tls: dict[str, Any] = {"ssl": True} if parts.scheme.startswith("rediss") else {}
    return ClusterUrl(nodes, {"socket_keepalive": True} | login | tls)


class _UrlParts(NamedTuple):
    scheme: str
    hosts: str
    path: str
    query: str


def _split(url: str) -> _UrlParts:
    """Return the parts of a URL with several hosts (RFC 3986, appendix B). Raises InvalidRedisUrl.

    `urlsplit` of newer versions of Python takes only one host if there is an IPv6 address.
    """
    match = _URL.fullmatch(url)
    if match is None:
        raise InvalidRedisUrl.with_message("must have a host and a port for each server")
    return _UrlParts(match["scheme"], match["hosts"], match["path"], match["query"] or "")


def _parse_hosts(netloc: str) -> tuple[dict[str, str | None], list[tuple[str, int]]]:
    """Return the options of `USER:PASSWORD@`, and the addresses after it. Raises InvalidRedisUrl."""
    login, _, hosts = netloc.rpartition("@")
    addresses = []
    for address in hosts.split(","):
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
            raise InvalidRedisUrl.with_message("must have a host and a port for each server")
        addresses.append((host.strip("[]"), int(port)))
    if not login:
        return {}, addresses
    user, _, password = login.rpartition(":")
    return {"username": unquote(user) or None, "password": unquote(password)}, addresses


class _Client(redis.Redis):
    """A client that sends each command exactly once.

    redis-py prepares retries and OpenTelemetry metrics for
    every command, and checks the type of each argument, which takes longer than sending it. A connection that
    fails closes itself, and the pool opens it again.
    """

    @override
    def execute_command(self, *args: Any, **options: Any) -> Any:
        connection = self.connection_pool.get_connection()
        try:
            # A name can have several words, such as CONFIG SET.
            command = hiredis.pack_command((*args[0].split(), *args[1:]))
            connection.send_packed_command([command])  # type: ignore[no-untyped-call] # redis-py has no annotations here
            return self.parse_response(connection, args[0], **options)  # type: ignore[no-untyped-call] # the same
        finally:
            self.connection_pool.release(connection)


class _MasterConnection(SentinelManagedConnection):
    """A connection to a master that closes itself when the reading of a reply fails or is interrupted.

    redis-py's connection stays open, unlike its other connections: the next command would read the reply of
    the previous one as its own. In addition, if the master has become a replica, redis-py reports that the
    connection failed instead of that the server accepts no writes.
    """

    @override
    def read_response(
        self, *args: Any, disconnect_on_error: bool | None = True, **options: Any
    ) -> Any:
        try:
            return super().read_response(*args, disconnect_on_error=disconnect_on_error, **options)
        except redis.ConnectionError as error:
            if isinstance(error.__context__, redis.ReadOnlyError):
                raise error.__context__ from None
            raise


class _TlsMasterConnection(_MasterConnection, SSLConnection):
    """A `_MasterConnection` with TLS."""


class _MasterClient(_Client):
    """A client that leaves a server that is no longer a master, and closes connections to Sentinels."""

    @override
    def parse_response(self, connection: Any, command_name: Any, **options: Any) -> Any:
        try:
            return super().parse_response(connection, command_name, **options)  # type: ignore[no-untyped-call] # redis-py has no annotations here
        except redis.ResponseError as error:
            # redis-py recognizes this error of commands, but not of scripts before Redis 7.
            if READ_ONLY in str(error):
                connection.disconnect()
            raise

    @override
    def close(self) -> None:
        super().close()
        pool: Any = self.connection_pool
        for sentinel in pool.sentinel_manager.sentinels:
            sentinel.close()


class _AsyncMasterPool(SentinelConnectionPool, redis.asyncio.BlockingConnectionPool):
    """The connections to a master; if all are in use, a user waits for one."""


class _AsyncMasterClient(redis.asyncio.Redis):
    """A client that also closes its connections to the Sentinels."""

    @override
    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        await super().aclose(close_connection_pool)
        pool: Any = self.connection_pool
        for sentinel in pool.sentinel_manager.sentinels:
            await sentinel.aclose()


@contextmanager
def unavailable_on_error() -> Iterator[None]:
    """Turn errors of Redis in this context into Unavailable if it does not respond or accepts no writes.

    A key of another type than the command expects is damaged, and becomes Unreadable.
    """
    try:
        yield
    except _UNREACHABLE as error:
        raise Unavailable(STORE_AWAY) from error
    except redis.ResponseError as error:
        refuses = isinstance(error, _REFUSES_WRITES)
        if refuses or any(word in str(error) for word in _NO_WRITES):
            raise Unavailable.with_message("the store accepts no writes at the moment") from error
        if WRONG_TYPE in str(error):
            raise Unreadable.with_message("a key has another type than it should have") from error
        raise


def which_exist(client: redis.Redis, keys: Iterable[str]) -> list[bool]:
    """Return whether each key exists, in one round trip. Raises Unavailable."""
    with unavailable_on_error(), client.pipeline(transaction=False) as pipeline:
        for key in keys:
            pipeline.exists(key)
        return list(map(bool, pipeline.execute()))


def count_attempt(client: redis.Redis, key: str, seconds: float, limit: int) -> int:
    """Count an attempt in a period that begins with the first one. Return the seconds until the end of the
    period if there are more than `limit`, else 0. Raises Unavailable.
    """
    with unavailable_on_error(), client.pipeline() as pipeline:
        pipeline.set(key, 0, nx=True, px=round(seconds * 1000))
        pipeline.incr(key)
        pipeline.ttl(key)
        _, count, remaining = pipeline.execute()
    return max(1, int(remaining)) if count > limit else 0


def to_text(value: bytes | str) -> str:
    """Return a value of a reply of Redis as text, with escapes for bytes that are not UTF-8.

    A damaged value among many is therefore not an error. redis-py declares values as bytes or text.
    """
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else value


def text_or_none(value: bytes | str | None) -> str | None:
    """Return a value of a reply as text, like `to_text`; None for None."""
    return None if value is None else to_text(value)


def read_field(client: redis.Redis, key: str, name: str) -> str | None:
    """Return a field of a hash as text; None if there is none. Raises Unavailable."""
    with unavailable_on_error():
        return text_or_none(client.hget(key, name))


def read_members(client: redis.Redis, key: str) -> list[str]:
    """Return the members of a set as texts. Raises Unavailable."""
    with unavailable_on_error():
        # redis-py declares a type that covers asynchronous clients as well.
        members: Any = client.smembers(key)
    return list(map(to_text, members))

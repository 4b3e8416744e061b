"""The risks of a Redis: settings with which it can lose acknowledged data.

`serve` and `web` report them at the start, /readyz shows them, and `cartulary doctor` says what to do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

import redis

from domain.messages import Message, message
from service.cluster import ClusterClient
from service.connection import connect, unavailable_on_error
from service.errors import Unavailable


def masters_of(client: redis.Redis) -> Sequence[redis.Redis]:
    """Return clients of all masters: one for each node of a cluster, else the only one.

    Raises Unavailable.
    """
    if not isinstance(client, ClusterClient):
        return [client]
    with unavailable_on_error():
        return [node.redis_connection for node in client.masters()]


def eviction_policy(info: Mapping[str, Any]) -> str | None:
    """Return the policy, from INFO, by which a Redis deletes data when its memory is full, or None."""
    policy = str(info.get("maxmemory_policy", "noeviction"))
    return policy if info.get("maxmemory") and policy != "noeviction" else None


def keeps_file(info: Mapping[str, Any]) -> bool:
    """Return whether a Redis keeps an append-only file, from its INFO."""
    return bool(info.get("aof_enabled"))


def eviction_of_logs(info: Mapping[str, Any]) -> Message | None:
    """Return the risk of a Redis of the logs that deletes data when its memory is full; None without it."""
    policy = eviction_policy(info)
    if policy is None:
        return None
    if policy.startswith("volatile"):
        return message(
            "the Redis of the logs deletes data when its memory is full ({policy}): sessions and what else"
            " expires can be lost",
            policy=policy,
        )
    return message(
        "the Redis of the logs deletes data when its memory is full ({policy}): games and accounts can be"
        " lost",
        policy=policy,
    )


def missing_file_of_logs(info: Mapping[str, Any]) -> Message | None:
    """Return the risk of a Redis of the logs that keeps no append-only file; None if it does."""
    if keeps_file(info):
        return None
    return message(
        "the Redis of the logs keeps no append-only file: when it ends, everything since its last"
        " snapshot is lost, also what was acknowledged"
    )


def eviction_of_queue(info: Mapping[str, Any]) -> Message | None:
    """Return the risk of a Redis of the queue that deletes data when its memory is full; None without it."""
    policy = eviction_policy(info)
    if policy is None:
        return None
    return message(
        "the Redis of the queue deletes data when its memory is full ({policy}): jobs can be lost, and are"
        " late",
        policy=policy,
    )


Risk: TypeAlias = Callable[[Mapping[str, Any]], Message | None]
RISKS_OF_LOGS: Final[tuple[Risk, ...]] = (eviction_of_logs, missing_file_of_logs)
RISKS_OF_QUEUE: Final[tuple[Risk, ...]] = (eviction_of_queue,)
"""The queue may be lost as a whole, since the outbox has all that is to be done."""


def risks(logs: redis.Redis, queue: redis.Redis | None = None) -> list[Message]:
    """Return the risks of the Redis of the logs, and of that of the queue if it is another one.

    Settings that a Redis does not show are not counted. Raises Unavailable.
    """
    found = [risk for client in masters_of(logs) for risk in _risks_of(client, RISKS_OF_LOGS)]
    if queue is not None:
        found += _risks_of(queue, RISKS_OF_QUEUE)
    # Several masters may have the same risk.
    return [risk for number, risk in enumerate(found) if risk not in found[:number]]


def risks_at(logs_url: str, queue_url: str) -> list[Message]:
    """Return the risks of the Redis servers at these URLs; none if one does not respond."""
    logs = connect(logs_url)
    queue = None if queue_url == logs_url else connect(queue_url)
    try:
        return risks(logs, queue)
    except Unavailable:
        return []
    finally:
        logs.close()
        if queue is not None:
            queue.close()


def _risks_of(client: redis.Redis, kinds: Iterable[Risk]) -> list[Message]:
    info = _info(client)
    found = () if info is None else (risk(info) for risk in kinds)
    return [risk for risk in found if risk is not None]


def _info(client: redis.Redis) -> Mapping[str, Any] | None:
    """Return the result of INFO; None if this user may not call it. Raises Unavailable."""
    with suppress(redis.ResponseError), unavailable_on_error():
        info: Mapping[str, Any] = client.info()
        return info
    return None

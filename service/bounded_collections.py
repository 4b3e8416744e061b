"""Bounds collections: the one implementation of "at most N of these"."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import redis
from redis.client import Pipeline

from service.connection import unavailable_on_error

_RESERVED_SECONDS: Final = 60
"""The time for which a reservation counts if its process dies; it is longer than any request takes."""


def store_if_fewer(
    client: redis.Redis,
    key: str,
    maximum: int,
    count: Callable[[Pipeline], int],
    store: Callable[[Pipeline], object],
) -> bool:
    """Store an entry in a collection that has fewer than `maximum` of them, and return whether it is stored.

    `count` returns the number of entries, by commands that the pipeline executes immediately. `store` adds to
    the pipeline the commands that store the entry, all of which must be on `key`. If the collection changes
    in between, both are called again, so that concurrent requests cannot exceed the bound. Raises
    Unavailable.
    """
    is_full = False

    def attempt(pipeline: Pipeline) -> None:
        nonlocal is_full
        is_full = count(pipeline) >= maximum
        pipeline.multi()
        if not is_full:
            store(pipeline)

    with unavailable_on_error():
        client.transaction(attempt, key)
    return not is_full


@contextmanager
def reserved_entry(
    client: redis.Redis, key: str, maximum: int, count: Callable[[], int], name: str
) -> Iterator[bool]:
    """Reserve an entry in a collection for the block in which it is added, and yield whether there is room.

    This is for collections whose entries are not on a single key: `count` returns their number. Reservations
    are on `key`, and two with the same `name` count as one. Raises Unavailable.
    """
    now = time.time()

    def count_with_others(pipeline: Pipeline) -> int:
        reservations: Any = pipeline.zrange(key, now - _RESERVED_SECONDS, "+inf", byscore=True)
        return count() + len({*reservations} - {name.encode()})

    def store(pipeline: Pipeline) -> None:
        pipeline.zadd(key, {name: now})
        pipeline.expire(key, _RESERVED_SECONDS)

    has_room = store_if_fewer(client, key, maximum, count_with_others, store)
    try:
        yield has_room
    finally:
        if has_room:
            # An entry that was added is not refused because its reservation, which expires, cannot be
            # removed.
            with suppress(redis.RedisError):
                client.zrem(key, name)

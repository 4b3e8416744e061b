"""How many entries a collection of a player can have: one implementation of "at most N of these"."""

from collections.abc import Callable

import redis
from redis.client import Pipeline

from service.connection import unavailable_on_error


def store_if_fewer(
    client: redis.Redis,
    key: str,
    maximum: int,
    count: Callable[[Pipeline], int],
    store: Callable[[Pipeline], object],
) -> bool:
    """Store an entry in a collection that has fewer than `maximum` of them, and return whether it is stored.

    `count` returns the number of entries, by commands that the pipeline executes immediately. `store` gives
    the pipeline the commands that store the entry, which all are on `key`. If the collection changes in
    between, both are called again, so that concurrent requests cannot exceed the bound. Raises Unavailable.
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

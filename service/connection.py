"""The connection to Redis: how it is made, and what it means when it fails.

Nothing is ever sent twice on its own: after a lost connection nobody knows whether a write was
done, so it is for who asked to repeat it. A connection that Redis closed meanwhile is noticed and
replaced before anything is sent on it, so a Redis that was away is back with the first request
after it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.errors import Unavailable

SECONDS_TO_CONNECT = 2.0
SECONDS_TO_ANSWER = 5.0

AWAY = (
    redis.ConnectionError,  # loading its data, and refusing a password, are of this kind too
    redis.TimeoutError,
    redis.ReadOnlyError,
    redis.OutOfMemoryError,
)
REFUSING = ("MISCONF", "NOREPLICAS", "CLUSTERDOWN", "MASTERDOWN", "LOADING", "OOM", "READONLY")
"""Words in an error of Redis that say that it takes no writes for now."""


def connect(url: str) -> redis.Redis:
    """A pool of connections, made as they are needed; safe for threads. Answers come as bytes."""
    # A socket of this machine has nothing to be kept alive, and redis-py refuses the word there.
    far = {} if url.startswith("unix:") else {"socket_keepalive": True}
    return redis.Redis.from_url(
        url,
        retry=Retry(NoBackoff(), 0),
        socket_connect_timeout=SECONDS_TO_CONNECT,
        socket_timeout=SECONDS_TO_ANSWER,
        **far,
    )


@contextmanager
def reachable() -> Iterator[None]:
    """What is said to Redis inside raises Unavailable where Redis does not answer, or takes no
    writes.
    """
    try:
        yield
    except AWAY as error:
        raise Unavailable("the store does not answer") from error
    except redis.ResponseError as error:
        if any(word in str(error) for word in REFUSING):
            raise Unavailable("the store takes no writes for now") from error
        raise

"""Counts the commands that Redis processes: each one of a pipeline, a transaction or a script."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import redis

_CONNECTING = ("info", "client", "hello", "replconf", "ping")
"""Commands of connections, those of replicas and Sentinels among them, and the one that reads the counts."""


@contextmanager
def count_commands(client: redis.Redis) -> Iterator[Counter[str]]:
    """Count the commands by name that Redis processes in this context, whoever sends them.

    The counter is empty before the context ends.
    """
    counts: Counter[str] = Counter()
    before = _processed(client)
    yield counts
    counts.update(_processed(client) - before)


def _processed(client: redis.Redis) -> Counter[str]:
    """Return the numbers of commands since Redis has started."""
    stats = client.info("commandstats")
    counts = {name.removeprefix("cmdstat_"): figures["calls"] for name, figures in stats.items()}
    return Counter({name: n for name, n in counts.items() if not name.startswith(_CONNECTING)})

"""Counts the round trips to Redis: a command and a pipeline are one each."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from redis.connection import AbstractConnection

from service.cluster import ClusterPipeline


@dataclass
class RoundTrips:
    """The number of round trips so far."""

    count: int = 0


@contextmanager
def count_round_trips() -> Iterator[RoundTrips]:
    """Count the round trips of all clients of this process in this context, except for connecting."""
    trips = RoundTrips()
    send: Any = AbstractConnection.send_packed_command

    send_everywhere: Any = ClusterPipeline._execute_everywhere

    def count_once(pipeline: ClusterPipeline, *args: Any, **kwargs: Any) -> list[Any]:
        before = trips.count
        replies: list[Any] = send_everywhere(pipeline, *args, **kwargs)
        # The nodes of a cluster work at the same time.
        trips.count = before + 1
        return replies

    def count(connection: AbstractConnection, *args: Any, **kwargs: Any) -> None:
        trips.count += 1
        send(connection, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AbstractConnection, "send_packed_command", count)
        patch.setattr(ClusterPipeline, "_execute_everywhere", count_once)
        yield trips

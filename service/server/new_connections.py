"""Bounds the connections that a network may open in a second, with a token bucket for each network.

The bound is checked right after `accept`, before the server creates anything for the connection: a client
that connects and disconnects in a loop never has many connections open, and opening one costs the event loop
many times as much as refusing it.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from service.bounds import Bounds
from service.server.refusals import Refusals
from service.visitors import network_of

MAX_NETWORKS: Final = 10_000
"""The most buckets that are kept. A network whose bucket was dropped has a full one, like a new network."""


class NewConnections:
    """The buckets for new connections of one process. Belongs to one event loop."""

    def __init__(
        self,
        bounds: Bounds,
        refusals: Refusals,
        is_exempt: Callable[[str], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`is_exempt` returns whether an address (of a proxy) is exempt; `clock` returns seconds."""
        self._refusals = refusals
        self._is_exempt = is_exempt
        self._clock = clock
        self._seconds = 1 / bounds.new_connections_per_second
        """The time in which a bucket gets the token for a connection."""
        self._seconds_to_fill = self._seconds * bounds.max_new_connections_per_address
        self._full_at: OrderedDict[str, float] = OrderedDict()
        """By network, when its bucket will be full. The network that has connected last is at the end."""

    def __len__(self) -> int:
        """Return the number of buckets."""
        return len(self._full_at)

    def admit(self, address: str) -> bool:
        """Take a token for a connection from this address; return False if it must be closed."""
        now = self._clock()
        network = network_of(address)
        full_at = max(now, self._full_at.get(network, now)) + self._seconds
        # Half a token is added, because sums of seconds are not exact.
        is_empty = full_at > now + self._seconds_to_fill + self._seconds / 2
        if is_empty and not self._is_exempt(address):
            self._full_at.move_to_end(network)
            self._refusals.add("too_many_new_connections", address)
            return False
        self._full_at[network] = full_at
        self._full_at.move_to_end(network)
        if len(self._full_at) > MAX_NETWORKS:
            self._full_at.popitem(last=False)
        return True

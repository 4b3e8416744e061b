"""How many connections a network may open in a second: a token bucket for each.

It is asked right after `accept`, before anything of the server exists for the connection, because a client
that connects and disconnects in a loop never has many connections open, and each one costs the event loop
many times what refusing it does.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from service.bounds import Bounds
from service.server.refusals import Refusals
from service.visitors import network_of

MAX_NETWORKS: Final = 10_000
"""Networks whose buckets are kept. One whose bucket was dropped has a full one again, like a new network."""


class NewConnections:
    """The buckets for new connections of one process. Belongs to one event loop."""

    def __init__(
        self,
        bounds: Bounds,
        refusals: Refusals,
        is_exempt: Callable[[str], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`is_exempt`: whether the limit does not apply to an address (a proxy); `clock` returns seconds."""
        self._refusals = refusals
        self._is_exempt = is_exempt
        self._clock = clock
        self._seconds = 1 / bounds.new_connections_per_second
        """Time in which a bucket gets the token for a connection."""
        self._seconds_to_fill = self._seconds * bounds.max_new_connections_per_address
        self._full_at: OrderedDict[str, float] = OrderedDict()
        """By network, when its bucket will be full. The network that has connected last is at the end."""

    def __len__(self) -> int:
        """Return how many networks have a bucket in memory."""
        return len(self._full_at)

    def admit(self, address: str) -> bool:
        """Take a token for a connection from this address; return False if it must be closed."""
        now = self._clock()
        network = network_of(address)
        full_at = max(now, self._full_at.get(network, now)) + self._seconds
        # Half a token more, because sums of seconds are not exact.
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

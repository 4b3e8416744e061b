"""All connections of a process: how many there may be, and how long each may take.

If there are too many, in total or from one address, the one that has waited longest for its client is closed
to make room: a client that opens connections and sends nothing displaces itself. A new connection is refused
only if none is waiting.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, Protocol

from service.bounds import Bounds
from service.server.refusals import Refusals

SPARE_FILES: Final = 128
"""Open files that are not available to connections: those of Redis, of logs and of the program itself."""


class Connection(Protocol):
    """What the table needs of a connection."""

    network: str
    deadline: float
    """The time of the event loop at which `on_deadline` is called."""

    def on_deadline(self, now: float) -> None:
        """Refuse or close the connection, or set a later deadline."""

    def evict(self) -> None:
        """Close the connection, which waits for its client."""

    def abort(self) -> None:
        """Close the connection at once, whatever it is doing."""

    def unsent_bytes(self) -> int:
        """Return how much of its responses the client has not read yet."""


class ConnectionTable:
    """The connections of one process. Belongs to one event loop."""

    def __init__(
        self, bounds: Bounds, refusals: Refusals, is_exempt: Callable[[str], bool], max_files: int
    ) -> None:
        """`is_exempt`: whether the limit per address does not apply to this network (a proxy).

        `max_files`: how many files the process may open.
        """
        self._bounds = bounds
        self._refusals = refusals
        self._is_exempt = is_exempt
        self._max = max(1, min(bounds.max_connections, max_files - SPARE_FILES))
        self._by_network: dict[str, dict[Any, None]] = {}
        self._waiting: OrderedDict[Any, None] = OrderedDict()
        """The connections that wait for their clients, the one that has waited longest first."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, connection: Connection) -> bool:
        """Add a connection that waits for a request. Returns False if it must be refused."""
        network = self._by_network.setdefault(connection.network, {})
        limit = self._bounds.max_connections_per_address
        is_full = len(network) >= limit and not self._is_exempt(connection.network)
        if is_full or self._count >= self._max:
            candidates = network if is_full else self._waiting
            victim = next((other for other in candidates if other in self._waiting), None)
            self._refusals.add("too_many_connections", connection.network)
            if victim is None:
                if not network:
                    del self._by_network[connection.network]
                return False
            self.remove(victim)
            victim.evict()
            network = self._by_network.setdefault(connection.network, {})
        network[connection] = None
        self._waiting[connection] = None
        self._count += 1
        return True

    def remove(self, connection: Connection) -> None:
        """Remove a connection that is closed, if it is there."""
        network = self._by_network.get(connection.network, {})
        if connection in network:
            del network[connection]
            self._count -= 1
            if not network:
                del self._by_network[connection.network]
        self._waiting.pop(connection, None)

    def set_busy(self, connection: Connection) -> None:
        """Note that a connection has a complete request, so that it is not closed to make room."""
        self._waiting.pop(connection, None)

    def set_waiting(self, connection: Connection) -> None:
        """Note that a connection waits for its client again."""
        if connection in self._by_network.get(connection.network, ()):
            self._waiting[connection] = None

    def sweep(self, now: float) -> None:
        """Call `on_deadline` of each connection whose deadline has passed, and bound what is unsent."""
        for network in [*self._by_network.values()]:
            unsent = 0
            for connection in [*network]:
                if connection.deadline <= now:
                    connection.on_deadline(now)
                else:
                    unsent += connection.unsent_bytes()
                    if unsent > self._bounds.max_unsent_bytes_per_address:
                        self._refusals.add("unsent_response", connection.network)
                        connection.abort()

    def close_waiting(self) -> None:
        """Close every connection that waits for its client."""
        for connection in [*self._waiting]:
            self.remove(connection)
            connection.evict()

    def abort_unsent(self) -> None:
        """Close every connection whose client does not read its response."""
        for network in [*self._by_network.values()]:
            for connection in [*network]:
                if connection.unsent_bytes():
                    connection.abort()

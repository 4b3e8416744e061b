"""The table of all connections of a process, which bounds their number and their time.

If there are too many, in total or from one address, a connection that waits for its client is closed to make
room. It is taken from the address with the most connections, if possible from those that have never sent a
request, and among these it is the one that has waited longest. A client that opens connections and sends
nothing therefore displaces its own. A new connection is refused only if none is waiting.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import Any, Final, Protocol, TypeAlias

from service.bounds import Bounds
from service.server.refusals import Refusals
from service.visitors import network_of

SPARE_FILES: Final = 128
"""Open files that are not available to connections: those for Redis, logs and the program itself."""
MAX_REFUSED: Final = 32
"""The most refused connections that stay open until their clients have read the refusal."""
CHECK_BATCH: Final = 64
"""The most connections that are refused or closed in one turn, so that the event loop is not blocked."""


class State(Enum):
    """The state of a connection."""

    IDLE = auto()
    """It waits for the first byte of a request."""
    HEAD = auto()
    BODY = auto()
    HANDLING = auto()
    """A complete request is waiting for a thread or being handled."""
    SENDING = auto()
    """The response is complete, and the client has not read all of it."""
    LINGERING = auto()
    """The last response is sent, and the connection closes when the client has closed it."""
    CLOSED = auto()


class Connection(Protocol):
    """The interface of a connection that the table uses."""

    peer: str
    network: str
    """The address from which the connection comes, and its network."""
    client: str
    """The address of the client; behind a proxy, of the client of the last request."""
    deadline: float
    """The time of the event loop at which `on_deadline` is called."""

    def on_deadline(self) -> None:
        """Refuse or close the connection, or set a later deadline."""

    def evict(self) -> None:
        """Close the connection, which waits for its client."""

    def abort(self) -> None:
        """Close the connection immediately, in any state."""

    @property
    def is_stream(self) -> bool:
        """Whether the response may take any time, as long as the client reads it."""

    def unsent_bytes(self) -> int:
        """Return the number of bytes of the responses that the client has not read yet."""


_Connections: TypeAlias = "OrderedDict[Any, None]"


class _Network:
    """The connections of one network."""

    __slots__ = ("connections", "unused", "waiting")

    def __init__(self) -> None:
        self.connections: dict[Any, None] = {}
        self.unused: _Connections = OrderedDict()
        """Connections that have not sent a complete request yet, the oldest first."""
        self.waiting: _Connections = OrderedDict()
        """Connections that wait for their clients, the one that has waited longest first."""

    @property
    def victims(self) -> _Connections:
        """The connections that can be closed to make room, in that order; none if all are busy."""
        return self.unused or self.waiting


class ConnectionTable:
    """The connections of one process. Belongs to one event loop."""

    def __init__(
        self, bounds: Bounds, refusals: Refusals, is_exempt: Callable[[str], bool], max_files: int
    ) -> None:
        """`is_exempt` returns whether an address (of a proxy) is exempt from the limit per address.

        `max_files` is the number of files that the process can open.
        """
        self._bounds = bounds
        self._refusals = refusals
        self._is_exempt = is_exempt
        self._max = max(1, min(bounds.max_connections, max_files - SPARE_FILES))
        self._networks: dict[str, _Network] = {}
        self._by_size: dict[int, dict[str, None]] = {}
        """The networks by their numbers of connections."""
        self._largest = 0
        self._waiting: _Connections = OrderedDict()
        self._uploads: dict[Any, str] = {}
        """Connections with a large body that is being received or handled, with their networks."""
        self._refused: _Connections = OrderedDict()
        self._count = 0
        self._is_closing = False
        self._is_empty = asyncio.Event()
        self._is_empty.set()

    def __len__(self) -> int:
        return self._count

    def add(self, connection: Connection) -> bool:
        """Add a connection that waits for a request. Returns False if it must be refused."""
        victims: _Connections | None = None
        network = self._networks.get(connection.network)
        if (
            network is not None
            and len(network.connections) >= self._bounds.max_connections_per_address
            and not self._is_exempt(connection.peer)
        ):
            victims = network.victims
        elif self._count >= self._max:
            largest = next(iter(self._by_size[self._largest]))
            victims = self._networks[largest].victims or self._waiting
        if victims is not None:
            self._refusals.add("too_many_connections", connection.peer)
            if not victims:
                self._refused[connection] = None
                if len(self._refused) > MAX_REFUSED:
                    self._refused.popitem(last=False)[0].evict()
                return False
            victim = next(iter(victims))
            self.remove(victim)
            victim.evict()
        network = self._networks.setdefault(connection.network, _Network())
        network.connections[connection] = None
        network.unused[connection] = None
        self._resize(connection.network, 1)
        self.set_waiting(connection)
        return True

    def remove(self, connection: Connection) -> None:
        """Remove a connection that is closed, if it is there."""
        self._refused.pop(connection, None)
        self.end_upload(connection)
        network = self._networks.get(connection.network)
        if network is not None and connection in network.connections:
            self.set_busy(connection)
            del network.connections[connection]
            self._resize(connection.network, -1)

    def set_busy(self, connection: Connection) -> None:
        """Note that a connection has a complete request, so that it is not closed to make room."""
        if connection in self._waiting:
            network = self._networks[connection.network]
            del self._waiting[connection]
            del network.waiting[connection]
            network.unused.pop(connection, None)

    def set_waiting(self, connection: Connection) -> None:
        """Note that a connection waits for its client from now on."""
        network = self._networks.get(connection.network)
        if network is None or connection not in network.connections:
            return
        for waiting in (self._waiting, network.waiting):
            waiting[connection] = None
            waiting.move_to_end(connection)
        if self._is_closing:
            connection.evict()

    def begin_upload(self, connection: Connection) -> bool:
        """Note that a connection sends a large body; return whether it may. Each network has a quarter."""
        most = self._bounds.max_uploads
        own = sum(network == connection.network for network in self._uploads.values())
        is_limited = own >= max(1, most // 4) and not self._is_exempt(connection.peer)
        if len(self._uploads) >= most or is_limited:
            return False
        self._uploads[connection] = connection.network
        return True

    def end_upload(self, connection: Connection) -> None:
        """Note that the large body of a connection, if it had one, is no longer needed."""
        self._uploads.pop(connection, None)

    async def check_deadlines(self, clock: Callable[[], float]) -> None:
        """Call `on_deadline` of each connection whose deadline has passed, and bound the unsent bytes."""
        now = clock()
        ended = 0
        unsent: Counter[str] = Counter()
        for connection in [*self._all(), *self._refused]:
            if connection.deadline <= now:
                connection.on_deadline()
                ended += 1
                if ended % CHECK_BATCH == 0:
                    await asyncio.sleep(0)
            elif size := connection.unsent_bytes():
                client = network_of(connection.client)
                unsent[client] += size
                if unsent[client] > self._bounds.max_unsent_bytes_per_address:
                    self._refusals.add("unsent_response", connection.client)
                    connection.abort()

    def close(self) -> None:
        """Close every connection that waits for its client, and the others when they begin to wait."""
        self._is_closing = True
        for connection in [*self._waiting]:
            connection.evict()

    def abort_streams(self) -> None:
        """Close every event stream that has not ended because its client does not read it."""
        for connection in [*self._all()]:
            if connection.is_stream:
                connection.abort()

    async def wait_until_empty(self, seconds: float) -> None:
        """Wait until there are no connections; abort those that are left after this time."""
        try:
            await asyncio.wait_for(self._is_empty.wait(), seconds)
        except TimeoutError:
            for connection in [*self._all()]:
                connection.abort()

    def _all(self) -> Iterator[Any]:
        return (item for network in self._networks.values() for item in network.connections)

    def _resize(self, name: str, change: int) -> None:
        """Update the counts after a network has gained or lost a connection."""
        self._count += change
        size = len(self._networks[name].connections)
        before = self._by_size.get(size - change, {})
        before.pop(name, None)
        if not before:
            self._by_size.pop(size - change, None)
        if size:
            self._by_size.setdefault(size, {})[name] = None
        else:
            del self._networks[name]
        if size > self._largest or self._largest not in self._by_size:
            self._largest = size
        if self._count:
            self._is_empty.clear()
        else:
            self._is_empty.set()

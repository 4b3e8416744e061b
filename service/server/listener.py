"""The socket that a web process listens on, and how its connections are accepted."""

import asyncio
import logging
import socket
import struct
import sys
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

from service.server.shared_port import unusable_port
from service.visitors import network_of

log = logging.getLogger(__name__)

OPENED_AT_ONCE: Final = 16
"""Connections that are opened in one turn of the event loop."""
LEAST_ACCEPT_SECONDS: Final = 0.002
MOST_ACCEPT_SECONDS: Final = 0.02
"""Time for accepting in one turn of the event loop: as much as everything else took since the last time, so
that neither keeps the other from more than half of the processor, but within these bounds.
"""
SWITCH_INTERVAL: Final = 0.00005
"""Python's switch interval while connections are accepted, in seconds. Accepting and closing a connection
lets another thread have the interpreter twice, and one that computes keeps it for that long each time.
"""
MAX_WAITING: Final = 1024
"""Accepted connections that wait to be opened."""
SECONDS_AFTER_FAILED_ACCEPT: Final = 1.0
"""Time without accepting after an error, such as too many open files."""
BACKLOG: Final = 4096
"""Connections that wait in the kernel."""
SEND_BUFFER: Final = 128 * 1024
"""Bytes of a response that the kernel keeps for a connection; Linux doubles it for its own needs."""
RESET: Final = struct.pack("ii", 1, 0)
"""The value of the option SO_LINGER that makes closing a socket reset its connection."""


class Listener:
    """Accepts the connections to a port that other processes of this service may share.

    All others wait in the backlog behind the connections of a client that opens thousands, so they leave it
    as quickly as possible: those that are not admitted are reset at once, without a response, and the others
    wait here. Opening one takes the event loop much longer than accepting it, so a few are opened in a turn,
    and the networks that they come from take turns.
    """

    def __init__(
        self,
        create_connection: Callable[[], asyncio.BaseProtocol],
        admit: Callable[[str], bool],
        address: str,
        port: int,
        max_waiting: int = MAX_WAITING,
    ) -> None:
        """Begin to listen. `admit`: whether to open a connection from an address. Raises PortError."""
        self._create_connection = create_connection
        self._admit = admit
        self._loop = asyncio.get_running_loop()
        self._max_waiting = max_waiting
        self._waiting: OrderedDict[str, deque[socket.socket]] = OrderedDict()
        """By network, accepted connections that wait to be opened. The first network is the next one."""
        self._waiting_count = 0
        self._opening: asyncio.Handle | None = None
        self._accepted_at = self._loop.time()
        """When connections were accepted last."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._pause: asyncio.TimerHandle | None = None
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        # asyncio sets TCP_NODELAY only if the socket names its protocol. Without it, each event of a stream
        # waits for the client to acknowledge the one before, which may take 40 ms.
        self._socket = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            # Connections inherit it. Otherwise, Linux keeps megabytes for a client that does not read.
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            self._socket.settimeout(0)
            self._socket.bind((address, port))
            self._socket.listen(BACKLOG)
        except OSError as error:
            self._socket.close()
            raise unusable_port(address, port, error) from error
        self._resume()

    @property
    def port(self) -> int:
        """The port, also if it was given as 0."""
        port: int = self._socket.getsockname()[1]
        return port

    def close(self) -> None:
        """Stop accepting connections. Those that are open stay so."""
        if self._pause is None:
            self._loop.remove_reader(self._socket)
        else:
            self._pause.cancel()
        self._socket.close()
        if self._opening is not None:
            self._opening.cancel()
        for waiting in self._waiting.values():
            for accepted in waiting:
                accepted.close()
        self._waiting.clear()

    def _resume(self) -> None:
        self._pause = None
        self._loop.add_reader(self._socket, self._accept)

    def _accept(self) -> None:
        """Accept connections for a short time. The event loop calls this again as long as others wait."""
        now = self._loop.time()
        seconds = min(max(LEAST_ACCEPT_SECONDS, now - self._accepted_at), MOST_ACCEPT_SECONDS)
        end = now + seconds
        interval = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)
        while now < end and self._waiting_count < self._max_waiting:
            try:
                accepted, peer = self._socket.accept()
            except BlockingIOError:
                break
            except ConnectionAbortedError:
                continue
            except OSError as error:
                log.error("connections cannot be accepted: %s", error)  # noqa: TRY400 # the message is enough
                self._loop.remove_reader(self._socket)
                self._pause = self._loop.call_later(SECONDS_AFTER_FAILED_ACCEPT, self._resume)
                break
            if self._admit(peer[0]):
                self._waiting.setdefault(network_of(peer[0]), deque()).append(accepted)
                self._waiting_count += 1
            else:
                accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                accepted.close()
            now = self._loop.time()
        sys.setswitchinterval(interval)
        self._accepted_at = self._loop.time()
        if self._opening is None:
            self._open_some()

    def _open_some(self) -> None:
        """Open some of the connections that wait, and the others in the next turns of the event loop."""
        self._opening = None
        for _ in range(min(OPENED_AT_ONCE, self._waiting_count)):
            network, waiting = self._waiting.popitem(last=False)
            self._open(waiting.popleft())
            self._waiting_count -= 1
            if waiting:
                self._waiting[network] = waiting
        if self._waiting:
            self._opening = self._loop.call_soon(self._open_some)

    def _open(self, accepted: socket.socket) -> None:
        accepted.settimeout(0)
        task = self._loop.create_task(self._connect(accepted))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, accepted: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._create_connection, accepted)
        except OSError:
            accepted.close()

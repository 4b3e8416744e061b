"""Accepts the connections to the sockets of a web process."""

import asyncio
import logging
import socket
import struct
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from service.visitors import network_of

log = logging.getLogger(__name__)

OPENED_AT_ONCE: Final = 8
"""The number of connections that are opened in one turn of the event loop."""
ACCEPT_SECONDS: Final = 0.001
"""The time for accepting the connections of a socket in one turn of the event loop. It is short, because
connected clients wait for it: only clients that share the socket wait for the connections that are left.
"""
MAX_WAITING: Final = 1024
"""The most accepted connections that wait to be opened."""
SECONDS_AFTER_FAILED_ACCEPT: Final = 1.0
"""The pause after an error in accepting, such as too many open files."""
RESET: Final = struct.pack("ii", 1, 0)
"""The value of the option SO_LINGER that makes closing a socket reset its connection."""


class Listener:
    """Accepts the connections to a port that other processes of this service may share.

    If a client opens thousands of connections, others wait behind them in the same backlog, so the backlog is
    emptied as quickly as possible: connections that are not admitted are reset immediately, without a
    response, and the others wait here. Opening a connection takes the event loop much longer than accepting
    it, so only a few are opened in each turn, and networks take turns.
    """

    def __init__(
        self,
        create_connection: Callable[[], asyncio.BaseProtocol],
        admit: Callable[[str], bool],
        sockets: Sequence[socket.socket],
        max_waiting: int = MAX_WAITING,
    ) -> None:
        """Begin to accept. `admit` returns whether to open a connection from an address.

        `sockets` listen on one port and do not block; the listener owns them from now on.
        """
        self._create_connection = create_connection
        self._admit = admit
        self._loop = asyncio.get_running_loop()
        self._max_waiting = max_waiting
        self._waiting: OrderedDict[str, deque[socket.socket]] = OrderedDict()
        """Accepted connections that wait to be opened, by network. The first network is the next one."""
        self._waiting_count = 0
        self._opening: asyncio.Handle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._pause: asyncio.TimerHandle | None = None
        self._sockets = sockets
        self._resume()

    @property
    def port(self) -> int:
        """The port of the sockets."""
        port: int = self._sockets[0].getsockname()[1]
        return port

    def close(self) -> None:
        """Stop accepting connections. Open connections stay open."""
        if self._pause is not None:
            self._pause.cancel()
        for listening in self._sockets:
            self._loop.remove_reader(listening)
            listening.close()
        if self._opening is not None:
            self._opening.cancel()
        for waiting in self._waiting.values():
            for accepted in waiting:
                accepted.close()
        self._waiting.clear()

    def _resume(self) -> None:
        self._pause = None
        for listening in self._sockets:
            self._loop.add_reader(listening, partial(self._accept, listening))

    def _accept(self, listening: socket.socket) -> None:
        """Accept connections for a short time. The event loop calls this again as long as others wait."""
        now = self._loop.time()
        end = now + ACCEPT_SECONDS
        while now < end and self._waiting_count < self._max_waiting:
            try:
                accepted, peer = listening.accept()
            except BlockingIOError:
                break
            except ConnectionAbortedError:
                continue
            except OSError as error:
                log.error("connections cannot be accepted: %s", error)  # noqa: TRY400 # the message is enough
                self._stop_for_a_while()
                break
            if self._admit(peer[0]):
                self._waiting.setdefault(network_of(peer[0]), deque()).append(accepted)
                self._waiting_count += 1
            else:
                accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                accepted.close()
            now = self._loop.time()
        if self._opening is None and self._waiting:
            # This runs in the next turn of the event loop, when connections of all sockets have been
            # accepted.
            self._opening = self._loop.call_soon(self._open_some)

    def _stop_for_a_while(self) -> None:
        """Accept nothing for SECONDS_AFTER_FAILED_ACCEPT."""
        for listening in self._sockets:
            self._loop.remove_reader(listening)
        if self._pause is None:
            self._pause = self._loop.call_later(SECONDS_AFTER_FAILED_ACCEPT, self._resume)

    def _open_some(self) -> None:
        """Open some of the waiting connections, and the others in the next turns of the event loop."""
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

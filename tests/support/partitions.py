"""A network between the processes of a service and Redis that a test interrupts, as a partition does.

What is sent during a partition arrives when it is over, in order, also after the sender has given up. TCP
does the same: it sends again what was not confirmed.
"""

import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from typing import Final, Literal, TypeAlias

Direction: TypeAlias = Literal["requests", "replies"]
BOTH: Final[tuple[Direction, ...]] = ("requests", "replies")
_CHUNK: Final = 65_536


class Link:
    """A socket through which processes reach the socket of a Redis, unless it is interrupted."""

    def __init__(self, path: Path, redis: Path) -> None:
        self.url = f"unix://{path}"
        self._redis = redis
        self._gates: dict[Direction, Event] = {direction: Event() for direction in BOTH}
        self._sockets: set[socket.socket] = set()
        self._lock = Lock()
        self._is_closed = False
        self._closes_next = False
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self.restore()
        Thread(target=self._accept, daemon=True).start()

    def interrupt(self, directions: Sequence[Direction] = BOTH) -> None:
        """Let nothing pass in these directions, on any connection."""
        for direction in directions:
            self._gates[direction].clear()

    def restore(self) -> None:
        """Let everything pass, also what was sent in the meantime."""
        for gate in self._gates.values():
            gate.set()

    def close_next_connection(self) -> None:
        """Close the next connection as soon as it is made."""
        self._closes_next = True

    def close(self) -> None:
        """Close all connections, and accept no more."""
        self._is_closed = True
        self.restore()
        with self._lock:
            for it in (self._listener, *self._sockets):
                with suppress(OSError):
                    it.shutdown(socket.SHUT_RDWR)
                it.close()

    def _accept(self) -> None:
        while not self._is_closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._closes_next:
                self._closes_next = False
                client.close()
                continue
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self._redis))
            except OSError:
                client.close()
                continue
            with self._lock:
                self._sockets |= {client, server}
            for gate, *ends in (
                (self._gates["requests"], client, server),
                (self._gates["replies"], server, client),
            ):
                Thread(target=self._forward, args=(gate, *ends), daemon=True).start()

    def _forward(self, gate: Event, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                gate.wait()
                sink.sendall(data)
        gate.wait()
        with self._lock:
            for it in (source, sink):
                with suppress(OSError):
                    it.shutdown(socket.SHUT_RDWR)
            if not {source, sink} & self._sockets:
                return
            # The other direction may still have replies that nobody reads any more.
            self._sockets -= {source, sink}
        source.close()
        sink.close()


@contextmanager
def links(redis: Path, names: Sequence[str]) -> Iterator[dict[str, Link]]:
    """A link to this socket for each of these processes; all are closed at the end."""
    with ExitStack() as stack:
        # A path of a socket must be short.
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="links-")))
        opened = {}
        for number, name in enumerate(names):
            opened[name] = Link(folder / str(number), redis)
            stack.callback(opened[name].close)
        yield opened

"""What an attacker sends: many connections, each of which follows a script of prepared steps.

One thread with epoll serves all of them. It only copies prepared bytes into sockets, so that an attack costs
its sender little. Everything ends with the given time.
"""

import errno
import heapq
import select
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Final, TypeAlias

from bench.siege.responses import ResponseReader

HOST: Final = "127.0.0.1"
_RESET_ON_CLOSE: Final = struct.pack("ii", 1, 0)
_BYTES_PER_READ: Final = 65536
_MOST_EVENTS: Final = 256
_IP_BIND_ADDRESS_NO_PORT: Final = 24  # Linux; Python has no name for it before 3.13
_HANGUP: Final = select.EPOLLHUP | select.EPOLLERR | select.EPOLLRDHUP


@dataclass(frozen=True, slots=True)
class Send:
    """Send these bytes; they complete this number of requests."""

    data: bytes
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Pause:
    """Do nothing for this time, and read nothing either."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Read:
    """Read until this number of further responses is complete."""

    responses: int = 1


@dataclass(frozen=True, slots=True)
class Hold:
    """Keep the connection open, without reading, until the attack ends or the server closes it."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Close the connection with an RST."""


Step: TypeAlias = Send | Pause | Read | Hold | Reset
Script: TypeAlias = Callable[[int], Iterator[Step]]
"""Returns the steps of the connection with this number, which counts from 0. After the last, it is closed."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """The connections of an attacker, and their bounds."""

    script: Script
    connections: int
    """The most that are open at the same time."""
    per_second: float
    """The most that are opened in a second."""
    addresses: tuple[str, ...]
    """Source addresses, which the connections take in turn."""
    total: int | None = None
    """The most that are opened at all; None is no limit."""
    receive_buffer: int | None = None
    """Bytes that the kernel receives for a connection that is not read; None is the usual number."""
    is_churn: bool = False
    """Whether each connection only sends the first step of the script, and is closed. A simple loop does
    that, which takes the least time for each connection.
    """


@dataclass(slots=True)
class Outcome:
    """What was sent, and what became of it."""

    connections: int = 0
    not_connected: int = 0
    """Connections that were refused, or not accepted before the attack ended."""
    requests: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    closed_by_server: int = 0
    """Connections that the server closed before their script was at its end."""
    open_at_end: int = 0
    notifications: int = 0
    """Notifications that the attacker received."""
    cpu_seconds: float = 0.0
    """Processor time of the attacker itself."""

    def add(self, other: "Outcome") -> None:
        """Add the figures of another wave of the same attack."""
        for item in fields(self):
            value = getattr(self, item.name) + getattr(other, item.name)
            setattr(self, item.name, value)


class _Visit:
    """One connection: its socket, the rest of its script, and the step that it is at."""

    def __init__(self, sock: socket.socket, steps: Iterator[Step]) -> None:
        self.socket = sock
        self.steps = steps
        self.step: Step | None = None
        self.unsent = memoryview(b"")
        self.awaited = 0
        self.reader = ResponseReader()
        self.is_connected = False
        self.is_closed = False


def send_traffic(traffic: Traffic, port: int, seconds: float) -> Outcome:
    """Send this traffic to a port of 127.0.0.1 for so many seconds, or until all connections have ended."""
    if traffic.is_churn:
        return _churn(traffic, port, seconds)
    sender = _Sender(traffic, port)
    try:
        sender.run(time.monotonic() + seconds)
    finally:
        sender.close()
    return sender.outcome


def _churn(traffic: Traffic, port: int, seconds: float) -> Outcome:
    """Open connections, send one step on each as soon as it is open, and close it without reading."""
    outcome = Outcome()
    start = time.monotonic()
    opening: list[socket.socket] = []
    while (passed := time.monotonic() - start) < seconds:
        due = passed * traffic.per_second
        if outcome.connections > due and len(opening) < traffic.connections:
            time.sleep((outcome.connections - due) / traffic.per_second)
        while len(opening) < traffic.connections and outcome.connections <= due:
            address = traffic.addresses[outcome.connections % len(traffic.addresses)]
            outcome.connections += 1
            opening.append(_begin_to_connect(address, port))
        if still_opening := [
            sock for sock in opening if not _send_and_close(sock, traffic, outcome)
        ]:
            select.select((), still_opening, (), seconds - passed)
        opening = still_opening
    outcome.not_connected += len(opening)
    for sock in opening:
        sock.close()
    return outcome


def _begin_to_connect(address: str, port: int) -> socket.socket:
    sock = socket.socket(type=socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    sock.setsockopt(socket.SOL_IP, _IP_BIND_ADDRESS_NO_PORT, 1)
    sock.bind((address, 0))
    sock.connect_ex((HOST, port))
    return sock


def _send_and_close(sock: socket.socket, traffic: Traffic, outcome: Outcome) -> bool:
    """Send the first step of the script and close the connection; return False if it is not open yet."""
    step = next(traffic.script(outcome.connections))
    assert isinstance(step, Send)
    try:
        outcome.bytes_sent += sock.send(step.data)
        outcome.requests += step.requests
    except BlockingIOError:
        return False
    except OSError as error:
        # The server closed the connection before anything was sent, or no connection came about.
        is_reset = error.errno in (errno.ECONNRESET, errno.EPIPE)
        outcome.closed_by_server += is_reset
        outcome.not_connected += not is_reset
    sock.close()
    return True


class _Sender:
    """Runs the scripts of all connections."""

    def __init__(self, traffic: Traffic, port: int) -> None:
        self.outcome = Outcome()
        self._traffic = traffic
        self._port = port
        self._epoll = select.epoll()
        self._visits: dict[int, _Visit] = {}
        self._timers: list[tuple[float, int, _Visit]] = []
        self._next_opening = 0.0
        self._is_exhausted = False

    def run(self, end: float) -> None:
        """Run until `end`, or until there is nothing left to do."""
        self._next_opening = time.monotonic()
        while (now := time.monotonic()) < end:
            opening = self._open_visits(now)
            if not self._visits and opening is None:
                return
            timers = [self._timers[0][0]] if self._timers else []
            wake_up = min([end, *timers] if opening is None else [end, opening, *timers])
            for descriptor, events in self._epoll.poll(max(0.0, wake_up - now), _MOST_EVENTS):
                visit = self._visits.get(descriptor)
                if visit is not None:
                    self._handle(visit, events)
            now = time.monotonic()
            while self._timers and self._timers[0][0] <= now:
                _, _, visit = heapq.heappop(self._timers)
                if not visit.is_closed:
                    self._advance(visit)

    def close(self) -> None:
        """Close all connections, and count those that were still open."""
        for visit in list(self._visits.values()):
            if visit.is_connected:
                self.outcome.open_at_end += 1
            else:
                self.outcome.not_connected += 1
            if (status := visit.reader.begun_status) is not None:
                self.outcome.statuses[status] += 1
            self._close(visit)
        self._epoll.close()

    def _open_visits(self, now: float) -> float | None:
        """Open the connections that are due; return the time of the next one, None if there is none."""
        traffic, outcome = self._traffic, self.outcome
        while True:
            total = traffic.total
            if self._is_exhausted or (total is not None and outcome.connections >= total):
                return None
            if len(self._visits) >= traffic.connections:
                # Whenever one ends, the next is due. It does not make up for the time in between.
                self._next_opening = max(self._next_opening, now)
                return float("inf")
            if self._next_opening > now:
                return self._next_opening
            self._next_opening += 1 / traffic.per_second
            self._open()

    def _open(self) -> None:
        traffic, number = self._traffic, self.outcome.connections
        try:
            sock = socket.socket()
        except OSError:
            # This process may open no more files: these connections are all that there will be.
            self._is_exhausted = True
            return
        self.outcome.connections += 1
        sock.settimeout(0)  # not blocking
        sock.setsockopt(socket.SOL_IP, _IP_BIND_ADDRESS_NO_PORT, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if traffic.receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, traffic.receive_buffer)
        sock.bind((traffic.addresses[number % len(traffic.addresses)], 0))
        if sock.connect_ex((HOST, self._port)) not in (0, errno.EINPROGRESS):
            self.outcome.not_connected += 1
            sock.close()
            return
        self._visits[sock.fileno()] = _Visit(sock, traffic.script(number))
        self._epoll.register(sock, select.EPOLLOUT | select.EPOLLRDHUP)

    def _handle(self, visit: _Visit, events: int) -> None:
        if not visit.is_connected:
            if events & (select.EPOLLHUP | select.EPOLLERR):
                self.outcome.not_connected += 1
                self._close(visit)
                return
            visit.is_connected = True
            self._advance(visit)
        elif events & _HANGUP:
            self._read_rest(visit)
        elif events & select.EPOLLIN:
            self._read(visit)
        elif events & select.EPOLLOUT and self._write(visit):
            self._advance(visit)

    def _advance(self, visit: _Visit) -> None:
        """Go on with the script, up to a step that has to wait."""
        is_done = True
        while is_done and not visit.is_closed:
            visit.step = next(visit.steps, None)
            is_done = self._begin(visit, visit.step)

    def _begin(self, visit: _Visit, step: Step | None) -> bool:
        """Begin a step; return whether it is done already."""
        match step:
            case Send(data):
                visit.unsent = memoryview(data)
                return self._write(visit)
            case Pause(seconds):
                self._wait_for(visit, 0)
                heapq.heappush(self._timers, (time.monotonic() + seconds, id(visit), visit))
            case Read(responses):
                visit.awaited += responses
                self._wait_for(visit, select.EPOLLIN)
                return visit.awaited <= 0
            case Hold():
                self._wait_for(visit, 0)
            case Reset():
                visit.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
                self._close(visit)
            case None:
                self._close(visit)
        return False

    def _write(self, visit: _Visit) -> bool:
        """Send as much of the step as the kernel takes; return whether that was the rest."""
        try:
            sent = visit.socket.send(visit.unsent) if visit.unsent else 0
        except BlockingIOError:
            sent = 0
        except OSError:
            self._read_rest(visit)
            return False
        self.outcome.bytes_sent += sent
        visit.unsent = visit.unsent[sent:]
        if visit.unsent:
            self._wait_for(visit, select.EPOLLOUT)
            return False
        assert isinstance(visit.step, Send)
        self.outcome.requests += visit.step.requests
        return True

    def _read(self, visit: _Visit) -> None:
        try:
            data = visit.socket.recv(_BYTES_PER_READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.outcome.closed_by_server += 1
            self._close(visit)
            return
        visit.awaited -= self._count_responses(visit, data)
        if visit.awaited <= 0 and isinstance(visit.step, Read):
            self._advance(visit)

    def _read_rest(self, visit: _Visit) -> None:
        """Count the responses that arrived before the server closed the connection."""
        with suppress(OSError):
            while data := visit.socket.recv(_BYTES_PER_READ):
                visit.awaited -= self._count_responses(visit, data)
        if (status := visit.reader.begun_status) is not None:
            self.outcome.statuses[status] += 1
        at_end = isinstance(visit.step, Read) and visit.awaited <= 0 and not any(visit.steps)
        if not at_end:
            self.outcome.closed_by_server += 1
        self._close(visit)

    def _count_responses(self, visit: _Visit, data: bytes) -> int:
        self.outcome.bytes_received += len(data)
        try:
            statuses = visit.reader.feed(data)
        except ValueError:
            return 0  # a response in HTTP/2, or the rest of one that is not HTTP at all
        self.outcome.statuses.update(statuses)
        return len(statuses)

    def _wait_for(self, visit: _Visit, events: int) -> None:
        self._epoll.modify(visit.socket, events | select.EPOLLRDHUP)

    def _close(self, visit: _Visit) -> None:
        visit.is_closed = True
        self._visits.pop(visit.socket.fileno(), None)
        visit.socket.close()

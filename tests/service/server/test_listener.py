"""How connections are accepted: some in each turn of the event loop, until the end, and after an error."""

import asyncio
import resource
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from typing_extensions import override

from service.server import listener
from service.server.listener import OPENED_AT_ONCE, SECONDS_AFTER_FAILED_ACCEPT, Listener
from service.server.listening_sockets import open_sockets
from tests.support.processes import HANG_SECONDS, ROOT, wait_for_exit

TURN = 1000.0
"""Seconds for accepting in a turn of the event loop."""


class MovableClockLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock a test can move on."""

    moved = 0.0

    @override
    def time(self) -> float:
        return super().time() + self.moved


class Accepted(asyncio.Protocol):
    """An accepted connection, which is added to a list."""

    def __init__(self, connections: list[asyncio.BaseTransport]) -> None:
        self._connections = connections

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._connections.append(transport)


class Listening:
    """A listener on a free port, with what it has accepted and the errors of the event loop."""

    def __init__(
        self,
        loop: MovableClockLoop,
        admits: Callable[[int], bool] = lambda _: True,
        max_waiting: int = 1_000,
    ) -> None:
        """`admits`: whether a connection is admitted, by its number, which counts from 0."""
        self.loop = loop
        self.connections: list[asyncio.BaseTransport] = []
        self.clients: list[tuple[str, int]] = []
        self.errors: list[dict[str, Any]] = []
        self.turns: list[int] = []
        self.opened: list[int] = []
        """For each connection that was accepted, and that was opened, the turn of the event loop."""
        self._turn = 0
        self._admits = admits
        loop.set_exception_handler(lambda _, context: self.errors.append(context))
        self.listener = Listener(
            self._create, self._admit, open_sockets("127.0.0.1", 0), max_waiting
        )
        self.port = self.listener.port

    def _create(self) -> Accepted:
        self.opened.append(self._turn)
        return Accepted(self.connections)

    def _admit(self, address: str) -> bool:
        assert address.startswith("127.0.0.")
        self.turns.append(self._turn)
        return self._admits(len(self.turns) - 1)

    def batches(self) -> list[int]:
        """Return how many connections were accepted in each turn in which there were any."""
        return list(Counter(self.turns).values())

    async def run_until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + HANG_SECONDS
        while not condition():
            assert time.monotonic() < deadline
            await asyncio.sleep(0)
            self._turn += 1

    def connect(self, clients: ExitStack, number: int, address: str = "127.0.0.1") -> None:
        """Connect clients. The kernel completes their connections, before anything accepts them."""
        for _ in range(number):
            client = clients.enter_context(
                socket.create_connection(("127.0.0.1", self.port), source_address=(address, 0))
            )
            self.clients.append(client.getsockname())

    def is_refused(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except ConnectionRefusedError:
            return True
        return False


@contextmanager
def event_loop() -> Iterator[MovableClockLoop]:
    loop = MovableClockLoop()
    try:
        yield loop
    finally:
        # Transports that are closed leave the loop in its next turns.
        for _ in range(3):
            loop.run_until_complete(asyncio.sleep(0))
        loop.close()


@pytest.fixture(autouse=True)
def long_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a turn end only when a test moves the clock, however slow the machine is."""
    monkeypatch.setattr(listener, "ACCEPT_SECONDS", TURN)


def test_some_connections_are_opened_in_a_turn_of_the_event_loop() -> None:
    async def accept(loop: MovableClockLoop) -> None:
        listening = Listening(loop)
        with ExitStack() as clients:
            listening.connect(clients, 2 * OPENED_AT_ONCE + 3)
            await listening.run_until(lambda: len(listening.connections) == 2 * OPENED_AT_ONCE + 3)
        # All of them have left the backlog before the first is open.
        assert listening.batches() == [2 * OPENED_AT_ONCE + 3]
        assert list(Counter(listening.opened).values()) == [OPENED_AT_ONCE, OPENED_AT_ONCE, 3]
        listening.listener.close()
        assert listening.errors == []
        close_all(listening)

    with event_loop() as loop:
        loop.run_until_complete(accept(loop))


def test_networks_take_turns_however_many_connections_one_of_them_opens() -> None:
    async def accept(loop: MovableClockLoop) -> None:
        listening = Listening(loop)
        with ExitStack() as clients:
            listening.connect(clients, 5 * OPENED_AT_ONCE, "127.0.0.2")
            listening.connect(clients, 2, "127.0.0.3")
            listening.connect(clients, 1, "127.0.0.4")
            await listening.run_until(lambda: len(listening.connections) >= OPENED_AT_ONCE)
            addresses = [
                connection.get_extra_info("peername")[0] for connection in listening.connections
            ]
            assert addresses[:5] == [f"127.0.0.{number}" for number in (2, 3, 4, 2, 3)]
            assert set(addresses[5:]) == {"127.0.0.2"}
            # Those that wait are closed with the listener, as those in the backlog are.
            listening.listener.close()
            assert len(listening.connections) < 5 * OPENED_AT_ONCE
        assert listening.errors == []
        close_all(listening)

    with event_loop() as loop:
        loop.run_until_complete(accept(loop))


def test_a_bounded_number_of_connections_waits_outside_the_backlog() -> None:
    async def accept(loop: MovableClockLoop) -> None:
        listening = Listening(loop, max_waiting=OPENED_AT_ONCE + 5)
        number = 4 * OPENED_AT_ONCE
        with ExitStack() as clients:
            listening.connect(clients, number)
            await listening.run_until(lambda: len(listening.connections) == number)
        assert max(listening.batches()) == OPENED_AT_ONCE + 5
        listening.listener.close()
        assert listening.errors == []
        close_all(listening)

    with event_loop() as loop:
        loop.run_until_complete(accept(loop))


def test_any_number_of_connections_that_are_not_admitted_leave_the_backlog_in_a_turn() -> None:
    async def accept(loop: MovableClockLoop) -> None:
        listening = Listening(loop, admits=lambda number: number == 4 * OPENED_AT_ONCE)
        with ExitStack() as clients:
            listening.connect(clients, 4 * OPENED_AT_ONCE + 1)
            await listening.run_until(lambda: len(listening.connections) == 1)
            assert listening.batches() == [4 * OPENED_AT_ONCE + 1]
            assert listening.connections[0].get_extra_info("peername") == listening.clients[-1]
            listening.listener.close()
            assert listening.errors == []
            close_all(listening)

    with event_loop() as loop:
        loop.run_until_complete(accept(loop))


def test_a_connection_that_is_not_admitted_is_reset_without_a_response() -> None:
    async def accept(loop: MovableClockLoop) -> None:
        listening = Listening(loop, admits=lambda _: False)
        with socket.create_connection(("127.0.0.1", listening.port), HANG_SECONDS) as client:
            await listening.run_until(lambda: len(listening.turns) == 1)
            with pytest.raises(ConnectionResetError):
                client.recv(1)
        assert listening.connections == []
        listening.listener.close()

    with event_loop() as loop:
        loop.run_until_complete(accept(loop))


def test_accepting_ends_after_a_short_time_and_continues_in_the_next_turn() -> None:
    """Open connections are served between two turns, however many are refused."""

    async def accept(loop: MovableClockLoop) -> None:
        def refuse(_: int) -> bool:
            loop.moved += TURN / 2.5
            return False

        listening = Listening(loop, admits=refuse)
        with ExitStack() as clients:
            listening.connect(clients, 10)
            await listening.run_until(lambda: len(listening.turns) == 10)
        assert listening.batches() == [3, 3, 3, 1]
        listening.listener.close()

    with event_loop() as loop:
        loop.run_until_complete(accept(loop))


def test_parts_are_sent_without_waiting_for_acknowledgements() -> None:
    async def accept(loop: MovableClockLoop) -> None:
        listening = Listening(loop)
        with ExitStack() as clients:
            listening.connect(clients, 1)
            await listening.run_until(lambda: bool(listening.connections))
            accepted = listening.connections[0].get_extra_info("socket")
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        listening.listener.close()
        close_all(listening)

    with event_loop() as loop:
        loop.run_until_complete(accept(loop))


@pytest.mark.parametrize("is_paused", [False, True], ids=["reading", "paused"])
def test_a_closed_listener_accepts_nothing_and_leaves_open_connections(*, is_paused: bool) -> None:
    async def close(loop: MovableClockLoop) -> None:
        listening = Listening(loop)
        with ExitStack() as stack:
            listening.connect(stack, 1)
            await listening.run_until(lambda: len(listening.connections) == 1)
            files = [listening.fileno() for listening in listening.listener._sockets]
            if is_paused:
                listening.connect(stack, 1)
                with too_many_open_files():
                    await listening.run_until(lambda: listening.listener._pause is not None)
            listening.listener.close()
            assert listening.is_refused()
            assert not any(map(loop.remove_reader, files)), "the loop still watches a closed file"
            loop.moved += 2 * SECONDS_AFTER_FAILED_ACCEPT
            for _ in range(100):
                await asyncio.sleep(0)
            assert len(listening.connections) == 1
            assert not listening.connections[0].is_closing()
            assert listening.errors == []
        close_all(listening)

    with event_loop() as loop:
        loop.run_until_complete(close(loop))


@contextmanager
def too_many_open_files() -> Iterator[None]:
    """Let this process open no more files until the end of the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def close_all(listening: Listening) -> None:
    for transport in listening.connections:
        transport.close()


PROGRAM = """
import asyncio, os, resource, sys
import concurrent.futures.thread  # as long as a file can be opened
from service.server.listener import Listener
from service.server.listening_sockets import open_sockets

class Greeting(asyncio.Protocol):
    def connection_made(self, transport):
        transport.write(b"hello")
        transport.close()

async def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
    listener = Listener(Greeting, lambda _: True, open_sockets("127.0.0.1", 0))
    files = []
    try:
        while True:
            files.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    print(listener.port, flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for file in files:
        os.close(file)
    await asyncio.to_thread(sys.stdin.readline)
    listener.close()

asyncio.run(main())
"""


def test_connections_are_accepted_again_after_too_many_files_were_open() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        started_at = time.monotonic()
        try:
            port = int(process.stdout.readline())
            with socket.create_connection(("127.0.0.1", port), HANG_SECONDS) as client:
                first_report = process.stderr.readline()
                process.stdin.write("\n")
                assert client.recv(16) == b"hello"
            process.stdin.write("\n")
            assert wait_for_exit(process) == 0
            reports = [first_report, *process.stderr]
            assert set(reports) == {
                "connections cannot be accepted: [Errno 24] Too many open files\n"
            }
            # Nothing is tried between two pauses.
            seconds = time.monotonic() - started_at
            assert len(reports) <= 1 + seconds / SECONDS_AFTER_FAILED_ACCEPT
        finally:
            process.kill()

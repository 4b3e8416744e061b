"""How connections are accepted: in batches with pauses, until the end, and again after an error."""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from typing_extensions import override

from service.server import web_process
from service.server.web_process import ACCEPT_BATCH, SECONDS_AFTER_FAILED_ACCEPT
from tests.support.processes import HANG_SECONDS, ROOT, wait_for_exit

PAUSE = 1000.0
"""Seconds between two batches, which pass only when a test moves the clock."""


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

    def __init__(self, loop: MovableClockLoop) -> None:
        self.loop = loop
        self.connections: list[asyncio.BaseTransport] = []
        self.errors: list[dict[str, Any]] = []
        loop.set_exception_handler(lambda _, context: self.errors.append(context))
        create: Any = lambda: Accepted(self.connections)  # noqa: E731 # it stands for an HttpConnection
        self.listener = web_process._Listener(create, "127.0.0.1", 0)
        self.port = int(self.listener._socket.getsockname()[1])

    async def run_until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(HANG_SECONDS):
            while not condition():  # noqa: ASYNC110 # a test waits for any condition
                await asyncio.sleep(0)

    async def run_on(self) -> None:
        """Let the loop do everything that it can do without its clock being moved."""
        for _ in range(100):
            await asyncio.sleep(0)

    def connect(self, clients: ExitStack, number: int) -> None:
        """Connect clients. The kernel completes their connections, before anything accepts them."""
        for _ in range(number):
            clients.enter_context(socket.create_connection(("127.0.0.1", self.port)))

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
        loop.close()


@pytest.fixture(autouse=True)
def long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_process, "ACCEPT_SECONDS", PAUSE)


def test_one_batch_of_connections_is_accepted_between_two_pauses() -> None:
    async def accept(loop: MovableClockLoop) -> None:
        listening = Listening(loop)
        with ExitStack() as clients:
            listening.connect(clients, 2 * ACCEPT_BATCH + 3)
            for expected in (ACCEPT_BATCH, 2 * ACCEPT_BATCH, 2 * ACCEPT_BATCH + 3):
                await listening.run_until(lambda: len(listening.connections) >= expected)  # noqa: B023 # called in this turn
                await listening.run_on()
                assert len(listening.connections) == expected
                loop.moved += PAUSE
            # Without any that wait there is no pause: the next one is accepted at once.
            await listening.run_on()
            listening.connect(clients, 1)
            await listening.run_until(lambda: len(listening.connections) == expected + 1)
        listening.listener.close()
        assert listening.errors == []
        close_all(listening)

    with event_loop() as loop:
        loop.run_until_complete(accept(loop))


def test_what_is_written_in_parts_does_not_wait_for_the_client_to_acknowledge_a_part() -> None:
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


@pytest.mark.parametrize("clients", [1, 2 * ACCEPT_BATCH], ids=["reading", "paused"])
def test_a_closed_listener_accepts_nothing_and_leaves_open_connections(clients: int) -> None:
    async def close(loop: MovableClockLoop) -> None:
        listening = Listening(loop)
        accepted = min(clients, ACCEPT_BATCH)
        with ExitStack() as stack:
            listening.connect(stack, clients)
            await listening.run_until(lambda: len(listening.connections) == accepted)
            is_paused = listening.listener._pause is not None
            assert is_paused == (clients > ACCEPT_BATCH)
            file = listening.listener._socket.fileno()
            listening.listener.close()
            assert listening.is_refused()
            assert not loop.remove_reader(file), "the loop still watches a closed file"
            loop.moved += PAUSE
            await listening.run_on()
            assert len(listening.connections) == accepted
            assert not any(transport.is_closing() for transport in listening.connections)
            assert listening.errors == []
        close_all(listening)

    with event_loop() as loop:
        loop.run_until_complete(close(loop))


def close_all(listening: Listening) -> None:
    for transport in listening.connections:
        transport.close()


PROGRAM = """
import asyncio, os, resource, sys
from service.server import web_process

class Greeting(asyncio.Protocol):
    def connection_made(self, transport):
        transport.write(b"hello")
        transport.close()

async def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    listener = web_process._Listener(Greeting, "127.0.0.1", 0)
    files = []
    try:
        while True:
            files.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    print(listener._socket.getsockname()[1], flush=True)
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

"""The process that attacks, at the lowest priority: the service and the players have the processor first."""

import contextlib
import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Final

from typing_extensions import override

from bench.siege.attack import Target
from bench.siege.attacks import attack_by_name
from bench.siege.traffic import HOST, Outcome, send_traffic
from bench.siege.webhook_receiver import receive_webhooks

LOWEST_PRIORITY: Final = 19
SECONDS_TO_END: Final = 15.0
CONTROL_RESPONSE: Final = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"


class AttackFailedError(Exception):
    """The process of an attacker ended without a result."""


class Attacker:
    """A process that runs one attack. It ends with the attack, or when its parent has ended."""

    def __init__(self, name: str, target: Target, seconds: float) -> None:
        context = multiprocessing.get_context("spawn")
        self._name = name
        self._seconds = seconds
        self._connection, other_end = context.Pipe()
        self._process = context.Process(
            target=_attack, args=(name, target, seconds, other_end), daemon=True
        )
        self._process.start()
        other_end.close()

    def wait_until_ready(self) -> None:
        """Wait until the process has prepared everything that it will send."""
        self._receive()

    def begin(self) -> None:
        """Let the attack begin."""
        self._connection.send(None)

    def is_over(self) -> bool:
        """Whether the attack is over."""
        return self._connection.poll()

    def outcome(self) -> Outcome:
        """Wait for the end of the attack and return what it did."""
        outcome = self._receive()
        assert isinstance(outcome, Outcome)
        self._process.join()
        return outcome

    def stop(self) -> None:
        """End the process, if the attack is not over."""
        self._process.terminate()
        self._process.join()
        self._connection.close()

    def _receive(self) -> object:
        try:
            if self._connection.poll(self._seconds + SECONDS_TO_END):
                return self._connection.recv()
        except EOFError:
            pass
        raise AttackFailedError(f"the attack {self._name} has ended without a result")


def _attack(name: str, target: Target, seconds: float, connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process after Ctrl-C
    os.nice(LOWEST_PRIORITY)
    attack = attack_by_name(name)
    traffic = attack.traffic(target)
    connection.send(None)
    connection.recv()
    start = time.process_time()
    with ThreadPoolExecutor(1) as pool:
        received = None
        if attack.receives_webhooks:
            received = pool.submit(receive_webhooks, target.webhook_port, seconds)
        outcome = send_traffic(traffic, target.port, seconds)
        if received is not None:
            outcome.notifications = received.result()
    outcome.cpu_seconds = time.process_time() - start
    connection.send(outcome)


@contextmanager
def control_server() -> Iterator[int]:
    """Run a server that answers every request with a prepared response; yield its port.

    An attack on it costs the machine what the attacker itself costs, and next to nothing more.
    """
    context = multiprocessing.get_context("spawn")
    server = socket.create_server((HOST, 0), backlog=4096)
    port: int = server.getsockname()[1]
    process = context.Process(target=_serve_control, args=(server,), daemon=True)
    process.start()
    server.close()
    try:
        yield port
    finally:
        process.terminate()
        process.join()


def _serve_control(server: socket.socket) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import asyncio

    class Answer(asyncio.Protocol):
        @override
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport

        @override
        def data_received(self, data: bytes) -> None:
            assert isinstance(self.transport, asyncio.WriteTransport)
            for _ in range(max(1, data.count(b"\r\n\r\n"))):
                self.transport.write(CONTROL_RESPONSE)

    async def serve() -> None:
        listener = await asyncio.get_running_loop().create_server(Answer, sock=server)
        await listener.serve_forever()

    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(serve())

"""A receiver of webhooks that responds to no notification as it should."""

import socket
import threading
import time
from contextlib import suppress
from typing import Final

from bench.siege.traffic import HOST, Outcome

MOST_CONNECTIONS: Final = 100
SECONDS_PER_BYTE: Final = 0.2
REDIRECT: Final = (
    b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.4:9/elsewhere\r\nContent-Length: 0\r\n\r\n"
)


def receive_webhooks(port: int, seconds: float) -> Outcome:
    """Receive notifications on a port for so many seconds. Every third response is a redirect.

    Of the others, one half trickles in byte by byte, and the other half never comes.
    """
    outcome = Outcome()
    end = time.monotonic() + seconds
    open_sockets: list[socket.socket] = []
    threads: list[threading.Thread] = []
    start = time.process_time()
    with socket.create_server((HOST, port), backlog=MOST_CONNECTIONS) as server:
        while (rest := end - time.monotonic()) > 0 and outcome.connections < MOST_CONNECTIONS:
            server.settimeout(rest)
            with suppress(TimeoutError):
                connection, _ = server.accept()
                open_sockets.append(connection)
                arguments = (connection, outcome.connections, end, outcome)
                threads.append(threading.Thread(target=_respond, args=arguments))
                threads[-1].start()
                outcome.connections += 1
        time.sleep(max(0.0, end - time.monotonic()))
    for connection in open_sockets:
        connection.close()
    for thread in threads:
        thread.join()
    outcome.cpu_seconds = time.process_time() - start
    return outcome


def _respond(connection: socket.socket, number: int, end: float, outcome: Outcome) -> None:
    with suppress(OSError):
        connection.settimeout(max(0.1, end - time.monotonic()))
        outcome.bytes_received += len(connection.recv(65536))
        outcome.requests += 1
        match number % 3:
            case 0:
                connection.sendall(REDIRECT)
                connection.close()
            case 1:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while time.monotonic() < end:
                    connection.sendall(b"a")
                    time.sleep(SECONDS_PER_BYTE)
            case _:
                if not connection.recv(1):  # until the worker gives up
                    outcome.closed_by_server += 1

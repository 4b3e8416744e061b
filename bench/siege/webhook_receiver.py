"""A receiver of webhooks that responds to no notification as it should."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from bench.siege.traffic import HOST

MOST_CONNECTIONS: Final = 100
SECONDS_PER_BYTE: Final = 0.2
REDIRECT: Final = (
    b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.4:9/elsewhere\r\nContent-Length: 0\r\n\r\n"
)


def receive_webhooks(port: int, seconds: float) -> int:
    """Receive notifications on a port for so many seconds; return how many there were.

    Every third response is a redirect, every third trickles in byte by byte, and every third never comes.
    """
    end = time.monotonic() + seconds
    number = 0
    with (
        ThreadPoolExecutor(MOST_CONNECTIONS) as pool,
        socket.create_server((HOST, port), backlog=MOST_CONNECTIONS) as server,
    ):
        while (rest := end - time.monotonic()) > 0 and number < MOST_CONNECTIONS:
            server.settimeout(rest)
            with suppress(TimeoutError):
                connection, _ = server.accept()
                pool.submit(_respond, connection, number, end)
                number += 1
    return number


def _respond(connection: socket.socket, number: int, end: float) -> None:
    with connection, suppress(OSError):
        connection.settimeout(max(0.1, end - time.monotonic()))
        connection.recv(65536)
        match number % 3:
            case 0:
                connection.sendall(REDIRECT)
            case 1:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while time.monotonic() < end:
                    connection.sendall(b"a")
                    time.sleep(SECONDS_PER_BYTE)
            case _:
                connection.recv(1)  # returns when the worker has given up

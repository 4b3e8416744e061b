"""The port of the web server: how it is held, and the command that starts a web process on it.

This file does not import the web server itself, so that a process that only supervises stays small.
"""

import contextlib
import errno
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from domain.errors import CartularyError

THREADS: Final = 4
"""Threads that serve requests in a process: some wait for Redis while one works. With more of them, they
compete for the interpreter, and the slowest requests get slower."""
SECONDS_TO_FINISH: Final = 10.0
"""For the requests under way when a web process stops."""


class PortError(CartularyError):
    """The server cannot listen on its address."""


@contextmanager
def hold_port(host: str, port: int) -> Iterator[tuple[str, int]]:
    """Hold a port (0: a free one) for processes of this service; gives the numeric address and the port.

    The server's sockets let processes of the same user share a port, and two services on one port would
    respond in turn. So this first checks that nobody else listens there. Raises PortError.
    """
    try:
        family, _, _, _, name = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(name)
            name = probe.getsockname()
        # A socket that is bound and does not listen gets no connections, but keeps the port from other
        # services: without SO_REUSEADDR, their probe fails.
        holder = socket.socket(family, socket.SOCK_STREAM)
        with contextlib.ExitStack() as stack:
            stack.enter_context(holder)
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            try:
                holder.bind(name)
            except OSError:
                # The last connections of another program on this port are in TIME_WAIT.
                holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                holder.bind(name)
            stack.pop_all()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortError(
                f"port {port} of {host} is in use: stop the program that uses it, or choose another"
                " port with --port"
            ) from None
        raise PortError(f"port {port} of {host} cannot be used: {error.strerror}") from error
    with holder:
        yield name[0], name[1]


def local_url(address: str, port: int) -> str:
    """The URL at which this machine reaches a server that listens on `address`."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)  # noqa: S104 (nothing is bound here)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def web_command(address: str, port: int, threads: int = THREADS) -> list[str]:
    """The command of a web process that serves on a port held by its parent (web_process.py)."""
    return [sys.executable, "-m", "service.server.web_process", address, str(port), str(threads)]

"""Reserves the port of the web server, and starts the web processes that share it.

This module does not import the web server itself, so that a command reports quickly that the port is in use.
"""

import contextlib
import errno
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from domain.errors import CartularyError
from ledger.files.os_errors import os_reason
from service.operation.forked_process import ForkedProcess

SECONDS_TO_FINISH: Final = 7.0
"""The time for finishing requests, and for sending their responses, when a web process stops."""
SECONDS_TO_STOP: Final = SECONDS_TO_FINISH + 5
"""The time after which a web process that was asked to stop is killed."""

SECONDS_TO_BECOME_FREE: Final = 3.0
"""The time for which a port may be in use before that is an error."""
_PAUSE_SECONDS: Final = 0.05
_Address: TypeAlias = tuple[Any, ...]
"""The address of a socket, whose parts depend on its family."""


class PortError(CartularyError):
    """The server cannot listen on its address."""


def unusable_port(host: str, port: int, error: OSError) -> PortError:
    """Return the error for an address on which the server cannot listen."""
    return PortError.with_message(
        "port {port} of {host} cannot be used: {reason}",
        port=port,
        host=host,
        reason=os_reason(error),
    )


@contextmanager
def hold_port(host: str, port: int) -> Iterator[tuple[str, int]]:
    """Reserve a port (0: a free one) for processes of this service; yield the numeric address and the port.

    The web processes share the port by SO_REUSEPORT, so a second service could also listen on it and take
    some of the connections. Therefore this first checks that no other program listens there, and waits for a
    moment if one does: the web processes of a service that was killed may not have ended yet. Raises
    PortError.
    """
    try:
        family, _, _, _, requested = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sockaddr = _unused_address(family, requested)
        # A socket that is bound but does not listen gets no connections, but reserves the port: without
        # SO_REUSEADDR, the probe of another service fails.
        holder = socket.socket(family, socket.SOCK_STREAM)
        with contextlib.ExitStack() as stack:
            stack.enter_context(holder)
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            try:
                holder.bind(sockaddr)
            except OSError:
                # The last connections of another program on this port are in TIME_WAIT.
                holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                holder.bind(sockaddr)
            stack.pop_all()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortError.with_message(
                "port {port} of {host} is in use: stop the program that uses it, or choose another"
                " port with --port",
                port=port,
                host=host,
            ) from None
        raise unusable_port(host, port, error) from error
    with holder:
        yield sockaddr[0], sockaddr[1]


def _unused_address(family: socket.AddressFamily, address: _Address) -> _Address:
    """Wait until nothing listens on the port, and return the address with the port. Raises OSError."""
    deadline = time.monotonic() + SECONDS_TO_BECOME_FREE
    while True:
        try:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
                unused: _Address = probe.getsockname()
                return unused
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() >= deadline:
                raise
        time.sleep(_PAUSE_SECONDS)


def local_url(address: str, port: int) -> str:
    """Return the URL at which this machine reaches a server that listens on `address`."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)  # noqa: S104 # nothing is bound here
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def web_processes(
    run: Callable[[], None], environ: Mapping[str, str], count: int, metrics_folder: str
) -> list[ForkedProcess]:
    """Return the web processes, which run `run_web_process` and write their metrics to one folder."""

    def remove_metrics(pid: int) -> None:
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(pid, metrics_folder)  # type: ignore[no-untyped-call] # has no annotations

    return [
        ForkedProcess("web", "cartulary web", run, environ, remove_metrics) for _ in range(count)
    ]

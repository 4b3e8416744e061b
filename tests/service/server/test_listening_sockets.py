"""Several sockets listen on one port, and the address of a client decides which of them it reaches."""

import select
import socket
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from replay.language.renderer import english
from service.server import listening_sockets
from service.server.listening_sockets import BACKLOG, SOCKETS, open_sockets
from service.server.shared_port import PortError
from tests.support.processes import HANG_SECONDS

ADDRESSES = [f"127.0.0.{number}" for number in range(1, 81)]
CONNECTIONS = 24
"""Connections of an address: two processes are reached by all but one series in 2 ** 23."""


@contextmanager
def listening(
    processes: int = 1, folder: Path | None = None, host: str = "127.0.0.1"
) -> Iterator[list[list[socket.socket]]]:
    """Open the sockets of several web processes in this one."""
    lock = None if folder is None else folder / "lock"
    opened: list[list[socket.socket]] = []
    with ExitStack() as stack:
        port = 0
        for _ in range(processes):
            opened.append(open_sockets(host, port, processes, lock))
            port = opened[0][0].getsockname()[1]
            for each in opened[-1]:
                stack.enter_context(each)
        yield opened


def reached(
    opened: Sequence[Sequence[socket.socket]], address: str, number: int = CONNECTIONS
) -> set[tuple[int, int]]:
    """Connect from an address, and return the process and the socket of each connection."""
    places = {
        each: (process, place)
        for process, sockets in enumerate(opened)
        for place, each in enumerate(sockets)
    }
    host, port = opened[0][0].getsockname()[:2]
    result = set()
    with ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(
                socket.create_connection(
                    (host, port), timeout=HANG_SECONDS, source_address=(address, 0)
                )
            )
            (ready,), _, _ = select.select(list(places), [], [], HANG_SECONDS)
            ready.accept()[0].close()
            result.add(places[ready])
    return result


def test_all_connections_of_an_address_reach_one_socket_and_addresses_are_distributed() -> None:
    with listening() as opened:
        assert [len(sockets) for sockets in opened] == [SOCKETS]
        places = [reached(opened, address, 4) for address in ADDRESSES]
    assert all(len(place) == 1 for place in places)
    # Addresses in a row are distributed more evenly than by chance, which would reach 46 of 64.
    assert len(set.union(*places)) > SOCKETS // 2


def test_an_address_reaches_all_processes_and_one_socket_of_each(tmp_path: Path) -> None:
    with listening(3, tmp_path) as opened:
        for address in ADDRESSES[:8]:
            places = reached(opened, address, 2 * CONNECTIONS)
            assert [process for process, _ in sorted(places)] == [0, 1, 2]


def test_an_ipv6_address_reaches_one_socket_of_each_process(tmp_path: Path) -> None:
    try:
        with listening(2, tmp_path, "::1") as opened:
            assert [process for process, _ in sorted(reached(opened, "::1"))] == [0, 1]
    except PortError:
        pytest.skip("this machine has no IPv6")


def test_every_address_is_served_while_a_process_is_missing_and_after_its_return(
    tmp_path: Path,
) -> None:
    with listening(2, tmp_path) as opened, ExitStack() as stack:
        port = opened[0][0].getsockname()[1]
        for each in opened[0]:
            each.close()
        for address in ADDRESSES:
            assert {process for process, _ in reached([opened[1]], address, 2)} == {0}
        again = open_sockets("127.0.0.1", port, 2, tmp_path / "lock")
        for each in again:
            stack.enter_context(each)
        for address in ADDRESSES[:8]:
            places = reached([opened[1], again], address)
            assert [process for process, _ in sorted(places)] == [0, 1]


def test_a_full_backlog_holds_up_only_the_addresses_that_share_it() -> None:
    with listening() as opened, ExitStack() as stack:
        places = defaultdict(list)
        for address in ADDRESSES:
            places[reached(opened, address, 1).pop()].append(address)
        addresses = [same[0] for same in places.values()]
        host = opened[0][0].getsockname()
        # Linux completes one connection more than the backlog says, at most.
        for _ in range(min(BACKLOG, max_backlog()) + 1):
            client = stack.enter_context(socket.socket())
            client.bind((addresses[0], 0))
            client.settimeout(HANG_SECONDS)
            client.connect(host)
        with pytest.raises(TimeoutError):
            socket.create_connection(host, timeout=0.2, source_address=(addresses[0], 0))
        for address in addresses[1:]:
            socket.create_connection(
                host, timeout=HANG_SECONDS, source_address=(address, 0)
            ).close()


def max_backlog() -> int:
    return int(Path("/proc/sys/net/core/somaxconn").read_text())


def test_one_socket_listens_where_the_kernel_cannot_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown_option = 60_000
    monkeypatch.setattr(listening_sockets, "SO_ATTACH_REUSEPORT_CBPF", unknown_option)
    with listening(2) as opened:
        assert [len(sockets) for sockets in opened] == [1, 1]
        places = set.union(*(reached(opened, address) for address in ADDRESSES[:3]))
        assert {process for process, _ in places} == {0, 1}


def test_a_port_that_cannot_be_used_is_an_error_and_leaves_no_socket() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortError) as raised:
            open_sockets("127.0.0.1", port)
    assert english(raised.value.message) == f"port {port} of 127.0.0.1 cannot be used: it is in use"

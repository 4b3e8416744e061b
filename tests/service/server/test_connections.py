"""Connections: how many there may be, and which is closed to make room for another."""

import asyncio
import logging
from dataclasses import dataclass, field

import pytest

from service.bounds import Bounds
from service.http.access_log import Metrics
from service.server.connections import MAX_REFUSED, SPARE_FILES, ConnectionTable
from service.server.refusals import Refusals
from tests.support.front import Front, RawClient
from tests.support.processes import wait_until


@dataclass(eq=False)
class TableConnection:
    """A connection as the table sees it."""

    network: str
    deadline: float = 100.0
    unsent: int = 0
    client: str = ""
    is_stream: bool = False
    timeouts: int = 0
    is_evicted: bool = False
    is_aborted: bool = False
    peer: str = field(init=False)

    def __post_init__(self) -> None:
        self.peer = self.network

    def on_deadline(self) -> None:
        self.timeouts += 1
        self.deadline = 100.0

    def evict(self) -> None:
        self.is_evicted = True

    def abort(self) -> None:
        self.is_aborted = True

    def unsent_bytes(self) -> int:
        return self.unsent


def table_of(
    *, total: int = 100, per_address: int = 10, proxy: str = "", unsent: int = 1_000
) -> ConnectionTable:
    bounds = Bounds(
        max_connections=total,
        max_connections_per_address=per_address,
        max_unsent_bytes_per_address=unsent,
    )
    return ConnectionTable(bounds, Refusals(Metrics()), lambda peer: peer == proxy, 10_000)


def add(table: ConnectionTable, network: str, count: int) -> list[TableConnection]:
    """Add connections; each must be accepted."""
    connections = [TableConnection(network) for _ in range(count)]
    for connection in connections:
        assert table.add(connection)
    return connections


class TestTable:
    def test_the_connection_that_waits_longest_makes_room_for_another_of_its_address(self) -> None:
        table = table_of(per_address=3)
        (other,) = add(table, "192.0.2.9", 1)
        first, second, third = add(table, "192.0.2.1", 3)
        table.set_busy(first)
        table.set_busy(second)
        table.set_waiting(second)
        (fourth,) = add(table, "192.0.2.1", 1)
        assert third.is_evicted
        table.set_busy(fourth)
        add(table, "192.0.2.1", 1)
        assert second.is_evicted
        assert not first.is_evicted
        assert not other.is_evicted
        assert len(table) == 4

    def test_a_connection_that_has_sent_no_request_makes_room_first(self) -> None:
        table = table_of(per_address=3)
        (used,) = add(table, "192.0.2.1", 1)
        table.set_busy(used)
        table.set_waiting(used)
        unused = add(table, "192.0.2.1", 2)
        add(table, "192.0.2.1", 2)
        assert [connection.is_evicted for connection in (used, *unused)] == [False, True, True]

    def test_a_connection_is_refused_if_those_of_its_address_are_busy(self) -> None:
        table = table_of(per_address=2)
        (other,) = add(table, "192.0.2.9", 1)
        busy = add(table, "192.0.2.1", 2)
        for connection in busy:
            table.set_busy(connection)
        assert not table.add(TableConnection("192.0.2.1"))
        assert not any(connection.is_evicted for connection in (*busy, other))
        assert len(table) == 3
        table.remove(busy[0])
        assert table.add(TableConnection("192.0.2.1"))

    def test_the_address_with_most_connections_makes_room_for_all(self) -> None:
        table = table_of(total=6)
        (idle,) = add(table, "192.0.2.9", 1)
        many = add(table, "192.0.2.1", 4)
        add(table, "192.0.2.8", 1)
        add(table, "192.0.2.7", 2)
        assert [connection.is_evicted for connection in many] == [True, True, False, False]
        assert not idle.is_evicted
        assert len(table) == 6

    def test_any_connection_makes_room_if_those_of_the_largest_address_are_busy(self) -> None:
        table = table_of(total=3)
        for connection in add(table, "192.0.2.1", 2):
            table.set_busy(connection)
        (idle,) = add(table, "192.0.2.9", 1)
        add(table, "192.0.2.8", 1)
        assert idle.is_evicted

    def test_the_sizes_of_addresses_are_kept_through_any_changes(self) -> None:
        table = table_of(total=12, per_address=5)
        open_connections: list[TableConnection] = []
        for step in range(500):
            connection = TableConnection(f"192.0.2.{step * 7 % 5}")
            assert table.add(connection)
            open_connections = [item for item in open_connections if not item.is_evicted]
            open_connections.append(connection)
            if step % 3 == 0:
                table.remove(open_connections.pop(step * 5 % len(open_connections)))
            sizes = [item.network for item in open_connections]
            largest = max(map(sizes.count, sizes), default=0)
            assert len(table) == len(open_connections) <= 12
            assert table._largest == largest <= 5
        for connection in open_connections:
            table.remove(connection)
            table.remove(connection)
        assert (len(table), table._by_size, table._networks) == (0, {}, {})

    def test_a_proxy_may_have_any_number_of_connections(self) -> None:
        table = table_of(per_address=2, proxy="192.0.2.1")
        assert not any(connection.is_evicted for connection in add(table, "192.0.2.1", 50))

    def test_a_proxy_with_an_ipv6_address_is_known_by_its_address(self) -> None:
        table = table_of(per_address=1, proxy="2001:db8::7")
        connections = [TableConnection("2001:db8::/64") for _ in range(3)]
        for connection in connections:
            connection.peer = "2001:db8::7"
            assert table.add(connection)
        assert not any(connection.is_evicted for connection in connections)

    def test_the_process_keeps_some_files_for_itself(self) -> None:
        bounds = Bounds()
        table = ConnectionTable(
            bounds, Refusals(Metrics()), lambda _: False, max_files=SPARE_FILES + 5
        )
        assert sum(connection.is_evicted for connection in add(table, "192.0.2.1", 8)) == 3

    def test_refused_connections_stay_open_in_a_limited_number(self) -> None:
        table = table_of(per_address=1)
        table.set_busy(*add(table, "192.0.2.1", 1))
        refused = [TableConnection("192.0.2.1", deadline=1.0) for _ in range(MAX_REFUSED + 3)]
        assert not any(map(table.add, refused))
        assert [item.is_evicted for item in refused] == [True] * 3 + [False] * MAX_REFUSED
        asyncio.run(table.check_deadlines(lambda: 2.0))
        assert [item.timeouts for item in refused] == [0] * 3 + [1] * MAX_REFUSED
        for connection in refused:
            table.remove(connection)
        assert len(table) == 1

    def test_a_check_handles_the_deadlines_that_have_passed(self) -> None:
        table = table_of(per_address=300, total=1000)
        late = add(table, "192.0.2.1", 200)
        for connection in late:
            connection.deadline = 1.0
        (early,) = add(table, "192.0.2.2", 1)
        asyncio.run(table.check_deadlines(lambda: 1.0))
        assert {connection.timeouts for connection in late} == {1}
        assert early.timeouts == 0

    def test_what_clients_do_not_read_is_bounded_for_each_client(self) -> None:
        table = table_of(unsent=1_000)
        slow, slower = add(table, "192.0.2.1", 2)
        # These two clients have the same proxy.
        proxied = add(table, "192.0.2.9", 2)
        for number, connection in enumerate(proxied):
            connection.client = f"198.51.100.{number + 1}"
        slow.client = slower.client = "192.0.2.1"
        for connection in (slow, slower, *proxied):
            connection.unsent = 600
        asyncio.run(table.check_deadlines(lambda: 1.0))
        assert [slow.is_aborted, slower.is_aborted] == [False, True]
        assert not any(connection.is_aborted for connection in proxied)


class TestConnectionLimits:
    def test_a_client_displaces_its_own_connections_only(self) -> None:
        with (
            Front(max_connections_per_address=2) as front,
            RawClient(front.port, "127.0.0.2") as other,
            RawClient(front.port) as first,
            RawClient(front.port) as second,
        ):
            for client in (other, first, second):
                client.get("/echo")
                assert client.reply().status == 200
            with RawClient(front.port) as third:
                assert first.is_closed()
                for client in (other, second, third):
                    client.get("/echo")
                    assert client.reply().status == 200
            assert front.refused("too_many_connections") == 1

    def test_a_connection_with_a_request_under_way_is_not_displaced(self) -> None:
        with Front(max_connections_per_address=1) as front, RawClient(front.port) as busy:
            busy.get("/wait/busy")
            wait_until(lambda: front.app.calls == ["busy"])
            with RawClient(front.port) as refused:
                # What the client has sent already must not destroy the refusal.
                refused.get("/echo")
                (reply,) = refused.replies()
                assert reply.status == 503
                assert int(reply.headers["retry-after"]) >= 1
                assert reply.json["type"] == "urn:cartulary:problem:unavailable"
            front.app.release.set()
            assert busy.reply().body == b"busy"

    def test_all_connections_together_are_bounded(self) -> None:
        with Front(max_files=3) as front:
            clients = [RawClient(front.port, f"127.0.0.{number}") for number in (2, 2, 3, 4)]
            assert clients[0].is_closed()
            wait_until(lambda: len(front.table) == 3)
            for client in clients[1:]:
                client.get("/echo")
                assert client.reply().status == 200
            for client in clients:
                client.__exit__(None, None, None)

    def test_a_proxy_is_exempt_from_the_limit_for_an_address(self) -> None:
        with Front(proxies=("127.0.0.0/8",), max_connections_per_address=2) as front:
            clients = [RawClient(front.port) for _ in range(5)]
            for number, client in enumerate(clients):
                client.get("/echo", X_Forwarded_For=f"192.0.2.{number}", X_Forwarded_Proto="https")
                reply = client.reply()
                assert reply.json["address"] == f"192.0.2.{number}"
                assert reply.json["scheme"] == "https"
            for client in clients:
                client.__exit__(None, None, None)

    def test_refusals_are_logged_once_for_each_reason(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        with Front() as front, caplog.at_level(logging.WARNING):
            for data in (b"nonsense\r\n\r\n", b"more nonsense\r\n\r\n", b"GET /" + b"x" * 20_000):
                with RawClient(front.port) as client:
                    client.send(data)
                    (reply,) = client.replies()
                    assert reply.headers["content-type"] == "application/problem+json"
            front.write_refusals()
            front.write_refusals()
            lines = {
                record.__dict__["reason"]: (record.__dict__["count"], record.__dict__["first"])
                for record in caplog.records
            }
            assert len(caplog.records) == 2
            assert lines["malformed"][0] == 2
            assert lines["malformed"][1].startswith("127.0.0.1 the request is not valid HTTP/1.1")
            assert lines["headers_too_large"][0] == 1
            assert front.refused("malformed") == 2
            assert front.refused("headers_too_large") == 1


class TestUploads:
    def test_uploads_are_bounded_and_a_network_has_a_quarter(self) -> None:
        table = ConnectionTable(
            Bounds(max_uploads=4), Refusals(Metrics()), lambda peer: peer == "proxy", 10_000
        )
        first, second = add(table, "192.0.2.1", 2)
        assert table.begin_upload(first)
        assert not table.begin_upload(second)
        others = [add(table, f"192.0.2.{number}", 1)[0] for number in (2, 3, 4)]
        assert all(map(table.begin_upload, others))
        (last,) = add(table, "192.0.2.5", 1)
        assert not table.begin_upload(last)
        table.end_upload(first)
        table.end_upload(first)
        assert table.begin_upload(last)
        # A connection that is lost makes room as well.
        table.remove(last)
        assert table.begin_upload(second)

    def test_a_proxy_has_all_of_them(self) -> None:
        table = ConnectionTable(
            Bounds(max_uploads=4), Refusals(Metrics()), lambda peer: peer == "proxy", 10_000
        )
        *some, last = add(table, "proxy", 5)
        assert all(map(table.begin_upload, some))
        assert not table.begin_upload(last)


def test_the_front_receives_one_upload_of_a_network_at_a_time() -> None:
    body = b"x" * 200_000
    request = b"POST /imports HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
    with (
        Front(max_uploads=1) as front,
        RawClient(front.port) as first,
        RawClient(front.port) as second,
    ):
        first.send(request + body[:100_000])
        wait_until(lambda: len(front.table._uploads) == 1)
        second.send(request)
        assert second.reply().status == 503
        first.send(body[100_000:])
        # The application has no such view; the next upload has room.
        assert first.reply().status == 404
        first.send(request + body)
        assert first.reply().status == 404

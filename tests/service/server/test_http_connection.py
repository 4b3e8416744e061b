"""One connection: the time of each step, requests in any order and form, and its end."""

import json
import threading
from typing import Any

import pytest

from service.server import http_connection
from tests.support.front import PAGE, Front, RawClient, get, in_loop, post
from tests.support.processes import HANG_SECONDS, wait_until


class TestDeadlines:
    def test_a_client_that_sends_nothing_is_disconnected(self) -> None:
        with Front(header_seconds=0.2) as front, RawClient(front.port) as client:
            assert client.is_closed()

    def test_empty_lines_do_not_keep_a_connection_open(self) -> None:
        bounds: dict[str, Any] = {"header_seconds": 0.3, "keep_alive_seconds": 60}
        with Front(**bounds) as front, RawClient(front.port) as client:
            client.send(b"\r\n")
            assert client.is_closed()

    @pytest.mark.parametrize(
        ("data", "bounds"),
        [
            (b"GET /echo HT", {"header_seconds": 0.2}),
            (
                b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab",
                {"body_seconds": 0.2},
            ),
        ],
    )
    def test_a_request_that_arrives_too_slowly_is_refused(
        self, data: bytes, bounds: dict[str, Any]
    ) -> None:
        with Front(**bounds) as front, RawClient(front.port) as client:
            sent = threading.Event()

            def send_bytes() -> None:
                for place in range(len(data)):
                    client.send(data[place : place + 1])
                sent.set()

            threading.Thread(target=send_bytes).start()
            (reply,) = client.replies()
            assert sent.wait(HANG_SECONDS)
            assert reply.status == 408
            assert reply.headers["connection"] == "close"
            assert reply.json["type"] == "urn:cartulary:problem:too-slow"
            assert front.refused("too_slow") == 1

    def test_every_byte_of_a_head_does_not_extend_its_time(self) -> None:
        with Front(header_seconds=0.3) as front, RawClient(front.port) as client:
            is_refused = threading.Event()

            def send_bytes() -> None:
                client.send(b"GET / HTTP/1.1\r\nA: ")
                while not is_refused.wait(0.05):
                    try:
                        client.send(b"b")
                    except OSError:
                        return

            sender = threading.Thread(target=send_bytes)
            sender.start()
            assert client.reply().status == 408
            is_refused.set()
            sender.join(HANG_SECONDS)

    def test_a_connection_without_requests_is_closed_after_a_response(self) -> None:
        with Front(keep_alive_seconds=0.2) as front, RawClient(front.port) as client:
            client.get("/echo")
            assert client.reply().status == 200
            assert client.is_closed()
            assert front.refused("too_slow") == 0

    def test_a_client_that_does_not_read_is_disconnected(self) -> None:
        with Front(send_seconds=0.3) as front, RawClient(front.port, receive_bytes=4096) as client:
            client.get("/large")
            wait_until(lambda: front.refused("unsent_response") == 1)
            wait_until(lambda: not len(front.table))
            assert not client.reply().is_complete

    def test_a_client_that_reads_steadily_gets_a_long_response(self) -> None:
        with Front(send_seconds=0.3, request_seconds=0.3) as front:
            front.app.large_bytes = 2_000_000
            with RawClient(front.port, receive_bytes=65536) as client:
                client.get("/large")
                size = 0
                while size < 1_500_000:
                    size += client.read(20_000)
                    threading.Event().wait(0.004)
                while size < 2_000_000:
                    received = client.read(1 << 20)
                    assert received
                    size += received
                assert front.refused("unsent_response") == 0

    def test_what_one_client_does_not_read_is_bounded(self) -> None:
        with (
            Front(max_unsent_bytes_per_address=10_000_000) as front,
            RawClient(front.port, receive_bytes=4096) as first,
            RawClient(front.port, receive_bytes=4096) as second,
        ):
            first.get("/large")
            second.get("/large")
            wait_until(lambda: front.refused("unsent_response") == 1)
            # One of them goes on.
            assert sum(client.reply().is_complete for client in (first, second)) == 1

    def test_pages_are_produced_as_fast_as_the_client_reads(self) -> None:
        with Front(send_seconds=0.3) as front, RawClient(front.port, receive_bytes=4096) as client:
            client.get("/endless-pages")
            wait_until(lambda: front.refused("unsent_response") == 1)
            wait_until(lambda: front.app.calls[-1] == "closed")
            # The buffers of the kernel are filled, and one page waits in memory.
            assert len(front.app.calls) * len(PAGE) < 10_000_000
            wait_until(lambda: not front.tasks())


class TestRequests:
    def test_pipelined_requests_are_answered_in_order(self) -> None:
        with Front() as front, RawClient(front.port) as client:
            front.app.release.set()
            client.send(get("/wait/a") + get("/echo?b") + get("/nothing/c") + get("/healthz"))
            replies = [client.reply() for _ in range(4)]
            assert [reply.status for reply in replies] == [200, 200, 404, 200]
            assert replies[0].body == b"a"
            assert replies[1].json["query"] == "b"
            assert replies[3].json == {"status": "alive"}

    @pytest.mark.parametrize("path", ["/healthz", "/echo", "//echo", "/wait/a"])
    def test_too_many_pipelined_requests_are_refused_after_the_responses(self, path: str) -> None:
        with Front() as front, RawClient(front.port) as client:
            client.send(get(path) * 2_000)
            front.app.release.set()
            *replies, refusal = client.replies()
            assert len(replies) == 9
            assert {reply.status for reply in replies} == {404 if path == "//echo" else 200}
            assert refusal.status == 400
            assert refusal.headers["connection"] == "close"
            assert front.refused("malformed") == 1

    def test_pipelined_bodies_may_have_the_size_of_one_body(self) -> None:
        with Front() as front, RawClient(front.port) as client:
            client.send(get("/wait/a") + post("/echo", b"x" * 40_000) * 2)
            front.app.release.set()
            assert [reply.status for reply in client.replies()] == [200, 200, 400]

    def test_what_follows_a_malformed_request_is_ignored(self) -> None:
        with Front() as front, RawClient(front.port) as client:
            client.send(get("/wait/a") + b"nonsense\r\n\r\n" + get("/echo"))
            client.send(get("/echo"))
            front.app.release.set()
            assert [reply.status for reply in client.replies()] == [200, 400]

    def test_the_last_response_survives_what_the_client_continues_to_send(self) -> None:
        with Front() as front, RawClient(front.port) as client:
            client.send(get("/wait/a", Connection="close"))
            client.send(b"x" * 100_000)
            front.app.release.set()
            (reply,) = client.replies()
            assert reply.body == b"a"
            # The client keeps its half open, and sends more than is discarded.
            with pytest.raises(ConnectionError):
                client.send_until_reset(b"x" * 100_000)

    def test_the_last_response_survives_the_end_of_the_connection(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(http_connection, "LINGER_SECONDS", 0.1)
        with Front() as front, RawClient(front.port, receive_bytes=4096) as client:
            front.app.large_bytes = 100_000
            client.get("/large", Connection="close")
            # The server has closed the connection, and the kernel still has most of the response.
            wait_until(lambda: front.app.calls == ["large"] and not len(front.table))
            (reply,) = client.replies()
            assert reply.is_complete

    def test_a_client_that_expects_a_sign_gets_it(self) -> None:
        with Front() as front, RawClient(front.port) as client:
            head, body = post("/echo", b"hello", "Expect: 100-continue").split(b"\r\n\r\n")
            client.send(head + b"\r\n\r\n")
            assert client.reply().status == 100
            client.send(body)
            assert client.reply().json["body"] == "hello"

    def test_a_request_that_arrives_in_parts_behind_another_is_handled(self) -> None:
        with Front(header_seconds=0.3) as front, RawClient(front.port) as client:
            client.send(get("/wait/a") + b"POST /echo HTTP/1.1\r\n")
            wait_until(lambda: front.app.calls == ["a"])
            front.app.release.set()
            assert client.reply().body == b"a"
            client.send(b"Host: x\r\nContent-Length: 2\r\n\r\n")
            client.send(b"hi")
            assert client.reply().json["body"] == "hi"
            # Its head has a deadline too.
            client.send(get("/echo") + b"POST /")
            assert [reply.status for reply in client.replies()] == [200, 408]

    @pytest.mark.parametrize("path", ["/echo", "/large", "/pages", "/healthz", "/readyz", "//echo"])
    def test_a_client_that_has_closed_its_half_gets_its_responses(self, path: str) -> None:
        with Front() as front, RawClient(front.port, receive_bytes=4096) as client:
            front.readiness.release.set()
            front.app.release.set()
            front.app.large_bytes = 1_000_000
            client.send(get(path) + get("/echo?second") + b"GET /part")
            client.half_close()
            first, second = client.replies()
            assert first.is_complete
            assert second.json["query"] == "second"
            wait_until(lambda: not len(front.table))

    def test_a_client_that_has_closed_its_half_learns_of_a_fault(self) -> None:
        with Front() as front, RawClient(front.port) as client:
            client.send(get("/wait/a") + b"nonsense\r\n\r\n")
            client.half_close()
            front.app.release.set()
            assert [reply.status for reply in client.replies()] == [200, 400]

    @pytest.mark.parametrize("part", [b"", b"GET /ec", b"POST / HTTP/1.1\r\nHost: x\r\n"])
    def test_a_client_that_closes_its_half_without_a_whole_request_is_gone(
        self, part: bytes
    ) -> None:
        with Front() as front, RawClient(front.port) as client:
            client.send(get("/echo") + part)
            assert client.reply().status == 200
            client.half_close()
            assert client.is_closed()
            assert not front.refused("too_slow")

    def test_an_upgrade_is_ignored(self) -> None:
        with Front() as front, RawClient(front.port) as client:
            client.send(post("/echo", b"hello", "Connection: Upgrade", "Upgrade: h2c"))
            (reply,) = client.replies()
            assert reply.json["body"] == "hello"
            assert "upgrade" not in reply.headers

    def test_requests_of_http_1_0_are_answered_in_its_form(self) -> None:
        with Front() as front:
            front.app.release.set()
            with RawClient(front.port) as client:
                client.send(b"GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                assert client.reply().headers["connection"] == "keep-alive"
                client.send(b"GET /pages HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                (reply,) = client.replies()
                assert reply.headers["connection"] == "close"
                assert "transfer-encoding" not in reply.headers
                assert reply.body == PAGE * 2

    def test_responses_without_a_body_have_none(self) -> None:
        with Front() as front, RawClient(front.port) as client:
            front.app.release.set()
            for path in ("/echo", "/pages", "/healthz", "/large", "//echo", "/nothing"):
                client.send(get(path).replace(b"GET", b"HEAD", 1))
                assert client.reply(is_head=True).body == b""
            client.get("/empty")
            assert client.reply().status == 204
            # Nothing is left over from the responses.
            client.get("/echo?last")
            assert client.reply().json["query"] == "last"

    def test_connections_that_have_ended_leave_nothing(self) -> None:
        with Front() as front:
            with RawClient(front.port) as client:
                client.get("/echo")
                assert client.reply().status == 200
                connections = in_loop(front, lambda: [*front.table._all()])
                assert len(connections) == 1
            wait_until(lambda: not len(front.table))
            assert not in_loop(front, lambda: [*front.table._waiting])
            # The parser and its callbacks do not keep the connection in memory until a garbage collection.
            assert connections[0]._parser._on_request.__name__ == "_is_closed"


class TestStopping:
    def test_responses_that_are_being_sent_are_completed(self) -> None:
        # Both requests come from one network, which has a quarter of the threads.
        with Front(request_threads=8) as front:
            front.app.large_bytes = 3_000_000
            with (
                RawClient(front.port, receive_bytes=4096) as reader,
                RawClient(front.port) as waiting,
                RawClient(front.port) as idle,
            ):
                idle.get("/echo")
                assert idle.reply().status == 200
                waiting.get("/wait/a")
                reader.send(get("/large") + get("/echo"))
                wait_until(lambda: in_loop(front, lambda: _unsent(front)) > 0)
                front.begin_to_stop()
                assert idle.is_closed()
                front.app.release.set()
                (reply,) = waiting.replies()
                assert (reply.body, reply.headers["connection"]) == (b"a", "close")
                large, echo = reader.replies()
                assert large.is_complete
                assert echo.status == 200
                wait_until(lambda: not len(front.table))


def _unsent(front: Front) -> int:
    return sum(connection.unsent_bytes() for connection in front.table._all())


def test_problems_of_the_front_have_the_id_of_the_request() -> None:
    with Front() as front, RawClient(front.port) as client:
        client.get("//echo", X_Request_ID="my-request")
        reply = client.reply()
        assert reply.headers["x-request-id"] == "my-request"
        assert json.loads(reply.body)["instance"] == "urn:cartulary:request:my-request"
        client.get("//echo", X_Request_ID="not valid")
        assert client.reply().headers["x-request-id"] != "not valid"

"""The gateway: requests that wait, take too long, fail in the middle, or whose clients are gone."""

import gc
import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from service.server import health_checks
from service.server.exchange import Exchange
from service.server.request_queue import Group
from tests.support.front import PAGE, Front, RawClient, get, post
from tests.support.http_contract import assert_problem
from tests.support.processes import HANG_SECONDS, idle_at_most, wait_until


@pytest.fixture
def front() -> Iterator[Front]:
    """A front with two threads for requests and one for accounts."""
    with Front(request_threads=2, account_threads=1) as front:
        yield front


def block_threads(front: Front) -> list[RawClient]:
    """Occupy both threads for requests, on behalf of a network and of a player."""
    clients = [RawClient(front.port, address) for address in ("127.0.1.1", "127.0.1.2")]
    clients[0].get("/wait/block-0")
    clients[1].get("/wait/block-1", Authorization="Bearer player-0")
    wait_until(lambda: {"block-0", "block-1"} <= {*front.app.calls})
    front.app.calls.clear()
    return clients


def wait_for_waiting(front: Front, count: int) -> None:
    """Wait until this number of requests waits for a thread."""
    wait_until(lambda: front.gateway.waiting_requests == count)


def finish(front: Front, clients: list[RawClient]) -> None:
    """Let the requests end that occupy the threads."""
    front.app.release.set()
    for client in clients:
        assert client.reply().status == 200
        client.__exit__(None, None, None)


@contextmanager
def without_collections() -> Iterator[None]:
    """Collect no cyclic garbage in the block, so that objects in reference cycles stay."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def exchanges() -> list[Exchange]:
    """Return the exchanges in memory. Their frames hold what was read last for the response."""
    return [item for item in gc.get_objects() if isinstance(item, Exchange)]


class TestWaiting:
    def test_requests_whose_clients_have_disconnected_are_not_run(self, front: Front) -> None:
        blocking = block_threads(front)
        clients = [RawClient(front.port) for _ in range(20)]
        for number, client in enumerate(clients):
            client.get(f"/wait/{number}")
        wait_for_waiting(front, 20)
        for client in clients[1:]:
            client.reset()
        wait_for_waiting(front, 1)
        finish(front, blocking)
        assert clients[0].reply().body == b"0"
        assert front.app.calls == ["0"]
        clients[0].__exit__(None, None, None)

    def test_half_closed_clients_get_their_responses_after_all_others(self, front: Front) -> None:
        blocking = block_threads(front)
        clients = [RawClient(front.port) for _ in range(6)]
        for number, client in enumerate(clients):
            client.get(f"/wait/{number}")
        wait_for_waiting(front, 6)
        for client in clients[:2]:
            client.half_close()
        wait_until(lambda: len(front.gateway._queues._requests._waiting[Group.ABANDONED]) == 1)
        clients.append(RawClient(front.port, "127.0.1.3"))
        clients[-1].get("/wait/6")
        wait_for_waiting(front, 7)
        finish(front, blocking)
        assert [client.reply().body for client in clients] == [b"%d" % n for n in range(7)]
        assert {*front.app.calls[:5]} == {*"23456"}
        for client in clients[:2]:
            assert client.is_closed()
        for client in clients:
            client.__exit__(None, None, None)

    def test_requests_beyond_the_bounds_are_refused_and_the_others_are_answered(self) -> None:
        with Front(request_threads=2, max_waiting=4, max_waiting_per_visitor=3) as front:
            blocking = block_threads(front)
            clients = [RawClient(front.port) for _ in range(5)]
            for number, client in enumerate(clients):
                client.get(f"/wait/{number}")
                wait_for_waiting(front, min(number + 1, 3))
            for client in clients[3:]:
                reply = client.reply()
                assert reply.status == 503
                assert int(reply.headers["retry-after"]) >= 1
                assert reply.json["type"] == "urn:cartulary:problem:unavailable"
                # The connection stays open for the next attempt.
                assert "connection" not in reply.headers
            assert front.refused("queue_full") == 2
            # Another visitor displaces the latest request of the one with most of them.
            others = [RawClient(front.port, f"127.0.0.{number}") for number in (2, 3)]
            for client in others:
                client.get("/wait/other")
            assert clients[2].reply().status == 503
            finish(front, blocking)
            assert [client.reply().body for client in clients[:2]] == [b"0", b"1"]
            assert {client.reply().body for client in others} == {b"other"}
            for client in (*clients, *others):
                client.__exit__(None, None, None)

    def test_players_are_separate_visitors(self) -> None:
        with Front(request_threads=2, max_waiting_per_visitor=1) as front:
            blocking = block_threads(front)
            clients = [RawClient(front.port) for _ in range(3)]
            for client, token in zip(clients, ("player-1", "player-2", "player-1"), strict=True):
                client.get("/wait/play", Authorization=f"Bearer {token}")
                wait_until(lambda: front.gateway.waiting_requests or front.refused("queue_full"))
            # One of the two requests of the same player.
            wait_until(lambda: front.refused("queue_full") == 1)
            assert front.gateway.waiting_requests == 2
            finish(front, blocking)
            assert sorted(client.reply().status for client in clients) == [200, 200, 503]
            for client in clients:
                client.__exit__(None, None, None)

    def test_three_greedy_accounts_leave_a_thread_for_others(self) -> None:
        with Front(request_threads=4) as front, ExitStack() as stack:
            tokens = [f"player-{number % 3}" for number in range(12)]
            greedy = [stack.enter_context(RawClient(front.port)) for _ in tokens]
            for client, token in zip(greedy, tokens, strict=True):
                client.get("/wait/greedy", Authorization=f"Bearer {token}")
            wait_for_waiting(front, 9)
            for headers in ({"Authorization": "Bearer player-4"}, {}):
                with RawClient(front.port) as client:
                    client.get("/echo", **headers)
                    assert client.reply().status == 200
            assert front.app.calls.count("greedy") == 3
            front.app.release.set()
            assert {client.reply().status for client in greedy} == {200}

    def test_a_request_that_waits_too_long_is_refused(self) -> None:
        with Front(request_threads=2, max_wait_seconds=0.2) as front:
            blocking = block_threads(front)
            with RawClient(front.port) as client:
                client.get("/wait/late")
                reply = client.reply()
                assert reply.status == 503
                assert "retry-after" in reply.headers
                assert front.refused("waited_too_long") == 1
                finish(front, blocking)
                client.get("/wait/again")
                assert client.reply().body == b"again"
            assert front.app.calls == ["again"]

    def test_pipelined_requests_that_are_refused_do_not_block(self) -> None:
        with Front(request_threads=2, max_waiting_per_visitor=1, max_wait_seconds=60) as front:
            blocking = block_threads(front)
            with RawClient(front.port) as waiting, RawClient(front.port) as client:
                waiting.get("/wait/first")
                wait_for_waiting(front, 1)
                # The response to each of them is written when it is its turn.
                client.send(get("/wait/x") * 2_000)
                statuses = [reply.status for reply in client.replies()]
                assert statuses == [503] * 9 + [400]
                finish(front, blocking)
                assert waiting.reply().body == b"first"

    def test_pictures_leave_the_other_threads_free_and_have_a_separate_queue(self) -> None:
        with (
            Front(request_threads=2, picture_threads=1, max_waiting_pictures=2) as front,
            ExitStack() as stack,
        ):
            clients = [
                stack.enter_context(RawClient(front.port, f"127.0.0.{number}"))
                for number in range(2, 8)
            ]
            first, *others = clients
            first.get("/game/position.png?width=100")
            wait_until(lambda: front.app.calls == ["game"])
            for client in others:
                client.get("/game/position.png?width=100")
            wait_until(lambda: front.refused("queue_full") == 3)
            assert front.gateway.waiting_requests == 2
            for _ in range(3):
                assert httpx.get(f"{front.url}/echo").status_code == 200
            assert front.app.calls == ["game"]
            front.app.release.set()
            replies = [client.reply() for client in clients]
            assert sorted(reply.status for reply in replies) == [200] * 3 + [503] * 3
            for reply in replies:
                assert reply.status == 200 or int(reply.headers["retry-after"]) >= 1

    def test_an_audit_leaves_the_threads_for_its_network_free(self) -> None:
        with Front(request_threads=2, max_audits=1) as front, RawClient(front.port) as client:
            client.send(post("/game/audit", b""))
            wait_until(lambda: front.app.calls == ["game"])
            assert httpx.get(f"{front.url}/echo").status_code == 200
            front.app.release.set()
            assert client.reply().body == b"game"

    def test_log_ins_leave_the_other_threads_free(self, front: Front) -> None:
        clients = [RawClient(front.port, f"127.0.0.{number}") for number in range(2, 12)]
        for client in clients:
            client.send(post("/api/v1/tokens", b"{}"))
        wait_for_waiting(front, 9)
        assert front.app.calls == ["log-in"]
        for _ in range(3):
            assert httpx.get(f"{front.url}/echo").status_code == 200
        assert front.app.calls == ["log-in"]
        front.app.release.set()
        for client in clients:
            assert client.reply().body == b"log-in"
            client.__exit__(None, None, None)


class TestTime:
    def test_a_request_that_takes_too_long_is_refused_and_its_result_dropped(self) -> None:
        with Front(request_seconds=0.2) as front, RawClient(front.port) as client:
            client.get("/wait/slow", X_Request_ID="slow-one")
            (reply,) = client.replies()
            assert reply.status == 503
            assert reply.headers["connection"] == "close"
            assert reply.headers["x-request-id"] == "slow-one"
            assert int(reply.headers["retry-after"]) >= 1
            assert front.refused("no_response") == 1
            front.app.release.set()
            # The thread is free again, and the next connection gets its own response.
            response = httpx.get(f"{front.url}/wait/next")
            assert response.text == "next"
            assert front.app.calls == ["slow", "next"]

    def test_a_refusal_of_a_head_request_has_no_body(self) -> None:
        with Front(request_seconds=0.2) as front, RawClient(front.port) as client:
            client.send(get("/wait/slow").replace(b"GET", b"HEAD", 1))
            assert client.reply(is_head=True).status == 503
            assert client.is_closed()

    def test_a_response_that_stops_in_the_middle_is_aborted(self) -> None:
        with Front(request_seconds=0.2) as front, RawClient(front.port) as client:
            client.get("/pages")
            reply = client.reply()
            assert (reply.body, reply.is_complete) == (PAGE, False)
            assert front.refused("no_response") == 1
            front.app.release.set()
            wait_until(lambda: not front.tasks())


class TestHealth:
    def test_the_event_loop_answers_while_all_threads_are_busy(self, front: Front) -> None:
        blocking = block_threads(front)
        for method in ("GET", "HEAD"):
            response = httpx.request(method, f"{front.url}/healthz")
            assert response.status_code == 200
            assert response.headers["content-type"] == "application/json"
        front.readiness.release.set()
        assert httpx.get(f"{front.url}/readyz").json() == {"status": "ready"}
        finish(front, blocking)

    def test_requests_for_readiness_share_a_check(
        self, front: Front, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # The requests arrive before the check fails also on a slow machine.
        monkeypatch.setattr(health_checks, "READINESS_SECONDS", HANG_SECONDS)
        clients = [RawClient(front.port) for _ in range(50)]
        for client in clients:
            client.send(get("/readyz") * 2)
        # The first of each connection; the second waits for it.
        wait_until(lambda: front.tasks() == 50 and front.readiness.checks > 0)
        assert front.readiness.checks == 1
        front.readiness.release.set()
        for client in clients:
            assert [client.reply().status for _ in range(2)] == [200, 200]
            client.__exit__(None, None, None)
        wait_until(lambda: not front.tasks())

    def test_requests_are_refused_while_the_store_does_not_respond(self, front: Front) -> None:
        front.readiness.responds = False
        front.readiness.release.set()
        blocking = block_threads(front)
        # They take so long that the store is checked.
        for client in blocking:
            reply = client.reply()
            assert reply.status == 503
            assert "retry-after" in reply.headers
        assert httpx.get(f"{front.url}/echo").status_code == 503
        assert httpx.get(f"{front.url}/healthz").status_code == 200
        assert front.refused("store_away") == 3
        # A process that is ready serves requests from then on.
        front.readiness.responds = True
        assert httpx.get(f"{front.url}/readyz").status_code == 200
        front.app.release.set()
        assert httpx.get(f"{front.url}/echo").status_code == 200
        for client in blocking:
            client.__exit__(None, None, None)

    def test_a_check_that_does_not_end_is_a_failure(self, front: Front) -> None:
        with idle_at_most(4):
            response = httpx.get(f"{front.url}/readyz", timeout=HANG_SECONDS)
        assert response.status_code == 503
        assert_problem(response)
        front.readiness.release.set()
        wait_until(lambda: httpx.get(f"{front.url}/readyz").status_code == 200)


class TestBodies:
    def test_a_body_of_unknown_length_is_sent_in_chunks(self, front: Front) -> None:
        front.app.release.set()
        with RawClient(front.port) as client:
            for _ in range(2):
                client.get("/pages")
                reply = client.reply()
                assert reply.headers["transfer-encoding"] == "chunked"
                assert (reply.body, reply.is_complete) == (PAGE * 2, True)

    @pytest.mark.parametrize("version", ["1.0", "1.1"])
    def test_an_error_in_the_middle_aborts_the_connection(
        self, front: Front, version: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        with RawClient(front.port) as client, caplog.at_level(logging.ERROR):
            client.send(get("/broken-pages").replace(b"HTTP/1.1", f"HTTP/{version}".encode()))
            wait_until(lambda: front.app.calls == ["second page"])
            front.app.release.set()
            if version == "1.1":
                reply = client.reply()
                assert (reply.body, reply.is_complete) == (PAGE, False)
            else:
                # Without chunks, only the reset of the connection shows that the body is incomplete.
                with pytest.raises(ConnectionError):
                    client.read_until_reset()
        wait_until(lambda: not front.tasks())
        assert "a response has ended early" in caplog.text

    def test_a_client_that_disconnects_in_the_middle_leaves_nothing(self, front: Front) -> None:
        with RawClient(front.port) as client:
            client.get("/pages")
            wait_until(lambda: front.app.calls == ["second page"])
        wait_until(lambda: not len(front.table))
        front.app.release.set()
        wait_until(lambda: not front.tasks())
        assert not front.gateway._exchanges

    def test_a_page_that_waits_for_a_thread_is_dropped_with_its_client(self, front: Front) -> None:
        with RawClient(front.port, receive_bytes=4096) as client:
            client.get("/endless-pages")
            # The buffers are full, so no thread is busy with the pages, until the client reads on.
            wait_until(lambda: any(item.unsent_bytes() for item in front.table._all()))
            blocking = block_threads(front)
            while not front.gateway.waiting_requests:
                assert client.read(1 << 16)
                threading.Event().wait(0.001)
            assert front.tasks() == 1
        # The page is dropped, and the task ends although all threads are busy.
        wait_until(lambda: not front.gateway.waiting_requests and not front.tasks())
        assert front.app.calls[-1] == "closed"
        finish(front, blocking)

    def test_a_response_that_fails_in_the_middle_is_no_cyclic_garbage(
        self, front: Front, caplog: pytest.LogCaptureFixture
    ) -> None:
        front.app.release.set()
        # A record of the log would have the exception, too.
        caplog.set_level(logging.CRITICAL, "service.server.exchange")
        with without_collections():
            with RawClient(front.port) as client:
                client.get("/broken-pages")
                assert not client.reply().is_complete
            wait_until(lambda: not exchanges())

    def test_a_response_whose_client_disconnects_is_no_cyclic_garbage(self, front: Front) -> None:
        with without_collections():
            with RawClient(front.port, receive_bytes=4096) as client:
                client.get("/endless-pages")
                blocking = block_threads(front)
                while not front.gateway.waiting_requests:
                    assert client.read(1 << 16)
                    threading.Event().wait(0.001)
            finish(front, blocking)
            wait_until(lambda: not exchanges())

    def test_a_failure_outside_the_application_is_an_internal_error(
        self, front: Front, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.ERROR):
            response = httpx.get(f"{front.url}/bad-header")
        assert response.status_code == 500
        assert_problem(response)
        assert "the application failed without a response" in caplog.text


class TestPaths:
    @pytest.mark.parametrize("path", ["//echo", "/./echo", "/a/../echo", "/%65cho", "/%2fecho"])
    def test_a_path_in_another_form_is_not_found(self, front: Front, path: str) -> None:
        with RawClient(front.port) as client:
            client.get(path)
            assert client.reply().status == 404

    @pytest.mark.parametrize("target", ["http://x/echo", "http://y:99/echo", "/echo"])
    def test_the_absolute_form_is_the_same_as_the_path(self, front: Front, target: str) -> None:
        with RawClient(front.port) as client:
            client.get(target)
            assert client.reply().status == 200

    def test_the_asterisk_is_not_a_resource(self, front: Front) -> None:
        with RawClient(front.port) as client:
            client.send(b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.reply().status == 404

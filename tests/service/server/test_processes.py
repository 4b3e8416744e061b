"""The web server stops in good order, shares its port with no other service, and can be several processes."""

import json
import os
import re
import signal
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import httpx
import pytest

from service.server.processes import run_web
from service.server.shared_port import PortError, hold_port, local_url
from tests.service.conftest import settings_for
from tests.support.accounts import PASSWORD, Accounts, take_turn
from tests.support.faults import raises
from tests.support.front import RawClient, post
from tests.support.http_contract import assert_problem
from tests.support.processes import HANG_SECONDS, descendants, is_running, wait_until
from tests.support.redis_kinds import RedisUrls
from tests.support.server import WebServer


@pytest.mark.parametrize(("number", "processes"), [(signal.SIGTERM, 1), (signal.SIGINT, 2)])
def test_a_signal_stops_the_server_after_the_requests_under_way(
    web_redis_urls: RedisUrls, tmp_path: Path, number: int, processes: int
) -> None:
    names = [f"{processes}-{number}-{place}" for place in range(4)]
    settings = settings_for(web_redis_urls, tmp_path)
    with (
        WebServer(settings, processes=processes, hashes_quickly=False) as server,
        ExitStack() as stack,
    ):
        port = int(server.url.rsplit(":", 1)[1])
        clients = [stack.enter_context(RawClient(port)) for _ in names]
        for client in clients:
            client.get("/healthz")
            assert client.reply().status == 200
        for client, name in zip(clients, names, strict=True):
            body = json.dumps({"handle": name, "password": PASSWORD}).encode()
            client.send(post("/api/v1/players", body, "Content-Type: application/json"))
        # Hashing a password takes a while, and not all are hashed at once: the signal arrives in between.
        replies = [clients[0].reply()]
        assert server.stop(number) < 10
        replies += [client.reply() for client in clients[1:]]
        assert [reply.status for reply in replies] == [201] * len(names)
        assert server.status == 0


def test_a_port_in_use_is_an_error_that_names_the_option(
    web: WebServer, web_redis_urls: RedisUrls, tmp_path: Path
) -> None:
    port = int(web.url.rsplit(":", 1)[1])
    settings = settings_for(web_redis_urls, tmp_path)
    with raises(PortError, match=rf"^port {port} of 127\.0\.0\.1 is in use: .* --port$"):
        run_web(settings, os.environ, port=port)
    with raises(PortError, match="cannot be used"):
        run_web(settings, os.environ, host="no-such-host.invalid")


def test_a_port_that_the_supervisor_holds_is_in_use() -> None:
    with hold_port("127.0.0.1", 0) as (address, port):
        assert address == "127.0.0.1"
        with raises(PortError, match="is in use"), hold_port("127.0.0.1", port):
            pass
    with hold_port("127.0.0.1", port):
        pass


def test_a_port_is_waited_for_that_a_killed_service_still_uses() -> None:
    with socket.create_server(("127.0.0.1", 0)) as former:
        port = former.getsockname()[1]
        threading.Timer(0.3, former.close).start()
        with hold_port("127.0.0.1", port) as (_, held):
            assert held == port


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),  # noqa: S104 (nothing is bound)
        ("::", "http://[::1]:80"),
    ],
)
def test_the_local_url_of_an_address(address: str, url: str) -> None:
    assert local_url(address, 80) == url


class TestSeveralProcesses:
    def test_processes_share_the_port_and_the_metrics(
        self, web_redis_urls: RedisUrls, tmp_path: Path
    ) -> None:
        with WebServer(settings_for(web_redis_urls, tmp_path), processes=2) as server:
            wait_until(lambda: number_listening(server) == 2)
            accounts = Accounts(server.url)
            game, players = accounts.start_game()
            for _ in range(4):
                take_turn(game, players)
            for _ in range(40):
                # Each request has a connection of its own, so that both processes get some.
                assert httpx.get(f"{server.url}/api/v1/games/{game}").json()["head"]["seq"] == 8
            # The other process has counted its responses after 0.1 s at the latest.
            wait_until(lambda: number_of_reads(server) >= 40)
            accounts.close()

    def test_a_process_that_dies_is_replaced(
        self, web_redis_urls: RedisUrls, tmp_path: Path
    ) -> None:
        with WebServer(settings_for(web_redis_urls, tmp_path), processes=2) as server:
            wait_until(lambda: number_listening(server) == 2)
            first, second = sorted(pids_of(server))
            os.kill(first, signal.SIGKILL)
            wait_until(lambda: len(pids_of(server) - {first, second}) == 1)
            for _ in range(10):
                assert httpx.get(server.url + "/healthz").status_code == 200
            assert any("web was ended by SIGKILL" in line for line in server.lines())
            assert server.stop() < 10

    def test_no_process_outlives_its_parent(
        self, web_redis_urls: RedisUrls, tmp_path: Path
    ) -> None:
        with WebServer(settings_for(web_redis_urls, tmp_path), processes=2) as server:
            pids = pids_of(server)
            assert len(pids) == 2
            server.stop(signal.SIGKILL)
            wait_until(lambda: not any(is_running(pid) for pid in pids))


def pids_of(server: WebServer) -> set[int]:
    """The ids of the processes that serve."""
    pattern = r"^cartulary web$"
    return {pid for pid, command in descendants(server.pid).items() if re.search(pattern, command)}


def number_of_reads(server: WebServer) -> float:
    """Return how many times the processes together have returned a game, by their metrics."""
    text = httpx.get(server.url + "/metrics").text
    counter = 'cartulary_requests_total{method="GET",route="/api/v1/games/{game_id}",status="200"}'
    (line,) = [line for line in text.splitlines() if line.startswith(counter)]
    return float(line.split()[-1])


def number_listening(server: WebServer) -> int:
    """How many processes have reported that they accept connections."""
    return sum("is listening" in line for line in server.lines())


def test_a_request_that_never_ends_does_not_keep_the_server_from_stopping(
    web_redis_urls: RedisUrls, tmp_path: Path
) -> None:
    with WebServer(settings_for(web_redis_urls, tmp_path)) as server:
        response = httpx.get(server.url + "/api/v1/nothing")
        assert_problem(response)
        has_begun, has_stopped = Event(), Event()

        def post_slowly() -> None:
            with httpx.Client() as client:

                def pieces() -> object:
                    yield b"{"
                    has_begun.set()
                    has_stopped.wait(HANG_SECONDS)
                    yield b"}"

                try:
                    client.post(server.url + "/api/v1/players", content=pieces())  # type: ignore[arg-type] # a generator is a valid body
                except httpx.HTTPError:
                    return

        with ThreadPoolExecutor(1) as pool:
            pool.submit(post_slowly)
            assert has_begun.wait(HANG_SECONDS)
            assert server.stop() < 15
            has_stopped.set()


def test_a_server_that_hangs_while_it_stops_ends_and_logs_what_its_threads_do(
    web_redis_urls: RedisUrls, tmp_path: Path
) -> None:
    setup_code = (
        "from threading import Event, Thread; from service.server import web_process;"
        " web_process.SECONDS_TO_STOP = 1.0; Thread(target=Event().wait).start()"
    )
    with WebServer(settings_for(web_redis_urls, tmp_path), setup_code=setup_code) as server:
        server.stop()
        assert server.status == 1
        assert "Timeout (0:00:01)!" in server.lines()
        assert any(re.search(r'threading\.py", line \d+ in wait$', line) for line in server.lines())

"""The web process: it stops in good order, shares its port with nobody unawares, and can be several."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from service.embedded_redis import EmbeddedRedis
from service.server.processes import PortError, run_web
from tests.service.conftest import settings_for
from tests.support.http_contract import assert_problem
from tests.support.people import PASSWORD, People, moves
from tests.support.server import WebServer


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_signal_ends_it_and_what_is_under_way_is_answered(
    web_redis: EmbeddedRedis, tmp_path: Path, number: int, workers: int
) -> None:
    names = [f"{workers}-{number}-{place}" for place in range(4)]
    with WebServer(settings_for(web_redis, tmp_path), workers=workers) as server:
        clients = [httpx.Client(base_url=server.url, timeout=30) for _ in names]
        for client in clients:
            assert client.get("/healthz").status_code == 200
        with ThreadPoolExecutor(len(names)) as pool:
            # A password takes a while to hash, and not all at once: the signal comes in between.
            asked = [
                pool.submit(
                    client.post, "/api/v1/players", json={"handle": name, "password": PASSWORD}
                )
                for client, name in zip(clients, names, strict=True)
            ]
            time.sleep(0.03)
            assert server.stop(number) < 10
            assert [one.result().status_code for one in asked] == [201] * len(names)
        assert server.status == 0
        for client in clients:
            client.close()


def test_a_port_that_is_taken_is_an_error(
    web: WebServer, web_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    port = int(web.url.rsplit(":", 1)[1])
    with pytest.raises(PortError, match=f"port {port} cannot be listened on"):
        run_web(settings_for(web_redis, tmp_path), port=port)
    with pytest.raises(PortError):
        run_web(settings_for(web_redis, tmp_path), host="no-such-host.invalid")


def is_there(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


class TestSeveralProcesses:
    def test_share_the_port_and_the_figures(self, web_redis: EmbeddedRedis, tmp_path: Path) -> None:
        with WebServer(settings_for(web_redis, tmp_path), workers=2) as server:
            people = People(server.url)
            game, players = people.table()
            for _ in range(4):
                moves(game, players)
            for _ in range(40):
                # Each on a connection of its own, so that both processes get some.
                assert httpx.get(f"{server.url}/api/v1/games/{game}").json()["head"]["seq"] == 8
            text = httpx.get(server.url + "/metrics").text
            shown = 'cartulary_requests_total{method="GET",route="/api/v1/games/{game_id}",status="200"}'
            (line,) = [line for line in text.splitlines() if line.startswith(shown)]
            assert float(line.split()[-1]) >= 40
            people.close()

    def test_one_that_dies_is_replaced(self, web_redis: EmbeddedRedis, tmp_path: Path) -> None:
        with WebServer(settings_for(web_redis, tmp_path), workers=2) as server:
            before = workers_of(server)
            assert len(before) == 2
            os.kill(min(before), signal.SIGKILL)
            deadline = time.monotonic() + 15
            while len(workers_of(server) - {min(before)}) < 2:
                assert time.monotonic() < deadline
                time.sleep(0.1)
            for _ in range(10):
                assert httpx.get(server.url + "/healthz").status_code == 200
            assert server.stop() < 10

    def test_none_outlives_the_first_one_even_if_that_is_killed(
        self, web_redis: EmbeddedRedis, tmp_path: Path
    ) -> None:
        with WebServer(settings_for(web_redis, tmp_path), workers=2) as server:
            workers = workers_of(server)
            server.stop(signal.SIGKILL)
            deadline = time.monotonic() + 10
            while any(is_there(pid) for pid in workers):
                assert time.monotonic() < deadline
                time.sleep(0.05)


def workers_of(server: WebServer) -> set[int]:
    """The processes that serve: what multiprocessing needs besides has another command line."""
    found = set()
    for children in Path(f"/proc/{server.pid}/task").glob("*/children"):
        for pid in children.read_text().split():
            with suppress(FileNotFoundError):
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.add(int(pid))
    return found


def test_a_request_that_never_ends_keeps_nobody_from_stopping(
    web_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    with WebServer(settings_for(web_redis, tmp_path)) as server:
        response = httpx.get(server.url + "/nothing")
        assert_problem(response)

        def slowly() -> None:
            with httpx.Client() as client:

                def pieces() -> object:
                    yield b"{"
                    time.sleep(8)
                    yield b"}"

                try:
                    client.post(server.url + "/api/v1/players", content=pieces())  # type: ignore[arg-type]
                except httpx.HTTPError:
                    return

        with ThreadPoolExecutor(1) as pool:
            pool.submit(slowly)
            time.sleep(0.3)
            assert server.stop() < 15

"""Rows on HTTP: taking actions on the real server, compared with a bare endpoint.

The bare endpoint runs on granian's WSGI server, and also behind the gateway that serves our own application.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from http import HTTPStatus
from pathlib import Path
from statistics import median
from typing import Any, Final
from uuid import uuid4

import httpx
import orjson

from bench.http_client import LoadResult, request_bytes, send_requests
from bench.measure import Row
from bench.our_games import random_type_bot
from domain.chance import Chance
from domain.contract import evolve
from domain.event import Event, recorded_data
from domain.registry import rule_system_for
from service.operation.embedded_redis import EmbeddedRedis

CLIENTS: Final = 16
ACTIONS: Final = 60
"""How many actions each client takes, in a game of its own."""
ROUNDS: Final = 5
PROCESSES: Final = 1
"""Web processes on each side."""
API: Final = "/api/v1"
SECONDS_TO_START: Final = 30
MOST_REPEATS: Final = 10
"""How often a request before a measurement is repeated while the server is overloaded."""


def measure(redis: EmbeddedRedis, folder: Path, line: bytes) -> Iterator[Row]:
    """Measure the rows of this group. `line` is an event of median length."""
    ports = [free_port() for _ in range(3)]
    with (
        our_server(ports[0], redis.url, folder),
        _bare_servers(ports[1], ports[2], redis.url, folder, line),
        httpx.Client(base_url=f"http://127.0.0.1:{ports[0]}", timeout=30) as client,
    ):
        loads: list[list[LoadResult]] = []
        for round in range(ROUNDS + 1):
            games = [PreparedGame(client, f"{round}-{n}") for n in range(CLIENTS)]
            requests = [game.requests for game in games]
            loads.append([send_requests(port, requests) for port in ports])
        del loads[0]  # the first round warms the servers up
    peer = "Flask, marshmallow and XADD alone"
    ours = [load[0] for load in loads]
    yield from _rows(f"{peer}, granian's WSGI", ours, [load[2] for load in loads], has_target=True)
    yield from _rows(f"{peer}, our gateway", ours, [load[1] for load in loads], has_target=False)


def _rows(
    peer: str, ours: list[LoadResult], theirs: list[LoadResult], *, has_target: bool
) -> Iterator[Row]:
    """Yield a row for the rate of requests and one for their latency, compared with one peer."""
    rates = tuple(load.rate / other.rate for load, other in zip(ours, theirs, strict=True))
    yield Row(
        label=f"POST actions, {CLIENTS} clients, every write synced",
        peer=peer,
        target="≥ 0.6×" if has_target else "",
        ours=median(load.rate for load in ours),
        theirs=median(load.rate for load in theirs),
        ratios=rates,
        unit="requests/s",
        is_met=median(rates) >= 0.6 if has_target else None,
    )
    our_slowest = [load.percentile(0.99) for load in ours]
    their_slowest = [load.percentile(0.99) for load in theirs]
    ratios = tuple(our / their for our, their in zip(our_slowest, their_slowest, strict=True))
    yield Row(
        label="… 99th percentile of the latency",
        peer=peer,
        target="≤ 2×" if has_target else "",
        ours=median(our_slowest) * 1000,
        theirs=median(their_slowest) * 1000,
        ratios=ratios,
        unit="ms",
        is_met=median(ratios) <= 2 if has_target else None,
    )


class PreparedGame:
    """A game for two that has been started over HTTP, and the requests of all actions to be taken in it."""

    def __init__(self, client: httpx.Client, name: str) -> None:
        self._tokens = []
        for seat in range(2):
            self._tokens.append(_register(client, f"bench-{name}-{seat}"))
        game = {"rules": "barony", "seats": 2, "options": {"seating": "joined"}}
        self.id: str = _post(client, f"{API}/games", game, self._authorization(0))["id"]
        path = f"{API}/games/{self.id}"
        _post(client, f"{path}/players", {}, self._authorization(1))
        events: list[Event] = client.get(f"{path}/events").raise_for_status().json()["events"]
        self.requests = list(self._action_requests(f"{path}/actions", events[-1]))

    def _authorization(self, seat: int) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._tokens[seat]}"}

    def _action_requests(self, path: str, started: Event) -> Iterator[bytes]:
        rules, chance = rule_system_for("barony", {}), Chance(self.id.encode())
        options = rules.check_options(2, {})
        state = rules.initial_state(2, options, recorded_data(started), {})
        for seq in range(started["seq"], started["seq"] + ACTIONS):
            seat = state.to_act
            legal = rules.legal_actions(state, seat)
            action = random_type_bot(None, legal, seat, chance)
            body = {"action": rules.action_to_json(action), "expected_seq": seq}
            yield request_bytes("POST", path, orjson.dumps(body), self._tokens[seat])
            state = evolve(rules, state, [rules.decide(state, seat, action)])


def _register(client: httpx.Client, handle: str) -> str:
    """Register a player with this handle, or with a longer one; return the token."""

    def send(attempt: int) -> httpx.Response:
        # The overloaded server may have registered the player before all the same.
        account = {"handle": handle + "x" * attempt, "password": "correct horse"}
        return client.post(f"{API}/players", json=account)

    token: str = _repeat(send)["token"]
    return token


def _post(client: httpx.Client, path: str, body: object, headers: Mapping[str, str]) -> Any:
    """Return the body of the response to a request that accepts an idempotency key."""
    headers = {**headers, "Idempotency-Key": uuid4().hex}
    return _repeat(lambda _: client.post(path, json=body, headers=headers))


def _repeat(send: Callable[[int], httpx.Response]) -> Any:
    """Send a request again while the server is overloaded; return the body of the response.

    `send` gets the number of attempts before. Raises httpx.HTTPStatusError if the request was refused.
    """
    attempt = 0
    response = send(attempt)
    while response.status_code == HTTPStatus.SERVICE_UNAVAILABLE and attempt < MOST_REPEATS:
        time.sleep(float(response.headers["Retry-After"]))
        attempt += 1
        response = send(attempt)
    return response.raise_for_status().json()


def our_server(
    port: int, redis_url: str, folder: Path, *, processes: int = PROCESSES, **settings: str
) -> AbstractContextManager[int]:
    """Run a web server as in production, without workers, with these settings; yield its process id."""
    module = ["cartulary", "web", "--port", str(port), "--processes", str(processes)]
    return running_server(
        [sys.executable, "-m", *module],
        port,
        folder / "web.log",
        CARTULARY_REDIS_URL=redis_url,
        CARTULARY_DATA=str(folder),
        # All clients are one visitor here.
        CARTULARY_RATE_ACCOUNTS="",
        CARTULARY_RATE_GAMES="",
        CARTULARY_MAX_CONNECTIONS_PER_ADDRESS="5000",
        CARTULARY_MAX_NEW_CONNECTIONS_PER_ADDRESS="100000",
        CARTULARY_MAX_STREAMS_PER_VISITOR="5000",
        **settings,
    )


def free_port() -> int:
    """Return a TCP port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _bare_servers(
    port: int, wsgi_port: int, redis_url: str, folder: Path, line: bytes
) -> ExitStack:
    """Run the bare endpoint twice: behind the same gateway as ours, and behind granian's own WSGI."""
    environ = {
        "CARTULARY_REDIS_URL": redis_url,
        "CARTULARY_DATA": str(folder),
        "BENCH_LINE": line.decode(),
        "BENCH_PROCESSES": str(PROCESSES),
    }
    python = [sys.executable, "-m"]
    wsgi = [*python, "granian", "--interface", "wsgi", "--port", str(wsgi_port), "--no-log"]
    wsgi += ["--workers", str(PROCESSES), "--blocking-threads", "4", "bench.bare_endpoint:app"]
    same_server = [*python, "bench.bare_endpoint", str(port)]
    servers = ExitStack()
    servers.enter_context(running_server(same_server, port, folder / "bare.log", **environ))
    servers.enter_context(running_server(wsgi, wsgi_port, folder / "wsgi.log", **environ))
    return servers


@contextlib.contextmanager
def running_server(command: list[str], port: int, log_file: Path, **environ: str) -> Iterator[int]:
    """Run a server until the end of the block; yield its process id.

    Raises RuntimeError with what the server has logged if it does not listen on the port in time.
    """
    with log_file.open("wb") as output:
        process = subprocess.Popen(
            command, env={**os.environ, **environ}, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        deadline = time.monotonic() + SECONDS_TO_START
        while not _is_listening(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command} does not listen:\n{log_file.read_text()}")
            time.sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def _is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True

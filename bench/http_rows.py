"""Rows about HTTP: acting through the real server, beside a bare endpoint on the same one."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import httpx
import orjson

from bench.http_client import Load, converse, packed
from bench.measure import Row
from bench.our_games import any_of_a_kind
from domain.chance import Chance
from domain.contract import Json, evolve
from domain.registry import rule_system_for
from service.embedded_redis import EmbeddedRedis

CLIENTS = 16
ACTIONS = 60
"""Of each game that are measured; each client plays one."""
ROUNDS = 5
PROCESSES = "1"
API = "/api/v1"


@contextlib.contextmanager
def serving(command: list[str], port: int, log: Path, **environ: str) -> Iterator[int]:
    """A server of its own, until it is no longer needed; gives its process id."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            env={**os.environ, **environ},
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        for _ in range(300):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                break
            time.sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def our_server(port: int, redis_url: str, data: Path) -> contextlib.AbstractContextManager[int]:
    """The web process as it is run in production, alone: what it notes stays noted."""
    return serving(
        ["cartulary", "web", "--port", str(port), "--processes", PROCESSES],
        port,
        data / "web.log",
        CARTULARY_REDIS_URL=redis_url,
        CARTULARY_DATA=str(data),
        CARTULARY_RATE_ACCOUNTS="",
    )


class Table:
    """A game of two, set up over HTTP, with all its actions worked out beforehand."""

    def __init__(self, client: httpx.Client, number: str) -> None:
        self.tokens = []
        for seat in range(2):
            account = {"handle": f"bench-{number}-{seat}", "password": "correct horse"}
            self.tokens.append(client.post(f"{API}/players", json=account).json()["token"])
        options = {"seating": "joined"}
        game = {"rules": "barony", "seats": 2, "options": options}
        self.id = client.post(f"{API}/games", json=game, headers=self.by(0)).json()["id"]
        client.post(f"{API}/games/{self.id}/players", json={}, headers=self.by(1))
        events = client.get(f"{API}/games/{self.id}/events").json()["events"]
        self.requests = list(self._requests(events[-1]))

    def by(self, seat: int) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[seat]}"}

    def _requests(self, started: Json) -> Iterator[bytes]:
        rules, chance = rule_system_for("barony", {}), Chance(self.id.encode())
        options = rules.check_options(2, {})
        state = rules.initial_state(2, options, started["data"], {})
        for seq in range(started["seq"], started["seq"] + ACTIONS):
            seat = state.to_act
            legal = [rules.action_to_json(action) for action in rules.legal_actions(state, seat)]
            action = any_of_a_kind({}, legal, seat, chance)
            body = orjson.dumps({"action": action, "expected_seq": seq})
            yield packed("POST", f"{API}/games/{self.id}/actions", body, self.tokens[seat])
            state = evolve(rules, state, [rules.decide(state, seat, rules.parse_action(action))])


def bare_servers(port: int, wsgi_port: int, redis_url: str, data: Path, line: bytes) -> ExitStack:
    """The bare endpoint twice: behind the gateway that ours is behind, and behind granian's own WSGI."""
    environ = {
        "CARTULARY_REDIS_URL": redis_url,
        "CARTULARY_DATA": str(data),
        "BENCH_LINE": line.decode(),
        "BENCH_PROCESSES": PROCESSES,
    }
    wsgi = ["granian", "--interface", "wsgi", "--port", str(wsgi_port), "--blocking-threads", "4"]
    wsgi += ["--workers", PROCESSES]
    servers = ExitStack()
    servers.enter_context(serving(["bench.bare", str(port)], port, data / "bare.log", **environ))
    servers.enter_context(
        serving([*wsgi, "--no-log", "bench.bare:app"], wsgi_port, data / "wsgi.log", **environ)
    )
    return servers


def rows(server: EmbeddedRedis, data: Path, line: bytes) -> Iterator[Row]:
    """The rows, one after the other. `line` is an event of usual length."""
    ports = [free_port() for _ in range(3)]
    with (
        our_server(ports[0], server.url, data),
        bare_servers(ports[1], ports[2], server.url, data, line),
        httpx.Client(base_url=f"http://127.0.0.1:{ports[0]}", timeout=30) as client,
    ):
        loads: list[list[Load]] = []
        for round in range(ROUNDS + 1):
            tables = [Table(client, f"{round}-{n}") for n in range(CLIENTS)]
            told = [table.requests for table in tables]
            loads.append([converse(port, told) for port in ports])
        del loads[0]  # it warmed up
    what = f"POST actions, {CLIENTS} clients, fsync at every write"
    bare = "bare Flask + marshmallow + XADD"
    for peer, place in ((f"{bare}, same server", 1), (f"{bare}, granian's WSGI", 2)):
        pairs = [(load[0], load[place]) for load in loads]
        rates = tuple(ours.rate / theirs.rate for ours, theirs in pairs)
        yield Row(
            what,
            peer,
            "≥ 0.6×" if place == 1 else "",
            median(ours.rate for ours, _ in pairs),
            median(theirs.rate for _, theirs in pairs),
            rates,
            "requests/s",
            median(rates) >= 0.6,
        )
        slowest = tuple(ours.percentile(0.99) / theirs.percentile(0.99) for ours, theirs in pairs)
        yield Row(
            "… the slowest of a hundred (p99)",
            peer,
            "≤ 2×" if place == 1 else "",
            median(ours.percentile(0.99) for ours, _ in pairs) * 1000,
            median(theirs.percentile(0.99) for _, theirs in pairs) * 1000,
            slowest,
            "ms",
            median(slowest) <= 2,
            is_cost=True,
        )

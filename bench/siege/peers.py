"""`python -m bench.siege.peers`: the attack connection-churn on our web processes, granian and nginx in turn.

Each server answers visitors from another address, who open a connection for every request. Granian and nginx
answer with a few prepared bytes, and ours on its path for health checks. `make siege-peers` installs granian;
nginx has to be on the PATH.
"""

import argparse
import asyncio
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Final

from bench.http_rows import free_port, running_server
from bench.siege.attack import FRESH_PLAYERS_ADDRESS, request
from bench.siege.attackers import LOWEST_PRIORITY
from bench.siege.attacks_on_connections import CHURN_PROCESSES, connection_churn
from bench.siege.traffic import HOST, Outcome, send_traffic
from service.operation.embedded_redis import EmbeddedRedis

ROUNDS: Final = 3
SECONDS_QUIET: Final = 2.0
SECONDS: Final = 4.0
SECONDS_BETWEEN_VISITS: Final = 0.02
PATIENCE: Final = 20.0
PROCESSES: Final = (1, 2)
VISIT: Final = request("GET", "/healthz").data.replace(
    b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"
)
NGINX: Final = """
worker_processes {processes};
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx-error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    server {{
        listen {host}:{port};
        location / {{ return 200 "ok"; }}
    }}
}}
"""
HEADINGS: Final = (
    "server",
    "processes",
    "connections/s of the attacker",
    "visitors' median without → with",
    "visitors' slowest without → with",
    "failed",
)


@dataclass(frozen=True, slots=True)
class Server:
    """A server under attack."""

    name: str
    processes: int
    run: Callable[[int, int, Path], AbstractContextManager[int]]
    """Runs it with a number of processes on a port until the end of the block; it may use the folder."""


@dataclass(frozen=True, slots=True)
class Round:
    """What the visitors got in one round, in seconds; infinity for a request without a response."""

    quiet: tuple[float, ...]
    during: tuple[float, ...]
    connections_per_second: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack every server in turn, ROUNDS times, and print a Markdown table."""
    parser = argparse.ArgumentParser(prog="python -m bench.siege.peers", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time of each attack")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="attacks on each server")
    options = parser.parse_args(arguments)
    if shutil.which("nginx") is None:
        parser.error("nginx is not on the PATH; Debian has it in its package nginx")
    with tempfile.TemporaryDirectory(prefix="cartulary-peers-") as folder, ExitStack() as stack:
        redis = stack.enter_context(EmbeddedRedis(Path(folder)))
        ports: dict[Server, int] = {}
        for server in _servers(redis.url):
            ports[server] = free_port()
            stack.enter_context(server.run(server.processes, ports[server], Path(folder)))
        rounds: dict[Server, list[Round]] = {server: [] for server in ports}
        for number in range(options.rounds):
            for server, port in ports.items():
                text = f"{server.name}, {server.processes}: round {number + 1}"
                print(f"… {text}", file=sys.stderr, flush=True)
                rounds[server].append(_measure(port, options.seconds))
    for cells in (HEADINGS, ["---"] * len(HEADINGS), *map(_cells, rounds, rounds.values())):
        print(f"| {' | '.join(cells)} |")
    return 0


def _servers(redis_url: str) -> Iterator[Server]:
    def run_ours(processes: int, port: int, folder: Path) -> AbstractContextManager[int]:
        command = ["cartulary", "web", "--port", str(port), "--processes", str(processes)]
        settings = {"CARTULARY_REDIS_URL": redis_url, "CARTULARY_DATA": str(folder)}
        log = folder / f"web-{port}.log"
        return running_server([sys.executable, "-m", *command], port, log, **settings)

    for name, run in (("Cartulary", run_ours), ("granian's WSGI", _granian), ("nginx", _nginx)):
        for processes in PROCESSES:
            yield Server(name, processes, run)


def _granian(processes: int, port: int, folder: Path) -> AbstractContextManager[int]:
    command = ["granian", "--interface", "wsgi", "--port", str(port), "--no-log"]
    command += ["--workers", str(processes), "--blocking-threads", "4", "bench.siege.peer_app:app"]
    return running_server([sys.executable, "-m", *command], port, folder / f"granian-{port}.log")


def _nginx(processes: int, port: int, folder: Path) -> AbstractContextManager[int]:
    own = folder / f"nginx-{port}"
    own.mkdir()
    config = own / "nginx.conf"
    config.write_text(NGINX.format(processes=processes, folder=own, host=HOST, port=port))
    command = ["nginx", "-c", str(config), "-e", str(own / "nginx-error.log")]
    return running_server(command, port, own / "nginx.log")


def _measure(port: int, seconds: float) -> Round:
    """Let visitors come for a while, without the attack and with it."""
    context = multiprocessing.get_context("spawn")
    quiet = asyncio.run(_visit(port, SECONDS_QUIET))
    attackers: list[Connection] = []
    for _ in range(CHURN_PROCESSES):
        connection, other_end = context.Pipe()
        arguments = (port, seconds, other_end)
        context.Process(target=_attack, args=arguments, daemon=True).start()
        other_end.close()
        attackers.append(connection)
    for connection in attackers:
        connection.recv()
    for connection in attackers:
        connection.send(None)
    started = time.monotonic()
    during = asyncio.run(_visit(port, seconds))
    passed = time.monotonic() - started
    outcomes: list[Outcome] = [connection.recv() for connection in attackers]
    return Round(quiet, during, sum(outcome.connections for outcome in outcomes) / passed)


def _attack(port: int, seconds: float, connection: Connection) -> None:
    os.nice(LOWEST_PRIORITY)
    connection.send(None)
    connection.recv()
    connection.send(send_traffic(connection_churn(), port, seconds))


async def _visit(port: int, seconds: float) -> tuple[float, ...]:
    """Send a request on a new connection every SECONDS_BETWEEN_VISITS; return how long each took."""
    async with asyncio.TaskGroup() as tasks:
        visits = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            visits.append(tasks.create_task(_request(port)))
            await asyncio.sleep(SECONDS_BETWEEN_VISITS)
    return tuple(visit.result() for visit in visits)


async def _request(port: int) -> float:
    start = time.monotonic()
    try:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(
                HOST, port, local_addr=(FRESH_PLAYERS_ADDRESS, 0)
            )
            try:
                writer.write(VISIT)
                response = await reader.read()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return float("inf")
    seconds = time.monotonic() - start
    return seconds if response.startswith(b"HTTP/1.1 200") else float("inf")


def _cells(server: Server, rounds: Sequence[Round]) -> list[str]:
    """Return the line of a server in the table: the medians of its rounds."""

    def change(figure: Callable[[Sequence[float]], float]) -> str:
        without = median(figure(round.quiet) for round in rounds)
        during = median(figure(round.during) for round in rounds)
        return f"{1000 * without:,.0f} ms → {1000 * during:,.0f} ms"

    return [
        server.name,
        str(server.processes),
        f"{median(round.connections_per_second for round in rounds):,.0f}",
        change(median),
        change(max),
        str(sum(round.during.count(float("inf")) for round in rounds)),
    ]


if __name__ == "__main__":
    sys.exit(main())

"""Rows about one web process: what a thousand games weigh in it, and how many streams it keeps open."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import httpx
import redis

from bench.http_client import converse, packed
from bench.http_rows import API, CLIENTS, Table, free_port, our_server
from bench.measure import Row
from bench.our_games import Played
from service.embedded_redis import EmbeddedRedis
from service.store.event_store import AppendRequest
from service.store.redis_event_store import RedisEventStore

GAMES = 1000
STREAMS = 2000
ROUNDS = 5


def resident(pid: int) -> float:
    """MiB of memory that a process has."""
    status = Path(f"/proc/{pid}/status").read_text()
    kib = next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]
    return int(kib) / 1024


def memory_row(server: EmbeddedRedis, data: Path, games: list[Played]) -> Row:
    """A web process that has served a thousand games, all of them in its cache."""
    log = RedisEventStore(redis.Redis.from_url(server.url))
    names = []
    for number in range(GAMES):
        played = games[number % len(games)]
        # A game that is not over, under a name of its own; its boards are as good as any.
        name = f"w{number}"
        log.append(
            name,
            0,
            AppendRequest(tuple(line.replace(b"bench", name.encode()) for line in played.lines)),
        )
        names.append(name)
    port = free_port()
    with our_server(port, server.url, data) as pid:
        empty = resident(pid)
        requests = [packed("GET", f"{API}/games/{name}/position") for name in names]
        converse(port, [requests[n::CLIENTS] for n in range(CLIENTS)], expect=200)
        full = resident(pid)
    return Row(
        f"memory of a serving web process with {GAMES:,} games in its cache ({empty:.0f} MiB with none)",
        "none",
        "≤ 150 MiB",
        full,
        None,
        (),
        "MiB",
        full <= 150,
        is_cost=True,
    )


def streams_row(server: EmbeddedRedis, data: Path) -> Row:
    """Acting with many event streams open, beside acting with none."""
    port = free_port()
    with (
        our_server(port, server.url, data),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client,
    ):
        watched = Table(client, "watched").id
        idle = [act(client, port, f"s{round}") for round in range(ROUNDS + 1)][1:]
        streams = [open_stream(port, watched) for _ in range(STREAMS)]
        busy = [act(client, port, f"t{round}") for round in range(ROUNDS + 1)][1:]
        for stream in streams:
            stream.close()
    ratios = tuple(with_streams / without for with_streams, without in zip(busy, idle, strict=True))
    return Row(
        f"POST actions with {STREAMS:,} event streams open",
        "the same server with none open",
        "≥ 0.8×",
        median(busy),
        median(idle),
        ratios,
        "requests/s",
        median(ratios) >= 0.8,
    )


def act(client: httpx.Client, port: int, name: str) -> float:
    """Requests per second of the usual load."""
    tables = [Table(client, f"{name}-{n}") for n in range(CLIENTS)]
    return converse(port, [table.requests for table in tables]).rate


def open_stream(port: int, game: str) -> socket.socket:
    """An event stream, once it has begun."""
    stream = socket.create_connection(("127.0.0.1", port))
    stream.sendall(packed("GET", f"{API}/games/{game}/stream"))
    begun = b""
    give_up = time.monotonic() + 30
    while b"event:" not in begun and b"data:" not in begun:
        begun += stream.recv(65536)
        if time.monotonic() > give_up or not begun.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(begun.decode())
    return stream


def rows(server: EmbeddedRedis, data: Path, games: list[Played]) -> Iterator[Row]:
    """The rows, one after the other."""
    yield memory_row(server, data, games)
    yield streams_row(server, data)

"""Rows on one web process: its memory with a full cache of games, and its speed with many open streams."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

import httpx
import redis

from bench.http_client import request_bytes, send_requests
from bench.http_rows import API, CLIENTS, PreparedGame, free_port, our_server
from bench.measure import Row
from bench.our_games import PlayedGame
from service.embedded_redis import EmbeddedRedis
from service.store.event_store import AppendRequest
from service.store.redis_event_store import RedisEventStore

GAMES: Final = 1000
STREAMS: Final = 2000
ROUNDS: Final = 5
MOST_MEMORY: Final = 150
"""In MiB."""


def measure(server: EmbeddedRedis, folder: Path, games: list[PlayedGame]) -> Iterator[Row]:
    """Measure the rows of this group with logs of these games."""
    yield _memory_row(server, folder, games)
    yield _streams_row(server, folder)


def _memory_row(server: EmbeddedRedis, folder: Path, games: list[PlayedGame]) -> Row:
    """Measure the memory of a web process that has served, and cached, the positions of a thousand games."""
    store = RedisEventStore(redis.Redis.from_url(server.url))
    ids = [f"w{number}" for number in range(GAMES)]
    for number, id in enumerate(ids):
        # The hashes no longer match with another game id, but nothing here checks them.
        lines = games[number % len(games)].lines
        renamed = tuple(line.replace(b'"bench"', b'"%s"' % id.encode()) for line in lines)
        store.append(id, 0, AppendRequest(renamed))
    port = free_port()
    with our_server(port, server.url, folder) as pid:
        empty = _resident_memory(pid)
        requests = [request_bytes("GET", f"{API}/games/{id}/position") for id in ids]
        send_requests(port, [requests[n::CLIENTS] for n in range(CLIENTS)], expected_status=200)
        full = _resident_memory(pid)
    return Row(
        label=f"memory of a web process with {GAMES:,} games in its cache ({empty:.0f} MiB with none)",
        peer="none",
        target=f"≤ {MOST_MEMORY} MiB",
        ours=full,
        theirs=None,
        ratios=(),
        unit="MiB",
        is_met=full <= MOST_MEMORY,
    )


def _streams_row(server: EmbeddedRedis, folder: Path) -> Row:
    """Measure the rate of actions while many event streams are open, compared with none."""
    port = free_port()
    with (
        our_server(port, server.url, folder),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client,
    ):
        watched = PreparedGame(client, "watched").id
        # The first round of each warms the server up.
        without = [_rate(client, port, f"s{round}") for round in range(ROUNDS + 1)][1:]
        streams = [_open_stream(port, watched) for _ in range(STREAMS)]
        with_streams = [_rate(client, port, f"t{round}") for round in range(ROUNDS + 1)][1:]
        for stream in streams:
            stream.close()
    ratios = tuple(ours / theirs for ours, theirs in zip(with_streams, without, strict=True))
    return Row(
        label=f"POST actions with {STREAMS:,} event streams open",
        peer="the same server with none open",
        target="≥ 0.8×",
        ours=median(with_streams),
        theirs=median(without),
        ratios=ratios,
        unit="requests/s",
        is_met=median(ratios) >= 0.8,
    )


def _rate(client: httpx.Client, port: int, name: str) -> float:
    """Return the requests per second of one round of actions by all clients."""
    games = [PreparedGame(client, f"{name}-{n}") for n in range(CLIENTS)]
    return send_requests(port, [game.requests for game in games]).rate


def _open_stream(port: int, game_id: str) -> socket.socket:
    """Open an event stream and wait for its first event. Raises RuntimeError if none comes."""
    stream = socket.create_connection(("127.0.0.1", port))
    stream.sendall(request_bytes("GET", f"{API}/games/{game_id}/stream"))
    received = b""
    deadline = time.monotonic() + 30
    while b"event:" not in received and b"data:" not in received:
        received += stream.recv(65536)
        if time.monotonic() > deadline or not received.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(received.decode())
    return stream


def _resident_memory(pid: int) -> float:
    """Return the memory of a process that is in RAM, in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    kib = next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]
    return int(kib) / 1024

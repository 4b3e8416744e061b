"""Rows on reading a very long game over HTTP: positions and events anywhere in it."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

import redis

from bench.http_client import LoadResult, request_bytes, send_requests
from bench.http_rows import API, free_port, our_server
from bench.measure import Row
from bench.our_games import renamed, very_long_game
from service.operation.embedded_redis import EmbeddedRedis
from service.store.event_store import AppendRequest
from service.store.redis_event_store import RedisEventStore

COPIES: Final = 10
"""Copies of the game under other ids: each is read for the first time once."""
STEP: Final = 13
"""Every event whose seq is a multiple of this is read, which puts them at all distances from a prefix."""
MOST_MILLISECONDS: Final = 20


def measure(server: EmbeddedRedis, folder: Path) -> Iterator[Row]:
    """Measure the rows of this group. They need a game that takes a while to play."""
    lines = very_long_game().lines
    store = RedisEventStore(redis.Redis.from_url(server.url))
    ids = [f"long{number}" for number in range(COPIES)]
    for id in ids:
        store.append(id, 0, AppendRequest(renamed(lines, {"bench": id})))
    port = free_port()
    with our_server(port, server.url, folder):
        # The first of them warms up the process, and the others are read cold.
        positions = [_get(f"{id}/position?seq={len(lines) // 2}") for id in ids]
        send_requests(port, [positions[:1]], expected_status=200)
        cold = send_requests(port, [positions[1:]], expected_status=200)
        seqs = range(STEP, len(lines), STEP)
        cached = {
            "position": [_get(f"{ids[0]}/position?seq={seq}") for seq in seqs],
            "event": [_get(f"{ids[0]}/events/{seq}") for seq in seqs],
        }
        for name, requests in cached.items():
            load = send_requests(port, [requests], expected_status=200)
            label = f"GET {name} anywhere in a game of {len(lines):,} events, 99th percentile"
            yield _row(label, load.percentile(0.99))
        yield _row("… position, when the game is not in the cache, median", _median(cold))


def _get(path: str) -> bytes:
    return request_bytes("GET", f"{API}/games/{path}")


def _median(load: LoadResult) -> float:
    return median(load.latencies)


def _row(label: str, seconds: float) -> Row:
    return Row(
        label=label,
        peer="none",
        target=f"≤ {MOST_MILLISECONDS} ms",
        ours=seconds * 1000,
        theirs=None,
        ratios=(),
        unit="ms",
        is_met=seconds * 1000 <= MOST_MILLISECONDS,
    )

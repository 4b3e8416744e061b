"""Rows on the transparency log: logging a head, and proving that it is among a million.

Redis syncs every write.
"""

import gc
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Final

from bench.measure import Row, limit_row
from bench.our_games import PlayedGame
from bench.redis_client import wait_for_rewrite
from ledger.transparency.checkpoint import head_leaf_hash
from ledger.transparency.merkle import new_nodes
from service.bootstrap import Service, build
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import Settings
from service.store.event_store import AppendRequest
from service.transparency.store import LoggedHead, TransparencyStore

HEADS: Final = 1_000_000
_BATCH: Final = 20_000
_RUNS: Final = 201
_MOST_MILLISECONDS: Final = 1.0


def measure(server: EmbeddedRedis, folder: Path, played: PlayedGame) -> Iterator[Row]:
    """Measure the rows of this group in a log of a million heads; `played` has more than 201 events."""
    service = build(
        Settings(folder, server.url, server.url, signing_key=folder / "transparency-key.pem")
    )
    service.redis.flushdb()
    log_heads(TransparencyStore(service.redis), HEADS)
    wait_for_rewrite(service.redis)
    yield _append_row(service, played)
    yield _proof_row(service)
    service.redis.flushdb()
    service.redis.close()


def log_heads(store: TransparencyStore, count: int) -> None:
    """Log the heads of so many made-up games, many at once."""
    for start in range(0, count, _BATCH):
        heads = {
            f"game-{index}": (None, LoggedHead(1, _hash(index), index))
            for index in range(start, min(count, start + _BATCH))
        }
        leaves = [head_leaf_hash(game, head.seq, head.hash) for game, (_, head) in heads.items()]
        assert store.append(start, new_nodes(store, start, leaves), heads)


def _append_row(service: Service, played: PlayedGame) -> Row:
    """Measure logging the head of one game after each of its events."""
    service.store.append("long", 0, AppendRequest((played.lines[0],)))
    lines = iter(enumerate(played.lines[1:], 1))

    def append_event() -> None:
        seq, line = next(lines)
        service.store.append("long", seq, AppendRequest((line,)))

    return _row(
        f"log a head among {HEADS:,}",
        lambda: service.transparency.head_log.log(["long"]),
        before_each=append_event,
    )


def _proof_row(service: Service) -> Row:
    """Measure the proof of inclusion of different games, with the checkpoint that it leads to."""
    service.transparency.checkpoints.latest(HEADS)
    games = iter([f"game-{index * (HEADS // _RUNS)}" for index in range(_RUNS)])
    return _row(
        f"prove the inclusion of a head among {HEADS:,}",
        lambda: service.transparency.proofs.inclusion(next(games)),
    )


def _row(
    label: str, call: Callable[[], object], before_each: Callable[[], object] = lambda: None
) -> Row:
    """Return the row for the median time of a call; `before_each` is not measured."""
    times = []
    gc.collect()
    gc.disable()
    for _ in range(_RUNS):
        before_each()
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1000)
    gc.enable()
    milliseconds = median(times)
    return limit_row(label, milliseconds, _MOST_MILLISECONDS, "ms")


def _hash(index: int) -> str:
    return sha256(b"%d" % index).hexdigest()

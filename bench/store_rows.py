"""Rows about the log in Redis: appending, loading, and what an event weighs. fsync at every write."""

from collections.abc import Iterator
from dataclasses import replace

import orjson
import redis

from bench.measure import Row, compared
from bench.our_games import Played
from bench.wire import converse, recorded
from domain.game import fold
from service.embedded_redis import EmbeddedRedis
from service.store.event_store import AppendRequest, IdempotencyRecord
from service.store.outbox import outbox_entries
from service.store.redis_event_store import RedisEventStore, game_key

CONNECTIONS = 50


def appends(games: list[Played]) -> list[list[AppendRequest]]:
    """For each log its appends, event by event, with the notes that belong to them."""
    found = []
    for played in games:
        game, steps = None, []
        for event, line in zip(played.events, played.lines, strict=True):
            before, game = game, fold([event], game)
            assert game is not None
            steps.append(AppendRequest((line,), outbox=outbox_entries(before, game, [event])))
        found.append(steps)
    return found


def append_row(server: EmbeddedRedis, games: list[Played]) -> Row:
    """The append's script beside a bare XADD of the same bytes, 50 connections."""
    client = redis.Redis.from_url(server.url)
    RedisEventStore(client).append("warm", 0, AppendRequest((b"{}",)))  # loads the script
    path = server.url.removeprefix("unix://")
    steps = appends(games)
    told = [steps[n % len(steps)] for n in range(CONNECTIONS)]
    with_script = [
        [
            recorded(
                lambda r, n=n, seq=seq, a=a: RedisEventStore(r).append(f"g{n}", seq, a), [1, 1, 1]
            )
            for seq, a in enumerate(game)
        ]
        for n, game in enumerate(told)
    ]
    bare = [
        [
            recorded(
                lambda r, n=n, seq=seq, a=a: r.xadd(
                    game_key(f"g{n}", "log"), {"e": a.events[0]}, id=f"{seq + 1}-0"
                ),
                b"1-0",
            )
            for seq, a in enumerate(game)
        ]
        for n, game in enumerate(told)
    ]

    def run(conversations: list[list[bytes]]) -> int:
        client.flushdb()
        return converse(path, conversations)

    return compared(
        f"append with its script, {CONNECTIONS} connections",
        "bare XADD of the same bytes",
        lambda: run(with_script),
        lambda: run(bare),
        least=0.7,
        unit="appends/s",
    )


def load_row(server: EmbeddedRedis, long: Played) -> Row:
    """A game read, decoded and folded, beside its bytes read and decoded alone."""
    log = RedisEventStore(redis.Redis.from_url(server.url))
    log.append("long", 0, AppendRequest(tuple(long.lines[:300])))

    def load() -> int:
        fold(map(orjson.loads, log.read("long")))
        return 1

    def decode() -> int:
        list(map(orjson.loads, log.read("long")))
        return 1

    return compared(
        "cold load of a game of 300 events",
        "reading and decoding its bytes alone",
        load,
        decode,
        least=1 / 4,
        unit="games/s",
        pairs=25,
    )


def memory_row(server: EmbeddedRedis, games: list[Played]) -> Row:
    """What an event weighs in Redis, with all that an append leaves beside it."""
    client = redis.Redis.from_url(server.url)
    client.flushdb()
    log = RedisEventStore(client)
    for number, steps in enumerate(appends(games)):
        for seq, step in enumerate(steps):
            answer = IdempotencyRecord(f"player/{seq:032x}", f"{seq:032x}")
            log.append(f"m{number}", seq, replace(step, idempotency_record=answer))
    weight = sum(client.memory_usage(name, samples=0) or 0 for name in client.scan_iter())
    per_event = weight / sum(len(played.events) for played in games)
    return Row(
        "memory in Redis, idempotency answers included",
        "none",
        "≤ 1024 bytes",
        per_event,
        None,
        (),
        "bytes an event",
        per_event <= 1024,
    )


def rows(server: EmbeddedRedis, games: list[Played], long: Played) -> Iterator[Row]:
    """The rows, one after the other."""
    yield append_row(server, games)
    yield load_row(server, long)
    yield memory_row(server, games)

"""Rows on the event store in Redis: appending, loading, and memory per event. Redis syncs every write."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import orjson
import redis

from bench.measure import Row, compare
from bench.our_games import PlayedGame, renamed, resumed_log
from bench.redis_client import CommandRecorder, command_bytes, send_commands
from domain.fold import fold
from domain.game import Game
from ledger.keys import SigningKey
from service.games.game_cache import GameCache
from service.games.loader import GameLoader
from service.games.outbox import outbox_entries
from service.operation.embedded_redis import EmbeddedRedis
from service.store.event_store import AppendRequest, IdempotencyRecord
from service.store.log_check import check_lines
from service.store.redis_event_store import RedisEventStore, game_key

_KEY: Final = SigningKey.from_seed(bytes(32))
CONNECTIONS: Final = 50
LOADED_EVENTS: Final = 300
BRANCHES: Final = 10
MOST_BYTES_PER_EVENT: Final = 1024


def measure(server: EmbeddedRedis, games: list[PlayedGame], long: PlayedGame) -> Iterator[Row]:
    """Measure the rows of this group; `long` is a game of at least 300 events."""
    yield _append_row(server, games)
    yield _check_row(long)
    yield _load_row(server, long)
    yield _branches_row(server)
    yield _memory_row(server, games)


def append_requests(played: PlayedGame) -> list[AppendRequest]:
    """Return an append of each event, with its outbox entries, and the receipt if it has an action."""
    requests = []
    after: Game | None = None
    for event, line in zip(played.events, played.lines, strict=True):
        before, after = after, fold([event], after, played.opened)
        assert after is not None
        entries = outbox_entries(before, after, [event])
        receipts = {} if event["action"] is None else {event["seq"]: _KEY.receipt(event)}
        requests.append(AppendRequest((line,), outbox=entries, receipts=receipts))
    return requests


def append_command(game_id: str, expected_seq: int, request: AppendRequest) -> bytes:
    """Return the command by which the event store appends."""

    def append(recorder: CommandRecorder) -> None:
        RedisEventStore(recorder).append(game_id, expected_seq, request)

    return command_bytes(append, reply=[1, 1, 1])


def xadd_command(game_id: str, expected_seq: int, line: bytes) -> bytes:
    """Return the command that adds the same line to the same stream, and does nothing else."""

    def xadd(recorder: CommandRecorder) -> None:
        recorder.xadd(game_key(game_id, "log"), {"e": line}, id=f"{expected_seq + 1}-0")

    return command_bytes(xadd, reply=b"1-0")


def _append_row(server: EmbeddedRedis, games: list[PlayedGame]) -> Row:
    """Measure the script of an append, compared with XADD of the same bytes."""
    client = redis.Redis.from_url(server.url)
    RedisEventStore(client).append("warm", 0, AppendRequest((b"{}",)))  # loads the script
    requests = [append_requests(played) for played in games]
    by_connection = [(f"g{n}", requests[n % len(requests)]) for n in range(CONNECTIONS)]
    appends = [
        [append_command(id, seq, request) for seq, request in enumerate(sequence)]
        for id, sequence in by_connection
    ]
    xadds = [
        [xadd_command(id, seq, request.events[0]) for seq, request in enumerate(sequence)]
        for id, sequence in by_connection
    ]

    def send(connections: list[list[bytes]]) -> int:
        client.flushdb()
        return send_commands(server.url.removeprefix("unix://"), connections)

    return compare(
        f"append with its script, {CONNECTIONS} connections",
        "XADD of the same bytes alone",
        lambda: send(appends),
        lambda: send(xadds),
        least=0.7,
        unit="appends/s",
    )


def _check_row(long: PlayedGame) -> Row:
    """Measure decoding the lines of a log with checking them, compared with decoding alone."""
    lines = renamed(long.lines[:LOADED_EVENTS], {})

    def check() -> int:
        events, fault = check_lines("bench", 0, lines)
        assert fault is None
        return len(events)

    def decode() -> int:
        return len(list(map(orjson.loads, lines)))

    return compare(
        "check the lines of a log while decoding them",
        "decoding alone",
        check,
        decode,
        least=0.4,
        unit="events/s",
        pairs=25,
    )


def _load_row(server: EmbeddedRedis, long: PlayedGame) -> Row:
    """Measure reading, checking and folding a game, compared with reading and decoding its bytes."""
    store = RedisEventStore(redis.Redis.from_url(server.url))
    store.append("long", 0, AppendRequest(renamed(long.lines[:LOADED_EVENTS], {"bench": "long"})))

    def load() -> int:
        GameLoader(store, GameCache(1)).load("long")
        return 1

    def read_and_decode() -> int:
        list(map(orjson.loads, store.read("long")))
        return 1

    return compare(
        f"cold load of a game of {LOADED_EVENTS} events",
        "reading and decoding its bytes alone",
        load,
        read_and_decode,
        least=0.25,
        unit="games/s",
        pairs=25,
    )


def _branches_row(server: EmbeddedRedis) -> Row:
    """Measure a cold load of a game that was resumed ten times, compared with one that never was."""
    store = RedisEventStore(redis.Redis.from_url(server.url))
    for name, resumptions in (("branched", BRANCHES), ("straight", 0)):
        lines = renamed(resumed_log(LOADED_EVENTS, resumptions), {"bench": name})
        store.append(name, 0, AppendRequest(lines))

    def load(name: str) -> int:
        GameLoader(store, GameCache(1)).load(name)
        return 1

    return compare(
        f"cold load of a game of {LOADED_EVENTS} events with {BRANCHES} branches",
        "a game of as many events without branches",
        lambda: load("branched"),
        lambda: load("straight"),
        least=1 / 1.5,
        unit="games/s",
        pairs=25,
    )


def _memory_row(server: EmbeddedRedis, games: list[PlayedGame]) -> Row:
    """Measure the memory in Redis for each event, with everything that an append stores next to it."""
    client = redis.Redis.from_url(server.url)
    client.flushdb()
    store = RedisEventStore(client)
    for number, played in enumerate(games):
        for seq, request in enumerate(append_requests(played)):
            record = IdempotencyRecord(f"player/{seq:032x}", f"{seq:032x}")
            store.append(f"m{number}", seq, replace(request, idempotency_record=record))
    total = sum(client.memory_usage(name, samples=0) or 0 for name in client.scan_iter())
    per_event = total / sum(len(played.events) for played in games)
    return Row(
        label="memory in Redis, with receipts and idempotency records",
        peer="none",
        target=f"≤ {MOST_BYTES_PER_EVENT} bytes",
        ours=per_event,
        theirs=None,
        ratios=(),
        unit="bytes per event",
        is_met=per_event <= MOST_BYTES_PER_EVENT,
    )

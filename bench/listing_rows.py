"""Rows on lists of games: the latency of `GET /games` with many games, compared with few."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx
import orjson

from bench.http_client import request_bytes, send_requests
from bench.http_rows import API, free_port, our_server
from bench.measure import Row, latency_row
from bench.our_games import renamed
from domain.lifecycle import NewGame
from service import wall_clock
from service.bootstrap import Service, build
from service.connection import to_text
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import load_settings
from service.store.redis_event_store import game_key

FEW: Final = 100
MANY: Final = 20_000
CONNECTIONS: Final = 4
REQUESTS: Final = 50
"""Requests of each connection in a round."""
ROUNDS: Final = 5
MOST: Final = 2.0
"""The largest ratio of the latencies."""
BATCH_SIZE: Final = 1000
FIRST_CREATED: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of `GET /games`: its query, and the handle of the player who sends the request."""

    label: str
    query: str = ""
    viewer: str | None = None


FILTERS: Final = (
    Filter("without a filter or a token"),
    Filter("by status", "status=open,playing"),
    Filter("by player", "player=ada"),
    Filter("by status and player", "status=playing&player=ada"),
    Filter("with a token", viewer="bea"),
    Filter("by status, with a token", "status=open", "bea"),
    Filter("by player, with that player's token", "player=ada", "ada"),
    Filter("by player, with another player's token", "player=ada", "bea"),
    Filter("by status and player, with another player's token", "status=open&player=ada", "bea"),
)


class ListedGames:
    """A web server on a database of its own, with `number` games of Ada.

    They are public and private, open, in progress and abandoned. Bea may see the private games; she has a
    place in those in progress.
    """

    def __init__(
        self, servers: ExitStack, redis: EmbeddedRedis, folder: Path, database: int, number: int
    ) -> None:
        folder.mkdir()
        self.port = free_port()
        url = f"{redis.url}?db={database}"
        servers.enter_context(our_server(self.port, url, folder))
        service = build(load_settings({"CARTULARY_REDIS_URL": url, "CARTULARY_DATA": str(folder)}))
        accounts = {handle: _register(self.port, handle) for handle in ("ada", "bea")}
        self.tokens = {handle: account["token"] for handle, account in accounts.items()}
        ids = [accounts[handle]["player"]["id"] for handle in ("ada", "bea")]
        self.members = _copy_games(service, _create_games(service, *ids), number)

    def requests(self, filter: Filter, cursors: Iterator[str | None]) -> list[list[bytes]]:
        """Return the requests of one round by connection, with these cursors."""
        return [
            [self._request(filter, next(cursors)) for _ in range(REQUESTS)]
            for _ in range(CONNECTIONS)
        ]

    def first_and_middle(self) -> Iterator[str | None]:
        """Iterate over the cursors of the first page and of one in the middle, alternately, without end."""
        while True:
            yield None
            yield self.members[len(self.members) // 2]

    def anywhere(self, chance: random.Random) -> Iterator[str | None]:
        """Iterate over random cursors, without end."""
        while True:
            yield chance.choice(self.members)

    def _request(self, filter: Filter, cursor: str | None) -> bytes:
        query = [filter.query] if filter.query else []
        if cursor is not None:
            query.append(f"cursor={cursor}")
        token = "" if filter.viewer is None else self.tokens[filter.viewer]
        return request_bytes("GET", f"{API}/games?{'&'.join(query)}", token=token)


def measure(redis: EmbeddedRedis, folder: Path) -> Iterator[Row]:
    """Measure the rows of this group."""
    with ExitStack() as servers:
        few = ListedGames(servers, redis, folder / "few", 1, FEW)
        many = ListedGames(servers, redis, folder / "many", 2, MANY)
        for filter in FILTERS:
            cursors = (many.first_and_middle(), few.first_and_middle())
            yield _row(f"GET /games {filter.label}", filter, many, few, cursors)
        cursors = (many.anywhere(random.Random(1)), few.anywhere(random.Random(1)))
        label = "… at random cursors, so that most games are not in the cache"
        yield _row(label, FILTERS[0], many, few, cursors)


def _row(
    label: str,
    filter: Filter,
    many: ListedGames,
    few: ListedGames,
    cursors: tuple[Iterator[str | None], Iterator[str | None]],
) -> Row:
    """Compare the 99th percentiles of the latencies of one filter."""
    of_many, of_few = cursors
    latencies = [
        (_slowest(many, filter, of_many), _slowest(few, filter, of_few)) for _ in range(ROUNDS + 1)
    ][1:]  # the first round warms the servers up
    label = f"{label}: 99th percentile with {MANY:,} games"
    return latency_row(label, f"the same with {FEW} games", latencies, MOST)


def _slowest(games: ListedGames, filter: Filter, cursors: Iterator[str | None]) -> float:
    """Return the 99th percentile of the latencies of one round, in seconds."""
    load = send_requests(games.port, games.requests(filter, cursors), expected_status=200)
    return load.percentile(0.99)


def _register(port: int, handle: str) -> Any:
    """Register a player; return the body of the response."""
    account = {"handle": handle, "password": "correct horse"}
    return httpx.post(f"http://127.0.0.1:{port}{API}/players", json=account, timeout=30).json()


def _create_games(service: Service, ada: str, bea: str) -> list[str]:
    """Create a public and a private game of each of three statuses; return their ids."""
    ids = []
    for is_private in (False, True):
        for status in ("open", "playing", "abandoned"):
            options = {"seating": "joined", "private": is_private}
            game = service.games.commands.create(
                ada, NewGame(rules="barony", seats=2, options=options, invited=(bea,))
            )
            if status == "playing":
                service.games.commands.join(game.id, bea)
            elif status == "abandoned":
                service.games.commands.leave(game.id, ada)
            ids.append(game.id)
    return ids


def _copy_games(service: Service, ids: list[str], number: int) -> list[str]:
    """Write copies of games to the store and the listings; return their members in the listings."""
    logs = {id: service.store.read(id) for id in ids}
    listings = {
        id: [to_text(key) for key in service.redis.smembers(game_key(id, "listed"))] for id in ids
    }
    summaries = {id: to_text(service.redis.get(game_key(id, "summary")) or "") for id in ids}
    members = []
    for start in range(0, number, BATCH_SIZE):
        with service.redis.pipeline(transaction=False) as pipeline:
            for index in range(start, min(start + BATCH_SIZE, number)):
                original, copy = ids[index % len(ids)], f"{index:016x}"
                created = wall_clock.format(FIRST_CREATED + timedelta(seconds=index))
                members.append(f"{created}~{copy}")
                lines = renamed(logs[original], {original: copy})
                last_hashes = [orjson.loads(log[-1])["hash"] for log in (logs[original], lines)]
                for seq, line in enumerate(lines, 1):
                    pipeline.xadd(game_key(copy, "log"), {"e": line}, id=f"{seq}-0")
                for listing in listings[original]:
                    pipeline.zadd(listing, {members[-1]: 0})
                if summaries[original]:
                    summary = summaries[original].replace(original, copy).replace(*last_hashes)
                    pipeline.set(game_key(copy, "summary"), summary)
            pipeline.execute()
    return members

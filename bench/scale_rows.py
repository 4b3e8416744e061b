"""Rows on a large store: the latency with very many games compared with few, the sweep, memory, the archive.

`BENCH_GAMES` is the number of games (default 1,000,000), and `BENCH_GIB` the memory at which fewer are stored
(default 8).
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Final

import httpx
import redis

from bench.http_client import LoadResult, request_bytes, send_requests
from bench.http_rows import API, CLIENTS, PreparedGame, free_port, our_server
from bench.large_store import PASSWORD, StoreSize, Template, fill, play_templates
from bench.measure import Row, latency_row, limit_row
from bench.redis_client import wait_for_rewrite
from bench.web_rows import processor_seconds
from domain.game import Game
from service.bootstrap import Service, build
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import load_settings
from service.store.redis_event_store import game_key
from tests.support.clusters import redis_cluster

FEW: Final = 1000
ROUNDS: Final = 5
MOST_RATIO: Final = 1.5
LIST_REQUESTS: Final = 50
LIST_CLIENTS: Final = 4
SWEEP_SECONDS: Final = 60.0
MOST_SWEEP: Final = 10.0
"""Per cent of a core."""
SAMPLED_GAMES: Final = 500
"""Games of each status that are measured one by one."""
LEAST_CLUSTER: Final = 0.8
LISTS: Final = (
    ("without a filter or a token", "", False),
    ("by status", "?status=open,playing", False),
    ("by rules and seats", "?rules=baron&seats=3", False),
    ("by player", "?player=player-7", False),
    ("by status and player, with that player's token", "?status=playing&player=player-7", True),
    ("with a token", "", True),
)
"""The lists: what they are called, their query, and whether the request has the token of a player."""


class LargeStore:
    """A Redis of its own that was filled with games, its data folder, and a web server on it."""

    def __init__(
        self, running: ExitStack, folder: Path, templates: Sequence[Template], games: int, most: int
    ) -> None:
        self.folder = folder
        self.redis = running.enter_context(EmbeddedRedis(folder))
        settings = {"CARTULARY_REDIS_URL": self.redis.url, "CARTULARY_DATA": str(folder)}
        self.service: Service = build(load_settings(settings))
        running.callback(self.service.redis.close)
        self.size: StoreSize = self._fill(templates, games, most)
        self.port = free_port()
        running.enter_context(our_server(self.port, self.redis.url, folder))

    def _fill(self, templates: Sequence[Template], games: int, most: int) -> StoreSize:
        """Fill it. Redis writes its file again at the end, and every write from then on."""
        client = self.service.redis
        self.service.keyring.publish_key()
        client.config_set("appendonly", "no")
        size = fill(self.service, templates, games, most)
        while not self.service.games.projections.catch_up():
            pass
        client.config_set("appendonly", "yes")
        wait_for_rewrite(client)
        return size

    def token(self) -> str:
        """Return a token of a player who has games."""
        login = {"handle": "player-7", "password": PASSWORD}
        url = f"http://127.0.0.1:{self.port}{API}/tokens"
        token: str = httpx.post(url, json=login, timeout=60).json()["token"]
        return token

    def act(self, name: str) -> LoadResult:
        """Play games on the server, and return how long the actions have taken."""
        url = f"http://127.0.0.1:{self.port}"
        with httpx.Client(base_url=url, timeout=60) as client:
            games = [PreparedGame(client, f"{name}-{number}") for number in range(CLIENTS)]
        return send_requests(self.port, [game.requests for game in games])

    def read_list(self, query: str, token: str) -> LoadResult:
        """Request the first pages of a list, and return how long they have taken."""
        request = request_bytes("GET", f"{API}/games{query}", token=token)
        return send_requests(self.port, [[request] * LIST_REQUESTS] * LIST_CLIENTS, 200)


def measure(folder: Path) -> Iterator[Row]:
    """Measure the rows of this group."""
    games = int(os.environ.get("BENCH_GAMES", "1000000"))
    most = int(float(os.environ.get("BENCH_GIB", "8")) * 2**30)
    templates = play_templates()
    with ExitStack() as running:
        few = LargeStore(running, folder / "few", templates, min(FEW, games), most)
        start = time.monotonic()
        many = LargeStore(running, folder / "many", templates, games, most)
        print(
            f"… {many.size.as_text()}, in {time.monotonic() - start:.0f} s",
            file=sys.stderr,
            flush=True,
        )
        yield _acting_row(many, few)
        yield from _list_rows(many, few)
        yield _sweep_row(many)
        yield from _memory_rows(many)
        yield from _archive_rows(many)


def _acting_row(many: LargeStore, few: LargeStore) -> Row:
    pairs = [(many.act(f"m{n}"), few.act(f"f{n}")) for n in range(ROUNDS + 1)][1:]
    return _latency_row("POST actions, 16 clients, every write synced", many, few, pairs)


def _list_rows(many: LargeStore, few: LargeStore) -> Iterator[Row]:
    tokens = many.token(), few.token()
    for label, query, has_token in LISTS:
        of_many, of_few = tokens if has_token else ("", "")
        pairs = [
            (many.read_list(query, of_many), few.read_list(query, of_few))
            for _ in range(ROUNDS + 1)
        ][1:]
        yield _latency_row(f"GET /games {label}", many, few, pairs)


def _latency_row(
    label: str, many: LargeStore, few: LargeStore, pairs: Sequence[tuple[LoadResult, LoadResult]]
) -> Row:
    latencies = [(ours.percentile(0.99), theirs.percentile(0.99)) for ours, theirs in pairs]
    label = f"{label}: 99th percentile with {many.size.games:,} games"
    return latency_row(label, f"the same with {few.size.games:,} games", latencies, MOST_RATIO)


def _sweep_row(many: LargeStore) -> Row:
    """Measure what a scheduler takes while nobody plays."""
    settings = {"CARTULARY_REDIS_URL": many.redis.url, "CARTULARY_DATA": str(many.folder)}
    with subprocess.Popen(
        [sys.executable, "-m", "cartulary", "scheduler"],
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as scheduler:
        try:
            reports = many.service.process_reports
            # Its first report follows the first sweep, which examines what has changed before.
            while not any(report.kind == "scheduler" for report in reports.alive()):
                time.sleep(0.5)
            before, start = processor_seconds(scheduler.pid), time.monotonic()
            time.sleep(SWEEP_SECONDS)
            used = processor_seconds(scheduler.pid) - before
            share = 100 * used / (time.monotonic() - start)
        finally:
            scheduler.terminate()
    label = f"scheduler with {many.size.in_progress:,} games in progress"
    return limit_row(label, share, MOST_SWEEP, "% of a core")


def _figure_row(label: str, value: float, unit: str) -> Row:
    """Return the row of a value that has neither a peer nor a target."""
    return Row(label, "none", "", value, None, (), unit, None)


def _memory_rows(many: LargeStore) -> Iterator[Row]:
    """Measure what all games take with what lists contain of them, and what games in progress take alone."""
    size, service = many.size, many.service
    label = f"memory in Redis of a game of {size.events / size.games:.1f} events, with its listings"
    yield _figure_row(label, size.memory / size.games / 1024, "KiB")
    ids = _sample(service, lambda game: game.status == "playing")
    events = sum(service.games.queries.game(id).seq for id in ids) / len(ids)
    label = f"memory in Redis of a game in progress, of {events:.1f} events, without its listings"
    yield _figure_row(label, _memory_of(service, ids) / len(ids) / 1024, "KiB")


def _sample(service: Service, is_wanted: Callable[[Game], bool]) -> list[str]:
    """Return the ids of the first SAMPLED_GAMES games that are wanted, or of fewer."""
    ids = islice(service.store.game_ids(), 50 * SAMPLED_GAMES)
    wanted = (id for id in ids if is_wanted(service.games.queries.game(id)))
    return list(islice(wanted, SAMPLED_GAMES))


def _archive_rows(many: LargeStore) -> Iterator[Row]:
    """Measure moving games that are over into an archive in a folder and back, and what stays of them."""
    service = many.service
    ended = _sample(service, lambda game: game.has_ended)
    before = _memory_of(service, ended)
    start = time.perf_counter()
    moved = sum(map(service.archive.move, ended))
    archived_per_second = moved / (time.perf_counter() - start)
    after = _memory_of(service, ended)
    start = time.perf_counter()
    recalled = sum(map(service.archive.recall, ended))
    recalled_per_second = recalled / (time.perf_counter() - start)
    yield _figure_row("memory in Redis of a game that is over", before / moved / 1024, "KiB")
    yield _figure_row("… when it is archived", after / moved / 1024, "KiB")
    yield _figure_row("archived games, one process", archived_per_second, "games/s")
    yield _figure_row("recalled games, one process", recalled_per_second, "games/s")


def _memory_of(service: Service, game_ids: Sequence[str]) -> int:
    """Return the bytes that the keys of these games use; what lists contain is not counted."""
    parts = [
        "log",
        "secrets",
        "receipts",
        "answers",
        "notes",
        "archived",
        "objects",
        "listed",
        "summary",
    ]
    with service.redis.pipeline(transaction=False) as pipeline:
        for game_id in game_ids:
            for part in parts:
                pipeline.memory_usage(game_key(game_id, part), samples=0)
        return sum(filter(None, pipeline.execute()))


def measure_cluster(server: EmbeddedRedis, folder: Path) -> Iterator[Row]:
    """Measure actions on a cluster of three masters, compared with one Redis on the same cores."""
    (folder / "cluster").mkdir()
    with redis_cluster(folder / "cluster") as cluster, ExitStack() as servers:
        masters = cluster.masters()
        for port in cluster.nodes.keys() - set(masters):
            # One Redis has no replica either.
            cluster.kill(port)
        for port in masters:
            with redis.Redis(port=port) as node:
                node.config_set("appendfsync", "always")
        ports = free_port(), free_port()
        for name, port, url in (("c", ports[0], cluster.url), ("o", ports[1], server.url)):
            data = folder / f"data-{name}"
            data.mkdir()
            servers.enter_context(our_server(port, url, data, CARTULARY_QUEUE_URL=server.url))
        yield _rate_row(
            "POST actions, a Redis Cluster of three masters", "one Redis", ports, LEAST_CLUSTER
        )


def measure_processes(server: EmbeddedRedis, folder: Path) -> Iterator[Row]:
    """Measure actions with 2 and with 4 web processes, compared with one."""
    with ExitStack() as servers:
        ports = {}
        for processes in (1, 2, 4):
            ports[processes] = free_port()
            data = folder / f"data-{processes}"
            data.mkdir()
            servers.enter_context(
                our_server(ports[processes], server.url, data, processes=processes)
            )
        for processes in (2, 4):
            label = f"POST actions, {processes} web processes on {os.cpu_count()} cores"
            yield _rate_row(label, "one web process", (ports[processes], ports[1]), None)


def _rate_row(label: str, peer: str, ports: tuple[int, int], least: float | None) -> Row:
    """Compare the rates of actions at two servers."""
    ours, theirs = ports
    rates = [
        (_rate(ours, f"o{ours}-{n}"), _rate(theirs, f"t{ours}-{n}")) for n in range(ROUNDS + 1)
    ][1:]
    ratios = tuple(our_rate / their_rate for our_rate, their_rate in rates)
    return Row(
        label=label,
        peer=peer,
        target="" if least is None else f"≥ {least:g}×",
        ours=median(our_rate for our_rate, _ in rates),
        theirs=median(their_rate for _, their_rate in rates),
        ratios=ratios,
        unit="requests/s",
        is_met=None if least is None else median(ratios) >= least,
    )


def _rate(port: int, name: str) -> float:
    url = f"http://127.0.0.1:{port}"
    with httpx.Client(base_url=url, timeout=60) as client:
        games = [PreparedGame(client, f"{name}-{number}") for number in range(CLIENTS)]
    return send_requests(port, [game.requests for game in games]).rate

"""Rows on the processes: memory with a full cache of games, speed with many streams, the start, and rest."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from typing import Final

import httpx
import redis

from bench.http_client import request_bytes, send_requests
from bench.http_rows import API, CLIENTS, PreparedGame, free_port, our_server
from bench.measure import Row, limit_row
from bench.our_games import PlayedGame, renamed
from service.operation.embedded_redis import EmbeddedRedis
from service.store.event_store import AppendRequest
from service.store.redis_event_store import RedisEventStore

GAMES: Final = 1000
STREAMS: Final = 2000
ROUNDS: Final = 5
MOST_MEMORY: Final = 150
"""In MiB."""
IMPORTS: Final = "import flask, redis, rq, marshmallow"
MOST_IMPORTS: Final = 4
START_ROUNDS: Final = 5
MOST_WEB_START_SECONDS: Final = 1.0
MOST_IDLE_PROCESSES: Final = 4
MOST_IDLE_MEMORY: Final = 250
"""In MiB."""
MOST_IDLE_SECONDS: Final = 0.3
"""Of processor time a minute."""
QUIET_SECONDS: Final = 60.0
SECONDS_TO_SETTLE: Final = 15.0
"""Time after the start of a service before it is idle."""


def measure(server: EmbeddedRedis, folder: Path, games: list[PlayedGame]) -> Iterator[Row]:
    """Measure the rows of this group with logs of these games."""
    yield _memory_row(server, folder, games)
    yield _streams_row(server, folder)
    yield _start_row()
    yield _web_start_row(server, folder)
    yield from _idle_rows()


def _memory_row(server: EmbeddedRedis, folder: Path, games: list[PlayedGame]) -> Row:
    """Measure the memory of a web process that has served, and cached, the positions of a thousand games."""
    store = RedisEventStore(redis.Redis.from_url(server.url))
    ids = [f"w{number}" for number in range(GAMES)]
    for number, id in enumerate(ids):
        lines = renamed(games[number % len(games)].lines, {"bench": id})
        store.append(id, 0, AppendRequest(lines))
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


def _start_row() -> Row:
    """Measure how long `cartulary serve` takes until it is ready, without the start of its Redis."""
    pairs = [(_start_seconds(), _import_seconds()) for _ in range(START_ROUNDS + 1)][1:]
    ratios = tuple(ours / theirs for ours, theirs in pairs)
    return Row(
        label="start of the whole service until it is ready, without that of Redis",
        peer=f'`python -c "{IMPORTS}"`',
        target=f"≤ {MOST_IMPORTS}×",
        ours=median(ours for ours, _ in pairs),
        theirs=median(theirs for _, theirs in pairs),
        ratios=ratios,
        unit="s",
        is_met=median(ratios) <= MOST_IMPORTS,
    )


def _start_seconds() -> float:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        start = time.perf_counter()
        with EmbeddedRedis(data):
            redis_seconds = time.perf_counter() - start
        start = time.perf_counter()
        with _running("serve", Path(folder)):
            seconds = time.perf_counter() - start
    return seconds - redis_seconds


def _web_start_row(server: EmbeddedRedis, folder: Path) -> Row:
    """Measure how long a web process takes until it is ready."""
    times = []
    for _ in range(START_ROUNDS + 1):
        start = time.perf_counter()
        with _running("web", folder, "--processes", "1", CARTULARY_REDIS_URL=server.url):
            times.append(time.perf_counter() - start)
    seconds = median(times[1:])
    return limit_row(
        "start of a web process until it is ready", seconds, MOST_WEB_START_SECONDS, "s"
    )


def _idle_rows() -> Iterator[Row]:
    """Measure what a whole service takes of which nobody wants anything, in its small form."""
    options = ("--processes", "1", "--workers", "together")
    with (
        tempfile.TemporaryDirectory() as folder,
        _running("serve", Path(folder), *options) as process,
    ):
        time.sleep(SECONDS_TO_SETTLE)
        pids = _tree(process.pid)
        before = sum(map(processor_seconds, pids))
        time.sleep(QUIET_SECONDS)
        seconds = (sum(map(processor_seconds, pids)) - before) * 60 / QUIET_SECONDS
        memory = sum(map(_proportional_memory, pids))
    service = "of an idle small service, with its Redis"
    yield limit_row(f"processes {service}", len(pids), MOST_IDLE_PROCESSES, "processes")
    yield limit_row(f"memory (PSS) {service}", memory, MOST_IDLE_MEMORY, "MiB")
    yield limit_row(f"processor time {service}", seconds, MOST_IDLE_SECONDS, "s a minute")


@contextmanager
def _running(
    command: str, folder: Path, *options: str, **settings: str
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a command that serves, with its data in a folder, from when it is ready to the end of the block."""
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-m", "cartulary", command, "--port", str(port), *options],
        env={
            **os.environ,
            "CARTULARY_DATA": str(folder / "data"),
            "CARTULARY_TRUSTED_KEYS": str(folder / "trusted-keys"),
            **settings,
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            while not _is_ready(port):
                time.sleep(0.005)
            yield process
        finally:
            process.terminate()


def _tree(pid: int) -> list[int]:
    """Return the ids of a process and of its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(other for child in children for other in _tree(int(child)))]


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used. /proc/PID/stat counts in hundredths of a second."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def _proportional_memory(pid: int) -> float:
    """Return the memory of a process in MiB, with its part of each page that it shares."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    (size,) = [line.split()[1] for line in lines if line.startswith("Pss:")]
    return int(size) / 1024


def _is_ready(port: int) -> bool:
    # Not httpx, whose clients take so much processor time that they would delay the service.
    connection = HTTPConnection("127.0.0.1", port)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _import_seconds() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", IMPORTS], check=True)
    return time.perf_counter() - start


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

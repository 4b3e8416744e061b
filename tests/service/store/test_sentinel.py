"""A store whose master is found through Sentinel: it goes on after a failover, and loses nothing."""

import asyncio
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import redis

from domain.errors import Refused
from domain.event import Event as GameEvent
from ledger.record import read
from replay.audit.runner import audit
from service.bootstrap import Service, build
from service.connection import InvalidRedisUrl, connect, connect_async, parse_sentinel_url
from service.errors import ServiceError, Unavailable
from service.operation.engine import find_engine
from service.server.web_process import find_losses
from service.settings import Settings
from tests.support.accounts import Accounts, PlayerClient
from tests.support.processes import HANG_SECONDS, wait_until
from tests.support.redis_kinds import assert_refused_by_settings
from tests.support.running_service import RunningService
from tests.support.sentinels import NAME, Replicated, replicated_redis
from tests.support.service_games import start_game, take_action
from workers.scheduler import Scheduler

ENGINE_KNOWS_WAITAOF = find_engine().version >= (7, 2, 0)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Replicated]:
    """A master and its replica, with a Sentinel."""
    (tmp_path / "servers").mkdir()
    with replicated_redis(tmp_path / "servers") as servers:
        yield servers


@contextmanager
def playing(service: Service, games: list[str]) -> Iterator[list[tuple[str, GameEvent]]]:
    """Take random actions in games until the block ends; the value are the acknowledged events.

    An action that was not acknowledged is not repeated: the next one shows whether it was appended.
    """
    acknowledged: list[tuple[str, GameEvent]] = []
    stop = Event()

    def play() -> None:
        chance = random.Random(1)
        while not stop.is_set():
            for game_id in games:
                # A failover may lose events that were read and not acknowledged, such as the last one of
                # the position in which the action was legal.
                with suppress(ServiceError, Refused):
                    events = take_action(service, game_id, chance).events
                    acknowledged.extend((game_id, event) for event in events)

    thread = Thread(target=play)
    thread.start()
    try:
        yield acknowledged
    finally:
        stop.set()
        thread.join()


def record_of(service: Service, game_id: str) -> bytes:
    return b"".join(service.games.queries.record(game_id))


def lose_nothing(servers: Replicated, settings: Settings, failovers: int) -> None:
    """Play while the master fails `failovers` times, and check that every acknowledged event is there."""
    service = build(
        replace(settings, redis_url=servers.url, queue_url=servers.url, wait_replicas=1)
    )
    service.keyring.publish_key()
    games = [start_game(service).id for _ in range(2)]
    with playing(service, games) as acknowledged:
        for _ in range(failovers):
            before = len(acknowledged)
            wait_until(lambda before=before: len(acknowledged) > before)  # type: ignore[misc] # a default
            servers.fail_over()
            before = len(acknowledged)
            wait_until(lambda before=before: len(acknowledged) > before)  # type: ignore[misc] # the same
    keys = [entry["public"] for entry in service.keyring.public_keys()]
    for game_id in games:
        record = record_of(service, game_id)
        assert audit(BytesIO(record), keys=keys).first is None
        stored = read(BytesIO(record)).events
        assert [event["seq"] for event in stored] == list(range(1, len(stored) + 1))
        for _, event in (item for item in acknowledged if item[0] == game_id):
            assert stored[event["seq"] - 1]["hash"] == event["hash"]
    service.redis.close()


def test_a_failover_loses_no_acknowledged_event(servers: Replicated, settings: Settings) -> None:
    lose_nothing(servers, settings, 1)


@pytest.mark.nightly
def test_many_failovers_lose_no_acknowledged_event(servers: Replicated, settings: Settings) -> None:
    lose_nothing(servers, settings, 30)


def test_a_connection_to_a_former_master_finds_the_new_one(
    servers: Replicated, settings: Settings
) -> None:
    service = build(replace(settings, redis_url=servers.url, queue_url=servers.url))
    game = start_game(service)
    former = servers.master_port()
    servers.fail_over()
    pool: Any = service.redis.connection_pool
    connection = pool.get_connection()
    connection.disconnect()
    # As if the Sentinel had named the former master once more when it came back as a replica.
    pool.proxy.master_address = ("127.0.0.1", former)
    connection.connect_to(pool.master_address)
    pool.release(connection)
    with pytest.raises(Unavailable, match="accepts no writes"):
        take_action(service, game.id)
    take_action(service, game.id)
    service.redis.close()


def test_events_that_a_failover_loses_are_recorded(servers: Replicated, settings: Settings) -> None:
    service = build(replace(settings, redis_url=servers.url, queue_url=servers.url))
    service.keyring.publish_key()
    game = start_game(service)
    servers.wait_for_replica()
    replica = servers.replica_of(servers.master_port())
    servers.servers[replica].send_signal(signal.SIGSTOP)
    with redis.Redis(port=servers.master_port()) as client:
        # What the master sends now would wait in the kernel for the replica.
        client.client_kill_filter(_type="replica")
    for _ in range(3):
        take_action(service, game.id)
    lost = service.games.queries.game(game.id)
    servers.kill(master := servers.master_port())
    servers.servers[replica].send_signal(signal.SIGCONT)
    servers.complete_failover(master)
    find_losses(service)
    Scheduler(service, service.redis).record_lost_events()
    event = read(BytesIO(record_of(service, game.id))).events[-1]
    assert (event["type"], event["seq"]) == ("EventsLost", game.seq + 1)
    assert event["data"] == {"last": lost.seq, "hash": lost.hash}
    take_action(service, game.id)
    service.redis.close()


def test_without_the_replica_nothing_is_acknowledged(
    servers: Replicated, settings: Settings
) -> None:
    service = build(replace(settings, redis_url=servers.url, queue_url=servers.url))
    game = start_game(service)
    strict = build(replace(settings, redis_url=servers.url, queue_url=servers.url, wait_replicas=1))
    take_action(strict, game.id)
    replica = servers.replica_of(servers.master_port())
    servers.servers[replica].kill()
    servers.servers[replica].wait()
    with pytest.raises(Unavailable, match="too few replicas"):
        take_action(strict, game.id)
    take_action(service, game.id)
    for it in (service, strict):
        it.redis.close()


def test_a_replica_that_keeps_no_file_does_not_count_if_the_engine_can_tell(
    servers: Replicated, settings: Settings
) -> None:
    """What was acknowledged is on the disks of several machines, where the engine knows WAITAOF."""
    strict = build(replace(settings, redis_url=servers.url, queue_url=servers.url, wait_replicas=1))
    game = start_game(strict)
    replica = servers.replica_of(servers.master_port())
    with redis.Redis(port=replica) as client:
        client.config_set("appendonly", "no")
        if ENGINE_KNOWS_WAITAOF:
            with pytest.raises(Unavailable, match="too few replicas"):
                take_action(strict, game.id)
            client.config_set("appendonly", "yes")
            wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
    take_action(strict, game.id)
    strict.redis.close()


def test_event_streams_find_the_master(servers: Replicated) -> None:
    async def ask() -> None:
        client = connect_async(
            servers.url, max_connections=2, seconds_to_connect=5, seconds_to_respond=5
        )
        info = await client.info("replication")
        assert (info["role"], info["connected_slaves"]) == ("master", 1)
        await client.aclose()

    asyncio.run(ask())


def test_users_of_an_event_loop_wait_for_its_few_connections(servers: Replicated) -> None:
    async def ask() -> None:
        client = connect_async(
            servers.url, max_connections=2, seconds_to_connect=5, seconds_to_respond=60
        )
        assert await asyncio.gather(*(client.incr("count") for _ in range(20)))
        assert int(await client.get("count") or 0) == 20
        await client.aclose()

    asyncio.run(ask())


def test_a_command_without_a_reply_in_time_is_not_awaited_by_the_next_one(
    servers: Replicated,
) -> None:
    with connect(servers.url, seconds_to_respond=0.2) as client:
        for _ in range(3):
            with pytest.raises(redis.TimeoutError):
                client.blpop(["empty"], HANG_SECONDS)
            assert client.echo("next") == b"next"


def test_an_interrupted_command_is_not_awaited_by_the_next_one(servers: Replicated) -> None:
    class Interrupted(Exception):
        pass

    def interrupt(number: int, frame: object) -> None:
        raise Interrupted

    with connect(servers.url, seconds_to_respond=HANG_SECONDS) as client:
        handler = signal.signal(signal.SIGALRM, interrupt)
        try:
            client.ping()
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(Interrupted):
                client.blpop(["empty"], HANG_SECONDS)
        finally:
            signal.signal(signal.SIGALRM, handler)
        blocked = [info for info in client.client_list() if info["cmd"] == "blpop"]
        assert not blocked, "the connection of the interrupted command is still used"
        assert client.echo("next") == b"next"


def test_a_sentinel_that_is_away_makes_the_store_unavailable(settings: Settings) -> None:
    url = f"redis+sentinel://127.0.0.1:1,127.0.0.1:2/{NAME}"
    service = build(replace(settings, redis_url=url, queue_url=url))
    with pytest.raises(Unavailable, match="does not respond"):
        service.store.head("0" * 16)


def test_a_url_names_sentinels_a_master_and_a_login() -> None:
    parsed = parse_sentinel_url(
        "rediss+sentinel://ada:p%40ss@one:26379,[::1]:26380/games/3?sentinel_password=s"
    )
    assert parsed.sentinels == [("one", 26379), ("::1", 26380)]
    assert parsed.name == "games"
    assert parsed.options == {
        "db": 3,
        "socket_keepalive": True,
        "username": "ada",
        "password": "p@ss",
        "ssl": True,
    }
    assert parsed.sentinel_options == {"ssl": True, "password": "s"}


@pytest.mark.parametrize(
    "rest",
    ["one/games", "one:0/games", "one:1,/games", "one:1", "one:1/games/x", "one:1/games?tls=1"],
)
def test_a_url_without_a_sentinel_or_a_master_is_refused(rest: str, tmp_path: Path) -> None:
    url = f"redis+sentinel://user:secret@{rest}"
    with pytest.raises(InvalidRedisUrl):
        parse_sentinel_url(url)
    assert_refused_by_settings(url, tmp_path)


@pytest.mark.needs_redis("single")
def test_a_plain_redis_is_asked_for_replicas_too(service: Service, settings: Settings) -> None:
    game = start_game(service)
    strict = build(replace(settings, wait_replicas=1))
    with pytest.raises(Unavailable, match="too few replicas"):
        take_action(strict, game.id)
    assert isinstance(strict.redis, redis.Redis)
    strict.redis.close()


def last_seq(player: PlayerClient, game_id: str) -> int:
    """Return the seq of the last event of a game, as soon as the service can tell it."""
    head = 0

    def is_read() -> bool:
        nonlocal head
        response = player.http.get(f"/api/v1/games/{game_id}/legal-actions")
        head = response.json()["seq"] if response.status_code == HTTPStatus.OK else 0
        return head > 0

    wait_until(is_read)
    return head


def act_if_possible(player: PlayerClient, game_id: str) -> None:
    """Take the first legal action, if there is one and the service responds."""
    response = player.http.get(f"/api/v1/games/{game_id}/legal-actions")
    if response.status_code == HTTPStatus.OK and response.json()["actions"]:
        player.act(game_id, response.json()["actions"][0], response.json()["seq"])


@pytest.mark.nightly
def test_a_whole_service_continues_after_a_failover(servers: Replicated, tmp_path: Path) -> None:
    (tmp_path / "service").mkdir()
    running = RunningService(
        tmp_path / "service",
        processes=1,
        CARTULARY_REDIS_URL=servers.url,
        CARTULARY_WAIT_REPLICAS="1",
    )
    running.start()
    accounts = Accounts(running.url)
    try:
        ada = accounts.register()
        game_id = ada.create_game()
        ada.http.post(f"/api/v1/games/{game_id}/bots", json={}).raise_for_status()
        for _ in range(3):
            # No player acts four times in a row, so a worker has played the bot.
            goal = last_seq(ada, game_id) + 4
            while last_seq(ada, game_id) < goal:
                # While there is no master, requests are refused with 503, and may be repeated.
                act_if_possible(ada, game_id)
            servers.fail_over()
    finally:
        accounts.close()
        running.stop()

"""A store in a Redis Cluster: commands find their nodes, and a service survives the failure of a master."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.asyncio.cluster import ClusterNode
from redis.client import Pipeline
from redis.crc import key_slot
from redis.exceptions import CrossSlotTransactionError

from ledger.record import read
from replay.audit.runner import audit
from replay.language.renderer import english
from service.bootstrap import build
from service.cluster import ClusterClient
from service.connection import InvalidRedisUrl, connect, connect_async, parse_cluster_url
from service.errors import HandleTaken, Unavailable
from service.recovery.backup import BackupError, back_up, restore
from service.settings import Settings, SettingsError, load_settings
from service.store.redis_event_store import game_key
from tests.support.accounts import Accounts, PlayerClient
from tests.support.clusters import Cluster, redis_cluster
from tests.support.processes import HANG_SECONDS, wait_until
from tests.support.redis_kinds import assert_refused_by_settings
from tests.support.running_service import RunningService
from tests.support.service_games import start_game, take_action

KEYS = [f"key-{number}" for number in range(20)]
"""Keys in slots of all masters."""


@pytest.fixture(scope="module")
def shared_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster for all tests of this file. A test that fails a master over waits until it is whole again."""
    with redis_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def cluster(shared_cluster: Cluster) -> Cluster:
    """The cluster without data."""
    shared_cluster.empty()
    return shared_cluster


@pytest.fixture
def client(cluster: Cluster) -> Iterator[ClusterClient]:
    with connect(cluster.url) as client:
        assert isinstance(client, ClusterClient)
        yield client


@pytest.fixture
def cluster_settings(cluster: Cluster, settings: Settings, redis_server: Any) -> Settings:
    """Settings with the logs in the cluster and the queue in the shared Redis."""
    return replace(settings, redis_url=cluster.url, queue_url=redis_server.url)


def test_the_keys_of_the_tests_are_on_all_masters(client: ClusterClient) -> None:
    assert len({client.pool_of(key_slot(key.encode())) for key in KEYS}) == 3


def test_commands_with_several_keys_and_about_all_keys_reach_every_node(
    client: ClusterClient,
) -> None:
    for key in KEYS:
        client.set(key, key)
    assert client.mget([*KEYS, "none"]) == [*(key.encode() for key in KEYS), None]
    assert {*client.scan_iter("key-*")} == {key.encode() for key in KEYS}
    assert {*client.keys("*")} == {key.encode() for key in KEYS}
    assert client.exists(*KEYS) == client.dbsize() == len(KEYS)
    assert client.delete(*KEYS, "none") == len(KEYS)
    client.set("key-1", "")
    client.flushall()
    assert client.dbsize() == 0


def test_a_pipeline_returns_the_replies_of_all_nodes_in_order(client: ClusterClient) -> None:
    with client.pipeline(transaction=False) as pipeline:
        for key in KEYS:
            pipeline.hset(key, "field", key)
            pipeline.hgetall(key)
        replies = pipeline.execute()
    assert replies == [reply for key in KEYS for reply in (1, {b"field": key.encode()})]


def test_an_error_in_a_pipeline_is_that_of_its_command(client: ClusterClient) -> None:
    client.set(KEYS[3], "text")
    with client.pipeline(transaction=False) as pipeline:
        for key in KEYS:
            pipeline.hget(key, "field")
        replies = pipeline.execute(raise_on_error=False)
        assert [isinstance(reply, redis.ResponseError) for reply in replies] == [
            key == KEYS[3] for key in KEYS
        ]
        for key in KEYS:
            pipeline.hget(key, "field")
        with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
            pipeline.execute()


def test_scripts_run_on_every_node_also_in_a_pipeline_and_after_they_were_lost(
    client: ClusterClient,
) -> None:
    script = client.register_script("return redis.call('INCR', KEYS[1])")
    assert [script(keys=[key]) for key in KEYS] == [1] * len(KEYS)
    client.script_flush()
    with client.pipeline(transaction=False) as pipeline:
        for key in KEYS:
            script(keys=[key], client=pipeline)
        assert pipeline.execute() == [2] * len(KEYS)


def test_a_transaction_is_atomic_and_within_a_slot(client: ClusterClient) -> None:
    with client.pipeline() as pipeline:
        pipeline.hset("a", "field", "1")
        pipeline.hgetall("a")
        assert pipeline.execute() == [1, {b"field": b"1"}]
    with client.pipeline() as pipeline:
        for key in KEYS:
            pipeline.set(key, "")
        with pytest.raises(CrossSlotTransactionError):
            pipeline.execute()
    assert client.exists(*KEYS) == 0


def test_a_transaction_that_watches_a_key_sees_its_changes(client: ClusterClient) -> None:
    others = iter("12")

    def double(pipeline: Pipeline) -> None:
        value = int(pipeline.get("count") or 0)
        if (other := next(others, None)) is not None:
            client.set("count", other)
        pipeline.multi()
        pipeline.set("count", 2 * value)

    client.transaction(double, "count")
    assert client.get("count") == b"4"


def test_a_command_for_all_nodes_that_is_not_known_goes_to_none(client: ClusterClient) -> None:
    with pytest.raises(redis.DataError):
        client.execute_command("CONFIG RESETSTAT")


def test_redirections_are_followed_while_a_slot_is_moved(
    cluster: Cluster, client: ClusterClient
) -> None:
    tag, there, new = "moved", "{moved}there", "{moved}new"
    slot = key_slot(tag.encode())
    client.set(there, "1")
    old_port = cluster.master_of(there)
    new_port = next(port for port in cluster.masters() if port != old_port)
    with redis.Redis(port=old_port) as old, redis.Redis(port=new_port) as target:
        ids = {server: server.execute_command("CLUSTER MYID").decode() for server in (old, target)}
        target.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[old])
        old.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[target])
        # Keys that are not there any more are asked for at the new node (ASK).
        client.set(new, "2")
        assert (client.get(there), client.get(new)) == (b"1", b"2")
        with client.pipeline(transaction=False) as pipeline:
            pipeline.get(there)
            pipeline.get(new)
            assert pipeline.execute() == [b"1", b"2"]
        old.execute_command("MIGRATE", "127.0.0.1", new_port, there, 0, 5000)
        for server in (target, old):
            server.execute_command("CLUSTER SETSLOT", slot, "NODE", ids[target])
        # From now on, all are (MOVED).
        with client.pipeline() as pipeline:
            pipeline.get(there)
            pipeline.get(new)
            assert pipeline.execute() == [b"1", b"2"]
        assert cluster.master_of(there) == new_port
        # Back again, with the keys.
        old.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[target])
        target.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[old])
        for key in (there, new):
            target.execute_command("MIGRATE", "127.0.0.1", old_port, key, 0, 5000)
        for server in (old, target):
            server.execute_command("CLUSTER SETSLOT", slot, "NODE", ids[old])

    def read_new(pipeline: Pipeline) -> None:
        pipeline.multi()
        pipeline.get(new)

    assert client.transaction(read_new, there) == [b"2"]


async def next_message(channel: Any) -> Any:
    """Return the next message; redis-py also returns None for what is none."""
    message = None
    while message is None:
        message = await channel.get_message(timeout=HANG_SECONDS)
    return message


def test_event_streams_read_every_node_and_hear_what_is_published_on_any(
    cluster: Cluster, client: ClusterClient
) -> None:
    for key in KEYS:
        client.set(key, key)

    async def follow() -> None:
        reader = connect_async(
            cluster.url, max_connections=2, seconds_to_connect=5, seconds_to_respond=60
        )
        replies = await asyncio.gather(*(reader.get(key) for key in KEYS))
        assert replies == [key.encode() for key in KEYS]

        async def read_all() -> list[Any]:
            pipeline: Any
            async with reader.pipeline(transaction=False) as pipeline:
                for key in KEYS:
                    pipeline.get(key)
                values: list[Any] = await pipeline.execute()
                return values

        assert await asyncio.gather(*(read_all() for _ in range(10))) == [replies] * 10
        async with reader.pubsub() as channel:
            await channel.subscribe("channel")
            assert (await next_message(channel))["type"] == "subscribe"
            expected = {str(port).encode() for port in cluster.masters()}
            heard: set[bytes] = set()
            # A message is lost while the node that receives it is not connected to the others yet.
            while heard != expected:
                for port in expected - heard:
                    with redis.Redis(port=int(port)) as node:
                        node.publish("channel", port)
                message = await channel.get_message(ignore_subscribe_messages=True, timeout=1)
                while message is not None:
                    heard.add(message["data"])
                    message = await channel.get_message(timeout=0.1)
        await reader.aclose()

    asyncio.run(follow())


def disconnect_noting(closed: list[Any]) -> Callable[[ClusterNode], Coroutine[Any, Any, None]]:
    """Return what closes the connections to a node, and adds the node to a list."""
    disconnect = ClusterNode.disconnect

    async def disconnect_and_note(node: ClusterNode) -> None:
        closed.append(node)
        await disconnect(node)

    return disconnect_and_note


def test_redirections_of_event_streams_close_no_connections(
    cluster: Cluster, client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.set("key", "value")
    connections = 20

    async def follow() -> None:
        reader: Any = connect_async(
            cluster.url, max_connections=connections, seconds_to_connect=5, seconds_to_respond=60
        )
        await reader.get("key")
        manager = reader.nodes_manager
        slot = key_slot(b"key")
        master = manager.slots_cache[slot][0]
        others = [node for node in reader.get_primaries() if node is not master]
        closed: list[Any] = []
        monkeypatch.setattr(ClusterNode, "disconnect", disconnect_noting(closed))
        # So many commands are under way when the first of them is redirected.
        manager.slots_cache[slot] = others[:1]
        replies = await asyncio.gather(*(reader.get("key") for _ in range(connections)))
        assert replies == [b"value"] * connections
        assert manager.slots_cache[slot][0].port == master.port
        assert closed == []
        await reader.aclose()

    asyncio.run(follow())


def test_event_streams_continue_after_a_failover(cluster: Cluster, client: ClusterClient) -> None:
    with client.pipeline(transaction=False) as pipeline:
        pipeline.set("key", "value")
        pipeline.wait(1, 60_000)
        assert pipeline.execute() == [True, 1]

    async def hears() -> bool:
        """Return whether a new subscription gets a message that a master publishes."""
        with suppress(redis.RedisError):
            async with reader.pubsub() as channel:
                await channel.subscribe("channel")
                await next_message(channel)
                with redis.Redis(port=cluster.masters()[0]) as node:
                    node.publish("channel", "text")
                return bool((await next_message(channel))["data"] == b"text")
        return False

    async def reads() -> bool:
        with suppress(redis.RedisError):
            return bool(await reader.get("key") == b"value")
        return False

    async def follow() -> None:
        assert await reads()
        assert await hears()
        await asyncio.to_thread(cluster.fail_over, cluster.master_of("key"))
        for condition in (reads, hears):
            while not await condition():  # noqa: ASYNC110 # no event is set when a node responds
                await asyncio.sleep(0.01)
        await reader.aclose()

    reader: Any = connect_async(
        cluster.url, max_connections=2, seconds_to_connect=5, seconds_to_respond=60
    )
    asyncio.run(asyncio.wait_for(follow(), HANG_SECONDS))


def test_a_command_fails_while_its_master_is_down_and_later_ones_continue(
    cluster: Cluster, client: ClusterClient
) -> None:
    with client.pipeline(transaction=False) as pipeline:
        pipeline.set("key", "value")
        pipeline.wait(1, 60_000)
        pipeline.execute()
    cluster.kill(master := cluster.master_of("key"))
    with pytest.raises(redis.ConnectionError):
        client.incr("key")
    cluster.promote_replica(master)

    def reads() -> bool:
        with suppress(redis.RedisError):
            return client.get("key") == b"value"
        return False

    wait_until(reads)
    cluster.start_node(master)
    cluster.wait_until_whole()


def test_a_cluster_that_is_away_makes_the_store_unavailable(settings: Settings) -> None:
    url = "redis+cluster://127.0.0.1:1,127.0.0.1:2/"
    service = build(replace(settings, redis_url=url))
    with pytest.raises(Unavailable, match="does not respond"):
        service.store.head("0" * 16)

    async def read_one() -> None:
        reader = connect_async(url, max_connections=2, seconds_to_connect=5, seconds_to_respond=5)
        with pytest.raises(redis.ConnectionError):
            await reader.get("key")
        with pytest.raises(redis.ConnectionError):
            async with reader.pubsub() as channel:
                await channel.subscribe("channel")
        await reader.aclose()

    asyncio.run(read_one())


def test_look_alike_handles_are_taken_once(cluster_settings: Settings) -> None:
    """Their keys are in several slots, so that no single command can take them."""
    service = build(cluster_settings)
    players = service.accounts.players
    taken: list[str] = []
    barrier = threading.Barrier(4)

    def register(handle: str) -> None:
        barrier.wait()
        try:
            players.register(handle, "correct horse battery")
        except HandleTaken:
            return
        taken.append(handle)

    threads = [
        threading.Thread(target=register, args=[handle])
        for handle in ("modern", "rnodern", "Modern", "Rnodern")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) <= 1
    if not taken:
        # All were taken away from each other, and none is left behind.
        players.register("modern", "correct horse battery")
    with pytest.raises(HandleTaken):
        players.register("rnodern", "correct horse battery")
    service.redis.close()


@pytest.mark.needs_redis("single")
def test_a_backup_of_a_cluster_is_refused_and_one_of_a_single_redis_moves_into_it(
    settings: Settings, cluster_settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(BackupError) as error:
        back_up(cluster_settings, tmp_path / "backup", on_progress=lambda _: None)
    assert "Redis Cluster" in english(error.value.message)
    single = build(settings)
    game = take_action(single, start_game(single).id)
    back_up(settings, tmp_path / "backup", on_progress=lambda _: None)
    moved = replace(
        cluster_settings, data=tmp_path / "moved", signing_key=tmp_path / "moved" / "key.pem"
    )
    restore(moved, tmp_path / "backup")
    service = build(moved)
    game_id = game.events[0]["game"]
    assert service.games.queries.game(game_id).hash == game.events[-1]["hash"]
    single.redis.close()
    service.redis.close()


def act_if_possible(player: PlayerClient, game_id: str) -> list[Any]:
    """Take the first legal action, if there is one and the service responds; returns the events."""
    response = player.http.get(f"/api/v1/games/{game_id}/legal-actions")
    if response.status_code != HTTPStatus.OK or not response.json()["actions"]:
        return []
    response = player.act(game_id, response.json()["actions"][0], response.json()["seq"])
    events: list[Any] = response.json()["events"] if response.status_code == 201 else []
    return events


@pytest.mark.nightly
def test_a_whole_game_is_played_while_its_master_fails(
    cluster: Cluster, redis_server: Any, tmp_path: Path
) -> None:
    (tmp_path / "service").mkdir()
    running = RunningService(
        tmp_path / "service",
        processes=1,
        CARTULARY_REDIS_URL=cluster.url,
        CARTULARY_QUEUE_URL=redis_server.url,
        CARTULARY_WAIT_REPLICAS="1",
        CARTULARY_SWEEP_SECONDS="0.5",
    )
    running.start()
    accounts = Accounts(running.url)
    acknowledged: list[Any] = []
    try:
        game_id, players = accounts.start_game(options={"round_limit": 1})

        def play() -> bool:
            """Act for the player whose turn it is; return whether an event was acknowledged."""
            before = len(acknowledged)
            for player in players:
                acknowledged.extend(act_if_possible(player, game_id))
            return len(acknowledged) > before

        wait_until(play)
        master = cluster.master_of(game_key(game_id, "log"))
        cluster.fail_over(master)
        assert cluster.master_of(game_key(game_id, "log")) != master

        def is_finished() -> bool:
            play()
            response = players[0].http.get(f"/api/v1/games/{game_id}")
            return response.status_code == 200 and response.json()["status"] == "finished"

        wait_until(is_finished)
        record = players[0].http.get(f"/api/v1/games/{game_id}/record").content
        keys = [key["public"] for key in players[0].http.get("/api/v1/keys").json()["keys"]]
    finally:
        accounts.close()
        running.stop()
    assert audit(BytesIO(record), keys=keys).first is None
    events = read(BytesIO(record)).events
    for event in acknowledged:
        assert events[event["seq"] - 1]["hash"] == event["hash"]
    assert [event["type"] for event in events].count("RoundScored") == 1


def test_a_url_names_nodes_and_a_login() -> None:
    parsed = parse_cluster_url("rediss+cluster://ada:p%40ss@one:7000,[::1]:7001/")
    assert [*parsed.nodes] == [("one", 7000), ("::1", 7001)]
    assert parsed.options == {
        "socket_keepalive": True,
        "username": "ada",
        "password": "p@ss",
        "ssl": True,
    }


@pytest.mark.parametrize("rest", ["one", "one:0", "one:1,", "one:1/3", "one:1/?tls=1"])
def test_a_url_without_a_node_or_with_a_database_is_refused(rest: str, tmp_path: Path) -> None:
    url = f"redis+cluster://user:secret@{rest}"
    with pytest.raises(InvalidRedisUrl):
        parse_cluster_url(url)
    assert_refused_by_settings(url, tmp_path)


def test_a_cluster_needs_a_queue_in_another_redis(tmp_path: Path) -> None:
    environment = {
        "CARTULARY_DATA": str(tmp_path),
        "CARTULARY_REDIS_URL": "redis+cluster://one:7000/",
    }
    with pytest.raises(SettingsError) as error:
        load_settings(environment)
    assert english(error.value.message).startswith("CARTULARY_QUEUE_URL must be set")
    with pytest.raises(SettingsError) as error:
        load_settings({**environment, "CARTULARY_QUEUE_URL": environment["CARTULARY_REDIS_URL"]})
    assert english(error.value.message).startswith("CARTULARY_QUEUE_URL must not be a cluster")
    settings = load_settings({**environment, "CARTULARY_QUEUE_URL": "redis://two"})
    assert settings.queue_url == "redis://two"

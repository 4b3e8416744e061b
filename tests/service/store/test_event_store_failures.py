"""The event store when Redis is killed, is stopped, accepts no writes, or loses a connection."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from service.bootstrap import Service, build
from service.connection import connect
from service.errors import Unavailable
from service.operation.embedded_redis import EmbeddedRedis
from service.replication import Replication
from service.settings import Settings
from service.store.event_store import Appended, AppendRequest, IdempotencyRecord
from service.store.redis_event_store import RedisEventStore, game_key
from tests.support.processes import wait_until
from tests.support.service_games import start_game, take_action


def line(text: str) -> bytes:
    return f'{{"text":"{text}"}}'.encode()


def request(*texts: str, record: IdempotencyRecord | None = None) -> AppendRequest:
    """A request to append an event for each text."""
    return AppendRequest(events=tuple(line(text) for text in texts), idempotency_record=record)


def test_a_killed_redis_has_kept_every_acknowledged_event(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path)
    server.start()
    client = connect(server.url)
    store = RedisEventStore(client)
    acknowledged: dict[str, int] = dict.fromkeys("abcd", 0)
    requested: dict[str, int] = dict.fromkeys("abcd", 0)

    def write(game: str) -> None:
        seq = store.head(game)
        try:
            while True:
                requested[game] = seq + 2
                entries: dict[str, str | None] = {"finish": str(seq + 2)}
                store.append(
                    game,
                    seq,
                    AppendRequest((line(f"{seq + 1}"), line(f"{seq + 2}")), outbox=entries),
                )
                seq = acknowledged[game] = seq + 2
        except Unavailable:
            pass

    def has_advanced(game: str, seq: int) -> bool:
        return acknowledged[game] > seq

    try:
        for _ in range(3):
            with ThreadPoolExecutor(4) as pool:
                before = dict(acknowledged)
                writers = [pool.submit(write, game) for game in "abcd"]
                try:
                    for game, seq in before.items():
                        wait_until(partial(has_advanced, game, seq))
                finally:
                    # Nothing else ends the writers.
                    server.kill()
                for writer in writers:
                    writer.result()
            # The same client is used again: it reconnects by itself.
            server.start()
            for game in "abcd":
                head = store.head(game)
                assert acknowledged[game] <= head <= requested[game]
                assert head % 2 == 0
                assert store.read(game) == [line(f"{seq}") for seq in range(1, head + 1)]
                assert store.outbox(game) == {"finish": str(head)}
    finally:
        client.close()
        server.stop()


def test_every_method_raises_unavailable_until_redis_is_back(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path)
    server.start()
    client = connect(server.url)
    store = RedisEventStore(client)
    try:
        store.append("g", 0, request("a"))
        server.stop()
        for call in (
            lambda: store.append("g", 1, request("b")),
            lambda: store.find_idempotency_record("g", IdempotencyRecord("a", "b")),
            lambda: store.read("g"),
            lambda: store.read_each({"g": 0}),
            lambda: store.head("g"),
            lambda: store.secrets("g"),
            lambda: store.outbox("g"),
            lambda: store.outboxes(["g"]),
            lambda: store.ack("g", "a", "b"),
            lambda: store.add_outbox_entries_if_absent("g", {"a": "b"}),
            lambda: store.last_event_types(["g"]),
            lambda: store.mark_active("g"),
            lambda: store.mark_inactive("g"),
            lambda: list(store.active_games()),
            lambda: list(store.game_ids()),
        ):
            with pytest.raises(Unavailable) as error:
                call()
            assert error.value.retry_after > 0
        server.start()
        assert store.append("g", 1, request("b")) == Appended(2, 2)
    finally:
        client.close()
        server.stop()


def test_a_redis_that_accepts_no_writes_is_unavailable(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, connect(server.url) as client:
        store = RedisEventStore(client)
        store.append("g", 0, request("a"))
        client.config_set("min-replicas-to-write", 1)
        with pytest.raises(Unavailable):
            store.append("g", 1, request("b"))
        client.config_set("min-replicas-to-write", 0)
        client.config_set("maxmemory", 1)
        with pytest.raises(Unavailable):
            store.append("g", 1, request("b"))
        client.config_set("maxmemory", 0)
        assert store.append("g", 1, request("b")) == Appended(2, 2)


class DisconnectingProxy:
    """Forwards everything to a Redis until it has forwarded an append; then it closes both sides."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.appends = 0
        self._listening = threading.Thread(target=self._listen)
        self._listening.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listening.join()
        self._listener.close()

    def _listen(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            with near, socket.socket(socket.AF_UNIX) as far:
                far.connect(self._path)
                while data := near.recv(1 << 16):
                    far.sendall(data)
                    if b"EVALSHA" in data:
                        self.appends += 1
                        break
                    near.sendall(far.recv(1 << 16))


def test_a_master_that_becomes_a_replica_before_its_replicas_are_counted_is_unavailable(
    tmp_path: Path,
) -> None:
    with EmbeddedRedis(tmp_path) as server, connect(server.url) as client:
        store = RedisEventStore(client, wait_replicas=1)
        # A replica that takes writes is like a master between the write and the failover.
        client.config_set("replica-read-only", "no")
        client.execute_command("REPLICAOF", "127.0.0.1", "1")
        with pytest.raises(Unavailable, match="accepts no writes"):
            store.append("a", 0, request("first"))
        with pytest.raises(Unavailable, match="accepts no writes"):
            Replication(client, 1).wait()


@pytest.mark.needs_redis("single")
def test_an_append_whose_reply_was_lost_is_not_sent_again(redis_url: str) -> None:
    with connect(redis_url) as client:
        store = RedisEventStore(client)
        store.append("g", 0, request("a"))  # so that the script is loaded
        proxy = DisconnectingProxy(unquote(urlsplit(redis_url).path))
        with connect(f"redis://127.0.0.1:{proxy.port}") as cut, pytest.raises(Unavailable):
            RedisEventStore(cut).append(
                "h", 0, request("b", record=IdempotencyRecord("ada/k", "body"))
            )
        proxy.close()
        assert proxy.appends == 1
        # It was written nevertheless, as the idempotency record shows.
        wait_until(lambda: store.head("h"))
        assert store.append(
            "h", 0, request("b", record=IdempotencyRecord("ada/k", "body"))
        ) == Appended(1, 1, is_repeat=True)


def test_a_process_does_not_append_to_a_reported_lost_event(
    service: Service, settings: Settings
) -> None:
    """The report has the hash of the lost event in its data, and may have the same number."""
    game = start_game(service)
    log_key = game_key(game.id, "log")
    kept: Any = service.redis.dump(log_key)
    take_action(service, game.id)
    lost = service.games.queries.game(game.id)
    service.redis.restore(log_key, 0, kept, replace=True)
    other = build(settings)
    other.games.lost_events.report(lost)
    other.games.lost_events.record(other.games.repository)
    take_action(service, game.id)
    events = service.games.queries.event_page(game.id, 0, 100)
    assert [event["type"] for event in events[game.seq :]] == ["EventsLost", "CityPlaced"]
    assert events[-1]["prev"] == events[-2]["hash"]
    other.redis.close()


@pytest.mark.needs_redis("single")
def test_a_server_that_takes_over_after_a_script_was_loaded_is_unavailable(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request is repeated, and succeeds then."""
    game = start_game(service)
    load = service.redis.script_load

    def load_elsewhere(script: str) -> object:
        sha = load(script)
        service.redis.script_flush()
        return sha

    service.redis.script_flush()
    with monkeypatch.context() as patch:
        patch.setattr(service.redis, "script_load", load_elsewhere)
        with pytest.raises(Unavailable, match="accepts no writes"):
            take_action(service, game.id)
    take_action(service, game.id)

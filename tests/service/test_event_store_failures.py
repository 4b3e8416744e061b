"""The log when its Redis is killed, goes away, takes no writes, or answers are lost on the way."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from service.connection import connect
from service.embedded_redis import EmbeddedRedis
from service.errors import Unavailable
from service.store.event_store import Appended, AppendRequest, IdempotencyRecord
from service.store.redis_event_store import RedisEventStore


def line(text: str) -> bytes:
    return f'{{"said":"{text}"}}'.encode()


def say(*texts: str, answer: IdempotencyRecord | None = None) -> AppendRequest:
    return AppendRequest(events=tuple(line(text) for text in texts), idempotency_record=answer)


def test_a_killed_redis_comes_back_with_all_that_was_acknowledged(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path)
    server.start()
    client = connect(server.url)
    log = RedisEventStore(client)
    acknowledged: dict[str, int] = dict.fromkeys("abcd", 0)
    asked: dict[str, int] = dict.fromkeys("abcd", 0)

    def write(game: str) -> None:
        seq = log.head(game)
        try:
            while True:
                asked[game] = seq + 2
                notes: dict[str, str | None] = {"note": str(seq + 2)}
                log.append(
                    game, seq, AppendRequest((line(f"{seq + 1}"), line(f"{seq + 2}")), outbox=notes)
                )
                seq = acknowledged[game] = seq + 2
        except Unavailable:
            pass

    try:
        for _ in range(3):
            with ThreadPoolExecutor(4) as pool:
                writing = [pool.submit(write, game) for game in "abcd"]
                time.sleep(0.15)
                server.kill()
                for each in writing:
                    each.result()
            # The same connections are used again: that Redis is back is noticed without help.
            server.start()
            for game in "abcd":
                head = log.head(game)
                assert acknowledged[game] <= head <= asked[game]
                assert head % 2 == 0
                assert log.read(game) == [line(f"{seq}") for seq in range(1, head + 1)]
                assert log.outbox(game) == {"note": str(head)}
        assert min(acknowledged.values()) > 0
    finally:
        client.close()
        server.stop()


def test_a_redis_that_is_away_is_said_so_and_is_back_by_itself(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path)
    server.start()
    client = connect(server.url)
    log = RedisEventStore(client)
    try:
        log.append("g", 0, say("a"))
        server.stop()
        for use in (
            lambda: log.append("g", 1, say("b")),
            lambda: log.find_idempotency_record("g", IdempotencyRecord("a", "b")),
            lambda: log.read("g"),
            lambda: log.read_each({"g": 0}),
            lambda: log.head("g"),
            lambda: log.secrets("g"),
            lambda: log.outbox("g"),
            lambda: log.ack("g", "a", "b"),
            lambda: log.mark_active("g"),
            lambda: log.mark_inactive("g"),
            lambda: list(log.active_games()),
            lambda: list(log.game_ids()),
        ):
            with pytest.raises(Unavailable) as away:
                use()
            assert away.value.retry_after > 0
        server.start()
        assert log.append("g", 1, say("b")) == Appended(2, 2)
    finally:
        client.close()
        server.stop()


def test_a_redis_that_takes_no_writes_is_away(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, connect(server.url) as client:
        log = RedisEventStore(client)
        log.append("g", 0, say("a"))
        client.config_set("min-replicas-to-write", 1)
        with pytest.raises(Unavailable):
            log.append("g", 1, say("b"))
        client.config_set("min-replicas-to-write", 0)
        client.config_set("maxmemory", 1)
        with pytest.raises(Unavailable):
            log.append("g", 1, say("b"))
        client.config_set("maxmemory", 0)
        assert log.append("g", 1, say("b")) == Appended(2, 2)


class Severed:
    """Hands everything on to a Redis, until an append comes by: then it hangs up on both sides."""

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
                while said := near.recv(1 << 16):
                    far.sendall(said)
                    if b"EVALSHA" in said:
                        self.appends += 1
                        break
                    near.sendall(far.recv(1 << 16))


def test_an_append_whose_answer_was_lost_is_not_sent_again(redis_url: str) -> None:
    with connect(redis_url) as client:
        log = RedisEventStore(client)
        log.append("g", 0, say("a"))  # so that the script is loaded
        severed = Severed(unquote(urlsplit(redis_url).path))
        with connect(f"redis://127.0.0.1:{severed.port}") as cut, pytest.raises(Unavailable):
            RedisEventStore(cut).append("h", 0, say("b", answer=IdempotencyRecord("ada/k", "body")))
        severed.close()
        assert severed.appends == 1
        # It was done all the same, and the key tells so.
        while not log.head("h"):
            time.sleep(0.01)
        assert log.append("h", 0, say("b", answer=IdempotencyRecord("ada/k", "body"))) == Appended(
            1, 1, is_repeat=True
        )

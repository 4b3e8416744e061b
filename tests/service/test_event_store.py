"""The contract of a log, on a real Redis: what any implementation of `EventStore` must do."""

import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

from service.connection import connect
from service.errors import IdempotencyConflict
from service.store.event_store import (
    Appended,
    AppendRequest,
    EventStore,
    HeadMoved,
    IdempotencyRecord,
)
from service.store.redis_event_store import RedisEventStore


def line(text: str) -> bytes:
    return f'{{"said":"{text}"}}'.encode()


def say(*texts: str, answer: IdempotencyRecord | None = None) -> AppendRequest:
    return AppendRequest(events=tuple(line(text) for text in texts), idempotency_record=answer)


class LogContract:
    """The fixture `log` is the implementation, with nothing in it."""

    def test_a_log_is_read_as_it_was_appended(self, log: EventStore) -> None:
        assert log.append("g", 0, say("a", "b")) == Appended(1, 2)
        assert log.append("g", 2, say("c")) == Appended(3, 3)
        assert log.read("g") == [line("a"), line("b"), line("c")]
        assert log.head("g") == 3

    def test_there_is_nothing_of_a_game_that_is_not_there(self, log: EventStore) -> None:
        assert log.head("g") == 0
        assert log.read("g") == []
        assert log.secrets("g") == {}
        assert log.outbox("g") == {}

    def test_an_append_may_say_which_event_it_follows(self, log: EventStore) -> None:
        log.append("g", 0, AppendRequest((b'{"hash":"aa","prev":"00"}',), prev_hash="00"))
        with pytest.raises(HeadMoved) as moved:
            log.append("g", 1, AppendRequest((b'{"hash":"bb","prev":"cc"}',), prev_hash="cc"))
        assert moved.value.head == 1
        log.append("g", 1, AppendRequest((b'{"hash":"bb","prev":"aa"}',), prev_hash="aa"))
        assert log.head("g") == 2

    def test_games_know_nothing_of_each_other(self, log: EventStore) -> None:
        log.append("g", 0, say("a"))
        log.append("h", 0, say("b"))
        assert log.read("g") == [line("a")]
        assert sorted(log.game_ids()) == ["g", "h"]

    @pytest.mark.parametrize(
        ("after", "upto", "limit", "texts"),
        [
            (0, None, None, "abcde"),
            (2, None, None, "cde"),
            (0, 2, None, "ab"),
            (1, 4, None, "bcd"),
            (1, 4, 2, "bc"),
            (0, None, 3, "abc"),
            (5, None, None, ""),
            (9, None, None, ""),
            (3, 3, None, ""),
            (4, 9, None, "e"),
        ],
    )
    def test_a_range_is_read(
        self, log: EventStore, after: int, upto: int | None, limit: int | None, texts: str
    ) -> None:
        log.append("g", 0, say(*"abcde"))
        assert log.read("g", after, upto, limit) == [line(text) for text in texts]

    def test_many_games_are_read_at_once(self, log: EventStore) -> None:
        log.append("g", 0, say("a", "b"))
        log.append("h", 0, say("c"))
        assert log.read_each({"g": 1, "h": 0, "i": 0}) == {
            "g": [line("b")],
            "h": [line("c")],
            "i": [],
        }
        assert log.read_each({}) == {}

    @pytest.mark.parametrize("expected", [0, 1, 3, 100])
    def test_another_head_refuses_and_says_which_it_is(
        self, log: EventStore, expected: int
    ) -> None:
        log.append("g", 0, say("a", "b"))
        with pytest.raises(HeadMoved) as moved:
            log.append("g", expected, say("c"))
        assert moved.value.head == 2
        assert log.read("g") == [line("a"), line("b")]

    def test_a_log_cannot_begin_with_a_gap(self, log: EventStore) -> None:
        with pytest.raises(HeadMoved) as moved:
            log.append("g", 1, say("b"))
        assert moved.value.head == 0
        assert log.head("g") == 0

    def test_secrets_and_notes_come_with_the_events(self, log: EventStore) -> None:
        append = AppendRequest(
            (line("a"),),
            secrets={"seed": "00ff", "1/pile": "{}"},
            outbox={"index": "{}", "gone": None},
        )
        log.append("g", 0, append)
        assert log.secrets("g") == {"seed": "00ff", "1/pile": "{}"}
        assert log.outbox("g") == {"index": "{}"}
        log.append(
            "g",
            1,
            AppendRequest(
                (line("b"),), secrets={"2/x": "é"}, outbox={"index": None, "finish": "1"}
            ),
        )
        assert log.secrets("g") == {"seed": "00ff", "1/pile": "{}", "2/x": "é"}
        assert log.outbox("g") == {"finish": "1"}

    def test_a_refused_append_leaves_neither_secret_nor_note_nor_answer(
        self, log: EventStore
    ) -> None:
        log.append("g", 0, AppendRequest((line("a"),), outbox={"index": "1"}))
        answer = IdempotencyRecord("ada/k", "body")
        with pytest.raises(HeadMoved):
            log.append(
                "g",
                0,
                AppendRequest((line("b"),), {"seed": "1"}, {"index": None, "finish": "2"}, answer),
            )
        assert log.secrets("g") == {}
        assert log.outbox("g") == {"index": "1"}
        assert log.find_idempotency_record("g", answer) is None

    def test_the_same_answer_appends_once(self, log: EventStore) -> None:
        answer = IdempotencyRecord("ada/k", "body")
        log.append("g", 0, say("a"))
        assert log.append("g", 1, say("b", "c", answer=answer)) == Appended(2, 3)
        log.append("g", 3, say("d"))
        for expected in (1, 3, 4):
            repeated = log.append("g", expected, say("b", "c", answer=answer))
            assert repeated == Appended(2, 3, is_repeat=True)
        assert log.find_idempotency_record("g", answer) == Appended(2, 3, is_repeat=True)
        assert log.head("g") == 4

    def test_an_answer_to_another_request_is_refused(self, log: EventStore) -> None:
        log.append("g", 0, say("a", answer=IdempotencyRecord("ada/k", "body")))
        with pytest.raises(IdempotencyConflict):
            log.append("g", 1, say("b", answer=IdempotencyRecord("ada/k", "other")))
        with pytest.raises(IdempotencyConflict):
            log.find_idempotency_record("g", IdempotencyRecord("ada/k", "other"))
        assert log.head("g") == 1

    def test_answers_of_other_players_and_games_are_others(self, log: EventStore) -> None:
        log.append("g", 0, say("a", answer=IdempotencyRecord("ada/k", "body")))
        assert log.append("g", 1, say("b", answer=IdempotencyRecord("bea/k", "other"))) == Appended(
            2, 2
        )
        assert log.append("h", 0, say("b", answer=IdempotencyRecord("ada/k", "other"))) == Appended(
            1, 1
        )

    def test_a_note_goes_only_while_it_is_the_same(self, log: EventStore) -> None:
        log.append("g", 0, AppendRequest((line("a"),), outbox={"deadline": "1"}))
        log.append("g", 1, AppendRequest((line("b"),), outbox={"deadline": "2"}))
        assert not log.ack("g", "deadline", "1")
        assert log.outbox("g") == {"deadline": "2"}
        assert log.ack("g", "deadline", "2")
        assert not log.ack("g", "deadline", "2")
        assert log.outbox("g") == {}

    def test_a_game_is_live_until_it_has_no_notes(self, log: EventStore) -> None:
        log.mark_active("g")
        log.append("g", 0, AppendRequest((line("a"),), outbox={"notify/over": "1"}, ends_game=True))
        assert not log.mark_inactive("g")
        assert list(log.active_games()) == ["g"]
        log.ack("g", "notify/over", "1")
        assert log.mark_inactive("g")
        assert list(log.active_games()) == []
        assert list(log.game_ids()) == ["g"]

    def test_one_of_many_threads_wins_each_seq(self, log: EventStore) -> None:
        won: list[tuple[int, str]] = []
        start = threading.Barrier(8)

        def write(name: str) -> None:
            start.wait()
            for seq in range(40):
                try:
                    log.append("g", seq, say(f"{name}{seq}"))
                except HeadMoved:
                    pass
                else:
                    won.append((seq, f"{name}{seq}"))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, "abcdefgh"))
        assert [seq for seq, _ in sorted(won)] == list(range(len(won)))
        assert log.read("g") == [line(text) for _, text in sorted(won)]

    def test_a_reader_never_sees_half_of_an_append(self, log: EventStore) -> None:
        stop = threading.Event()

        def look() -> int:
            looks = 0
            while not stop.is_set():
                assert log.head("g") % 3 == 0
                assert len(log.read("g")) % 3 == 0
                looks += 1
            return looks

        with ThreadPoolExecutor(2) as pool:
            looking = [pool.submit(look) for _ in range(2)]
            for seq in range(0, 300, 3):
                log.append("g", seq, say("a", "b", "c"))
            stop.set()
            assert all(look.result() > 0 for look in looking)


class TestRedisLog(LogContract):
    @pytest.fixture
    def log(self, redis_url: str) -> Iterator[EventStore]:
        client = connect(redis_url)
        yield RedisEventStore(client)
        client.close()

    def test_one_of_two_processes_wins_each_seq(self, log: EventStore, redis_url: str) -> None:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            won = list(pool.map(race, [redis_url] * 2, "ab"))
        assert sorted(won[0] + won[1]) == list(range(100))
        spoken = [line(f"{'a' if seq in won[0] else 'b'}{seq}") for seq in range(100)]
        assert log.read("g") == spoken

    def test_ids_are_seqs_and_every_key_of_a_game_shares_a_slot(
        self, log: EventStore, redis_url: str
    ) -> None:
        log.append(
            "g",
            0,
            AppendRequest(
                (line("a"),), {"seed": "1"}, {"index": "1"}, IdempotencyRecord("ada/k", "b")
            ),
        )
        with connect(redis_url) as client:
            assert client.xrange("cartulary:{g}:log") == [(b"1-0", {b"e": line("a")})]
            parts = {
                b"cartulary:{g}:" + part for part in (b"log", b"secrets", b"notes", b"answers")
            }
            assert set(client.keys("*")) == parts

    def test_answers_go_a_week_after_the_end_and_not_before(
        self, log: EventStore, redis_url: str
    ) -> None:
        with connect(redis_url) as client:
            log.append("g", 0, say("a", answer=IdempotencyRecord("ada/k", "b")))
            assert client.ttl("cartulary:{g}:answers") == -1
            log.append("g", 1, AppendRequest((line("b"),), ends_game=True))
            assert 7 * 24 * 3600 - 60 < client.ttl("cartulary:{g}:answers") <= 7 * 24 * 3600
            assert client.ttl("cartulary:{g}:log") == -1

    def test_an_append_is_told_to_who_listens(self, log: EventStore, redis_url: str) -> None:
        with connect(redis_url) as client, client.pubsub(ignore_subscribe_messages=True) as heard:
            heard.subscribe("cartulary:appended", "cartulary:appended:g")
            assert heard.get_message(timeout=5) is None
            assert heard.get_message(timeout=5) is None
            log.append("g", 0, say("a", "b"))
            told = [heard.get_message(timeout=5) for _ in range(2)]
        assert [message and message["data"] for message in told] == [b"g 2", b"2"]

    def test_scripts_are_loaded_again_where_redis_has_forgotten_them(
        self, log: EventStore, redis_url: str
    ) -> None:
        log.append("g", 0, say("a"))
        with connect(redis_url) as client:
            client.script_flush()
        assert log.append("g", 1, say("b")) == Appended(2, 2)


def race(url: str, name: str) -> list[int]:
    won = []
    with connect(url) as client:
        log = RedisEventStore(client)
        for seq in range(100):
            try:
                log.append("g", seq, say(f"{name}{seq}"))
            except HeadMoved:
                continue
            won.append(seq)
    return won

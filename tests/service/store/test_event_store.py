"""The contract of event stores, tested with a real Redis."""

import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import orjson
import pytest

from domain.errors import Unreadable
from domain.json_types import JsonObject
from ledger.canonical import canonical
from service.connection import connect
from service.errors import IdempotencyConflict
from service.provenance import Provenance, working_for
from service.store.event_store import (
    Appended,
    AppendRequest,
    HeadMoved,
    IdempotencyRecord,
    TimeSettled,
)
from service.store.redis_event_store import RedisEventStore
from tests.support.processes import HANG_SECONDS
from tests.support.stored_games import rechained


def line(text: str) -> bytes:
    return f'{{"text":"{text}"}}'.encode()


def request(*texts: str, record: IdempotencyRecord | None = None) -> AppendRequest:
    """A request to append an event for each text."""
    return AppendRequest(events=tuple(line(text) for text in texts), idempotency_record=record)


def receipt(signature: str) -> JsonObject:
    return {"key": "key", "signature": signature}


class EventStoreContract:
    """The tests that every implementation must pass. The fixture `store` is an empty store."""

    def test_events_are_read_as_they_were_appended(self, store: RedisEventStore) -> None:
        assert store.append("g", 0, request("a", "b")) == Appended(1, 2)
        assert store.append("g", 2, request("c")) == Appended(3, 3)
        assert store.read("g") == [line("a"), line("b"), line("c")]
        assert store.head("g") == 3

    def test_the_request_or_job_of_each_event_is_kept_beside_it(
        self, store: RedisEventStore
    ) -> None:
        store.append("g", 0, request("a"))
        with working_for(Provenance("request", "r1")):
            store.append("g", 1, request("b", "c"))
            # An event that was first appended elsewhere keeps what is known of it.
            moved = {4: "j j1", 5: ""}
            store.append("g", 3, replace(request("d", "e"), provenance=moved))
        assert store.provenance("g") == {2: "r r1", 3: "r r1", 4: "j j1"}
        assert store.provenance("g", 2, 3) == {3: "r r1"}
        assert store.read("g") == [line(text) for text in "abcde"]

    def test_nothing_is_appended_by_a_date_up_to_which_a_game_is_settled(
        self, store: RedisEventStore
    ) -> None:
        date, later = "2026-03-02T09:00:00.000Z", "2026-03-02T09:00:00.001Z"
        store.append("g", 0, replace(request("a"), at=date))
        store.settle("g", date)
        with pytest.raises(TimeSettled):
            store.append("g", 1, replace(request("b"), at=date))
        store.append("h", 0, replace(request("b"), at=date))
        store.append("g", 1, replace(request("b"), at=later))
        # An event that was first appended elsewhere, such as one of a record that is restored.
        store.append("g", 2, request("c"))
        assert store.read("g") == [line(text) for text in "abc"]

    def test_an_unknown_game_has_no_data(self, store: RedisEventStore) -> None:
        assert store.head("g") == 0
        assert store.read("g") == []
        assert store.secrets("g") == {}
        assert store.outbox("g") == {}

    def test_an_append_can_require_the_hash_of_the_previous_event(
        self, store: RedisEventStore
    ) -> None:
        store.append(
            "g", 0, AppendRequest((b'{"game":"g","hash":"aa","prev":"00"}',), prev_hash="00")
        )
        with pytest.raises(HeadMoved) as error:
            store.append(
                "g", 1, AppendRequest((b'{"game":"g","hash":"bb","prev":"cc"}',), prev_hash="cc")
            )
        assert error.value.head == 1
        store.append(
            "g", 1, AppendRequest((b'{"game":"g","hash":"bb","prev":"aa"}',), prev_hash="aa")
        )
        assert store.head("g") == 2

    def test_games_are_independent_of_each_other(self, store: RedisEventStore) -> None:
        store.append("g", 0, request("a"))
        store.append("h", 0, request("b"))
        assert store.read("g") == [line("a")]
        assert sorted(store.game_ids()) == ["g", "h"]

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
    def test_a_range_of_events_can_be_read(
        self, store: RedisEventStore, after: int, upto: int | None, limit: int | None, texts: str
    ) -> None:
        store.append("g", 0, request(*"abcde"))
        assert store.read("g", after, upto, limit) == [line(text) for text in texts]

    def test_many_games_can_be_read_together(self, store: RedisEventStore) -> None:
        store.append("g", 0, request("a", "b"))
        store.append("h", 0, request("c"))
        assert store.read_each({"g": 1, "h": 0, "i": 0}) == {
            "g": [line("b")],
            "h": [line("c")],
            "i": [],
        }
        assert store.read_each({}) == {}
        assert store.read_each({"g": 0, "h": 0}, 1) == {"g": [line("a")], "h": [line("c")]}

    def test_ranges_of_many_games_can_be_read_together(self, store: RedisEventStore) -> None:
        store.append("g", 0, request("a", "b", "c"))
        store.append("h", 0, request("d"))
        ranges = [("g", 2, 3), ("h", 1, 9), ("g", 1, 1), ("i", 1, 5), ("h", 2, 3)]
        assert store.read_ranges(ranges) == [
            [line("b"), line("c")],
            [line("d")],
            [line("a")],
            [],
            [],
        ]
        assert store.read_ranges([]) == []

    @pytest.mark.parametrize("expected", [0, 1, 3, 100])
    def test_an_append_to_another_head_is_rejected_with_the_head(
        self, store: RedisEventStore, expected: int
    ) -> None:
        store.append("g", 0, request("a", "b"))
        with pytest.raises(HeadMoved) as error:
            store.append("g", expected, request("c"))
        assert error.value.head == 2
        assert store.read("g") == [line("a"), line("b")]

    def test_a_log_cannot_start_with_a_gap(self, store: RedisEventStore) -> None:
        with pytest.raises(HeadMoved) as error:
            store.append("g", 1, request("b"))
        assert error.value.head == 0
        assert store.head("g") == 0

    def test_secrets_and_outbox_entries_are_written_with_the_events(
        self, store: RedisEventStore
    ) -> None:
        append = AppendRequest(
            (line("a"),),
            secrets={"seed": "00ff", "1/pile": "{}"},
            outbox={"index": "{}", "gone": None},
        )
        store.append("g", 0, append)
        assert store.secrets("g") == {"seed": "00ff", "1/pile": "{}"}
        assert store.outbox("g") == {"index": "{}"}
        store.append(
            "g",
            1,
            AppendRequest(
                (line("b"),), secrets={"2/x": "é"}, outbox={"index": None, "finish": "1"}
            ),
        )
        assert store.secrets("g") == {"seed": "00ff", "1/pile": "{}", "2/x": "é"}
        assert store.secrets("g", ["2/x", "2/y"]) == {"2/x": "é"}
        assert store.secrets("g", []) == {}
        assert store.outbox("g") == {"finish": "1"}

    def test_receipts_are_written_with_the_events(self, store: RedisEventStore) -> None:
        first = AppendRequest(
            (line("a"), line("b")), receipts={1: receipt("one"), 2: receipt("two")}
        )
        store.append("g", 0, first)
        with pytest.raises(HeadMoved):
            store.append("g", 0, AppendRequest((line("x"),), receipts={1: receipt("x")}))
        store.append(
            "g",
            2,
            AppendRequest((line("c"),), outbox={"gone": None}, receipts={3: receipt("three")}),
        )
        assert store.receipts("g", [3, 1, 4]) == {3: "key three", 1: "key one"}
        assert store.receipts("g", []) == {}

    def test_a_rejected_append_writes_nothing(self, store: RedisEventStore) -> None:
        store.append("g", 0, AppendRequest((line("a"),), outbox={"index": "1"}))
        record = IdempotencyRecord("ada/k", "body")
        with pytest.raises(HeadMoved):
            store.append(
                "g",
                0,
                AppendRequest((line("b"),), {"seed": "1"}, {"index": None, "finish": "2"}, record),
            )
        assert store.secrets("g") == {}
        assert store.outbox("g") == {"index": "1"}
        assert store.find_idempotency_record("g", record) is None

    def test_a_repeated_request_appends_once(self, store: RedisEventStore) -> None:
        record = IdempotencyRecord("ada/k", "body")
        store.append("g", 0, request("a"))
        assert store.append("g", 1, request("b", "c", record=record)) == Appended(2, 3)
        store.append("g", 3, request("d"))
        for expected in (1, 3, 4):
            repeated = store.append("g", expected, request("b", "c", record=record))
            assert repeated == Appended(2, 3, is_repeat=True)
        assert store.find_idempotency_record("g", record) == Appended(2, 3, is_repeat=True)
        assert store.head("g") == 4

    def test_an_idempotency_record_of_another_request_is_a_conflict(
        self, store: RedisEventStore
    ) -> None:
        store.append("g", 0, request("a", record=IdempotencyRecord("ada/k", "body")))
        with pytest.raises(IdempotencyConflict):
            store.append("g", 1, request("b", record=IdempotencyRecord("ada/k", "other")))
        with pytest.raises(IdempotencyConflict):
            store.find_idempotency_record("g", IdempotencyRecord("ada/k", "other"))
        assert store.head("g") == 1

    def test_idempotency_records_belong_to_one_player_and_game(
        self, store: RedisEventStore
    ) -> None:
        store.append("g", 0, request("a", record=IdempotencyRecord("ada/k", "body")))
        assert store.append(
            "g", 1, request("b", record=IdempotencyRecord("bea/k", "other"))
        ) == Appended(2, 2)
        assert store.append(
            "h", 0, request("b", record=IdempotencyRecord("ada/k", "other"))
        ) == Appended(1, 1)

    def test_an_outbox_entry_is_acknowledged_only_while_it_is_unchanged(
        self, store: RedisEventStore
    ) -> None:
        store.append("g", 0, AppendRequest((line("a"),), outbox={"deadline": "1"}))
        store.append("g", 1, AppendRequest((line("b"),), outbox={"deadline": "2"}))
        assert not store.ack("g", "deadline", "1")
        assert store.outbox("g") == {"deadline": "2"}
        assert store.ack("g", "deadline", "2")
        assert not store.ack("g", "deadline", "2")
        assert store.outbox("g") == {}

    def test_the_outboxes_of_many_games_can_be_read_together(self, store: RedisEventStore) -> None:
        store.append("g", 0, AppendRequest((line("a"),), outbox={"finish": "1", "index": "2"}))
        store.append("h", 0, request("b"))
        outboxes = store.outboxes(["g", "h", "i"])
        assert outboxes == {"g": {"finish": "1", "index": "2"}, "h": {}, "i": {}}
        assert store.outboxes([]) == {}

    def test_missing_outbox_entries_can_be_added(self, store: RedisEventStore) -> None:
        store.append("g", 0, AppendRequest((line("a"),), outbox={"finish": "1"}))
        store.add_outbox_entries_if_absent("g", {"finish": "2", "score/1": "3"})
        assert store.outbox("g") == {"finish": "1", "score/1": "3"}
        store.add_outbox_entries_if_absent("g", {})
        assert store.outbox("g") == {"finish": "1", "score/1": "3"}

    def test_the_types_of_the_last_events_of_many_games_can_be_read_together(
        self, store: RedisEventStore
    ) -> None:
        types = ("GameCreated", "SeatTaken")
        lines = (canonical({"hash": "", "type": type, "seq": n}) for n, type in enumerate(types, 1))
        store.append("g", 0, AppendRequest(tuple(rechained(lines))))
        assert store.last_event_types(["g", "h"]) == {"g": "SeatTaken", "h": None}
        assert store.last_event_types([]) == {}

    def test_the_heads_of_many_games_can_be_read_together(self, store: RedisEventStore) -> None:
        (head,) = rechained([canonical({"hash": "", "seq": 2})])
        hash = orjson.loads(head)["hash"]
        store.append("g", 0, AppendRequest((line("a"), head)))
        store.append("i", 0, AppendRequest((line("a"),)))
        heads = store.heads(["g", "h", "i"])
        assert heads == {"g": (2, hash), "h": None, "i": heads["i"]}
        assert isinstance(heads["i"], Unreadable)
        assert store.heads([]) == {}

    def test_a_game_stays_active_while_it_has_outbox_entries(self, store: RedisEventStore) -> None:
        store.mark_active("g")
        store.append(
            "g", 0, AppendRequest((line("a"),), outbox={"notify/over": "1"}, ends_game=True)
        )
        assert not store.mark_inactive("g")
        assert list(store.active_games()) == ["g"]
        store.ack("g", "notify/over", "1")
        assert store.mark_inactive("g")
        assert list(store.active_games()) == []
        assert list(store.game_ids()) == ["g"]

    def test_one_of_several_threads_wins_each_seq(self, store: RedisEventStore) -> None:
        winners: list[tuple[int, str]] = []
        start = threading.Barrier(8)

        def write(name: str) -> None:
            start.wait()
            for seq in range(40):
                try:
                    store.append("g", seq, request(f"{name}{seq}"))
                except HeadMoved:
                    pass
                else:
                    winners.append((seq, f"{name}{seq}"))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, "abcdefgh"))
        assert [seq for seq, _ in sorted(winners)] == list(range(len(winners)))
        assert store.read("g") == [line(text) for _, text in sorted(winners)]

    def test_a_reader_never_sees_a_part_of_an_append(self, store: RedisEventStore) -> None:
        stop = threading.Event()

        def read_repeatedly() -> int:
            reads = 0
            while not stop.is_set():
                assert store.head("g") % 3 == 0
                assert len(store.read("g")) % 3 == 0
                reads += 1
            return reads

        with ThreadPoolExecutor(2) as pool:
            readers = [pool.submit(read_repeatedly) for _ in range(2)]
            for seq in range(0, 300, 3):
                store.append("g", seq, request("a", "b", "c"))
            stop.set()
            assert all(reader.result() > 0 for reader in readers)


class TestRedisEventStore(EventStoreContract):
    @pytest.fixture
    def store(self, redis_url: str) -> Iterator[RedisEventStore]:
        client = connect(redis_url)
        yield RedisEventStore(client)
        client.close()

    def test_one_of_two_processes_wins_each_seq(
        self, store: RedisEventStore, redis_url: str
    ) -> None:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            winners = list(pool.map(race, [redis_url] * 2, "ab"))
        assert sorted(winners[0] + winners[1]) == list(range(100))
        expected = [line(f"{'a' if seq in winners[0] else 'b'}{seq}") for seq in range(100)]
        assert store.read("g") == expected

    def test_ids_are_seqs_and_all_keys_of_a_game_share_a_slot(
        self, store: RedisEventStore, redis_url: str
    ) -> None:
        store.append(
            "g",
            0,
            AppendRequest(
                (line("a"),), {"seed": "1"}, {"index": "1"}, IdempotencyRecord("ada/k", "b")
            ),
        )
        with connect(redis_url) as client:
            assert client.xrange("cartulary:{g}:log") == [(b"1-0", {b"e": line("a")})]
            names = {
                b"cartulary:{g}:" + part for part in (b"log", b"secrets", b"notes", b"answers")
            }
            # The changed games are those of one slot, in a cluster (test_changed_games.py).
            assert {key for key in client.keys("*") if not key.endswith(b":changed")} == names

    def test_idempotency_records_expire_a_week_after_the_end(
        self, store: RedisEventStore, redis_url: str
    ) -> None:
        with connect(redis_url) as client:
            store.append("g", 0, request("a", record=IdempotencyRecord("ada/k", "b")))
            assert client.ttl("cartulary:{g}:answers") == -1
            store.append("g", 1, AppendRequest((line("b"),), ends_game=True))
            assert 7 * 24 * 3600 - 60 < client.ttl("cartulary:{g}:answers") <= 7 * 24 * 3600
            assert client.ttl("cartulary:{g}:log") == -1

    def test_an_append_is_published(self, store: RedisEventStore, redis_url: str) -> None:
        with (
            connect(redis_url) as client,
            client.pubsub(ignore_subscribe_messages=True) as subscriber,
        ):
            subscriber.subscribe("cartulary:appended", "cartulary:appended:g")
            assert subscriber.get_message(timeout=HANG_SECONDS) is None
            assert subscriber.get_message(timeout=HANG_SECONDS) is None
            store.append("g", 0, request("a", "b"))
            messages = [subscriber.get_message(timeout=HANG_SECONDS) for _ in range(2)]
        assert [message and message["data"] for message in messages] == [b"g 2", b"2"]

    def test_scripts_are_loaded_again_after_redis_has_lost_them(
        self, store: RedisEventStore, redis_url: str
    ) -> None:
        store.append("g", 0, request("a"))
        with connect(redis_url) as client:
            client.script_flush()
        assert store.append("g", 1, request("b")) == Appended(2, 2)


def race(url: str, name: str) -> list[int]:
    """Append at every seq of a game, and return those at which this process was the first."""
    seqs = []
    with connect(url) as client:
        store = RedisEventStore(client)
        for seq in range(100):
            try:
                store.append("g", seq, request(f"{name}{seq}"))
            except HeadMoved:
                continue
            seqs.append(seq)
    return seqs

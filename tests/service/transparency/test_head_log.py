"""Heads become leaves of the transparency log: each once, in the order in which they are logged."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from domain.errors import Unreadable
from ledger.transparency.checkpoint import head_leaf_hash
from ledger.transparency.merkle import MemoryTree, leaf_hash, new_nodes, root
from service.bootstrap import Service, build
from service.settings import Settings
from service.store.redis_event_store import game_key
from service.transparency import store as store_module
from service.transparency.store import LoggedHead, TransparencyStore
from tests.support.faults import raises
from tests.support.service_games import play_out, start_game, take_action
from tests.support.worker_harness import RecordingChannel, WorkerHarness

SIZE_KEY = "cartulary:{transparency}:size"


def transparency_store(service: Service) -> TransparencyStore:
    return TransparencyStore(service.redis)


def test_a_head_is_logged_once_until_it_changes(service: Service) -> None:
    store = transparency_store(service)
    game = start_game(service)
    for _ in range(2):
        assert service.transparency.head_log.log([game.id, "nothing"]) == {game.id}
    assert store.state([game.id]) == (1, {game.id: LoggedHead(game.seq, game.hash, 0)})
    event = take_action(service, game.id).events[0]
    service.transparency.head_log.log([game.id])
    assert store.state([game.id]) == (2, {game.id: LoggedHead(event["seq"], event["hash"], 1)})
    expected = MemoryTree()
    expected.append([head_leaf_hash(game.id, game.seq, game.hash)])
    expected.append([head_leaf_hash(game.id, event["seq"], event["hash"])])
    assert root(store, 2) == expected.root()


def test_concurrent_processes_log_each_head_once(settings: Settings) -> None:
    services = [build(settings) for _ in range(4)]
    games = [start_game(services[0]).id for _ in range(6)]
    with ThreadPoolExecutor(len(services)) as threads:
        results = threads.map(lambda service: service.transparency.head_log.log(games), services)
        assert all(logged == set(games) for logged in results)
    store = transparency_store(services[0])
    size, heads = store.state(games)
    assert size == len(games)
    assert sorted(head.index for head in heads.values() if head is not None) == list(range(size))
    for service in services:
        service.redis.close()


def test_heads_are_logged_in_any_number_of_chunks(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "CHUNK_NODES", 4)
    store = transparency_store(service)
    expected = MemoryTree()
    for start, count in ((0, 3), (3, 1), (4, 7), (11, 10)):
        names = [f"game-{number}" for number in range(start, start + count)]
        hashes = [leaf_hash(name.encode()) for name in names]
        heads = {
            name: (None, LoggedHead(1, "00", index)) for index, name in enumerate(names, start)
        }
        assert store.append(start, new_nodes(store, start, hashes), heads)
        expected.append(hashes)
        assert [root(store, size) for size in range(start + count + 1)] == [
            expected.root(size) for size in range(start + count + 1)
        ]
    assert store.leaf_hashes(2, 9) == expected.read_nodes([(0, index) for index in range(2, 11)])


def test_an_append_to_another_tree_or_head_changes_nothing(service: Service) -> None:
    store = transparency_store(service)
    hash = leaf_hash(b"")
    head, other = LoggedHead(1, "00", 0), LoggedHead(2, "00", 0)
    nodes = new_nodes(store, 0, [hash])
    assert not store.append(1, {0: (1, [hash])}, {"g": (None, head)})
    assert not store.append(0, nodes, {"g": (other, head)})
    assert store.state(["g"]) == (0, {"g": None})
    assert store.append(0, nodes, {"g": (None, head)})
    assert not store.append(0, nodes, {"g": (None, head)})
    assert store.state(["g"]) == (1, {"g": head})


def test_lost_nodes_are_reported(service: Service) -> None:
    games = [start_game(service).id for _ in range(3)]
    service.transparency.head_log.log(games)
    service.redis.delete("cartulary:{transparency}:nodes:0:0")
    take_action(service, games[0])
    with raises(Unreadable, match="lost nodes"):
        service.transparency.head_log.log(games)
    assert transparency_store(service).size() == 3


def test_the_scheduler_logs_the_heads_of_many_games_without_jobs(service: Service) -> None:
    workers = WorkerHarness(service)
    games = [start_game(service).id for _ in range(3)]
    workers.scheduler.sweep(is_first=True)
    assert transparency_store(service).size() == 3
    waiting = workers.waiting()
    for game_id in games:
        take_action(service, game_id)
    workers.scheduler._heads.on_appended(games)
    workers.scheduler._heads.on_appended(games)
    assert transparency_store(service).size() == 6
    assert workers.waiting() == waiting
    workers.close()


def test_a_game_ends_active_until_its_last_head_is_logged(service: Service) -> None:
    workers = WorkerHarness(service, RecordingChannel())
    game = start_game(service, round_limit=1)
    play_out(service, game.id)
    service.redis.set(SIZE_KEY, "damaged")
    workers.sweep_and_work(game.id)
    assert list(service.store.active_games()) == [game.id]
    service.redis.delete(SIZE_KEY)
    workers.scheduler.sweep(is_first=False)
    assert list(service.store.active_games()) == []
    _, heads = transparency_store(service).state([game.id])
    head = heads[game.id]
    assert head is not None
    assert head.seq == service.store.head(game.id)
    workers.close()


def test_a_damaged_log_of_a_game_does_not_keep_others_from_being_logged(service: Service) -> None:
    damaged, sound = start_game(service).id, start_game(service).id
    service.redis.set(game_key(damaged, "log"), "damaged")
    assert service.transparency.head_log.log([damaged, sound]) == {sound}

"""Snapshots: an earlier state of a game is folded from a bounded number of events, a cold game once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest

from domain.errors import Unreadable
from domain.event import Event
from domain.fold import fold
from domain.game import Game
from service.bootstrap import Service
from service.connection import connect
from service.errors import NotFound, Unavailable
from service.games import loader as loader_module
from service.games.game_cache import CachedGame, GameCache
from service.games.loader import GameLoader
from service.games.queries import GameQueries
from service.games.repository import GameRepository
from service.settings import Settings
from service.store.log_check import read_openings
from tests.service.games.test_cache import cached_game, log_key
from tests.support.counting_store import CountingStore
from tests.support.faults import raises
from tests.support.service_games import play_until, start_game, take_action

INTERVAL = 8
LENGTH = 60


@pytest.fixture
def store(settings: Settings) -> Iterator[CountingStore]:
    with connect(settings.redis_url) as client:
        yield CountingStore(client)


def loader_with(store: CountingStore, max_snapshots: int = 100) -> GameLoader:
    """Return a loader with a cache of its own, as in another process."""
    return GameLoader(store, GameCache(10, max_snapshots=max_snapshots, snapshot_interval=INTERVAL))


def queries_with(service: Service, loader: GameLoader, store: CountingStore) -> GameQueries:
    return GameQueries(
        loader,
        store,
        service.games.listings,
        service.keyring,
        service.accounts.players,
        service.accounts.keys,
        service.transparency.proofs,
    )


def load_event(loader: GameLoader, game_id: str, seq: int) -> tuple[Game | None, Event, Game]:
    step = loader.transition(loader.load(game_id).game, seq)
    return step.before, step.event, step.after


def long_game(service: Service, rules: str = "barony", length: int = LENGTH) -> Game:
    """Play a game of at least `length` events (or to its end), without scoring its rounds."""
    return play_until(
        service,
        start_game(service, rules=rules).id,
        lambda game: game.seq >= length or game.to_act is None,
    )


def test_a_read_of_a_cached_game_reads_no_more_lines_than_the_interval(
    service: Service, store: CountingStore
) -> None:
    game = long_game(service)
    loader = loader_with(store)
    queries = queries_with(service, loader, store)
    assert store.lines_read_by(lambda: loader.load(game.id)) <= game.seq + 1
    for seq in range(1, game.seq + 1):
        # Besides the lines after the snapshot: the last line of the snapshot, and that of the head.
        assert store.lines_read_by(partial(queries.game_at, game.id, seq)) <= INTERVAL + 1
        assert store.lines_read_by(partial(load_event, loader, game.id, seq)) <= INTERVAL + 2


def test_snapshots_are_cached_as_a_game_is_played(service: Service, store: CountingStore) -> None:
    cache = GameCache(10, max_snapshots=100, snapshot_interval=INTERVAL)
    repository = GameRepository(
        store, cache, service.games.listings, service.clock, service.keyring
    )
    game = start_game(service)
    while repository.load(game.id).game.seq < LENGTH:
        take_action(service, game.id)
    assert cache.snapshots == LENGTH // INTERVAL
    assert store.lines_read_by(lambda: repository.game_at(game.id, 13)) <= INTERVAL + 1


@pytest.mark.parametrize("rules", ["barony", "baron"])
def test_earlier_states_are_the_same_as_those_folded_from_the_first_event(
    service: Service, store: CountingStore, rules: str
) -> None:
    game = long_game(service, rules, 40)
    loader = loader_with(store)
    queries = queries_with(service, loader, store)
    events = service.games.queries.event_page(game.id, 0, 1000)
    opened, _ = read_openings(store, game.id, events)
    assert bool(opened) == (rules == "baron")
    before = None
    for seq in range(1, game.seq + 1):
        after = fold(events[:seq], None, opened)
        assert after is not None
        earlier = queries.game_at(game.id, seq)
        assert (earlier.seq, earlier.hash, earlier.at) == (seq, after.hash, after.at)
        assert (earlier.rounds_ended, earlier.turn_at) == (after.rounds_ended, after.turn_at)
        for viewer in (None, 0, 1):
            assert earlier.position(viewer) == after.position(viewer)
            loaded_before, event, loaded_after = load_event(loader, game.id, seq)
            assert event == events[seq - 1]
            assert loaded_after.position(viewer) == after.position(viewer)
            if before is None:
                assert loaded_before is None
            else:
                assert loaded_before is not None
                assert loaded_before.position(viewer) == before.position(viewer)
        before = after


def test_snapshots_of_all_games_share_one_bound() -> None:
    cache = GameCache(10, max_snapshots=3, snapshot_interval=INTERVAL)
    for seq in range(1, 4 * INTERVAL):
        cache.put_snapshot(cached_game("a", seq))
    assert cache.snapshots == 3
    first = cache.latest("a", INTERVAL)
    assert first is not None
    assert first.game.seq == INTERVAL
    cache.put_snapshot(cached_game("b", INTERVAL))
    assert cache.snapshots == 3
    # The least recently used snapshot has been evicted, so the one before it is the latest.
    latest = cache.latest("a", 2 * INTERVAL)
    assert latest is first
    cache.drop("a")
    assert cache.snapshots == 1
    assert cache.latest("a") is None
    assert cache.latest("b") is not None


def test_evicted_snapshots_are_folded_again(service: Service, store: CountingStore) -> None:
    game = long_game(service)
    loader = loader_with(store, max_snapshots=2)
    for seq in (3, 30, LENGTH - 1, 20):
        assert loader.game_at(game.id, seq).seq == seq


def test_a_cold_game_is_folded_by_one_thread_while_the_others_wait(
    service: Service, store: CountingStore
) -> None:
    game = long_game(service)
    for seq in (game.seq, 13):
        loader = loader_with(store)
        store.lines, store.delay = 0, 0.1
        with ThreadPoolExecutor(16) as threads:
            results = [threads.submit(loader.game_at, game.id, seq) for _ in range(16)]
            assert {result.result().seq for result in results} == {seq}
        # Every thread reads the head again, and the events between the snapshot and event 13.
        assert store.lines <= game.seq + 1 + 16 * (INTERVAL + 1)


def test_a_reader_that_waited_for_another_thread_gets_events_appended_meanwhile(
    service: Service, store: CountingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = long_game(service)
    loader = loader_with(store)
    earlier = CachedGame(loader.game_at(game.id, 20), 20)
    loader._cache.drop(game.id)
    # The result of another thread, which read the log earlier.
    monkeypatch.setattr(loader._cold_loads, "run", lambda _key, _call: earlier)
    assert loader.load(game.id).game.seq == game.seq


def test_a_failed_cold_load_fails_for_all_who_wait_and_can_be_repeated(
    service: Service, store: CountingStore
) -> None:
    game = long_game(service)
    loader = loader_with(store)
    store.delay, store.failures = 0.5, 1
    begin = Barrier(4)

    def load() -> CachedGame:
        begin.wait()
        return loader.load(game.id)

    with ThreadPoolExecutor(4) as threads:
        results = [threads.submit(load) for _ in range(4)]
    errors = [result.exception() for result in results]
    assert all(isinstance(error, Unavailable) for error in errors), errors
    assert loader.load(game.id).game.seq == game.seq


def test_a_log_is_read_in_pages(
    service: Service, store: CountingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader_module, "PAGE_LINES", 10)
    game = long_game(service)
    loader = loader_with(store)
    assert loader.load(game.id).game.hash == game.hash
    assert [each and each.seq for each in loader_with(store).load_many([game.id])] == [game.seq]
    assert store.largest_read == 10


def test_snapshots_of_events_that_a_failover_lost_are_not_used(
    service: Service, store: CountingStore
) -> None:
    game = play_until(service, start_game(service).id, lambda game: game.seq == 12)
    before_failover = service.redis.dump(log_key(game))
    assert before_failover is not None
    long_game_after = play_until(service, game.id, lambda game: game.seq == LENGTH, seed=1)
    loader = loader_with(store)
    lost = loader.game_at(game.id, 50)
    # Another process plays on from the restored log, and this one has evicted the head of the game.
    service.redis.restore(log_key(game), 0, before_failover, replace=True)
    service.games.queries.game(game.id)
    play_until(service, game.id, lambda game: game.seq == long_game_after.seq, seed=2)
    loader._cache._heads.clear()
    current = service.games.queries.event_page(game.id, 49, 1)[0]
    assert current["hash"] != lost.hash
    assert loader.game_at(game.id, 50).hash == current["hash"]
    assert loader.transition(loader.load(game.id).game, 50).event == current
    with pytest.raises(NotFound):
        loader.game_at(game.id, LENGTH + 1)


def test_only_the_secrets_that_the_events_commit_to_are_read(
    service: Service, store: CountingStore
) -> None:
    loader = loader_with(store)
    loader.load(start_game(service).id)
    assert store.secret_names == ()
    game = start_game(service, rules="baron")
    loader.load(game.id)
    assert store.secret_names is not None
    assert set(store.secret_names) == {
        f"{game.seq}/{name}" for name in ("pile", "reserve/0", "reserve/1")
    }
    store.secret_names = ()
    take_action(service, game.id)
    loader.load(game.id)
    assert store.secret_names == (), "an action needs no secrets"
    service.redis.hdel(f"cartulary:{{{game.id}}}:secrets", f"{game.seq}/pile")
    with raises(Unreadable, match=game.id):
        loader_with(store).load(game.id)

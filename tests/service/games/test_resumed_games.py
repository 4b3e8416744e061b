"""Games with branches in the event store: every state of them is the same, however much of it is cached."""

from collections.abc import Iterator

import pytest

from domain.fold import fold
from domain.game import Game
from ledger import commands
from ledger.pending import PendingEvents
from service.bootstrap import Service
from service.connection import connect
from service.games.game_cache import CachedGame, GameCache
from service.games.loader import GameLoader
from service.games.repository import GameRepository
from service.settings import Settings
from service.store.log_check import read_openings
from tests.support.counting_store import CountingStore
from tests.support.service_games import play_until, start_game, take_action

INTERVAL = 8


@pytest.fixture
def store(settings: Settings) -> Iterator[CountingStore]:
    with connect(settings.redis_url) as client:
        yield CountingStore(client)


def resume(repository: GameRepository, game_id: str, origin: int) -> Game:
    """Resume play after an event, as a ruling would, and return the game."""

    def handler(cached: CachedGame, pending: PendingEvents) -> None:
        commands.resume(
            pending,
            origin,
            cached.game.seq,
            lambda: repository.secret(game_id),
            by=commands.ARBITER,
        )

    game = repository.execute(game_id, handler, at_head=True).game
    assert game is not None
    return game


def resumed_game(service: Service, rules: str) -> Game:
    """Play a game that goes back three times: a few events, across a snapshot, and nearly to the start."""
    game_id = start_game(service, rules=rules).id
    for length, origin in ((30, 26), (40, 18), (50, 5)):
        play_until(service, game_id, lambda game, length=length: game.seq >= length)  # type: ignore[misc] # mypy infers no type for the default
        resume(service.games.repository, game_id, origin)
    return play_until(service, game_id, lambda game: game.seq >= 60)


@pytest.mark.parametrize("rules", ["barony", "baron"])
def test_every_state_is_the_one_folded_from_the_first_event(
    service: Service, store: CountingStore, rules: str
) -> None:
    game = resumed_game(service, rules)
    events = service.games.queries.event_page(game.id, 0, 1000)
    loader = GameLoader(store, GameCache(10, max_snapshots=100, snapshot_interval=INTERVAL))
    opened, _ = read_openings(store, game.id, events)
    assert len(opened) == (4 if rules == "baron" else 0)
    cold = loader.load(game.id).game
    assert cold.resumptions == game.resumptions
    for seq in range(1, game.seq + 1):
        folded = fold(events[:seq], None, opened)
        assert folded is not None
        state = loader.game_at(game.id, seq)
        assert (state.seq, state.turn_at, state.play_seq) == (seq, folded.turn_at, folded.play_seq)
        for viewer in (None, 0, 1):
            assert state.position(viewer) == folded.position(viewer)


def test_a_cold_load_reads_each_event_once_although_play_went_back(
    service: Service, store: CountingStore
) -> None:
    game = resumed_game(service, "baron")
    loader = GameLoader(store, GameCache(10, max_snapshots=100, snapshot_interval=INTERVAL))
    assert store.lines_read_by(lambda: loader.load(game.id)) <= game.seq + 1


def test_a_game_that_is_cached_before_play_resumes_continues_from_the_earlier_position(
    service: Service, store: CountingStore
) -> None:
    game_id = start_game(service, rules="baron").id
    play_until(service, game_id, lambda game: game.seq >= 30)
    loader = GameLoader(store, GameCache(10, max_snapshots=100, snapshot_interval=INTERVAL))
    loader.load(game_id)
    resumed = resume(service.games.repository, game_id, 10)
    reads = store.lines_read_by(lambda: loader.load(game_id))
    assert reads <= INTERVAL + 4
    assert loader.load(game_id).game.position(0) == resumed.position(0)
    take_action(service, game_id)
    assert loader.load(game_id).game.play_seq == resumed.seq + 1


def test_an_action_on_the_branch_that_was_left_is_stale(service: Service) -> None:
    game_id = start_game(service, rules="barony").id
    game = play_until(service, game_id, lambda game: game.seq >= 20)
    resume(service.games.repository, game_id, 10)
    assert service.games.queries.game(game_id).state_hash != game.state_hash
    assert take_action(service, game_id).events[0]["seq"] == game.seq + 2

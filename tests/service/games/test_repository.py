"""GameRepository.execute: when a handler runs again, and when it must not."""

from collections.abc import Callable, Iterator

import pytest
from typing_extensions import override

from domain.errors import NotNow
from domain.game import Game
from domain.messages import message
from ledger import commands
from ledger.pending import PendingEvents
from service.bootstrap import Service
from service.connection import connect
from service.errors import NotFound, Unavailable
from service.games import repository as repository_module
from service.games.game_cache import CachedGame, GameCache
from service.games.repository import GameRepository
from service.settings import Settings
from service.store.event_store import Appended, AppendRequest
from service.store.redis_event_store import RedisEventStore
from tests.support.faults import raises
from tests.support.service_games import play_set_up, start_game, take_action


class InterruptedStore(RedisEventStore):
    """A store that runs `interruption` before each append, and can lose the reply to it."""

    appends = 0
    loses_replies = False
    interruption: Callable[[], object] | None = None

    @override
    def append(self, game_id: str, expected_seq: int, request: AppendRequest) -> Appended:
        self.appends += 1
        if self.interruption is not None:
            self.interruption()
        appended = super().append(game_id, expected_seq, request)
        if self.loses_replies:
            raise Unavailable(message("the reply was lost"))
        return appended


@pytest.fixture
def store(settings: Settings) -> Iterator[InterruptedStore]:
    with connect(settings.redis_url) as client:
        yield InterruptedStore(client)


@pytest.fixture
def repository(service: Service, store: InterruptedStore) -> GameRepository:
    """A repository with a cache of its own, as in another process."""
    return GameRepository(
        store, GameCache(10), service.games.listings, service.clock, service.keyring
    )


@pytest.fixture
def game(service: Service, repository: GameRepository) -> Game:
    """A game after its set-up, in the repository's cache."""
    game = play_set_up(service, start_game(service).id)
    return repository.load(game.id).game


class Remove:
    """A handler that removes a seat, and keeps the seqs of the games on which it ran."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.seqs: list[int] = []

    def __call__(self, cached: CachedGame, pending: PendingEvents) -> None:
        self.seqs.append(cached.game.seq)
        commands.remove(pending, self.seat, lambda: bytes(32))


def test_a_handler_runs_once_if_nobody_else_writes(
    store: InterruptedStore, repository: GameRepository, game: Game
) -> None:
    handler = Remove(0)
    result = repository.execute(game.id, handler)
    assert handler.seqs == [game.seq]
    assert store.appends == 1
    assert [event["seq"] for event in result.events] == [game.seq + 1]
    assert result.game is repository.load(game.id).game


def test_a_handler_runs_again_on_what_another_writer_has_appended(
    service: Service, store: InterruptedStore, repository: GameRepository, game: Game
) -> None:
    def act_once() -> None:
        store.interruption = None
        take_action(service, game.id)

    store.interruption = act_once
    handler = Remove(0)
    result = repository.execute(game.id, handler)
    assert handler.seqs == [game.seq, game.seq + 1]
    assert store.appends == 2
    assert [event["seq"] for event in result.events] == [game.seq + 2]


def test_a_request_fails_if_other_writers_are_always_first(
    service: Service,
    store: InterruptedStore,
    repository: GameRepository,
    game: Game,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repository_module, "MAX_ATTEMPTS", 3)
    store.interruption = lambda: take_action(service, game.id)
    with raises(Unavailable, match="too many requests"):
        repository.execute(game.id, Remove(0))
    assert store.appends == 3


def test_an_append_whose_reply_was_lost_is_not_repeated(
    store: InterruptedStore, repository: GameRepository, game: Game
) -> None:
    store.loses_replies = True
    handler = Remove(0)
    with raises(Unavailable, match="the reply was lost"):
        repository.execute(game.id, handler)
    assert handler.seqs == [game.seq]
    assert store.appends == 1
    assert store.head(game.id) == game.seq + 1


def test_a_refusal_on_an_outdated_game_is_checked_at_the_head(
    service: Service, repository: GameRepository, game: Game
) -> None:
    def refuse_before(seq: int) -> tuple[list[int], Callable[[CachedGame, PendingEvents], None]]:
        remove = Remove(0)

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            if cached.game.seq < seq:
                remove.seqs.append(cached.game.seq)
                raise NotNow(None, message("too early"))
            remove(cached, pending)

        return remove.seqs, handler

    take_action(service, game.id)
    seqs, handler = refuse_before(game.seq + 2)
    with pytest.raises(NotNow):
        repository.execute(game.id, handler)
    assert seqs == [game.seq, game.seq + 1]
    take_action(service, game.id)
    seqs, handler = refuse_before(game.seq + 2)
    assert len(repository.execute(game.id, handler).events) == 1
    assert seqs == [game.seq + 1, game.seq + 2]


def test_nothing_is_appended_if_a_handler_adds_no_event(
    store: InterruptedStore, repository: GameRepository, game: Game
) -> None:
    result = repository.execute(game.id, lambda _cached, _pending: None)
    assert (result.events, result.game) == ((), game)
    assert store.appends == 0


def test_an_unknown_game_cannot_be_changed(repository: GameRepository) -> None:
    for game_id in ("unknown", "a b", ""):
        with pytest.raises(NotFound):
            repository.execute(game_id, Remove(0))

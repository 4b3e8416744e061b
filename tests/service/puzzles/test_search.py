"""The search for puzzles: in public games only, in steps that survive a kill, within its time of a day."""

from collections.abc import Callable
from dataclasses import replace

import pytest

import service.puzzles.search as module
from replay.analysis.positions import finished_game
from replay.analysis.puzzle import puzzle, puzzle_position
from replay.analysis.settings import settings_of
from service.analyses import analyses
from service.bootstrap import Service, build
from service.bounds import Bounds
from service.recovery.reindex import reindex
from service.settings import Settings
from tests.support.stored_games import recorded_game, store_game
from tests.support.worker_harness import WorkerHarness
from workers.queue import TaskQueues
from workers.tasks import ANALYSES

PLAYED = "courtesy"
SEQ = 10
"""An action of this game in place of which one was clearly best."""
OTHERWISE = 9
"""One in place of which none was."""
QUICK = settings_of(4, bytes(32))


@pytest.fixture(autouse=True)
def quick_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small budgets, of which a step examines as little as possible."""
    monkeypatch.setattr("replay.analysis.settings.DEFAULT", QUICK)
    monkeypatch.setattr("replay.analysis.puzzle.PUZZLE_SETTINGS", settings_of(40, bytes(32)))
    monkeypatch.setattr(module, "puzzle_position", quick_position)
    monkeypatch.setattr(analyses, "STEP_SECONDS", 0.2)
    monkeypatch.setattr(module, "STEP_SECONDS", 0.2)
    monkeypatch.setattr(module, "likely_puzzles", lambda _: [OTHERWISE, SEQ])


def quick_position(*arguments: object) -> object:
    game, seq = arguments
    return puzzle_position(game, seq, settings_of(40, bytes(32)))  # type: ignore[arg-type]


def finish(search: module.PuzzleSearch, most: int = 2000) -> int:
    """Make all steps; return their number."""
    for number in range(most):
        if not search.is_due():
            return number
        search.step()
    raise AssertionError("the search does not end")


@pytest.fixture
def game(service: Service) -> str:
    """A finished public game."""
    game = store_game(service, recorded_game(PLAYED))
    reindex(service)
    return game


@pytest.fixture
def bounded(settings: Settings) -> Callable[..., Service]:
    def bounded(**bounds: float) -> Service:
        values: dict[str, float] = {"puzzle_seconds_per_day": 1e9, **bounds}
        return build(replace(settings, bounds=replace(settings.bounds, **values)))  # type: ignore[arg-type]

    return bounded


def test_it_finds_what_the_command_computes(game: str, bounded: Callable[..., Service]) -> None:
    service = bounded()
    store = service.puzzles.store
    finish(service.puzzles.search)
    (found,) = store.get(store.numbers())
    position = quick_position(finished_game(recorded_game(PLAYED)), SEQ)
    assert found.result == puzzle(position)  # type: ignore[arg-type]
    assert (found.number, found.game, found.system, found.seq) == (1, game, "barony", SEQ)
    # It is over: nothing is searched twice.
    assert store.search() is None
    assert store.not_examined([game]) == []
    service.redis.close()


def test_a_process_that_dies_loses_at_most_a_step(
    game: str, bounded: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STEP_SECONDS", 0.0)
    steps = 0
    while True:
        # Each step is made by another process.
        service = bounded()
        if not service.puzzles.search.is_due():
            break
        service.puzzles.search.step()
        steps += 1
        service.redis.close()
    assert steps > 20
    (found,) = service.puzzles.store.get(service.puzzles.store.numbers())
    assert (found.game, found.seq) == (game, SEQ)
    service.redis.close()


def test_a_game_in_which_every_step_fails_is_left(
    game: str, bounded: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = bounded()
    search = service.puzzles.search

    def fail(*_: object) -> None:
        raise RuntimeError("this version cannot play the game")

    monkeypatch.setattr(search, "_in_game", fail)
    for _ in range(module.MAX_TRIALS):
        assert search.is_due()
        with pytest.raises(RuntimeError):
            search.step()
    search.step()
    assert not search.is_due()
    assert service.puzzles.store.not_examined([game]) == []
    service.redis.close()


def test_private_and_running_games_are_never_searched(
    service: Service, bounded: Callable[..., Service]
) -> None:
    record = recorded_game(PLAYED)
    store_game(service, record, len(record.events) - 1, game_id="running")
    store_game(service, recorded_game("clock-abandons"), game_id="abandoned")
    reindex(service)
    searching = bounded()
    assert not searching.puzzles.search.is_due()
    searching.redis.close()


def test_a_day_has_bounds(game: str, bounded: Callable[..., Service]) -> None:
    off = bounded(puzzle_seconds_per_day=0.0)
    assert not off.puzzles.search.is_due()
    off.puzzles.search.step()
    assert off.puzzles.store.search() is None
    off.redis.close()
    # The time of one step is more than this.
    short = bounded(puzzle_seconds_per_day=0.001)
    short.puzzles.search.step()
    assert not short.puzzles.search.is_due()
    short.redis.close()
    one = bounded(max_puzzles_per_day=1)
    finish(one.puzzles.search)
    assert one.puzzles.store.numbers() == [1]
    assert one.puzzles.store.spent_and_made(module._today())[1] == 1
    one.redis.close()


def test_analyses_that_people_wait_for_come_first(
    game: str, bounded: Callable[..., Service]
) -> None:
    service = bounded()
    service.analyses.request(game, "ada")
    assert not service.puzzles.search.is_due()
    while not service.analyses.advance(game):
        pass
    assert service.puzzles.search.is_due()
    service.redis.close()


def test_the_oldest_puzzles_are_deleted(bounded: Callable[..., Service]) -> None:
    service = bounded(max_puzzles=2)
    store = service.puzzles.store
    at = "2026-11-30T00:00:00.000Z"
    results = [{"seq": seq, "seat": 0} for seq in (3, 4, 4, 5)]
    numbers = [store.add("a-game", "barony", 2, at, result) for result in results]
    assert numbers == [1, 2, None, 4]
    assert store.numbers() == [2, 4]
    positions = service.redis.hgetall("cartulary:puzzles:positions")
    assert positions == {b"a-game 4": b"2", b"a-game 5": b"4"}, (
        "those of the others are deleted too"
    )
    service.redis.close()


def test_the_position_of_a_deleted_puzzle_can_be_one_again(service: Service) -> None:
    store = service.puzzles.store
    at, result = "2026-11-30T00:00:00.000Z", {"seq": 3, "seat": 0}
    first = store.add("a-game", "barony", 2, at, result)
    assert first is not None
    store.remove(first)
    second = store.add("a-game", "barony", 2, at, result)
    assert store.numbers() == [second]
    # Another process that deletes the first one again does not free the position of the second.
    store.remove(first)
    assert store.add("a-game", "barony", 2, at, result) is None


def test_a_worker_makes_one_step_for_each_sweep(game: str, bounded: Callable[..., Service]) -> None:
    service = bounded()
    workers = WorkerHarness(service)
    for _ in range(2):
        workers.scheduler.enqueue_puzzle_search()
        assert workers.queues.lengths()[ANALYSES] == 1
        workers.work()
        search = service.puzzles.store.search()
        assert search is not None
        assert (search.game, search.trials) == (game, 0)
    service.redis.close()


def test_the_defaults_take_little(service: Service) -> None:
    assert Bounds().puzzle_seconds_per_day <= 3600
    assert TaskQueues(service.redis).lengths()[ANALYSES] == 0

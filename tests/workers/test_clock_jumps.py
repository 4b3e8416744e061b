"""A clock that jumps forfeits no turn and dates no event wrongly, neither in a scheduler nor in a worker."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from service import wall_clock
from service.bootstrap import Service
from service.http.app import create_app
from tests.support.service_games import play_set_up, start_game, take_action
from tests.support.worker_harness import WorkerHarness

SetClock = Callable[[timedelta], None]


@pytest.fixture
def set_clock(service: Service) -> SetClock:
    """A function that makes the wall clock of the service wrong by some time."""
    service.clock._max_jump = 3 * 3600.0

    def set_clock(difference: timedelta) -> None:
        service.clock._wall_clock = lambda: wall_clock.now() + difference

    return set_clock


def test_a_jump_of_a_day_forfeits_no_turn(
    service: Service, workers: WorkerHarness, set_clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    game = start_game(service, clock={"per_turn": 3600})
    workers.scheduler.sweep(is_first=True)
    workers.work()
    set_clock(timedelta(days=1))
    workers.scheduler.check_deadlines()
    workers.sweep_twice_and_work()
    assert service.games.commands.end_turn(game.id, game.turn) == []
    workers.runner.run(workers.tasks(game.id)["deadline"])
    assert service.games.queries.game(game.id).seq == game.seq
    assert caplog.text.count("the clock has jumped by +86400.0 s") == 1
    page = create_app(service).test_client().get("/metrics").get_data(as_text=True)
    assert "cartulary_clock_jumps_total 1.0" in page.splitlines()


def test_a_turn_that_is_overdue_is_forfeited_when_the_clock_is_right_again(
    service: Service, workers: WorkerHarness, set_clock: SetClock
) -> None:
    game = start_game(service, clock={"per_turn": 3600})
    workers.scheduler.sweep(is_first=True)
    workers.work()
    # The deadline has passed for an hour, but the clock jumps on and is not to be trusted.
    set_clock(timedelta(hours=2))
    assert service.clock.is_reliable()
    set_clock(timedelta(days=1))
    workers.scheduler.check_deadlines()
    workers.sweep_twice_and_work()
    assert service.games.queries.game(game.id).seq == game.seq
    assert "deadline" in workers.tasks(game.id)
    set_clock(timedelta(hours=2))
    workers.scheduler.check_deadlines()
    workers.sweep_twice_and_work()
    (event, *_) = service.games.queries.event_page(game.id, game.seq, 10)
    assert event["type"] == "CityPlaced"


def test_events_after_a_jump_are_dated_by_the_time_before_it(
    service: Service, set_clock: SetClock
) -> None:
    game = play_set_up(service, start_game(service).id)
    for difference in (timedelta(days=1), timedelta(days=-1)):
        set_clock(difference)
        (event, *_) = take_action(service, game.id).events
        assert abs(wall_clock.parse(event["at"]) - wall_clock.now()) < timedelta(seconds=60)

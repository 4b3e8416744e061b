"""The index of deadlines: the earliest time of a task of each game."""

from datetime import UTC, timedelta

from freezegun import freeze_time

from service.bootstrap import Service
from service.store.redis_event_store import ACTIVE_GAMES
from tests.support.service_games import play_set_up, start_game, take_action
from tests.support.worker_harness import WorkerHarness
from workers.deadline_index import DEADLINES, DeadlineIndex
from workers.tasks import tasks_of


def test_an_outdated_deadline_in_the_index_is_replaced(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        workers.scheduler.enqueue_tasks_of({game.id})
        time.tick(30)
        take_action(service, game.id)
        time.tick(30)
        # The message about the move got lost, so the index has the old deadline.
        workers.scheduler.check_deadlines()
        workers.work()
        assert service.games.queries.game(game.id).seq == game.seq + 1
        time.tick(30)
        workers.scheduler.check_deadlines()
        workers.work()
        assert (
            service.games.queries.event_page(game.id, game.seq + 1, 1)[0]["type"] == "TurnForfeited"
        )


def test_removing_a_deadline_from_the_index_leaves_another_one(
    service: Service, workers: WorkerHarness
) -> None:
    service.redis.zadd(DEADLINES.key("g"), {"g": 2000})
    index = workers.scheduler._deadlines
    index.replace("g", "1000", None)
    assert service.redis.zscore(DEADLINES.key("g"), "g") == 2000
    index.replace("g", "2000", None)
    assert service.redis.zscore(DEADLINES.key("g"), "g") is None


def test_a_game_with_several_timed_tasks_has_each_done_at_its_time(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        workers.runner.run(workers.tasks(game.id)["notify/turn"])
        reminder = '{"at":"2026-11-20T09:00:20.000Z","seq":1}'
        service.store.add_outbox_entries_if_absent(game.id, {"notify/event/1": reminder})
        workers.scheduler.enqueue_tasks_of({game.id})
        assert workers.waiting() == []
        assert (
            service.redis.zscore(DEADLINES.key(game.id), game.id)
            == time().timestamp() * 1000 + 20_000
        )
        time.tick(20)
        workers.scheduler.check_deadlines()
        assert workers.waiting() == [f"notify/event/1 of game {game.id}"]
        assert (
            service.redis.zscore(DEADLINES.key(game.id), game.id)
            == time().timestamp() * 1000 + 40_000
        )
        # A sweep that finds the game again must not lose the earlier of two times.
        service.redis.zrem(DEADLINES.key(game.id), game.id)
        workers.scheduler.sweep(is_first=True)
        time.tick(40)
        workers.scheduler.check_deadlines()
        assert f"deadline of game {game.id}" in workers.waiting()
        assert not service.redis.exists(*DEADLINES.all)


def test_what_earlier_versions_stored_in_one_key_moves_into_shards(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        workers.scheduler.enqueue_tasks_of({game.id})
        workers.work()
        for shards in (DEADLINES, ACTIVE_GAMES):
            service.redis.delete(shards.key(game.id))
        service.redis.zadd(DEADLINES.former, {game.id: time().timestamp() * 1000 + 60_000})
        service.redis.sadd(ACTIVE_GAMES.former, game.id)
        in_a_while = time().replace(tzinfo=UTC) + timedelta(seconds=61)
        assert workers.scheduler._deadlines.overdue_milliseconds(in_a_while) == 1000
        assert service.store.active_among([game.id, "0" * 16]) == [game.id]
        assert [*service.store.active_games()] == [game.id]
        assert [*service.store.active_games()] == [game.id]
        time.tick(60)
        workers.scheduler.check_deadlines()
        assert workers.waiting() == [f"deadline of game {game.id}"]
        assert not service.redis.exists(DEADLINES.former)
        assert not service.redis.exists(ACTIVE_GAMES.former)
        # A process of an earlier version may still add the game.
        service.redis.sadd(ACTIVE_GAMES.former, game.id)
        for entry, payload in service.store.outbox(game.id).items():
            service.store.ack(game.id, entry, payload)
        assert service.store.mark_inactive(game.id)
        assert not [*service.store.active_games()]


def test_the_index_is_read_again_only_when_a_task_is_due(
    service: Service, workers: WorkerHarness
) -> None:
    index = workers.scheduler._deadlines
    with freeze_time("2026-11-20T09:00:00Z") as time:
        now = service.clock.now
        assert index.has_due(now())
        assert index.overdue(now(), 10) == []
        assert not index.has_due(now() + timedelta(days=10_000))
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        workers.scheduler.enqueue_tasks_of({game.id})
        assert not index.has_due(now())
        time.tick(60)
        assert index.has_due(now())
        assert [id for id, _ in index.overdue(now(), 10)] == [game.id]
        # It is still in the index, for example because the clock is not reliable.
        assert index.has_due(now())
        workers.scheduler.check_deadlines()
        assert not index.has_due(now())


def test_a_deadline_that_another_scheduler_has_entered_is_found_after_a_sweep(
    service: Service, workers: WorkerHarness
) -> None:
    index, other = workers.scheduler._deadlines, DeadlineIndex(service.redis)
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        (deadline,) = (
            task
            for task in tasks_of(service.store, [game.id])[game.id].timed_tasks
            if task.kind == "forfeit"
        )
        assert index.overdue(service.clock.now(), 10) == []
        other.put([deadline])
        time.tick(60)
        assert not index.has_due(service.clock.now())
        index.forget_next_due()
        assert index.has_due(service.clock.now())
        assert [id for id, _ in index.overdue(service.clock.now(), 10)] == [game.id]

"""The job queues: no task is queued twice, lost jobs are enqueued again, failed ones are retried later."""

import json
from pathlib import Path

import pytest
from freezegun import freeze_time
from rq import Callback, Queue
from rq.job import Job
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer
from typing_extensions import override

from service.bootstrap import Service
from service.notifications.delivery import Delivery
from service.notifications.notification import Notification
from tests.support.receiver import webhook_receiver
from tests.support.service_games import play_out, play_until, start_game
from tests.support.worker_harness import RecordingChannel, WorkerHarness
from workers.notifications.channel import DEFAULT_RETRY_PAUSES
from workers.notifications.operator import OperatorWebhookChannel
from workers.tasks import ANALYSES, BOTS, GAMES, NOTIFICATIONS, THINKING, Task

SCORE = Task("g1", "score/1", '{"seq":7}')
NOTIFY = Task("g1", "notify/turn", '{"seat":0,"seq":7}')


def test_a_task_is_queued_once(workers: WorkerHarness) -> None:
    assert workers.queues.enqueue(SCORE)
    assert not workers.queues.enqueue(SCORE)
    assert workers.queues.enqueue(NOTIFY)
    assert workers.queues.enqueue_again([SCORE, NOTIFY]) == 0
    assert workers.queues.lengths() == {
        GAMES: 1,
        BOTS: 0,
        NOTIFICATIONS: 1,
        THINKING: 0,
        ANALYSES: 0,
    }


def test_a_job_contains_a_task_and_no_secret(service: Service, workers: WorkerHarness) -> None:
    game = play_out(service, start_game(service, round_limit=1).id)
    for task in workers.tasks(game.id).values():
        workers.queues.enqueue(task)
    secrets = service.store.secrets(game.id)
    for key in workers.client.keys("rq:job:*"):
        fields = workers.client.hgetall(key)
        for secret in secrets.values():
            assert not any(secret.encode() in value for value in fields.values())
    (job, *_) = workers.queues.queues[GAMES].get_jobs()
    assert job.args == [game.id, "score/1", workers.tasks(game.id)["score/1"].payload]


def test_a_job_whose_worker_has_died_is_enqueued_again(
    service: Service, workers: WorkerHarness
) -> None:
    game = play_out(service, start_game(service, round_limit=1).id)
    task = workers.tasks(game.id)["finish"]
    workers.queues.enqueue(task)
    # A worker first takes the job from the queue; this one does nothing more.
    assert workers.queues.queues[GAMES].pop_job_id() == task.id
    assert not workers.queues.enqueue(task)
    assert workers.queues.enqueue_again([task]) == 1
    workers.work()
    assert service.games.queries.game(game.id).status == "finished"
    assert not Job.exists(task.id, workers.client)


def test_a_lost_job_is_noticed_although_later_jobs_wait(workers: WorkerHarness) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        workers.queues.enqueue(SCORE)
        # The worker dies before the job has any other status.
        assert workers.queues.queues[GAMES].pop_job_id() == SCORE.id
        later = Task("g2", "score/1", '{"seq":7}')
        time.tick(60)
        workers.queues.enqueue(later)
        assert workers.queues.enqueue_again([SCORE, later]) == 1
        assert workers.queues.enqueue_again([SCORE, later]) == 0
        assert workers.waiting() == ["score/1 of game g2", "score/1 of game g1"]


def test_a_clock_that_is_wrong_does_not_put_a_task_into_the_queue_twice(
    workers: WorkerHarness,
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        workers.queues.enqueue(SCORE)
        time.tick(-3600)
        later = Task("g2", "score/1", '{"seq":7}')
        workers.queues.enqueue(later)
        for _ in range(3):
            assert workers.queues.enqueue_again([SCORE, later]) == 0


@pytest.mark.needs_redis("single", "sentinel")
def test_a_sweep_reads_no_queue_however_long_it_is(
    service: Service, workers: WorkerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.sweep.PAGE", 5)
    tasks = [Task(f"g{number}", "score/1", '{"seq":7}') for number in range(30)]
    for task in tasks:
        service.store.mark_active(task.game_id)
        service.store.add_outbox_entries_if_absent(task.game_id, {task.entry: task.payload})
        workers.queues.enqueue(task)
    service.redis.config_resetstat()
    workers.scheduler.sweep(is_first=True)
    calls = service.redis.info("commandstats")
    # These would read the queue from its beginning.
    assert not calls.keys() & {"cmdstat_lrange", "cmdstat_lrem", "cmdstat_lpos"}
    assert calls["cmdstat_lindex"]["calls"] == 30 / 5
    assert workers.queues.lengths()[GAMES] == 30


def test_jobs_that_are_done_leave_nothing_in_redis(
    service: Service, workers: WorkerHarness
) -> None:
    game = play_out(service, start_game(service, round_limit=3).id)
    while tasks := workers.tasks(game.id):
        for task in tasks.values():
            workers.queues.enqueue(task)
        workers.work()
    assert workers.client.keys("rq:job:*") == []
    for queue in workers.queues.queues.values():
        assert FailedJobRegistry(queue=queue).count == 0


def test_games_have_priority_over_notifications(service: Service) -> None:
    game = play_until(service, start_game(service).id, lambda game: bool(game.rounds_ended))
    rounds_scored: list[int] = []

    class RoundCounter(RecordingChannel):
        @override
        def send(self, delivery: Delivery, notification: Notification) -> None:
            super().send(delivery, notification)
            rounds_scored.append(service.games.queries.game(notification.game_id).rounds_scored)

    workers = WorkerHarness(service, RoundCounter())
    tasks = workers.tasks(game.id)
    workers.queues.enqueue(tasks["notify/turn"])
    workers.queues.enqueue(tasks["score/1"])
    workers.work()
    assert rounds_scored == [1, 1]
    assert "score/1" not in workers.tasks(game.id)
    workers.close()


def test_a_notification_is_retried_after_a_pause_with_the_same_id(service: Service) -> None:
    with (
        webhook_receiver() as receiver,
        freeze_time("2026-11-20T09:00:00Z", real_asyncio=True) as time,
    ):
        workers = WorkerHarness(service, RecordingChannel(), OperatorWebhookChannel(receiver.url))
        receiver.statuses = [500, 503]
        game = start_game(service)
        workers.queues.enqueue(workers.tasks(game.id)["notify/turn"])
        for attempts, pause in enumerate(DEFAULT_RETRY_PAUSES[:2], 1):
            workers.work()
            assert len(receiver.requests) == attempts
            time.tick(pause - 1)
            assert workers.dispatcher.send_due() == 0
            time.tick(1)
        workers.work()
        assert len({request.body["delivery"] for request in receiver.requests}) == 1
        assert len(receiver.requests) == 3
        assert "notify/turn" not in workers.tasks(game.id)
        assert workers.client.keys("rq:job:*") == []
        assert service.notifications.deliveries.waiting(1) == []
        workers.close()


def test_after_the_last_attempt_nothing_is_left(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        channel, failing = RecordingChannel(), RecordingChannel(failures=1000, name="failing")
        workers = WorkerHarness(service, channel, failing)
        game = start_game(service)
        workers.queues.enqueue(workers.tasks(game.id)["notify/turn"])
        for pause in DEFAULT_RETRY_PAUSES:
            workers.work()
            time.tick(pause)
        assert workers.dispatcher.send_due() == 1
        assert failing.failures == 1000 - len(DEFAULT_RETRY_PAUSES) - 1
        assert len(channel.sent) == 1
        assert "notify/turn" not in workers.tasks(game.id)
        assert sum(workers.queues.lengths().values()) == 0
        assert service.notifications.deliveries.waiting(1) == []
        workers.close()


def test_a_retry_whose_job_was_deleted_is_dropped(workers: WorkerHarness) -> None:
    queue = workers.queues.queues[NOTIFICATIONS]
    workers.client.zadd(queue.scheduled_job_registry.key, {"f" * 32: 1})
    assert workers.queues.enqueue_retries() == 0
    assert queue.scheduled_job_registry.count == 0


def test_a_job_is_stored_as_json(workers: WorkerHarness) -> None:
    workers.queues.enqueue(SCORE)
    (job,) = workers.queues.queues[GAMES].get_jobs()
    function, _, args, _ = json.loads(job.data)
    assert function == "workers.jobs.run"
    assert args == [SCORE.game_id, SCORE.entry, SCORE.payload]


def test_a_job_in_the_queue_cannot_call_any_other_code(
    workers: WorkerHarness, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # RQ's own job class would call all of these in the worker.
    queue = Queue(GAMES, workers.client, serializer=JSONSerializer)
    folder = tmp_path / "folder"
    queue.enqueue_call("os.mkdir", args=(str(folder),))
    queue.enqueue_call(
        "workers.jobs.run",
        args=(SCORE.game_id, SCORE.entry, SCORE.payload),
        on_success=Callback("os.abort"),
        on_failure=Callback("os.abort"),
    )
    workers.work()
    assert not folder.exists()
    assert "os.mkdir is not a job of Cartulary" in caplog.text
    assert FailedJobRegistry(queue=queue).count == 1
    assert workers.queues.lengths()[GAMES] == 0
